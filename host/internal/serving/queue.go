package serving

import (
	"context"
	"slices"
	"time"

	"colosseum/host/internal/lobby"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// queue pairs the players of one game. The desk's mu guards it, except size.
type queue struct {
	game    string
	serving int                  // players with this game in their offer
	free    map[*player]struct{} // that can be paired
	try     map[*player]struct{} // of those, the ones that have become free: the others cannot be paired without them
	waiting []*table             // found matches with open seats, the oldest first
	look    bool                 // waiting has a new one
	busy    bool                 // a goroutine pairs
	paused  *time.Timer          // after a failure; nil: not paused
	pause   time.Duration        // the last one

	size size // for the goroutine alone
}

// size is how many players a game has if a request does not say it.
type size struct {
	version string
	players int
}

// After a failure a queue pauses for firstPause, which doubles each time up to
// maxPause: the lobby is full, or the game is gone or has failed.
const (
	firstPause = time.Second
	maxPause   = 30 * time.Second
)

// requestTimeout bounds one request to the lobby or to a game.
const requestTimeout = 10 * time.Second

// queueLocked returns the queue of a game.
func (d *Desk) queueLocked(game string) *queue {
	q := d.queues[game]
	if q == nil {
		q = &queue{game: game, free: map[*player]struct{}{}, try: map[*player]struct{}{}}
		d.queues[game] = q
	}
	return q
}

// dropLocked removes a queue that nobody needs.
func (d *Desk) dropLocked(q *queue) {
	if q.serving > 0 || len(q.waiting) > 0 || q.busy || d.queues[q.game] != q {
		return
	}
	if q.paused != nil {
		q.paused.Stop()
	}
	delete(d.queues, q.game)
}

// workLocked starts the goroutine of a queue if it has something to do.
func (d *Desk) workLocked(q *queue) {
	if d.closed || q.busy || q.paused != nil || !q.more() {
		return
	}
	q.busy = true
	d.running.Go(func() { d.work(q) }) // ends when nobody is left to try, or ctx ends
}

func (q *queue) more() bool { return len(q.try) > 0 || q.look && len(q.free) > 0 }

func (d *Desk) work(q *queue) {
	for {
		err := d.measure(q)
		d.mu.Lock()
		if d.closed || err == nil && !q.more() {
			q.busy = false
			d.dropLocked(q)
			d.mu.Unlock()
			return
		}
		if err != nil {
			d.pauseLocked(q, err)
			d.mu.Unlock()
			return
		}
		t, assigned := d.nextLocked(q)
		d.mu.Unlock()
		switch {
		case t == nil:
		case t.found:
			d.fill(t, assigned)
		default:
			if err := d.create(q, t, assigned); err != nil {
				d.mu.Lock()
				d.pauseLocked(q, err)
				d.mu.Unlock()
				return
			}
		}
	}
}

// measure sets the size of the queue.
func (d *Desk) measure(q *queue) error {
	offer, err := d.games.Find(q.game)
	if err != nil || offer.Version == q.size.version {
		return err
	}
	ctx, cancel := context.WithTimeout(d.ctx, requestTimeout)
	defer cancel()
	settings, err := offer.Prepare(ctx, driver.Request{})
	if err == nil {
		q.size = size{offer.Version, settings.Players}
	}
	return err
}

// pauseLocked ends the work of a queue until it is tried again.
func (d *Desk) pauseLocked(q *queue, err error) {
	q.busy = false
	q.pause = min(max(2*q.pause, firstPause), maxPause)
	d.log.Info("could not pair players", "game", q.game, "error", err, "pause", q.pause)
	q.paused = time.AfterFunc(q.pause, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		q.paused, q.look = nil, true
		for p := range q.free {
			q.try[p] = struct{}{}
		}
		d.workLocked(q)
	})
	d.dropLocked(q)
}

// nextLocked chooses the players of the next match, and counts the match for them.
// It returns nil if there is none for the player that it tried.
func (d *Desk) nextLocked(q *queue) (*table, []*player) {
	for _, t := range q.waiting {
		if assigned := d.fillersLocked(q, t); assigned != nil {
			d.seatLocked(t, assigned)
			return t, assigned
		}
	}
	q.look = false
	p := longest(q.try)
	if p == nil {
		return nil, nil
	}
	delete(q.try, p)
	assigned := d.groupLocked(q, p)
	if assigned == nil {
		return nil, nil
	}
	now := time.Now()
	for _, a := range assigned {
		for _, b := range assigned {
			if a != b {
				a.meet(b.name, now)
			}
		}
	}
	d.recentLocked(assigned, now)
	t := &table{}
	d.seatLocked(t, assigned)
	return t, assigned
}

// create creates the match of a group.
func (d *Desk) create(q *queue, t *table, assigned []*player) error {
	ctx, cancel := context.WithTimeout(d.ctx, requestTimeout)
	defer cancel()
	r := protocol.GameNew{Name: "paired by the host", Game: q.game, Params: protocol.GameParams{Players: &q.size.players}}
	_, err := d.open(ctx, t, lobby.Client{}, r, assigned, &lobby.Seats{})
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.recent.drop(assigned)
		return err
	}
	q.pause = 0
	return nil
}

// longest returns the player that waits for the longest time; nil: there is none.
func longest(players map[*player]struct{}) *player {
	var first *player
	for p := range players {
		if first == nil || before(p, first) {
			first = p
		}
	}
	return first
}

// before reports whether a player waits for longer than another one.
func before(a, b *player) bool {
	return a.since.Before(b.since) || a.since.Equal(b.since) && a.name < b.name
}

// names returns the names of players.
func names(players []*player) []string {
	list := make([]string, len(players))
	for i, p := range players {
		list[i] = p.name
	}
	return slices.Sorted(slices.Values(list))
}
