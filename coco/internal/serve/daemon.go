// Package serve offers a registered player for matches, and plays each match that the
// server assigns to it with a new process of the player's program.
package serve

import (
	"cmp"
	"context"
	"errors"
	"time"

	"colosseum/coco/internal/player"
	"colosseum/coco/internal/server"
	"colosseum/internal/locale"
	"colosseum/protocol"
)

// maxSilent is how many matches in a row the program can lose without writing anything.
// Then the daemon stops, because such a program would lose all night.
const maxSilent = 3

// Daemon serves. Run can be called once.
type Daemon struct {
	Games       []string
	Concurrency int      // matches at the same time
	Challenges  bool     // only challenges
	Contests    []string // that the player enters before it serves

	Dial   func(context.Context) (*server.Conn, error)
	Enter  func(ctx context.Context, contest string) error                          // nil if the player has entered before
	Play   func(ctx context.Context, info protocol.MatchInfo, name string) MatchEnd // plays one match
	Report func(Event)                                                              // called by one goroutine
	Jitter func() float64                                                           // at least 0 and less than 1

	// The goroutine of Run uses the fields below.
	player  string
	running map[string]struct{} // IDs of the matches that are played
	waiting []assignment        // until a match ends; at most Concurrency, full: the oldest is dropped
	ends    chan MatchEnd       // of running matches
	silent  int                 // matches in a row without a line of the program
	worked  bool                // the program has written something in a match
	failure error               // why the daemon stops; nil: drain has ended
}

// assignment is a match that the server has assigned.
type assignment struct {
	info protocol.MatchInfo
	end  time.Time // of the time to join
}

// Event is what Report gets. The fields that do not belong to its kind are zero.
type Event struct {
	Kind    Kind
	Player  string             // Connected
	Games   []string           // Connected: those that another connection of the player served until now
	Contest string             // Entered
	Match   protocol.MatchInfo // Started, Dropped
	End     *MatchEnd          // Ended
	Err     error              // Disconnected; Draining: the failure, or nil
	Delay   time.Duration      // Disconnected: until the next attempt to connect
	Running int                // matches after the event
}

// Kind is the kind of an event.
type Kind int

// The kinds.
const (
	Connected    Kind = iota // the server sends matches from now on
	Entered                  // a contest
	Disconnected             // the connection is lost, or an attempt to connect has failed
	Started                  // a match
	Ended                    // a match
	Dropped                  // a match that was assigned, because others took too long to end
	Draining                 // no new matches start; the running ones are finished
)

// Run serves until drain ends, finishes the running matches, and returns nil. When ctx
// ends, it leaves the matches and returns the cause. Other errors are final failures:
// the server refuses the player, or the program does not work.
func (d *Daemon) Run(ctx, drain context.Context) error {
	drain, stop := context.WithCancel(drain)
	defer stop()
	d.running, d.ends = map[string]struct{}{}, make(chan MatchEnd)
	o := &offer{daemon: d, contests: d.Contests, news: make(chan news), drain: drain}
	go o.run(ctx) // ends with ctx, or closes news
	asked, news := drain.Done(), o.news
	for news != nil || len(d.running) > 0 || len(d.waiting) > 0 {
		select {
		case n, ok := <-news:
			if !ok {
				news = nil
				if d.failure == nil && o.failure != nil {
					d.failure = o.failure
					stop()
				}
				continue
			}
			d.handle(ctx, n)
		case out := <-d.ends:
			d.ended(ctx, out, stop)
		case <-asked:
			asked = nil
			d.report(Event{Kind: Draining, Err: d.failure})
		case <-ctx.Done():
			for range d.running {
				<-d.ends
			}
			for range o.news { // until it is closed
			}
			return context.Cause(ctx)
		}
	}
	return d.failure
}

func (d *Daemon) report(e Event) {
	e.Running = len(d.running)
	d.Report(e)
}

// handle handles news of the connection.
func (d *Daemon) handle(ctx context.Context, n news) {
	switch {
	case n.assigned != nil:
		d.assign(ctx, *n.assigned)
	case n.err != nil:
		d.report(Event{Kind: Disconnected, Err: n.err, Delay: n.delay})
	case n.contest != "":
		d.report(Event{Kind: Entered, Contest: n.contest})
	default:
		d.player = n.player
		d.report(Event{Kind: Connected, Player: n.player, Games: n.replaced})
	}
}

// assign starts a match, or keeps it until another one has ended: a match can end on the
// server before its program has ended. On a new connection the server repeats the
// matches that the player has not joined, which assign ignores if it has them.
func (d *Daemon) assign(ctx context.Context, m protocol.ServeMatch) {
	if _, ok := d.running[m.Info.ID]; ok {
		return
	}
	for _, w := range d.waiting {
		if w.info.ID == m.Info.ID {
			return
		}
	}
	d.waiting = append(d.waiting, assignment{m.Info, time.Now().Add(time.Duration(m.Seconds * float64(time.Second)))})
	d.startWaiting(ctx)
	if len(d.waiting) > d.Concurrency {
		d.drop()
	}
}

func (d *Daemon) drop() {
	info := d.waiting[0].info
	d.waiting = d.waiting[1:]
	d.report(Event{Kind: Dropped, Match: info})
}

// startWaiting starts the matches that wait while there is room.
func (d *Daemon) startWaiting(ctx context.Context) {
	for len(d.running) < d.Concurrency && len(d.waiting) > 0 {
		next := d.waiting[0]
		if !time.Now().Before(next.end) {
			d.drop()
			continue
		}
		d.waiting = d.waiting[1:]
		d.running[next.info.ID] = struct{}{}
		d.report(Event{Kind: Started, Match: next.info})
		name := d.player
		go func() { // Run waits for it
			out := d.Play(ctx, next.info, name)
			out.Info.ID = next.info.ID // a server can name another match in what follows
			d.ends <- out
		}()
	}
}

// ended handles the end of a match. It calls stop if the program does not work.
func (d *Daemon) ended(ctx context.Context, out MatchEnd, stop func()) {
	delete(d.running, out.Info.ID)
	d.report(Event{Kind: Ended, End: &out})
	switch {
	case out.Wrote:
		d.silent, d.worked = 0, true
	case out.failed():
		d.silent++
	}
	// A program that has never worked is not tried again if it fails before a match
	// begins: the server blocks a player that does not join for minutes.
	broken := !d.worked && !out.Begun && out.failed()
	if d.failure == nil && (d.silent >= maxSilent || broken) {
		d.failure = silentFailure(out, d.silent)
		stop()
	}
	d.startWaiting(ctx)
}

// silentFailure explains why the daemon stops.
func silentFailure(out MatchEnd, times int) error {
	if times < maxSilent {
		return out.Err
	}
	last := cmp.Or(out.Err, errors.New(out.reason()))
	return &player.Failed{Text: locale.Errorf("the program wrote nothing in %d matches in a row; the last time: %v", times, last)}
}
