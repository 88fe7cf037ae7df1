package match

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/games/engine"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

const stall = 30 * time.Second

// eventLog holds the events that the fakes below log, in order.
type eventLog struct {
	mu   sync.Mutex // guards the field below
	list []string
}

func (e *eventLog) add(event string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, event)
}

// fakeGame is the game's process; the test sends its frames.
type fakeGame struct {
	*eventLog
	refusal error
	setup   *driver.Setup
	opened  bool
	answers chan []driver.Answer // 16: more than wait in any test
	stopped bool
}

func (g *fakeGame) Open(setup *driver.Setup, in engine.Receiver) (engine.Match, error) {
	if g.refusal != nil {
		return nil, g.refusal
	}
	g.setup, g.opened = setup, true
	return g, nil
}

func (g *fakeGame) Answer(answers []driver.Answer) { g.answers <- answers }
func (g *fakeGame) Stop()                          { g.stopped = true; g.add("stop") }

// answer returns the answers to the last question, one string for each seat: the
// line or the outcome; nil: there are none yet.
func (g *fakeGame) answer(t *testing.T) []string {
	t.Helper()
	synctest.Wait()
	select {
	case answers := <-g.answers:
		var list []string
		for _, a := range answers {
			if a.Outcome == driver.Answered {
				list = append(list, a.Line)
			} else {
				list = append(list, string(a.Outcome))
			}
		}
		return list
	default:
		return nil
	}
}

// fakePlayer is the connection of a player.
type fakePlayer struct {
	*eventLog
	name string

	mu     sync.Mutex // guards the fields below
	got    string
	stuck  bool // bytes are not written
	unread bool // a line has arrived that is not read
	since  time.Time
	result *protocol.MatchResult
	lag    time.Duration // of the connection
	probed time.Time     // when the ping that is not answered was sent; zero: there is none
	probes int
	looks  int  // calls of Written
	silent bool // no ping is answered
	aways  []string
}

func (p *fakePlayer) Send(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got += string(b)
	if !p.stuck {
		p.since = time.Now()
	}
}

func (p *fakePlayer) Written() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	return p.since, !p.stuck
}

// Lag implements Player. A ping is answered after the lag, or never.
func (p *fakePlayer) Lag() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.probed.IsZero() {
		return p.lag
	}
	age := time.Since(p.probed)
	if age >= p.lag && !p.silent {
		p.probed = time.Time{}
		return p.lag
	}
	return max(p.lag, age)
}

// silence sets whether pings are not answered. Otherwise the last one is answered now.
func (p *fakePlayer) silence(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent = silent; !silent {
		p.probed = time.Time{}
	}
}

func (p *fakePlayer) Probe() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes++
	if p.probed.IsZero() {
		p.probed = time.Now()
	}
}

func (p *fakePlayer) Away(name string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.IsZero() {
		p.aways = append(p.aways, name+" is back")
		return
	}
	p.aways = append(p.aways, fmt.Sprintf("%s is away for %v", name, time.Until(until)))
}

// setLag sets the lag of the connection from now on.
func (p *fakePlayer) setLag(lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lag = lag
}

func (p *fakePlayer) Unread(time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unread
}

// setUnread sets whether a line has arrived that is not read.
func (p *fakePlayer) setUnread(unread bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unread = unread
}

func (p *fakePlayer) Cut() { p.add("cut " + p.name) }

func (p *fakePlayer) Ended(r protocol.MatchResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result = &r
	p.add("ended " + p.name)
}

// jam makes the connection write nothing until release.
func (p *fakePlayer) jam() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stuck = true
}

func (p *fakePlayer) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stuck, p.since = false, time.Now()
}

// fakeRecorder is the store.
type fakeRecorder struct {
	*eventLog
	failure error
	begun   record.Match
	record  *record.Match
}

func (r *fakeRecorder) Begin(rec *record.Match) { r.begun = *rec; r.add("begin") }

func (r *fakeRecorder) Finish(ctx context.Context, rec *record.Match) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.record = rec
	r.add("recorded")
	return r.failure
}

// testMatch is a match with fakes for everything that it uses.
type testMatch struct {
	*eventLog
	*Match
	referee  *fakeGame
	players  []*fakePlayer // by seat; nil: a bot
	recorder *fakeRecorder
	start    time.Time
	cancel   context.CancelFunc
	done     chan struct{} // closed when Run has returned
}

// newTestMatch returns a match that has not begun, with players on the first seats
// and bots on the others.
func newTestMatch(t *testing.T, players, bots int) *testMatch {
	t.Helper()
	log := &eventLog{}
	b := &testMatch{
		eventLog: log, referee: &fakeGame{eventLog: log, answers: make(chan []driver.Answer, 16)}, recorder: &fakeRecorder{eventLog: log},
		done: make(chan struct{}),
	}
	c := Config{
		Record: &record.Match{
			ID: "8gj5mqqjtoklo", Name: "T", Game: "g", Plugin: "p", Version: "v", Seed: 7, Timeout: 10,
			Args: map[string]string{"a": "1"}, Params: map[string]string{"a": "1", "b": "2"},
		},
		Game: b.referee, Recorder: b.recorder, Stream: NewStream(), Stall: stall,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Over: func() { log.add("over") },
	}
	n := players + bots
	b.players = make([]*fakePlayer, n)
	// Seats are drawn by lot: find the order first, then put players in front.
	_, order := New(Config{Record: c.Record, Seats: make([]Participant, n), Stream: c.Stream})
	c.Seats = make([]Participant, n)
	for i, seat := range order {
		name := string(rune('A' + seat))
		if seat < players {
			p := &fakePlayer{eventLog: log, name: name}
			b.players[seat] = p
			c.Seats[i] = Participant{Name: name, Player: p}
		} else {
			c.Seats[i] = Participant{Name: name}
		}
	}
	var places []int
	b.Match, places = New(c)
	if !slices.Equal(places, order) {
		t.Fatalf("a seed drew %v, and then %v, want the same", order, places)
	}
	return b
}

// withMatch starts a match with players on the first seats and bots on the others,
// and calls f, all in a bubble of fake time.
func withMatch(t *testing.T, players, bots int, f func(t *testing.T, b *testMatch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, players, bots)
		b.run(t)
		f(t, b)
	})
}

// run starts the match.
func (b *testMatch) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.start = cancel, time.Now()
	go func() { // ends with the match
		defer close(b.done)
		b.Run(ctx)
	}()
	synctest.Wait()
	t.Cleanup(cancel)
}

// send sends a frame of the referee to the match.
func (b *testMatch) send(f *driver.Frame) {
	b.put(f)
	synctest.Wait()
}

// put is send for a referee that goes on at once.
func (b *testMatch) put(f *driver.Frame) { receiver{b.Match}.Put(f) }

// lose makes the referee's process end.
func (b *testMatch) lose(err error) { receiver{b.Match}.Close(err) }

func (b *testMatch) ask(seconds float64, seats ...int) {
	b.send(&driver.Frame{Question: &driver.Question{Seats: seats, Seconds: seconds}})
}

// line sends a line of a player, which arrives now.
func (b *testMatch) line(seat int, text string) {
	b.Line(seat, text, time.Now())
	synctest.Wait()
}

// pass waits until time has passed, and everything due by then has happened.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *testMatch) over() bool {
	synctest.Wait()
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// aborted checks that the match was aborted for a reason.
func (b *testMatch) aborted(t *testing.T, reason string) {
	t.Helper()
	if !b.over() {
		t.Fatalf("the match goes on, want it aborted: %s", reason)
	}
	r := b.recorder.record
	if r.State != record.Aborted || !strings.Contains(r.Reason, reason) {
		t.Fatalf("the match is %s: %q, want it aborted: %s", r.State, r.Reason, reason)
	}
	for _, p := range b.players {
		if p != nil && (p.result == nil || !p.result.Aborted || p.result.Reason != r.Reason) {
			t.Errorf("%s got the result %+v, want it aborted: %s", p.name, p.result, r.Reason)
		}
	}
	if b.referee.opened && !b.referee.stopped {
		t.Error("the referee was not stopped, want it stopped")
	}
}

func ended(seats int) *driver.Result {
	e := &driver.Result{}
	for range seats {
		e.Seats = append(e.Seats, driver.SeatResult{Rank: 1, Ended: "finished"})
	}
	return e
}

func all(text string) driver.Text { return driver.Text{To: driver.ToAll, Lines: []byte(text)} }

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
