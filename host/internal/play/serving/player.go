package serving

import "time"

// player is a player that serves, or that has served and can come back. The
// desk's mu guards it.
type player struct {
	name        string
	conn        Conn // nil: it does not serve now
	games       []string
	concurrency int
	challenges  bool // it takes only challenges

	matches map[*assignment]*seat // all count against concurrency, whatever connection they were assigned on
	since   time.Time             // of the last change of conn or matches: it has waited since then
	met     map[string]time.Time  // by name: when the host last paired it with that player
	misses  int                   // matches that it did not join, since it last joined one
	until   time.Time             // it is blocked: it gets no match before
}

const (
	// maxMet bounds the meetings that are remembered for each player.
	maxMet = 128
	// A player that does not join a match is blocked for firstMiss, which doubles
	// each time up to maxMiss.
	firstMiss = time.Minute
	maxMiss   = time.Hour
)

func (d *Desk) addPlayerLocked(name string) *player {
	p := &player{name: name, matches: map[*assignment]*seat{}, met: map[string]time.Time{}}
	d.players[key(name)] = p
	return p
}

// fullLocked reports whether the player has as many matches as it takes at the same time.
func (p *player) fullLocked() bool { return len(p.matches) >= p.concurrency }

// freeLocked reports whether a player can be chosen for a match now.
func (d *Desk) freeLocked(p *player) bool {
	return p.conn != nil && !p.fullLocked() && !time.Now().Before(p.until) && d.engaged[engagement{key(p.name), ""}] == 0
}

// pairsLocked reports whether the desk pairs a player for a game if it is free.
func (d *Desk) pairsLocked(game string, p *player) bool {
	return !p.challenges && d.engaged[engagement{key(p.name), game}] == 0
}

// meetLocked remembers that the player was paired with another one.
func (p *player) meetLocked(name string, now time.Time) {
	p.met[name] = now
	if len(p.met) <= maxMet {
		return
	}
	oldest := name
	for other, at := range p.met {
		if at.Before(p.met[oldest]) {
			oldest = other
		}
	}
	delete(p.met, oldest)
}

// missLocked counts a match that the player did not join, and blocks the player.
func (d *Desk) missLocked(p *player) {
	d.stats.NotJoined++
	wait := maxMiss
	if p.misses < 6 {
		wait = min(firstMiss<<p.misses, maxMiss)
	}
	p.misses++
	p.until = time.Now().Add(wait)
	d.log.Info("player did not join its match", "player", p.name, "blocked", wait)
	time.AfterFunc(wait, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tryLocked(p)
	})
}

// withdrawLocked takes a player out of the queues of its games.
func (d *Desk) withdrawLocked(p *player) {
	for _, game := range p.games {
		q := d.queues[game]
		delete(q.free, p)
		delete(q.try, p)
		q.serving--
		d.dropLocked(q)
	}
	p.games = nil
	d.announceLocked()
}

// tryLocked assigns a player whose state has changed the matches of contests that wait
// for it. Then it puts the player into the queues of its games, or takes it out of them,
// and has it paired. The player can be nil.
func (d *Desk) tryLocked(p *player) {
	if p == nil {
		return
	}
	d.assignContestsLocked(p)
	free := d.freeLocked(p)
	d.announceLocked()
	for _, game := range p.games {
		q := d.queues[game]
		if !free {
			delete(q.free, p)
			delete(q.try, p)
			continue
		}
		q.free[p] = struct{}{}
		if d.pairsLocked(game, p) {
			q.try[p] = struct{}{}
		} else {
			delete(q.try, p)
			q.look = q.look || len(q.waiting) > 0
		}
		d.workLocked(q)
	}
}

// forgetLocked removes the player that has not served for the longest time, if
// too many of them are known.
func (d *Desk) forgetLocked() {
	if len(d.players) < 2*d.limits.Players {
		return
	}
	var oldest *player
	for _, p := range d.players {
		if p.conn == nil && len(p.matches) == 0 && (oldest == nil || p.since.Before(oldest.since)) {
			oldest = p
		}
	}
	if oldest != nil {
		delete(d.players, key(oldest.name))
	}
}
