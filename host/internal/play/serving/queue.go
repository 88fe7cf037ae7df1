package serving

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// queue pairs the players of one game. The desk's mu guards it, except size.
type queue struct {
	game    string
	serving int                  // players with this game in their offer
	free    map[*player]struct{} // that can be chosen for a match
	try     map[*player]struct{} // the free players that the desk pairs and that have changed: without one of them nobody can be paired
	waiting []*assignment        // found matches with open seats, the oldest first
	look    bool                 // waiting has a new one
	busy    bool                 // its goroutine runs
	retry   *time.Timer          // after a failure; nil: none
	delay   time.Duration        // the last one before retry

	size size // for its goroutine alone
}

// size is the number of players of a game if a request gives none.
type size struct {
	version string
	players int
}

// After a failure a queue waits for firstDelay, which doubles each time up to
// maxDelay: the lobby is full, or the game is gone or has failed.
const (
	firstDelay = time.Second
	maxDelay   = 30 * time.Second
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
	if q.retry != nil {
		q.retry.Stop()
	}
	delete(d.queues, q.game)
}

// workLocked starts the goroutine of a queue if it has something to do now.
func (d *Desk) workLocked(q *queue) {
	if !d.worksLocked() || q.busy || q.retry != nil || !q.moreLocked() {
		return
	}
	q.busy = true
	ctx := d.term.ctx
	d.running.Go(func() { d.work(ctx, q) }) // ends when nobody is left to try, or ctx ends
}

func (q *queue) moreLocked() bool { return len(q.try) > 0 || q.look && len(q.free) > 0 }

func (d *Desk) work(ctx context.Context, q *queue) {
	for {
		err := d.measure(ctx, q)
		d.mu.Lock()
		if !d.worksLocked() || err == nil && !q.moreLocked() {
			q.busy = false
			d.dropLocked(q)
			d.mu.Unlock()
			return
		}
		if err != nil {
			d.retryLocked(q, err)
			d.mu.Unlock()
			return
		}
		a, assigned := d.nextLocked(q)
		d.mu.Unlock()
		switch {
		case a == nil:
		case a.found:
			d.fill(a, assigned)
		default:
			if err := d.create(ctx, q, a, assigned); err != nil {
				d.mu.Lock()
				d.retryLocked(q, err)
				d.mu.Unlock()
				return
			}
		}
	}
}

// measure sets the size of the queue.
func (d *Desk) measure(ctx context.Context, q *queue) error {
	offer, err := d.games.Find(q.game)
	if err != nil || offer.Version == q.size.version {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	settings, err := offer.Prepare(ctx, driver.Request{})
	if err == nil {
		q.size = size{offer.Version, settings.Players}
	}
	return err
}

// retryLocked starts the work of a queue again after a delay.
func (d *Desk) retryLocked(q *queue, err error) {
	q.busy = false
	q.delay = min(max(2*q.delay, firstDelay), maxDelay)
	d.log.Info("could not pair players", "game", q.game, "error", err, "retry_in", q.delay)
	q.retry = time.AfterFunc(q.delay, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		q.retry, q.look = nil, true
		for p := range q.free {
			if d.pairsLocked(q.game, p) {
				q.try[p] = struct{}{}
			}
		}
		d.workLocked(q)
	})
	d.dropLocked(q)
}

// nextLocked chooses the players of the next match, and counts the match for them.
// It returns nil if the player that it tried cannot be paired.
func (d *Desk) nextLocked(q *queue) (*assignment, []*player) {
	for _, a := range q.waiting {
		if assigned := d.fillersLocked(q, a); assigned != nil {
			d.seatLocked(a, assigned)
			return a, assigned
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
	for _, p := range assigned {
		for _, other := range assigned {
			if p != other {
				p.meetLocked(other.name, now)
			}
		}
	}
	d.recentLocked(assigned, now)
	a := &assignment{term: d.term}
	d.seatLocked(a, assigned)
	return a, assigned
}

// create creates the match of a group.
func (d *Desk) create(ctx context.Context, q *queue, a *assignment, assigned []*player) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	r := protocol.GameNew{Name: "paired by the host", Game: q.game, Params: protocol.GameParams{Players: &q.size.players}}
	_, err := d.open(ctx, a, lobby.Client{}, r, assigned, &lobby.Seats{})
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.recent.dropLocked(assigned)
		return err
	}
	q.delay = 0
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

// sorted returns players, those that wait for the longest time first.
func sorted(players map[*player]struct{}) []*player {
	return slices.SortedFunc(maps.Keys(players), func(a, b *player) int {
		return cmp.Or(a.since.Compare(b.since), strings.Compare(a.name, b.name))
	})
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
