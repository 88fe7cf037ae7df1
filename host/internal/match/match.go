// Package match runs one match: it connects the players with the referee in its
// process, keeps the time, and makes the record.
package match

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/host/internal/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Recorder keeps records. Finish returns when the record is durable.
type Recorder interface {
	Begin(r *record.Match)
	Finish(ctx context.Context, r *record.Match) error
}

// Game is the referee's process.
type Game interface {
	Open(start *wire.Start, in *engine.Inbox) (engine.Match, error)
}

// Config is a match about to start.
type Config struct {
	Record   record.Match // all that is known before the start
	Seats    []Seat       // the participants, in any order: seats are drawn by lot
	Seated   bool         // seats are not drawn: Seats are in the order of their numbers
	Game     Game
	Recorder Recorder
	Stream   *Stream
	Stall    time.Duration // a match whose referee is silent for longer is aborted
	// StartGrace is added to the time for the first answer of each player, because its
	// program has to start. A bank does not pay for it.
	StartGrace time.Duration
	Lag        time.Duration // of a player's connection: how much is forgiven for each turn, on average; 0: none
	Log        *slog.Logger
	Over       func() // called when the record is durable, before anybody gets the result
	Stuck      func() // called when the referee was silent for too long, and might run forever; can be nil
	// Took, if not nil, is called for each answer of a player with the time that it
	// used. It must not call the match.
	Took     func(seat int, used time.Duration)
	Counters *Counters // where the match adds its counts; nil: nowhere
}

// Seat is one participant before the seats are drawn.
type Seat struct {
	Name     string
	Identity string // the registered player; empty: none
	Player   Player // nil: a bot
}

// Match is one running match. Run owns it; the other methods can be called
// concurrently.
type Match struct {
	config Config
	record record.Match
	seats  []seat

	inbox   *engine.Inbox // of the referee's frames; all other events wake Run through it too
	ticked  atomic.Bool   // the timer has fired
	stopped atomic.Bool   // the host is shutting down
	started time.Time

	// For Run's goroutine alone.
	remote   engine.Match  // in the game's process; nil before it is open
	ask      *wire.Ask     // the question that waits for answers; nil: the referee works
	since    time.Time     // when the referee began to work, or asked
	pause    time.Duration // how much longer than Stall the referee can be silent: it pauses, or its bots think
	shown    []byte        // for spectators, gathered during one frame
	sent     int           // bytes for players since the last question
	recorded int           // bytes of the answers in the record
	noted    int           // bytes of the notes in the record
	lines    int           // shown to spectators
	empty    int           // frames since the last one that held anything but a pause
	timer    *time.Timer
	armed    time.Time // when the timer fires, perhaps earlier than needed; zero: it has fired
	stats    Stats     // since reported
	reported time.Time // when the counts were last added to the counters
	inTurn   bool      // the referee has answers, and has sent no frame since
	cause    string    // why the match is aborted, as it is counted; empty: it is not

	mu       sync.Mutex // guards the fields below and some of the seats
	room     *sync.Cond // signals that a line was used, or the match has ended
	missing  int        // seats whose answer is missing
	finished bool
}

// New draws the seats and returns the match and, for each of Config.Seats, the
// number of its seat.
func New(c Config) (*Match, []int) {
	if c.Counters == nil {
		c.Counters = &Counters{}
	}
	m := &Match{config: c, record: c.Record, seats: make([]seat, len(c.Seats)), inbox: engine.NewInbox(maxFrames, maxQueue)}
	m.room = sync.NewCond(&m.mu)
	order := make([]int, len(c.Seats))
	for i := range order {
		order[i] = i
	}
	if !c.Seated {
		order = driver.NewRand(c.Record.Seed, driver.StreamSeats).Perm(len(c.Seats))
	}
	m.record.Seats = make([]record.Seat, len(c.Seats))
	for i, s := range c.Seats {
		m.seats[order[i]] = seat{name: s.Name, bot: s.Player == nil, player: s.Player}
		if s.Player != nil {
			m.seats[order[i]].clock = newClock(c.Record.Clock, c.Record.Timeout, c.StartGrace, c.Lag)
		}
		m.record.Seats[order[i]] = record.Seat{Name: s.Name, Player: s.Identity, Bot: s.Player == nil}
	}
	return m, order
}

// Run plays the match to its end, and returns when its record is durable and
// everybody has the result. When ctx ends, the match is aborted. It must be
// called once.
func (m *Match) Run(ctx context.Context) {
	m.started = time.Now()
	m.record.Started = m.started
	m.since, m.reported = m.started, m.started
	m.config.Recorder.Begin(&m.record)
	m.timer = time.AfterFunc(m.config.Stall, func() {
		m.ticked.Store(true)
		m.inbox.Signal()
	})
	m.armed = m.started.Add(m.config.Stall)
	defer m.timer.Stop()
	defer context.AfterFunc(ctx, func() {
		m.stopped.Store(true)
		m.inbox.Signal()
	})()
	result := m.play()
	if m.remote != nil {
		m.remote.Stop()
	}
	m.finish(result)
}

// play runs the match and returns its result.
func (m *Match) play() *driver.Result {
	start := &wire.Start{Id: m.record.ID, Seed: m.record.Seed, Timeout: m.record.Timeout, Params: m.record.Params, StallMs: uint64(m.config.Stall.Milliseconds())}
	for i := range m.seats {
		bank, increment := m.record.Bank(i)
		start.Seats = append(start.Seats, &wire.Seat{Name: m.seats[i].name, Bot: m.seats[i].bot, Bank: bank, Increment: increment})
	}
	remote, err := m.config.Game.Open(start, m.inbox)
	if err != nil {
		return m.abort(abortProcess, err.Error())
	}
	m.remote = remote
	for {
		<-m.inbox.Wake() // one channel for all events: a select costs as much as the rest of a turn here
		stopped := m.stopped.Load()
		if m.ticked.Swap(false) {
			m.armed = time.Time{}
		}
		frames, lost := m.inbox.Take()
		for _, f := range frames {
			if result := m.handle(f); result != nil {
				return result
			}
		}
		clear(frames) // frees them while the match waits
		now := time.Now()
		switch {
		case stopped:
			return m.abort(abortShutdown, "the host is shutting down")
		case lost == engine.ErrFlood:
			return m.abort(abortFlood, lost.Error())
		case lost != nil:
			return m.abort(abortProcess, lost.Error())
		case m.recorded > maxAnswers:
			return m.abort(abortFlood, "the match does not end: its answers are more than a record can hold")
		case m.ask != nil && m.answered(now):
			m.answer(now)
		case m.ask == nil && now.Sub(m.since) > m.config.Stall+m.pause:
			m.stuck()
			return m.abort(abortSilence, fmt.Sprintf("the game was silent for %v", m.config.Stall+m.pause))
		}
		m.arm(now)
	}
}

// stuck reports a referee that does not end.
func (m *Match) stuck() {
	if m.config.Stuck != nil {
		m.config.Stuck()
	}
}

// arm sets the timer for the next event that only time can bring: a late answer or
// a silent referee. Turns are far shorter than that, so the timer is only moved
// when it would fire too late; most matches set it once.
func (m *Match) arm(now time.Time) {
	next := m.since.Add(m.config.Stall + m.pause + time.Millisecond)
	if m.ask != nil {
		next = m.deadline(now)
	}
	if m.armed.IsZero() || next.Before(m.armed) {
		m.armed = next
		m.timer.Reset(next.Sub(now))
	}
}

// abort returns the result of a match that can't go on; cause is for counting.
func (m *Match) abort(cause, reason string) *driver.Result {
	m.cause = cause
	return driver.Aborted(len(m.seats), reason)
}

// finish makes the record durable and then sends everybody the result.
func (m *Match) finish(r *driver.Result) {
	m.measure()
	m.mu.Lock()
	m.finished = true
	m.room.Broadcast()
	m.mu.Unlock()

	rec := &m.record
	rec.Ended = m.started.Add(time.Since(m.started)) // right even if the clock was set since then
	rec.Stream = m.config.Stream.whole()
	result := m.conclude(r)
	// Not with Run's context, which might have ended the match.
	switch err := m.config.Recorder.Finish(context.Background(), rec); {
	// The record is an aborted match then, so nobody must get another result.
	case errors.Is(err, record.ErrFenced):
		r = m.abort(abortFenced, record.ErrFenced.Error())
		result = m.conclude(r)
	case errors.Is(err, record.ErrPlayed):
		r = m.abort(abortPlayed, record.ErrPlayed.Error())
		result = m.conclude(r)
	case err != nil:
		m.config.Log.Error("the record of the match is not saved yet", "error", err)
		result.Reason = strings.TrimPrefix(result.Reason+"; the record of the match is not saved yet", "; ")
	}
	m.report(rec.Ended)
	m.config.Counters.end(m.cause)
	m.config.Over()
	for i := range m.seats {
		if p := m.seats[i].player; p != nil {
			p.Ended(result)
		}
	}
	m.config.Stream.end(result)
	m.config.Log.Info("match ended", "reason", r.Reason, "aborted", r.Aborted, "seconds", rec.Ended.Sub(rec.Started).Seconds())
}

// conclude enters a result into the record, and returns it as everybody gets it.
func (m *Match) conclude(r *driver.Result) protocol.MatchResult {
	rec := &m.record
	rec.State, rec.Reason = record.Finished, r.Reason
	if r.Aborted {
		rec.State = record.Aborted
	}
	result := protocol.MatchResult{Reason: r.Reason, Aborted: r.Aborted, Players: make([]protocol.PlayerResult, len(m.seats))}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, s := range r.Seats {
		p, seat := &result.Players[i], &rec.Seats[i]
		*p = m.seats[i].resultLocked()
		p.Score, p.Rank, p.Ended, p.Player = s.Score, s.Rank, string(s.Ended), seat.Player
		p.Team, seat.Team = s.Team, s.Team
		seat.Score, seat.Rank, seat.Ended, seat.Fault = s.Score, s.Rank, s.Ended, m.faultLocked(i, s.Ended)
		if f := seat.Fault; f != (record.Fault{}) {
			p.Fault = &protocol.Fault{Line: f.Line, Asked: f.Asked, Late: f.Late.Milliseconds()}
		}
	}
	return result
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
