package serving

import (
	"slices"
	"sync"
	"time"
)

// engagement is the reason why the desk does not pair a player by itself.
type engagement struct {
	player string // its key
	game   string // empty: all games
}

// Engage keeps players for contests until release is called: the desk neither pairs
// them nor assigns them to clients that look for a match, and refuses challenges of them.
// They still get the matches of contests. Calls for the same player are counted. The
// players need not serve. If the desk does not work, nothing happens.
func (d *Desk) Engage(players []string) (release func()) { return d.engage("", players) }

// EngageFor is Engage for the players of a ladder: the desk does not pair them for that
// game. But a client that looks for a match can meet one that is free, and they are
// paired for other games.
func (d *Desk) EngageFor(game string, players []string) (release func()) {
	return d.engage(game, players)
}

func (d *Desk) engage(game string, players []string) (release func()) {
	list := make([]engagement, len(players)) // the caller can change players
	for i, name := range players {
		list[i] = engagement{key(name), game}
	}
	t, err := d.current()
	if err != nil {
		return func() {}
	}
	add := func(n int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.term != t {
			return // everything of that term is forgotten
		}
		for _, e := range list {
			if d.engaged[e] += n; d.engaged[e] == 0 {
				delete(d.engaged, e)
			}
			d.tryLocked(d.players[e.player])
		}
	}
	add(1)
	return sync.OnceFunc(func() { add(-1) })
}

// Waiting is a player that serves and is free.
type Waiting struct {
	Player     string
	Since      time.Time // when it began to serve, or when its last match began or ended
	Challenges bool      // the host does not pair it, but it gets matches of contests
}

// Free returns the players to which a match of a game could be assigned now, those that
// wait for the longest time first. They serve the game, have room for a match, are not
// blocked, and are not engaged with Engage.
func (d *Desk) Free(game string) []Waiting {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.queues[game]
	if q == nil {
		return nil
	}
	list := make([]Waiting, 0, len(q.free))
	for _, p := range sorted(q.free) {
		list = append(list, Waiting{p.name, p.since, p.challenges})
	}
	return list
}

// Serving returns the players that serve a game, take matches, and are not blocked. They can
// be busy or engaged.
func (d *Desk) Serving(game string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.queues[game] == nil {
		return nil
	}
	var list []string
	for _, p := range d.players {
		if p.conn != nil && p.concurrency > 0 && !time.Now().Before(p.until) && slices.Contains(p.games, game) {
			list = append(list, p.name)
		}
	}
	return list
}

// Changed returns a channel that is closed when the result of Free or of Serving changes for
// any game. To miss nothing, call it before them.
func (d *Desk) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.news == nil {
		d.news = make(chan struct{})
	}
	return d.news
}

// announceLocked closes the channel of Changed.
func (d *Desk) announceLocked() {
	if d.news != nil {
		close(d.news)
		d.news = nil
	}
}
