package serving

import (
	"strings"
	"time"
)

// groupLocked returns a player and the other players that its game needs: those that
// it met the longest time ago, and of these the ones that have waited longest. It
// returns nil if there are too few, or if the same group was paired within the time
// of a rematch.
func (d *Desk) groupLocked(q *queue, p *player) []*player {
	group := []*player{p}
	for len(group) < q.size.players {
		last := len(group) == q.size.players-1
		next := best(q.free, func(c *player) (met time.Time, ok bool) {
			if !d.pairsLocked(q.game, c) {
				return met, false
			}
			for _, g := range group {
				if g == c {
					return met, false
				}
				if at := g.met[c.name]; at.After(met) {
					met = at
				}
			}
			return met, !last || !d.recent.hasLocked(append(group, c))
		})
		if next == nil {
			return nil
		}
		group = append(group, next)
	}
	if len(group) == 1 && d.recent.hasLocked(group) {
		return nil
	}
	return group
}

// fillersLocked returns players for all open seats of a found match, chosen like
// those of groupLocked; nil if there are too few.
func (d *Desk) fillersLocked(q *queue, a *assignment) []*player {
	var chosen []*player
	for range a.openLocked() {
		next := best(q.free, func(c *player) (met time.Time, ok bool) {
			for _, p := range chosen {
				if p == c {
					return met, false
				}
			}
			if _, lost := a.lost[c]; lost || a.hasLocked(c) || c.challenges {
				return met, false
			}
			for _, identity := range a.info.Identities {
				if at := c.met[identity]; at.After(met) {
					met = at
				}
			}
			return met, true
		})
		if next == nil {
			return nil
		}
		chosen = append(chosen, next)
	}
	return chosen
}

// best returns the player with the earliest meeting, and of several the one that has
// waited longest. Met returns the meeting of a player, and whether it
// can be chosen at all.
func best(free map[*player]struct{}, met func(*player) (time.Time, bool)) *player {
	var first *player
	var earliest time.Time
	for p := range free {
		at, ok := met(p)
		if ok && (first == nil || at.Before(earliest) || at.Equal(earliest) && before(p, first)) {
			first, earliest = p, at
		}
	}
	return first
}

// recent holds the groups that were paired within the time of a rematch.
type recent struct {
	last  map[string]time.Time // by group
	order []pairing            // the oldest first; its first one has the timer
}

type pairing struct {
	players []*player
	group   string
	at      time.Time
}

func group(players []*player) string { return strings.Join(names(players), " ") }

func (r *recent) hasLocked(players []*player) bool {
	_, ok := r.last[group(players)]
	return ok
}

// dropLocked forgets the pairing of a match that could not be created.
func (r *recent) dropLocked(players []*player) { delete(r.last, group(players)) }

// recentLocked remembers a group. When it can be paired again, its players are tried
// again.
func (d *Desk) recentLocked(players []*player, now time.Time) {
	g := group(players)
	d.recent.last[g] = now
	d.recent.order = append(d.recent.order, pairing{players, g, now})
	if len(d.recent.order) == 1 {
		time.AfterFunc(d.limits.Rematch, d.rematch)
	}
}

// rematch forgets the pairings whose time is over.
func (d *Desk) rematch() {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &d.recent
	for len(r.order) > 0 {
		first := r.order[0]
		if wait := time.Until(first.at.Add(d.limits.Rematch)); wait > 0 {
			if d.worksLocked() {
				time.AfterFunc(wait, d.rematch)
			}
			return
		}
		r.order = r.order[1:]
		if r.last[first.group].Equal(first.at) {
			delete(r.last, first.group)
		}
		for _, p := range first.players {
			d.tryLocked(p)
		}
	}
}
