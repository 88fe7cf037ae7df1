package lobby

import "colosseum/host/internal/records/record"

// Expect lists a match that another host has just created, unless it is listed already,
// and watches it. See Watch.
func (l *Lobby) Expect(x Listing, changed func(Change)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.elsewhere[x.Info.ID] == nil {
		l.setElsewhereLocked(x)
	}
	l.watchLocked(x.Info.ID, changed)
}

// Watch calls changed with the state of a match of any host, and then with each of its
// changes, with the lobby locked, so changed must neither block nor call the lobby. Of
// several changes of a match of another host, it can miss all but the last one. A later
// call for the same match replaces an earlier one, and the Changed of its Seats. It
// reports whether the match is listed.
func (l *Lobby) Watch(id string, changed func(Change)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watchLocked(id, changed)
}

func (l *Lobby) watchLocked(id string, changed func(Change)) bool {
	if e := l.entries[id]; e != nil {
		e.changed = changed
		e.reportLocked(Change{})
		return true
	}
	e := l.elsewhere[id]
	if e == nil {
		return false
	}
	e.changed = changed
	changed(e.change())
	return true
}

// Listings returns the listings of the matches of all hosts that wait or run, in no
// order. The host of those of this one is empty.
func (l *Lobby) Listings() []Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Listing, 0, len(l.entries)+len(l.elsewhere))
	for _, e := range l.entries {
		list = append(list, e.listingLocked(Change{}))
	}
	for _, e := range l.elsewhere {
		if !e.Gone {
			list = append(list, e.Listing)
		}
	}
	return list
}

// Playing returns the match of an attempt at a leg that waits or runs, on any host. Of
// several, it returns one that runs if there is one.
func (l *Lobby) Playing(of *record.Fixture) (found Listing, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := func(f *record.Fixture) bool {
		return f != nil && f.Pairing == of.Pairing && f.Leg == of.Leg && f.Attempt == of.Attempt && f.Contest == of.Contest
	}
	for _, e := range l.elsewhere {
		if !e.Gone && is(e.Fixture) && (!ok || e.Info.Running) {
			found, ok = e.Listing, true
		}
	}
	for _, e := range l.entries {
		if is(e.fixture) && (!ok || e.info.Running) {
			found, ok = e.listingLocked(Change{}), true
		}
	}
	return found, ok
}

// Fixtures returns the matches of a contest that wait or run, on any host, by their IDs.
func (l *Lobby) Fixtures(contest string) map[string]record.Fixture {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := map[string]record.Fixture{}
	add := func(f *record.Fixture, id string) {
		if f != nil && f.Contest == contest {
			list[id] = *f
		}
	}
	for id, e := range l.elsewhere {
		if !e.Gone {
			add(e.Fixture, id)
		}
	}
	for id, e := range l.entries {
		add(e.fixture, id)
	}
	return list
}

// FixturesGeneration changes with what Fixtures returns for any contest.
func (l *Lobby) FixturesGeneration() uint64 { return l.fixtures.Load() }

// fixtureChangedLocked counts a match that was added or removed. F is nil if it belongs to
// no contest.
func (l *Lobby) fixtureChangedLocked(f *record.Fixture) {
	if f != nil {
		l.fixtures.Add(1)
	}
}
