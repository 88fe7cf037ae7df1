package serving

import (
	"context"
	"errors"
	"sync"
	"time"

	"colosseum/host/internal/play/lobby"
)

// ErrNotLeading is the error of a desk while another host of the cluster leads.
var ErrNotLeading = errors.New("the host that pairs the players changes: try again in some seconds")

// term is the time in which the desk of a host works: all of its life if the host is
// alone, and otherwise the time in which it leads.
type term struct {
	ctx    context.Context // of requests to the lobby
	cancel context.CancelFunc
	lost   <-chan struct{} // closed when another host can lead; nil: never
	back   time.Time       // until when players of an earlier term are expected to come back; zero: there was none

	// The desk's mu guards the fields below.
	open    bool            // players can serve
	created map[string]bool // IDs of matches of contests that are not gone
}

func newTerm(ctx context.Context, lost <-chan struct{}) *term {
	t := &term{lost: lost, created: map[string]bool{}}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

// refusal returns the error after the end of the term.
func (t *term) refusal() error {
	select {
	case <-t.lost:
		return ErrNotLeading
	default:
		return lobby.ErrClosed
	}
}

// reason returns why a waiting match is removed at the end of the term.
func (t *term) reason() string {
	if err := t.refusal(); errors.Is(err, lobby.ErrClosed) {
		return err.Error()
	}
	return moved
}

// worksLocked reports whether players can serve.
func (d *Desk) worksLocked() bool {
	return d.term != nil && d.term.open && d.term.ctx.Err() == nil
}

// refusalLocked returns why the desk does not work; nil: it works.
func (d *Desk) refusalLocked() error {
	switch {
	case d.worksLocked():
		return nil
	case d.closed:
		return lobby.ErrClosed
	default:
		return ErrNotLeading
	}
}

// current returns the term, or the error if the desk does not work.
func (d *Desk) current() (*term, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.term, d.refusalLocked()
}

// adoptDelay is how long a new leader waits before it adopts the matches of the leader
// before it, because it takes a moment until the last ones are listed here.
const adoptDelay = time.Second

// comeBack is how long a new leader waits for players to serve again that served before it
// led. Until then no match of a contest begins without them, because they might still play
// another match.
const comeBack = 5 * time.Second

// Lead makes the desk of NewInCluster work until ctx ends, while this host leads. The desk
// begins without players. Lead adopts the matches of earlier leaders, which then count for
// their players, and calls play, which plays the contests until ctx ends. At the end it
// stops the connections of all players that serve. Lead returns when play has returned,
// and can be called again then.
func (d *Desk) Lead(ctx context.Context, play func(ctx context.Context)) {
	timer := time.NewTimer(adoptDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	t := newTerm(ctx, ctx.Done())
	defer t.cancel()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	d.term = t
	d.mu.Unlock()
	d.adoptAll(t)
	t.back = time.Now().Add(comeBack)
	d.mu.Lock()
	t.open = true
	d.mu.Unlock()
	var playing sync.WaitGroup
	playing.Go(func() { play(ctx) })  // ends soon after ctx
	playing.Go(func() { d.sweep(t) }) // likewise
	<-ctx.Done()
	d.stop(t)
	playing.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.resetLocked()
}

// stop ends a term. Nothing begins after it.
func (d *Desk) stop(t *term) {
	d.mu.Lock()
	t.cancel()
	for _, p := range d.players {
		if p.conn != nil {
			p.conn.Stopped()
		}
	}
	d.mu.Unlock()
	d.running.Wait()
}

// resetLocked forgets everything. Timers and matches that still refer to it find nothing
// to do.
func (d *Desk) resetLocked() {
	for _, q := range d.queues {
		if q.retry != nil {
			q.retry.Stop()
		}
		clear(q.free)
		clear(q.try)
		q.waiting = nil
	}
	for _, p := range d.players {
		p.conn, p.games = nil, nil
		clear(p.matches)
	}
	d.term, d.serving = nil, 0
	d.players, d.queues, d.recent = map[string]*player{}, map[string]*queue{}, recent{last: map[string]time.Time{}}
	d.engaged, d.contests, d.adopted = map[engagement]int{}, map[string][]*assignment{}, map[legKey][]*assignment{}
	d.generation.Add(1)
	d.announceLocked()
}
