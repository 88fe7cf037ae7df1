package lobby

import (
	"cmp"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// Listing is a match as its host lists it for the other hosts of a cluster.
type Listing struct {
	Host     string             `json:"host"`
	Info     protocol.MatchInfo `json:"info"`
	Fixture  *record.Fixture    `json:"fixture,omitempty"`  // nil: it belongs to no contest
	Assigned bool               `json:"assigned,omitempty"` // seats are or were kept for players
	Default  bool               `json:"default,omitempty"`  // see Change
	Programs []string           `json:"programs,omitempty"` // players for which programs of its host play

	// See Change. A match that is gone is not in the list of matches; its listing only
	// has the reason.
	Gone   bool     `json:"gone,omitempty"`
	Absent []string `json:"absent,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// change returns the listing as a change of the match.
func (x Listing) change() Change {
	return Change{Info: x.Info, Default: x.Default, Gone: x.Gone, Absent: x.Absent, Reason: x.Reason}
}

// elsewhere is a match of another host. The lobby's mu guards it.
type elsewhere struct {
	Listing
	changed func(Change) // see Watch; nil: nobody watches
}

// Publish calls f for all matches of this host, and then for each of their changes,
// with the lobby locked, so f must neither block nor call the lobby. The host of the
// listings is empty. It must be called at most once.
func (l *Lobby) Publish(f func(Listing)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.publish = f
	for _, e := range l.entries {
		l.publishLocked(e, Change{})
	}
}

// publishLocked lists a match for the other hosts, with a change to which it adds the
// match.
func (l *Lobby) publishLocked(e *entry, c Change) {
	if l.publish == nil {
		return
	}
	l.publish(e.listingLocked(c))
}

// listingLocked returns a match of this host with a change.
func (e *entry) listingLocked(c Change) Listing {
	return Listing{
		Info: e.info, Fixture: e.fixture, Assigned: e.changed != nil || e.fixed && e.info.Rematch == "" && e.branch == nil, Default: e.standard, Programs: e.hosted.players(),
		Gone: c.Gone, Absent: c.Absent, Reason: c.Reason,
	}
}

// SetElsewhere lists a match of another host. A match of this host is not affected.
func (l *Lobby) SetElsewhere(x Listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.setElsewhereLocked(x)
}

func (l *Lobby) setElsewhereLocked(x Listing) {
	id := x.Info.ID
	if l.entries[id] != nil {
		return
	}
	e := l.elsewhere[id]
	before := e != nil && !e.Gone
	if e == nil {
		e = &elsewhere{}
		l.elsewhere[id] = e
	}
	if before == x.Gone {
		l.fixtureChangedLocked(cmp.Or(x.Fixture, e.Fixture))
	}
	e.Listing = x
	switch {
	case !x.Gone && before:
		l.generation.Add(1)
		l.feedLocked(protocol.Encode(protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: x.Info}))
	case !x.Gone:
		l.generation.Add(1)
		l.feedLocked(protocol.Encode(protocol.NameLobbyNew, protocol.LobbyEvent{Info: x.Info}))
	case before:
		l.generation.Add(1)
		l.feedLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: x.Reason}))
	}
	if e.changed != nil {
		e.changed(x.change())
	}
}

// ForgetElsewhere ends the listing of a match of another host, which is gone.
func (l *Lobby) ForgetElsewhere(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.elsewhere[id]
	if e == nil {
		return
	}
	delete(l.elsewhere, id)
	if e.Gone {
		return
	}
	l.generation.Add(1)
	l.fixtureChangedLocked(e.Fixture)
	l.feedLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id}))
	e.Gone = true
	if e.changed != nil {
		e.changed(e.change())
	}
}

// Elsewhere returns the listing of a match of another host, also of one that is gone
// and not forgotten yet.
func (l *Lobby) Elsewhere(id string) (Listing, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.elsewhere[id]
	if e == nil {
		return Listing{}, false
	}
	return e.Listing, true
}

// Lists reports whether a match of any host waits or runs.
func (l *Lobby) Lists(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.elsewhere[id]
	return l.entries[id] != nil || e != nil && !e.Gone
}

// AllElsewhere returns the listings of all matches of other hosts, in no order, also of
// those that are gone and not forgotten yet.
func (l *Lobby) AllElsewhere() []Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Listing, 0, len(l.elsewhere))
	for _, e := range l.elsewhere {
		list = append(list, e.Listing)
	}
	return list
}
