package serving

import (
	"context"
	"slices"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// assignment is a match with players that were assigned to it. The desk's mu guards it.
type assignment struct {
	term    *term                // that it belongs to
	adopted bool                 // an earlier leader created it: it counts for all players that have a seat
	found   bool                 // a client of Find waits in it
	info    protocol.MatchInfo   // as last reported; without an ID before the match exists
	players []*player            // it counts for them
	lost    map[*player]struct{} // players that lost their seats, and are not assigned again
	gone    bool                 // it has left the lobby
	contest *contestState        // nil: it belongs to no contest

	programs []string // players of an adopted match for which programs play: it does not count for them
}

// seat is a player's seat in a match.
type seat struct {
	deadline time.Time // to join
	kept     bool      // the lobby has kept it
	listed   bool      // a change of the match has shown that
	joined   bool
	late     bool // the seat is withdrawn because the player did not join
	short    bool // the player got it so late that not joining is no miss

	again *time.Timer // repeats the assignment; nil: it was not assigned yet, or this host is alone
}

// openLocked returns the number of seats that are neither taken nor kept.
func (a *assignment) openLocked() int {
	return a.info.Players - a.info.Bots - len(a.info.Connected) - len(a.info.Reserved)
}

// hasLocked reports whether a player has a seat, or one is kept for it.
func (a *assignment) hasLocked(p *player) bool { return a.keepsLocked(p) || a.tookLocked(p) }

func (a *assignment) keepsLocked(p *player) bool { return slices.Contains(a.info.Reserved, p.name) }

func (a *assignment) tookLocked(p *player) bool {
	for _, identity := range a.info.Identities {
		if identity == p.name {
			return true
		}
	}
	return false
}

// loseLocked remembers that a player has lost its seat.
func (a *assignment) loseLocked(p *player) {
	if a.lost == nil {
		a.lost = map[*player]struct{}{}
	}
	a.lost[p] = struct{}{}
}

// seatLocked counts a match for players, before the lobby keeps their seats.
func (d *Desk) seatLocked(a *assignment, players []*player) {
	now := time.Now()
	for _, p := range players {
		d.countLocked(a, p, &seat{deadline: now.Add(d.limits.Accept)})
	}
	for _, p := range players {
		d.tryLocked(p) // it can have room for more matches
	}
}

// countLocked counts a match for a player. The caller must call tryLocked.
func (d *Desk) countLocked(a *assignment, p *player, s *seat) {
	d.generation.Add(1)
	a.players = append(a.players, p)
	p.matches[a], p.since = s, time.Now()
}

// releaseLocked no longer counts a match for a player.
func (d *Desk) releaseLocked(a *assignment, p *player) {
	if p.matches[a] == nil {
		return
	}
	d.generation.Add(1)
	delete(p.matches, a)
	a.players = slices.DeleteFunc(a.players, func(x *player) bool { return x == p })
	p.since = time.Now()
	d.tryLocked(p)
}

// assignLocked sends a player its seat, unless it has joined or is too late.
func (d *Desk) assignLocked(a *assignment, p *player, s *seat) {
	left := time.Until(s.deadline)
	if p.conn == nil || !s.kept || s.joined || left <= 0 {
		return
	}
	if a.adopted && (a.contest != nil || len(p.matches) > p.concurrency) { // it is removed soon, or the earlier leader did not know that it exists
		return
	}
	p.conn.Assign(protocol.ServeMatch{Info: a.info, Seconds: left.Round(time.Millisecond).Seconds()})
	if d.matches == nil || left <= repeatAfter {
		return
	}
	if s.again == nil {
		s.again = time.AfterFunc(repeatAfter, func() { d.repeat(a, p, s) })
	} else {
		s.again.Reset(repeatAfter)
	}
}

// repeatAfter is the time after which a seat is assigned again to a player that has not
// joined. In a cluster its attempt can have failed, because a host was out of reach.
const repeatAfter = 5 * time.Second

func (d *Desk) repeat(a *assignment, p *player, s *seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed && !a.gone && p.matches[a] == s {
		d.assignLocked(a, p, s)
	}
}

// open creates a match in which seats are kept for the given players, and assigns
// them. After an error it no longer counts for them.
func (d *Desk) open(ctx context.Context, a *assignment, c lobby.Client, r protocol.GameNew, assigned []*player, seats *lobby.Seats) (protocol.MatchInfo, error) {
	seats.Players = append(names(assigned), seats.Players...)
	seats.Within, seats.Changed = d.limits.Accept, func(ch lobby.Change) { d.changed(a, ch) }
	info, err := d.lobby.CreateFor(ctx, c, r, seats)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		for _, p := range assigned {
			d.releaseLocked(a, p)
		}
		return info, err
	}
	if a.info.ID == "" {
		a.info = info // nothing has changed since
	}
	d.assignedLocked(a, assigned)
	return info, nil
}

// fill keeps seats of a found match for the given players, and assigns them.
func (d *Desk) fill(a *assignment, assigned []*player) {
	d.mu.Lock()
	id := a.info.ID
	d.mu.Unlock()
	for _, p := range assigned {
		err := d.lobby.Reserve(id, p.name)
		d.mu.Lock()
		if err != nil { // the match has started or left the lobby
			a.loseLocked(p)
			d.releaseLocked(a, p)
		} else if s := p.matches[a]; s != nil {
			d.assignedLocked(a, []*player{p})
			time.AfterFunc(d.limits.Accept, func() { d.withdraw(a, p, s) })
		}
		d.mu.Unlock()
	}
}

// assignedLocked sends players the seats that the lobby keeps for them.
func (d *Desk) assignedLocked(a *assignment, assigned []*player) {
	for _, p := range assigned {
		if s := p.matches[a]; s != nil {
			s.kept = true
			d.stats.Assigned++
			d.assignLocked(a, p, s)
		}
	}
}

// withdraw takes its seat in a found match from a player that has not joined.
func (d *Desk) withdraw(a *assignment, p *player, s *seat) {
	d.mu.Lock()
	known := d.worksLocked() && p.matches[a] == s
	late := known && a.keepsLocked(p)
	s.late = late
	id := a.info.ID
	if known && !late && !a.tookLocked(p) { // another client has taken the seat before a change could show that it was kept
		a.loseLocked(p)
		d.releaseLocked(a, p)
	}
	d.mu.Unlock()
	if late {
		d.lobby.Unreserve(id, p.name) // calls changed, unless it has just joined
	}
}

// changed handles a change of a match. The lobby calls it with its mutex held. Of several
// changes of a match of another host, it can miss all but the last one.
func (d *Desk) changed(a *assignment, ch lobby.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.gone || a.term != d.term {
		return
	}
	a.info, a.gone = ch.Info, ch.Gone
	if a.adopted && !a.gone {
		d.countAdoptedLocked(a)
	}
	for _, p := range slices.Clone(a.players) {
		s := p.matches[a]
		if a.keepsLocked(p) {
			s.kept, s.listed = true, true
		}
		if a.tookLocked(p) {
			s.joined, p.misses = true, 0
		}
		switch {
		case ch.Gone:
			late := slices.Contains(ch.Absent, p.name) || a.keepsLocked(p) && !time.Now().Before(s.deadline)
			if !ch.Info.Running && late && !s.short {
				d.missLocked(p)
			}
			d.releaseLocked(a, p)
		case a.tookLocked(p):
		case a.keepsLocked(p) && s.joined: // it has left before the start
			s.joined = false
			if a.found && d.worksLocked() {
				d.running.Go(func() { d.withdraw(a, p, s) }) // ends when the lobby has answered
			}
		case !a.keepsLocked(p) && (s.listed || a.adopted): // a client of Find has taken the seat, or it was withdrawn, or its player has left
			a.loseLocked(p)
			if s.late {
				d.missLocked(p)
			}
			d.releaseLocked(a, p)
		}
	}
	if a.found {
		d.foundLocked(a, ch)
	}
	if a.contest != nil {
		d.contestChangedLocked(a, ch)
	}
}

// foundLocked has players assigned to a found match while it has open seats.
func (d *Desk) foundLocked(a *assignment, ch lobby.Change) {
	waits := ch.Default && !ch.Gone && !ch.Info.Running && a.openLocked() > 0
	q := d.queues[ch.Info.Game]
	switch known := q != nil && slices.Contains(q.waiting, a); {
	case waits && !known:
		q = d.queueLocked(ch.Info.Game)
		q.waiting, q.look = append(q.waiting, a), true
		d.workLocked(q)
	case !waits && known:
		q.waiting = slices.DeleteFunc(q.waiting, func(x *assignment) bool { return x == a })
		d.dropLocked(q)
	}
}
