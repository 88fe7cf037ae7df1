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
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// Recorder keeps records. Finish returns when the record is durable.
type Recorder interface {
	Begin(r *record.Match)
	Finish(ctx context.Context, r *record.Match) error
}

// Game is the referee's process.
type Game interface {
	Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error)
}

// Config is a match about to start.
type Config struct {
	Record   *record.Match   // all that is known before the start, which New copies
	Seats    []Participant   // the participants, in any order: seats are drawn by lot
	Begin    []record.Answer // of an earlier match, with which this one begins: whole questions, none refused
	Seated   bool            // seats are not drawn: Seats are in the order of their numbers
	Game     Game
	Recorder Recorder
	Stream   *Stream
	Total    *Total        // in which the stream counts; nil: none
	Stall    time.Duration // a match whose referee is silent for longer is aborted
	// StartGrace is added to the time for the first answer of each player, because its
	// program has to start. A bank does not pay for it.
	StartGrace time.Duration
	// ProgramGrace is used instead for players whose programs this host runs; 0: StartGrace
	// is.
	ProgramGrace time.Duration
	Lag          time.Duration // of a player's connection: how much is forgiven for each turn, on average; 0: none
	MaxLine      int           // bytes of a player's line, if the limit of its connection is lower
	Log          *slog.Logger
	Over         func() // called when the record is durable, before anybody gets the result
	Stuck        func() // called when the referee was silent for too long, and might run forever; can be nil
	// Wall makes the time of programs of this host count as that of connected players:
	// from the question to the answer. Otherwise it is the CPU time that they use, if it is
	// known.
	Wall bool
	// Took, if not nil, is called for each answer of a player with the time that it
	// used. It must not call the match.
	Took     func(seat int, spent record.Spent)
	Counters *Counters // where the match adds its counts; nil: nowhere
}

// Participant is a player or a bot before the seats are drawn.
type Participant struct {
	Name     string
	Identity string                       // the registered player; empty: none
	Player   Player                       // nil: a bot
	Hints    func(protocol.MatchQuestion) // called with each question to the player, under the rules of Player; nil: it has not asked for hints
	Sent     func(line string)            // called with each line of Config.Begin that the player has sent there, under the rules of Player; can be nil
	Level    string                       // of a bot; empty: the value of driver.BotParam
	Version  int                          // of a program that was handed in; 0: it is none
}

// Match is one running match. The goroutine that receives an event also handles it, with
// the match locked: that of the game's process a frame, that of a connection a line. So
// nobody has to be woken between the line that was missing and the answers to the
// referee. Its methods can be called concurrently. A method that needs mu ends in Locked,
// also one of a seat or a clock; all others must be called without mu.
type Match struct {
	config  Config // without Record, Seats and Begin
	started time.Time
	done    func()      // see Start
	unhook  func() bool // ends the wait for the end of Start's context

	mu       sync.Mutex   // guards the fields below
	room     *sync.Cond   // signals that a line was used, or the match has ended
	record   record.Match // without the answers, while the match runs
	answers  answers
	seats    []seat
	remote   engine.Match // in the game's process; nil before it is open
	branch   beginning
	ask      *driver.Question // the question that waits for answers; nil: the referee works
	missing  int              // seats whose answer is missing
	since    time.Time        // when the referee began to work, or asked
	pause    time.Duration    // how much longer than Stall the referee can be silent: it pauses, or its bots think
	shown    []byte           // for spectators, gathered during one frame
	sent     int              // bytes for players since the last question
	recorded int              // bytes of the answers in the record
	noted    int              // bytes of the notes in the record
	lines    int              // shown to spectators
	empty    int              // frames since the last one that held anything but a pause
	timer    *time.Timer      // calls tick
	armed    time.Time        // when the timer fires, perhaps earlier than needed; zero: it has fired
	recent   recent           // since reported
	reported time.Time        // when the counts were last added to the counters
	inTurn   bool             // the referee has answers, and has sent no frame since
	running  bool             // Start has done its part, and endLocked starts close
	stuck    bool             // the referee was silent for too long, and might run forever
	result   *driver.Result   // not nil: the match has ended, and further events are dropped
	cause    string           // why the match is aborted, as it is counted; empty: it is not
}

// New draws the seats and returns the match and, for each of Config.Seats, the
// number of its seat.
func New(c Config) (*Match, []int) {
	if c.Counters == nil {
		c.Counters = &Counters{}
	}
	m := &Match{config: c, record: *c.Record, seats: make([]seat, len(c.Seats)), branch: beginning{left: c.Begin}}
	m.room = sync.NewCond(&m.mu)
	m.config.Record, m.config.Seats, m.config.Begin = nil, nil, nil // not needed while the match runs
	order := make([]int, len(c.Seats))
	for i := range order {
		order[i] = i
	}
	if !c.Seated {
		order = driver.NewRand(c.Record.Seed, driver.StreamSeats).Perm(len(c.Seats))
	}
	m.record.Seats = make([]record.Seat, len(c.Seats))
	for i, s := range c.Seats {
		local, _ := s.Player.(Local)
		byCPU := local != nil && !c.Wall && local.Counts()
		m.seats[order[i]] = seat{name: s.Name, bot: s.Player == nil, player: s.Player, local: local, byCPU: byCPU, hints: hints{tell: s.Hints}, sent: s.Sent}
		if s.Player != nil {
			m.seats[order[i]].clock = newClock(c.Record.Clock, c.Record.Timeout, c.startGrace(local), c.Lag)
		}
		m.record.Seats[order[i]] = record.Seat{Name: s.Name, Player: s.Identity, Bot: s.Player == nil, Level: s.Level, Version: s.Version}
	}
	return m, order
}

// MaxLine returns Config.MaxLine.
func (m *Match) MaxLine() int { return m.config.MaxLine }

// startGrace returns what is added to the time for the first answer of a player. local is
// nil if the host does not run its program.
func (c *Config) startGrace(local Local) time.Duration {
	if local != nil && c.ProgramGrace > 0 {
		return c.ProgramGrace
	}
	return c.StartGrace
}

// Run plays the match to its end, and returns when its record is durable and
// everybody has the result. When ctx ends, the match is aborted. Either Run or Start must be
// called, once.
func (m *Match) Run(ctx context.Context) {
	done := make(chan struct{})
	m.Start(ctx, func() { close(done) })
	<-done
}

// Start is Run without waiting for the end, when it calls done: a running match needs no
// goroutine of its own.
func (m *Match) Start(ctx context.Context, done func()) {
	m.begin()
	m.done, m.unhook = done, context.AfterFunc(ctx, m.shutdown)
	setup := m.record.Setup()
	setup.Stall, setup.Hints = m.config.Stall, m.hinted()
	for _, a := range m.branch.left {
		setup.Begin = append(setup.Begin, a.Given())
	}
	if remote, err := m.config.Game.Open(setup, receiver{m}); err != nil {
		m.lost(err)
	} else {
		m.opened(remote)
	}
	m.mu.Lock()
	m.running = m.result == nil
	running := m.running
	m.mu.Unlock()
	if !running { // it has ended already
		m.close()
	}
}

// begin records the begin of the match.
func (m *Match) begin() {
	m.started = time.Now()
	m.record.Started = m.started
	m.since, m.reported = m.started, m.started
	m.config.Recorder.Begin(&m.record)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.timer = time.AfterFunc(m.config.Stall, m.tick)
	m.armed = m.started.Add(m.config.Stall)
}

// The methods from opened to tick handle the events of the match, together with Line and
// Leave.

// opened handles that the match is open in the game's process. Its first frames can have
// come before.
func (m *Match) opened(remote engine.Match) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remote = remote
	m.stepLocked(time.Now())
}

// receiver handles what comes from the game's process.
type receiver struct{ *Match }

// Put implements engine.Receiver.
func (m receiver) Put(f *driver.Frame) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.result == nil {
		m.handleLocked(f, now)
		m.stepLocked(now)
	}
}

// Close implements engine.Receiver.
func (m receiver) Close(err error) { m.lost(err) }

// lost handles that the game's process is gone.
func (m *Match) lost(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.abortLocked(abortProcess, err.Error())
}

// shutdown handles the end of Start's context.
func (m *Match) shutdown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.abortLocked(abortShutdown, "the host is shutting down")
}

// tick handles that the timer has fired.
func (m *Match) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.armed = time.Time{}
	m.stepLocked(time.Now())
}

// stepLocked does what follows from the last event: it answers the referee if nobody's answer
// is missing, and otherwise sets the timer.
func (m *Match) stepLocked(now time.Time) {
	switch {
	case m.result != nil || m.remote == nil:
		return
	case m.recorded > maxAnswers:
		m.abortLocked(abortFlood, "the match does not end: its answers are more than a record can hold")
		return
	case m.ask != nil:
		if m.missing > 0 {
			m.probeLocked(now)
		}
		if m.answeredLocked(now) {
			m.answerLocked(now)
		}
	case m.ask == nil && now.Sub(m.since) > m.config.Stall+m.pause:
		m.stuck = true
		m.abortLocked(abortSilence, fmt.Sprintf("the game was silent for %v", m.config.Stall+m.pause))
		return
	}
	m.armLocked(now)
}

// armLocked sets the timer for the next event that only time can bring: a late answer or
// a silent referee. Turns are far shorter than that, so the timer is only moved
// when it would fire too late; most matches set it once.
func (m *Match) armLocked(now time.Time) {
	next := m.since.Add(m.config.Stall + m.pause + time.Millisecond)
	switch {
	case m.ask == nil:
	case m.ask.Tick:
		next = m.tickDeadlineLocked(now)
	default:
		next = m.deadlineLocked(now)
	}
	if m.armed.IsZero() || next.Before(m.armed) {
		m.armed = next
		m.timer.Reset(next.Sub(now))
	}
}

// Drop implements Holder.
func (m *Match) Drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.config.Log.Warn("the streams of the running matches exceed limits.streams_mb, and that of this match is the longest")
	m.abortLocked(abortFlood, "the running matches show too much in all, and this one the most")
}

// abortLocked ends the match, because it can't go on; cause is for counting.
func (m *Match) abortLocked(cause, reason string) {
	if m.result == nil {
		m.cause = cause
		m.endLocked(driver.Aborted(len(m.seats), reason))
	}
}

// endLocked ends the match with a result, unless it has one.
func (m *Match) endLocked(r *driver.Result) {
	if m.result == nil {
		m.result = r
		m.room.Broadcast()
		if m.running {
			go m.close() // ends when everybody has the result
		}
	}
}

// close finishes a match that Start has started. It must be called once.
func (m *Match) close() {
	defer m.done()
	defer m.timer.Stop()
	defer m.unhook()
	m.mu.Lock()
	remote := m.remote
	m.mu.Unlock()
	if remote != nil {
		remote.Stop() // without mu: the game's connection calls the match
	}
	m.finish()
}

// finish makes the record durable and then sends everybody the result. Nothing of the
// match changes any more.
func (m *Match) finish() {
	if m.stuck && m.config.Stuck != nil {
		m.config.Stuck()
	}
	m.mu.Lock()
	m.measureLocked()
	m.record.Answers = m.answers.all()
	rec, r, cause := &m.record, m.result, m.cause
	m.mu.Unlock()
	rec.Ended = m.started.Add(time.Since(m.started)) // right even if the clock was set since then
	rec.Stream = m.config.Stream.whole()
	result := m.conclude(r)
	// Not with Start's context, which might have ended the match.
	switch err := m.config.Recorder.Finish(context.Background(), rec); {
	// The record is an aborted match then, so nobody must get another result.
	case errors.Is(err, record.ErrFenced):
		cause, r = abortFenced, driver.Aborted(len(m.seats), record.ErrFenced.Error())
		result = m.conclude(r)
	case errors.Is(err, record.ErrPlayed):
		cause, r = abortPlayed, driver.Aborted(len(m.seats), record.ErrPlayed.Error())
		result = m.conclude(r)
	case err != nil:
		m.config.Log.Error("the record of the match is not saved yet", "error", err)
		result.Reason = strings.TrimPrefix(result.Reason+"; the record of the match is not saved yet", "; ")
	}
	m.config.Total.Release(m)
	m.mu.Lock()
	m.reportLocked(rec.Ended)
	m.mu.Unlock()
	m.config.Counters.end(cause)
	m.config.Over()
	for i := range m.seats {
		if p := m.seats[i].player; p != nil {
			p.Ended(result)
		}
	}
	m.config.Stream.end(result)
	level := slog.LevelInfo
	if r.Aborted && cause != abortTaken { // also by a referee that failed
		level = slog.LevelWarn
	}
	m.config.Log.Log(context.Background(), level, "match ended", "reason", r.Reason, "aborted", r.Aborted, "seconds", rec.Ended.Sub(rec.Started).Seconds())
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
		seat.Missed, seat.Dropped, seat.Refused = p.Missed, p.Dropped, p.Refused
		seat.Score, seat.Rank, seat.Ended, seat.Fault = s.Score, s.Rank, s.Ended, m.faultLocked(i, s.Ended)
		if f := seat.Fault; f != (record.Fault{}) {
			p.Fault = &protocol.Fault{Line: f.Line, Asked: f.Asked, Late: f.Late.Milliseconds()}
		}
	}
	return result
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
