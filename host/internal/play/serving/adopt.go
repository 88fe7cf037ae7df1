package serving

import (
	"context"
	"errors"
	"slices"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
)

// moved is the reason for the players if a waiting match of a contest is removed because
// the leader has changed.
const moved = "another host plays the contest now, and creates this match again"

// removeAgain is the time between two attempts to remove a match of an earlier leader.
const removeAgain = 2 * time.Second

// leg identifies an attempt at a leg of a contest.
type legKey struct {
	contest               string
	pairing, leg, attempt int
}

func legOf(f *record.Fixture) legKey { return legKey{f.Contest, f.Pairing, f.Leg, f.Attempt} }

// adoptAll adopts the matches that the desks of earlier leaders have created.
func (d *Desk) adoptAll(t *term) {
	for _, x := range d.matches.Listings() {
		if x.Assigned && !x.Gone {
			d.adopt(t, x)
		}
	}
}

// adopt makes a match of an earlier leader count for its players until it is gone.
func (d *Desk) adopt(t *term, x lobby.Listing) {
	a := &assignment{term: t, adopted: true, info: x.Info, found: x.Default, programs: x.Programs}
	if x.Fixture != nil {
		a.contest = &contestState{entries: x.Fixture.Entries, over: make(chan lobby.Change, 1)}
	}
	if !d.matches.Watch(x.Info.ID, func(ch lobby.Change) { d.changed(a, ch) }) || x.Fixture == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.term == t {
		l := legOf(x.Fixture)
		d.adopted[l] = append(d.adopted[l], a)
	}
}

// countAdoptedLocked counts an adopted match for the players that have a seat, and for
// those for which one is kept.
func (d *Desk) countAdoptedLocked(a *assignment) {
	for _, name := range a.info.Identities {
		d.adoptedSeatLocked(a, name)
	}
	for _, name := range a.info.Reserved {
		d.adoptedSeatLocked(a, name)
	}
}

func (d *Desk) adoptedSeatLocked(a *assignment, name string) {
	if slices.Contains(a.programs, name) {
		return
	}
	p := d.players[key(name)]
	if p == nil {
		p = d.addPlayerLocked(name)
	}
	if _, lost := a.lost[p]; lost || p.matches[a] != nil {
		return
	}
	left := d.limits.Accept
	if !a.found { // its expiry is the deadline
		left = max(0, min(left, time.Until(time.Unix(a.info.Time, 0))))
	}
	s := &seat{deadline: time.Now().Add(left), short: true} // the earlier leader might not have assigned it
	d.countLocked(a, p, s)
	d.tryLocked(p)
	if a.found && !a.info.Running {
		time.AfterFunc(left, func() { d.withdraw(a, p, s) })
	}
}

// sweepEvery is the time between two looks for matches of contests that nobody plays. A match
// that is being created now is not one of them: that takes at most requestTimeout.
const sweepEvery = 2 * requestTimeout

// sweep removes the matches of contests that wait for players without being played by this
// term: nothing else would, if their leg is over. Such a match was created by an earlier
// leader, or its host could not be reached to say that it has created it.
func (d *Desk) sweep(t *term) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for before := map[string]bool{}; ; {
		select {
		case <-ticker.C:
		case <-t.ctx.Done():
			return
		}
		waiting := map[string]bool{}
		for _, x := range d.matches.Listings() {
			if id := x.Info.ID; x.Fixture != nil && !x.Gone && !x.Info.Running && !d.created(t, id) {
				waiting[id] = true
				if before[id] {
					d.lobby.Remove(id, moved)
				}
			}
		}
		before = waiting
	}
}

// created reports whether a match of a contest was created by a term.
func (d *Desk) created(t *term, id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return t.created[id]
}

// playEarlier looks for matches of the same leg that earlier leaders have created. It
// removes those that wait for players, and waits for the end of one that has started.
// Over reports whether one has.
func (d *Desk) playEarlier(ctx context.Context, t *term, f ContestMatch) (id string, over bool, err error) {
	if d.matches == nil || f.Contest == nil {
		return "", false, nil
	}
	for {
		a := d.earlier(t, f.Contest)
		if a == nil {
			return "", false, nil
		}
		if !slices.Equal(a.contest.entries, f.Contest.Entries) { // a ladder numbers its matches itself
			return "", false, errors.New("another match has its number")
		}
		id, err := d.removeEarlier(ctx, t, a)
		if err != nil {
			return id, false, err
		}
		if f.Created != nil {
			f.Created(id)
		}
		last, err := d.awaitEnd(ctx, t, a, id)
		switch {
		case err != nil:
			return id, false, err
		case last.Info.Running:
			return id, true, aborted(last)
		case ctx.Err() != nil:
			return id, false, context.Cause(ctx)
		}
	}
}

// earlier returns a match of a leg that an earlier leader has created; nil: there is
// none. It returns each match once, also one that is gone since this host leads: its
// result can be newer than what the caller has read.
func (d *Desk) earlier(t *term, f *record.Fixture) *assignment {
	l := legOf(f)
	for t.ctx.Err() == nil {
		d.mu.Lock()
		list := d.adopted[l]
		if len(list) > 0 {
			d.adopted[l] = list[1:]
			if len(list) == 1 {
				delete(d.adopted, l)
			}
			d.mu.Unlock()
			return list[0]
		}
		d.mu.Unlock()
		x, ok := d.matches.Playing(f)
		if !ok {
			return nil
		}
		d.adopt(t, x) // it was listed after this host has begun to lead
	}
	return nil
}

// removeEarlier removes a match of an earlier leader, unless it has started or is gone.
func (d *Desk) removeEarlier(ctx context.Context, t *term, a *assignment) (id string, err error) {
	waits := func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		id = a.info.ID
		return !a.gone && !a.info.Running
	}
	for waits() && !d.lobby.Remove(id, moved) { // its host does not answer, or the change is on its way
		select {
		case <-time.After(removeAgain):
		case <-ctx.Done():
			return id, context.Cause(ctx)
		case <-t.ctx.Done():
			return id, t.refusal()
		}
	}
	return id, nil
}
