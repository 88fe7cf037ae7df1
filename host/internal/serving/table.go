package serving

import (
	"context"
	"slices"
	"time"

	"colosseum/host/internal/lobby"
	"colosseum/protocol"
)

// table is a match with players that were assigned to it. The desk's mu guards it.
type table struct {
	found   bool                 // a client of Find waits in it
	info    protocol.MatchInfo   // as last reported; without an ID before the match exists
	players []*player            // for whom it counts
	lost    map[*player]struct{} // those that lost their seats, and are not assigned again
	gone    bool                 // it has left the lobby
}

// seat is a player's seat in a match.
type seat struct {
	deadline time.Time // to join
	kept     bool      // the lobby has kept it
	joined   bool
	late     bool // the seat is withdrawn because the player did not join
}

// open returns the number of seats that are neither taken nor kept.
func (t *table) open() int {
	return t.info.Players - t.info.Bots - len(t.info.Connected) - len(t.info.Reserved)
}

// has reports whether a player has a seat, or one is kept for it.
func (t *table) has(p *player) bool { return t.keeps(p) || t.seats(p) }

func (t *table) keeps(p *player) bool { return slices.Contains(t.info.Reserved, p.name) }

func (t *table) seats(p *player) bool {
	for _, identity := range t.info.Identities {
		if identity == p.name {
			return true
		}
	}
	return false
}

// lose remembers that a player has lost its seat.
func (t *table) lose(p *player) {
	if t.lost == nil {
		t.lost = map[*player]struct{}{}
	}
	t.lost[p] = struct{}{}
}

// seatLocked counts a match for players, before the lobby keeps their seats.
func (d *Desk) seatLocked(t *table, players []*player) {
	now := time.Now()
	d.generation.Add(1)
	for _, p := range players {
		t.players = append(t.players, p)
		p.tables[t] = &seat{deadline: now.Add(d.limits.Accept)}
		p.since = now
	}
	for _, p := range players {
		d.tryLocked(p) // it can have room for more matches
	}
}

// releaseLocked no longer counts a match for a player.
func (d *Desk) releaseLocked(t *table, p *player) {
	if p.tables[t] == nil {
		return
	}
	d.generation.Add(1)
	delete(p.tables, t)
	t.players = slices.DeleteFunc(t.players, func(x *player) bool { return x == p })
	p.since = time.Now()
	d.tryLocked(p)
}

// assignLocked sends a player its seat, if it has still to join.
func (d *Desk) assignLocked(t *table, p *player, s *seat) {
	left := time.Until(s.deadline)
	if p.conn == nil || !s.kept || s.joined || left <= 0 {
		return
	}
	p.conn.Assign(protocol.ServeMatch{Info: t.info, Seconds: left.Round(time.Millisecond).Seconds()})
}

// open creates a match in which seats are kept for the given players, and assigns
// them. After an error it no longer counts for them.
func (d *Desk) open(ctx context.Context, t *table, c lobby.Client, r protocol.GameNew, assigned []*player, seats *lobby.Seats) (protocol.MatchInfo, error) {
	seats.Players = append(names(assigned), seats.Players...)
	seats.Within, seats.Changed = d.limits.Accept, func(ch lobby.Change) { d.changed(t, ch) }
	info, err := d.lobby.CreateFor(ctx, c, r, seats)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		for _, p := range assigned {
			d.releaseLocked(t, p)
		}
		return info, err
	}
	if t.info.ID == "" {
		t.info = info // nothing has changed since
	}
	d.assignedLocked(t, assigned)
	return info, nil
}

// fill keeps seats of a found match for the given players, and assigns them.
func (d *Desk) fill(t *table, assigned []*player) {
	d.mu.Lock()
	id := t.info.ID
	d.mu.Unlock()
	for _, p := range assigned {
		err := d.lobby.Reserve(id, p.name)
		d.mu.Lock()
		if err != nil { // the match has started or left the lobby
			t.lose(p)
			d.releaseLocked(t, p)
		} else if s := p.tables[t]; s != nil {
			d.assignedLocked(t, []*player{p})
			time.AfterFunc(d.limits.Accept, func() { d.withdraw(t, p, s) })
		}
		d.mu.Unlock()
	}
}

// assignedLocked sends players the seats that the lobby keeps for them.
func (d *Desk) assignedLocked(t *table, assigned []*player) {
	for _, p := range assigned {
		if s := p.tables[t]; s != nil {
			s.kept = true
			d.stats.Assigned++
			d.assignLocked(t, p, s)
		}
	}
}

// withdraw takes the seat in a found match from a player that has not joined.
func (d *Desk) withdraw(t *table, p *player, s *seat) {
	d.mu.Lock()
	late := !d.closed && p.tables[t] == s && t.keeps(p)
	s.late = late
	id := t.info.ID
	d.mu.Unlock()
	if late {
		d.lobby.Unreserve(id, p.name) // calls changed, unless it has just joined
	}
}

// changed is called by the lobby, which is locked, for each change of a match.
func (d *Desk) changed(t *table, ch lobby.Change) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.info, t.gone = ch.Info, ch.Gone
	for _, p := range slices.Clone(t.players) {
		s := p.tables[t]
		s.kept = s.kept || t.keeps(p)
		switch {
		case ch.Gone:
			if !ch.Info.Running && t.keeps(p) && !time.Now().Before(s.deadline) {
				d.missLocked(p)
			}
			d.releaseLocked(t, p)
		case t.seats(p):
			s.joined, p.misses = true, 0
		case t.keeps(p) && s.joined: // it has left again
			s.joined = false
			if t.found && !d.closed {
				d.running.Go(func() { d.withdraw(t, p, s) }) // ends when the lobby has answered
			}
		case !t.keeps(p) && s.kept: // a client of Find has taken the seat, or it was withdrawn
			t.lose(p)
			if s.late {
				d.missLocked(p)
			}
			d.releaseLocked(t, p)
		}
	}
	if t.found {
		d.foundLocked(t, ch)
	}
}

// foundLocked has players assigned to a found match while it has open seats.
func (d *Desk) foundLocked(t *table, ch lobby.Change) {
	waits := ch.Default && !ch.Gone && !ch.Info.Running && t.open() > 0
	q := d.queues[ch.Info.Game]
	switch known := q != nil && slices.Contains(q.waiting, t); {
	case waits && !known:
		q = d.queueLocked(ch.Info.Game)
		q.waiting, q.look = append(q.waiting, t), true
		d.workLocked(q)
	case !waits && known:
		q.waiting = slices.DeleteFunc(q.waiting, func(x *table) bool { return x == t })
		d.dropLocked(q)
	}
}
