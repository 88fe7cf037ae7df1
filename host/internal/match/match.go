// Package match runs one match: it stands between the players' connections
// and the referee in its process, keeps the time, and makes the record.
package match

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/host/internal/store"
	"colosseum/protocol"
	"colosseum/sdk"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

// Limits on what a referee may do; a match that goes beyond is aborted.
const (
	maxStream  = 64 << 20  // bytes that spectators receive in one match
	maxAnswers = 16 << 20  // bytes of the answers in its record: 200,000 short ones
	maxTurn    = 512 << 10 // bytes for players between two questions: less than their backlog
	maxFrames  = 16384     // frames that wait to be handled, and
	maxEmpty   = 4096      // frames in a row that hold nothing but a pause
	maxQueue   = 8 << 20   // bytes in them: the referee floods. Bots alone fill hundreds while this process is busy
	maxPause   = 60_000    // milliseconds
	maxReason  = 1000      // bytes of the text that tells how the match ended; the rest is cut
)

// answerWeight is what an answer takes in the memory beside its line.
const answerWeight = 64

// unwritten is how long a player may leave the questions of a turn unread before
// it is cut, on top of its time for the answer: a stalled connection is no reason
// to think for longer.
const unwritten = 10 * time.Second

// A host without time for a player's connection finds its lines later than they
// came. maxUnread is how long the match waits for that at most, and readAgain how
// often it looks.
const (
	maxUnread = 10 * time.Second
	readAgain = 2 * time.Millisecond
)

// Recorder keeps records. Finish returns when the record is durable.
type Recorder interface {
	Begin(r *store.Record)
	Finish(ctx context.Context, r *store.Record) error
}

// Game is the referee's process.
type Game interface {
	Open(start *wire.Start, r engine.Receiver) (engine.Table, error)
}

// Config is a match about to start.
type Config struct {
	Record   store.Record // all that is known before the start
	Seats    []Seat       // who plays, in any order: seats are drawn by lot
	Seated   bool         // nothing is drawn: Seats are in the order of their numbers
	Game     Game
	Recorder Recorder
	Stream   *Stream
	Stall    time.Duration // a referee that is silent for so long is aborted
	Log      *slog.Logger
	Over     func() // called when the record is durable, before anybody is told
	Stuck    func() // called when the referee was silent too long: it may never end; may be nil
	// Took, when not nil, is called for each answer of a player with how much
	// of its time it used. It must not call the match.
	Took   func(seat int, used time.Duration)
	Totals *Totals // where the match adds what it counts; nil: nowhere
}

// Seat is one participant before the seats are drawn.
type Seat struct {
	Name   string
	Player Player // nil: a bot
}

// Match is one running match. Run owns it; the other methods may be called
// from anywhere.
type Match struct {
	record   store.Record
	seats    []seat
	game     Game
	recorder Recorder
	stream   *Stream
	stall    time.Duration
	log      *slog.Logger
	over     func()
	stuck    func()
	took     func(seat int, used time.Duration)
	totals   *Totals // may be nil

	wake    chan struct{} // 1: look at the fields under mu; a second signal says the same
	started time.Time

	// For Run's goroutine alone.
	table engine.Table
	ask   *wire.Ask     // the question that waits for answers; nil: the referee works
	since time.Time     // when the referee began to work, or asked
	rest  time.Duration // how much longer than usual the referee may be silent
	show  []byte        // for spectators, gathered during one frame
	said  int           // bytes for players since the last question
	noted int           // bytes of the answers in the record
	empty int           // frames since the last one that held anything but a pause
	timer *time.Timer
	armed time.Time // when the timer fires; it may fire early, which is harmless; zero: it has
	tally Tally     // not yet told
	told  time.Time // when the tally was told last
	turn  bool      // the referee has answers and works on its turn
	fault string    // why the match is aborted, as it is counted

	mu      sync.Mutex // guards the fields below and those of the seats
	room    *sync.Cond // signals that a line was used, or the match is over
	frames  []*wire.GameFrame
	queued  int // bytes in frames
	flooded bool
	ticked  bool // the timer has fired
	stopped bool
	lost    error // the referee is gone
	missing int   // seats whose answer is missing
	ended   bool
}

// New draws the seats and returns the match and, for each of Config.Seats, the
// number of its seat.
func New(c Config) (*Match, []int) {
	m := &Match{
		record: c.Record, game: c.Game, recorder: c.Recorder, stream: c.Stream, stall: c.Stall,
		log: c.Log, over: c.Over, stuck: c.Stuck, took: c.Took, totals: c.Totals, wake: make(chan struct{}, 1), seats: make([]seat, len(c.Seats)),
	}
	m.room = sync.NewCond(&m.mu)
	order := make([]int, len(c.Seats))
	for i := range order {
		order[i] = i
	}
	if !c.Seated {
		order = driver.NewRand(c.Record.Seed, driver.StreamSeats).Perm(len(c.Seats))
	}
	m.record.Seats = make([]store.Seat, len(c.Seats))
	for i, s := range c.Seats {
		m.seats[order[i]] = seat{name: s.Name, bot: s.Player == nil, player: s.Player}
		m.record.Seats[order[i]] = store.Seat{Name: s.Name, Bot: s.Player == nil}
	}
	return m, order
}

// Run plays the match to its end, and returns when its record is durable and
// everybody has been told. When ctx ends, the match is aborted.
func (m *Match) Run(ctx context.Context) {
	m.started = time.Now()
	m.record.Started = m.started
	m.since, m.told = m.started, m.started
	m.recorder.Begin(&m.record)
	m.timer = time.AfterFunc(m.stall, m.tick)
	m.armed = m.started.Add(m.stall)
	defer m.timer.Stop()
	defer context.AfterFunc(ctx, m.stop)()
	result := m.play()
	if m.table != nil {
		m.table.Stop()
	}
	m.finish(result)
}

// Frame is called by the engine. It does not block.
func (m *Match) Frame(f *wire.GameFrame) {
	m.mu.Lock()
	for _, t := range f.Texts {
		m.queued += len(t.Lines)
	}
	for _, a := range f.BotAnswers {
		m.queued += len(a.Line) + answerWeight
	}
	if len(m.frames) >= maxFrames || m.queued > maxQueue {
		m.flooded = true
	} else {
		m.frames = append(m.frames, f)
	}
	m.mu.Unlock()
	m.signal()
}

// Lost is called by the engine when the referee's process has ended.
func (m *Match) Lost(err error) {
	m.mu.Lock()
	m.lost = err
	m.mu.Unlock()
	m.signal()
}

// tick is called by the timer.
func (m *Match) tick() {
	m.mu.Lock()
	m.ticked = true
	m.mu.Unlock()
	m.signal()
}

// stop is called when the host is shutting down.
func (m *Match) stop() {
	m.mu.Lock()
	m.stopped = true
	m.mu.Unlock()
	m.signal()
}

func (m *Match) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// play runs the match and returns its result.
func (m *Match) play() *driver.Result {
	start := &wire.Start{Seed: m.record.Seed, Timeout: m.record.Timeout, Params: m.record.Params}
	for i := range m.seats {
		start.Seats = append(start.Seats, &wire.Seat{Name: m.seats[i].name, Bot: m.seats[i].bot})
	}
	table, err := m.game.Open(start, m)
	if err != nil {
		return m.abort(abortProcess, err.Error())
	}
	m.table = table
	var frames []*wire.GameFrame
	for {
		<-m.wake // one channel for all: a select costs as much as the rest of a turn here
		m.mu.Lock()
		frames, m.frames, m.queued = m.frames, frames[:0], 0
		lost, flooded, stopped := m.lost, m.flooded, m.stopped
		if m.ticked {
			m.ticked, m.armed = false, time.Time{}
		}
		m.mu.Unlock()
		for _, f := range frames {
			if result := m.handle(f); result != nil {
				return result
			}
		}
		clear(frames)
		now := time.Now()
		switch {
		case stopped:
			return m.abort(abortShutdown, "the host is shutting down")
		case flooded:
			return m.abort(abortFlood, "the game talks without end")
		case lost != nil:
			return m.abort(abortProcess, lost.Error())
		case m.noted > maxAnswers:
			return m.abort(abortFlood, "the match does not end: its answers are more than a record may hold")
		case m.ask != nil && m.answered(now):
			m.answer(now)
		case m.ask == nil && now.Sub(m.since) > m.stall+m.rest:
			if m.stuck != nil {
				m.stuck()
			}
			return m.abort(abortSilence, fmt.Sprintf("the game was silent for %v", m.stall+m.rest))
		}
		m.arm(now)
	}
}

// handle does what a frame says, and returns the result when it was the last.
func (m *Match) handle(f *wire.GameFrame) *driver.Result {
	if err := m.check(f); err != nil {
		m.log.Error("the game broke the rules of the wire", "error", err)
		return m.abort(abortWire, "the game failed: "+err.Error())
	}
	if m.empty++; len(f.BotAnswers) > 0 || len(f.Texts) > 0 || f.Ask != nil || f.End != nil {
		m.empty = 0
	}
	if m.empty > maxEmpty { // a host that keeps up with them would handle them for ever
		return m.abort(abortFlood, "the game talks without end")
	}
	for _, a := range f.BotAnswers {
		m.note(a)
	}
	for _, t := range f.Texts {
		if t.To != wire.Text_SPECTATORS { // they have all the time they want
			m.said += len(t.Lines)
		}
		m.spread(t)
	}
	if m.said > maxTurn {
		return m.abort(abortFlood, "the game talks without end")
	}
	for i := range m.seats {
		if s := &m.seats[i]; len(s.out) > 0 {
			s.player.Send(s.out)
			s.out = s.out[:0]
		}
	}
	if len(m.show) > 0 {
		if m.stream.append(m.show) > maxStream {
			return m.abort(abortFlood, "the game shows too much")
		}
		m.show = m.show[:0]
	}
	now := time.Now()
	if m.turn {
		m.turn = false
		m.tally.Turns.Add(now.Sub(m.since))
	}
	m.since = now
	m.rest = time.Duration(f.PauseMs) * time.Millisecond
	if f.End != nil {
		r := wire.DecodeResult(f.End)
		if r.Aborted {
			m.fault = abortReferee
		}
		if len(r.Reason) > maxReason {
			r.Reason = strings.ToValidUTF8(r.Reason[:maxReason], "") + "…"
		}
		return r
	}
	if f.Ask != nil {
		m.said = 0
		m.question(f.Ask)
	}
	return nil
}

// question begins to wait for the answers of people; bots are asked by the
// game itself, which may then be silent for as long as they think.
func (m *Match) question(q *wire.Ask) {
	people := false
	for _, n := range q.Seats {
		if m.seats[n].bot {
			m.rest = seconds(q.Seconds)
		} else {
			people = true
		}
	}
	if people {
		m.ask = q
		m.await(q, m.since)
	}
}

// answer brings the referee the answers to its question.
func (m *Match) answer(now time.Time) {
	answers := m.collect(m.ask.Seats, now)
	for _, a := range answers {
		m.note(a)
	}
	m.ask = nil
	m.since, m.turn = now, true
	if now.Sub(m.told) >= tellEvery {
		m.tell(now)
	}
	m.table.Answer(answers)
}

// note adds an answer to the record.
func (m *Match) note(a *wire.Answer) {
	m.noted += len(a.Line) + answerWeight
	m.record.Answers = append(m.record.Answers, store.Answer(wire.DecodeAnswer(a)))
}

// spread gathers a text for those who receive it.
func (m *Match) spread(t *wire.Text) {
	for i := range m.seats {
		if s := &m.seats[i]; !s.bot && (t.To == wire.Text_ALL || t.To == wire.Text_SEAT && uint32(i) == t.Seat || t.To == wire.Text_OTHERS && uint32(i) != t.Seat) {
			s.out = append(s.out, t.Lines...)
		}
	}
	if t.To != wire.Text_SEAT {
		m.show = append(m.show, t.Lines...)
	}
}

// arm sets the timer for the next thing that time alone can bring. Turns are
// far shorter than that, so the timer is only moved when it would fire too
// late; most matches set it once.
func (m *Match) arm(now time.Time) {
	next := m.since.Add(m.stall + m.rest + time.Millisecond)
	if m.ask != nil {
		next = m.deadline(now)
	}
	if m.armed.IsZero() || next.Before(m.armed) {
		m.armed = next
		m.timer.Reset(next.Sub(now))
	}
}

// abort returns the result of a match that can't go on; why is for counting.
func (m *Match) abort(why, reason string) *driver.Result {
	m.fault = why
	return driver.Aborted(len(m.seats), reason)
}

// finish makes the record durable and then tells everybody.
func (m *Match) finish(r *driver.Result) {
	m.mu.Lock()
	m.ended = true
	m.room.Broadcast()
	m.mu.Unlock()

	rec := &m.record
	rec.Ended = m.started.Add(time.Since(m.started)) // also when the clock was set meanwhile
	rec.State, rec.Reason = store.Finished, r.Reason
	if r.Aborted {
		rec.State = store.Aborted
	}
	result := protocol.MatchResult{Reason: r.Reason, Aborted: r.Aborted, Players: make([]protocol.PlayerResult, len(m.seats))}
	for i, s := range r.Seats {
		rec.Seats[i].Score, rec.Seats[i].Rank, rec.Seats[i].Ended = s.Score, s.Rank, s.Ended
		result.Players[i] = protocol.PlayerResult{Name: m.seats[i].name, Score: s.Score, Rank: s.Rank, Ended: string(s.Ended)}
	}
	rec.Stream, _ = m.stream.Read(0, math.MaxInt)
	// The record outlives whatever ended the match.
	if err := m.recorder.Finish(context.Background(), rec); err != nil {
		m.log.Error("the record of the match is not saved yet", "error", err)
		result.Reason = strings.TrimPrefix(result.Reason+"; the record of the match is not saved yet", "; ")
	}
	m.tell(rec.Ended)
	if m.totals != nil {
		m.totals.end(m.fault)
	}
	m.over()
	for i := range m.seats {
		if p := m.seats[i].player; p != nil {
			p.Ended(result)
		}
	}
	m.stream.end(result)
	m.log.Info("match ended", "reason", r.Reason, "aborted", r.Aborted, "seconds", rec.Ended.Sub(rec.Started).Seconds())
}

// check finds what a game must not say.
func (m *Match) check(f *wire.GameFrame) error {
	n := uint32(len(m.seats))
	for _, a := range f.BotAnswers {
		if a.Seat >= n || !m.seats[a.Seat].bot {
			return fmt.Errorf("it answers for seat %d, which is no bot's", a.Seat)
		}
	}
	for _, t := range f.Texts {
		if _, known := wire.Text_To_name[int32(t.To)]; !known {
			return fmt.Errorf("it sends to an unknown audience %d", t.To)
		}
		if t.Seat >= n {
			return fmt.Errorf("it sends to seat %d of %d", t.Seat, n)
		}
	}
	if m.ask != nil {
		return errors.New("it goes on while its question waits for answers")
	}
	if f.PauseMs > maxPause {
		return fmt.Errorf("it rests for %d ms", f.PauseMs)
	}
	if f.End != nil {
		if err := checkEnd(f.End, n); err != nil {
			return err
		}
	}
	if f.Ask == nil {
		return nil
	}
	if !(f.Ask.Seconds > 0 && f.Ask.Seconds <= sdk.MaxTimeout) {
		return fmt.Errorf("it gives %v seconds for an answer", f.Ask.Seconds)
	}
	if len(f.Ask.Seats) == 0 {
		return errors.New("it asks nobody")
	}
	for i, s := range f.Ask.Seats {
		if s >= n || slices.Contains(f.Ask.Seats[:i], s) {
			return fmt.Errorf("it asks seat %d of %d, or twice", s, n)
		}
	}
	if len(f.Ask.Resumed) > len(f.Ask.Seats) {
		return fmt.Errorf("it goes on with %d turns, and asks %d seats", len(f.Ask.Resumed), len(f.Ask.Seats))
	}
	for _, s := range f.Ask.Resumed {
		if !slices.Contains(f.Ask.Seats, s) {
			return fmt.Errorf("it goes on with the turn of seat %d, which it does not ask", s)
		}
	}
	return nil
}

// checkEnd finds what a result must not say; n is the number of seats.
func checkEnd(e *wire.End, n uint32) error {
	if len(e.Seats) != int(n) {
		return fmt.Errorf("its result is for %d seats of %d", len(e.Seats), n)
	}
	for _, s := range e.Seats {
		if math.IsNaN(s.Score) || math.IsInf(s.Score, 0) {
			return fmt.Errorf("its result has a score of %v", s.Score) // JSON has no such number
		}
		if s.Rank > n {
			return fmt.Errorf("its result has rank %d of %d", s.Rank, n)
		}
		if !slices.Contains(endings, driver.Ended(s.Ended)) {
			return fmt.Errorf("its result says that a seat ended %q", s.Ended)
		}
	}
	return nil
}

// endings are how a match can end for a seat: game.proto lists them.
var endings = []driver.Ended{
	driver.EndedFinished, driver.EndedAborted,
	driver.ForfeitIllegal, driver.ForfeitTimeout, driver.ForfeitDisconnected, driver.ForfeitResigned,
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
