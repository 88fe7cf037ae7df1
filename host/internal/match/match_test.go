package match

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/engine"
	"colosseum/host/internal/store"
	"colosseum/protocol"
	"colosseum/sdk/driver"
	"colosseum/sdk/wire"
)

const stall = 30 * time.Second

// events is what happened, in order, told by the stand-ins below.
type events struct {
	mu   sync.Mutex // guards the field below
	list []string
}

func (e *events) add(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, what)
}

// referee stands in for the game's process: the test speaks for it.
type referee struct {
	*events
	refusal error
	start   *wire.Start
	match   engine.Receiver
	answers chan []*wire.Answer // 16: more than any test lets wait
	stopped bool
}

func (r *referee) Open(start *wire.Start, m engine.Receiver) (engine.Table, error) {
	if r.refusal != nil {
		return nil, r.refusal
	}
	r.start, r.match = start, m
	return r, nil
}

func (r *referee) Answer(answers []*wire.Answer) { r.answers <- answers }
func (r *referee) Stop()                         { r.stopped = true; r.add("stop") }

// answer returns what came back for the last question, one string for each
// seat: the line, or how there was none.
func (r *referee) answer(t *testing.T) []string {
	t.Helper()
	synctest.Wait()
	select {
	case answers := <-r.answers:
		var list []string
		for _, a := range answers {
			if a.Outcome == wire.Answer_ANSWERED {
				list = append(list, string(a.Line))
			} else {
				list = append(list, a.Outcome.String())
			}
		}
		return list
	default:
		return nil
	}
}

// player stands in for a connection.
type player struct {
	*events
	name string
	send func() // called by Send, may be nil

	mu     sync.Mutex // guards the fields below
	got    string
	stuck  bool // what is sent is not written
	unread bool // something it wrote has come and is not read
	since  time.Time
	result *protocol.MatchResult
}

func (p *player) Send(b []byte) {
	p.mu.Lock()
	p.got += string(b)
	if !p.stuck {
		p.since = time.Now()
	}
	p.mu.Unlock()
	if p.send != nil {
		p.send()
	}
}

func (p *player) Written() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.since, !p.stuck
}

func (p *player) Unread(time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unread
}

// arrives says whether something has come that is not read.
func (p *player) arrives(unread bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unread = unread
}

func (p *player) Cut() { p.add("cut " + p.name) }

func (p *player) Ended(r protocol.MatchResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result = &r
	p.add("ended " + p.name)
}

// jam makes the connection take nothing, and release lets it go on.
func (p *player) jam() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stuck = true
}

func (p *player) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stuck, p.since = false, time.Now()
}

// recorder stands in for the store.
type recorder struct {
	*events
	failure error
	begun   store.Record
	record  *store.Record
}

func (r *recorder) Begin(rec *store.Record) { r.begun = *rec; r.add("begin") }

func (r *recorder) Finish(ctx context.Context, rec *store.Record) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.record = rec
	r.add("recorded")
	return r.failure
}

// bench is a match in a bubble of its own time, with what it deals with.
type bench struct {
	*events
	*Match
	referee  *referee
	players  []*player // by seat; nil: a bot
	recorder *recorder
	start    time.Time
	cancel   context.CancelFunc
	done     chan struct{} // closed when Run has returned
}

// setup makes a match with players on the first seats and bots on the others.
func setup(t *testing.T, people, bots int) *bench {
	t.Helper()
	log := &events{}
	b := &bench{
		events: log, referee: &referee{events: log, answers: make(chan []*wire.Answer, 16)}, recorder: &recorder{events: log},
		done: make(chan struct{}),
	}
	c := Config{
		Record: store.Record{
			ID: "8gj5mqqjtoklo", Name: "T", Game: "g", Plugin: "p", Version: "v", Seed: 7, Timeout: 10,
			Args: map[string]string{"a": "1"}, Params: map[string]string{"a": "1", "b": "2"},
		},
		Game: b.referee, Recorder: b.recorder, Stream: NewStream(), Stall: stall,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Over: func() { log.add("over") },
	}
	n := people + bots
	b.players = make([]*player, n)
	// Seats are drawn by lot: find the draw first, then put people in front.
	_, order := New(Config{Record: c.Record, Seats: make([]Seat, n), Stream: c.Stream})
	c.Seats = make([]Seat, n)
	for i, seat := range order {
		name := string(rune('A' + seat))
		if seat < people {
			p := &player{events: log, name: name}
			b.players[seat] = p
			c.Seats[i] = Seat{Name: name, Player: p}
		} else {
			c.Seats[i] = Seat{Name: name}
		}
	}
	var places []int
	b.Match, places = New(c)
	if !slices.Equal(places, order) {
		t.Fatalf("the same seed drew %v and %v", order, places)
	}
	return b
}

// run lets the match begin.
func (b *bench) run(t *testing.T) {
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

// says hands a frame of the referee to the match.
func (b *bench) says(f *wire.GameFrame) {
	b.Frame(f)
	synctest.Wait()
}

func (b *bench) asks(seconds float64, seats ...uint32) {
	b.says(&wire.GameFrame{Ask: &wire.Ask{Seats: seats, Seconds: seconds}})
}

// line is a line of a player that arrives now.
func (b *bench) line(seat int, text string) {
	b.Line(seat, text, time.Now())
	synctest.Wait()
}

// pass lets time pass, and all that is due at its end happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (b *bench) over() bool {
	synctest.Wait()
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// aborted checks that the match has been aborted for a reason.
func (b *bench) aborted(t *testing.T, reason string) {
	t.Helper()
	if !b.over() {
		t.Fatalf("the match goes on, want it aborted: %s", reason)
	}
	r := b.recorder.record
	if r.State != store.Aborted || !strings.Contains(r.Reason, reason) {
		t.Fatalf("the match is %s: %q, want it aborted: %s", r.State, r.Reason, reason)
	}
	for _, p := range b.players {
		if p != nil && (p.result == nil || !p.result.Aborted || p.result.Reason != r.Reason) {
			t.Errorf("%s was told %+v", p.name, p.result)
		}
	}
	if b.referee.match != nil && !b.referee.stopped {
		t.Error("the referee was not stopped")
	}
}

func ended(seats int) *wire.End {
	e := &wire.End{}
	for range seats {
		e.Seats = append(e.Seats, &wire.SeatResult{Rank: 1, Ended: "finished"})
	}
	return e
}

func all(text string) *wire.Text { return &wire.Text{To: wire.Text_ALL, Lines: []byte(text)} }

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSilentRefereeIsAborted(t *testing.T) {
	tests := []struct {
		name  string
		frame *wire.GameFrame // after one second
		want  time.Duration   // from then on
	}{
		{"from the start", nil, stall - time.Second},
		{"after a text", &wire.GameFrame{Texts: []*wire.Text{all("x\n")}}, stall},
		{"after a rest", &wire.GameFrame{PauseMs: 50_000}, stall + 50*time.Second},
		{"while its bot thinks", &wire.GameFrame{Ask: &wire.Ask{Seats: []uint32{1}, Seconds: 20}}, stall + 20*time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 1, 1)
				b.run(t)
				pass(time.Second)
				if tt.frame != nil {
					b.says(tt.frame)
				}
				pass(tt.want - time.Millisecond)
				if b.over() {
					t.Fatal("aborted too early")
				}
				pass(10 * time.Millisecond)
				b.aborted(t, "the game was silent for")
			})
		})
	}
}

func TestRefereeIsNotSilentWhileItWaitsForPlayers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		b.asks(600, 0)
		pass(599 * time.Second)
		b.line(0, "x")
		want(t, b.referee.answer(t), "x")
		pass(stall - time.Second)
		b.asks(10, 0)
		b.line(0, "y")
		want(t, b.referee.answer(t), "y")
		pass(stall + 10*time.Millisecond)
		b.aborted(t, "silent")
	})
}

// Between two looks of a busy host a referee may say a lot, above all when only
// bots are left: each of their turns is a frame.
func TestRefereeThatTalksWithoutEndIsAborted(t *testing.T) {
	mega := &wire.Text{To: wire.Text_SPECTATORS, Lines: make([]byte, 1<<20)}
	tests := []struct {
		name   string
		frames int
		frame  *wire.GameFrame
		abort  bool
	}{
		{"a thousand turns of bots", 1000, &wire.GameFrame{BotAnswers: []*wire.Answer{{Seat: 1}}, Ask: &wire.Ask{Seats: []uint32{1}, Seconds: 1}}, false},
		{"much text", maxQueue >> 20, &wire.GameFrame{Texts: []*wire.Text{mega}}, false},
		{"too many frames", maxFrames + 1, &wire.GameFrame{BotAnswers: []*wire.Answer{{Seat: 1}}}, true},
		{"too much text", maxQueue>>20 + 1, &wire.GameFrame{Texts: []*wire.Text{mega}}, true},
		{"too much of a bot", maxQueue>>20 + 1, &wire.GameFrame{BotAnswers: []*wire.Answer{{Seat: 1, Line: mega.Lines}}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 1, 1)
				b.run(t)
				gate := make(chan struct{})
				b.players[0].send = func() { <-gate } // holds the match up
				b.says(&wire.GameFrame{Texts: []*wire.Text{all("x\n")}})
				for range tt.frames {
					b.Frame(tt.frame)
				}
				close(gate)
				if tt.abort {
					b.aborted(t, "talks without end")
				} else if b.over() {
					t.Errorf("aborted: %s", b.recorder.record.Reason)
				}
			})
		})
	}
}

// A host that is faster than the referee never has many frames waiting.
func TestRefereeThatSaysNothingWithoutEndIsAborted(t *testing.T) {
	for name, frame := range map[string]*wire.GameFrame{"nothing": {}, "pauses": {PauseMs: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 1, 0)
				b.run(t)
				for range maxEmpty {
					b.says(frame)
				}
				b.says(&wire.GameFrame{Texts: []*wire.Text{all("x\n")}})
				for range maxEmpty {
					b.says(frame)
				}
				if b.over() {
					t.Fatalf("aborted too early: %s", b.recorder.record.Reason)
				}
				b.says(frame)
				b.aborted(t, "talks without end")
			})
		})
	}
}

func TestRefereeThatShowsTooMuchIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		mega := []byte(strings.Repeat("x", 1<<20-1) + "\n")
		for range maxStream >> 20 {
			b.says(&wire.GameFrame{Texts: []*wire.Text{{To: wire.Text_SPECTATORS, Lines: mega}}})
		}
		if b.over() {
			t.Fatal("aborted too early")
		}
		b.says(&wire.GameFrame{Texts: []*wire.Text{{To: wire.Text_SPECTATORS, Lines: []byte("x\n")}}})
		b.aborted(t, "shows too much")
	})
}

// A referee that never comes to an end would fill the memory with answers: of
// bots, which nobody waits for, or of a player whose illegal lines are asked
// again and again.
func TestMatchWithoutEndIsAborted(t *testing.T) {
	long := strings.Repeat("x", 4096)
	t.Run("of bots", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := setup(t, 1, 1)
			b.run(t)
			turn := &wire.GameFrame{BotAnswers: []*wire.Answer{{Seat: 1, Line: []byte("x")}}, Ask: &wire.Ask{Seats: []uint32{1}, Seconds: 1}}
			n := 0
			for ; !b.over() && n <= maxAnswers/answerWeight; n += 1000 {
				for range 1000 {
					b.Frame(turn)
				}
			}
			b.aborted(t, "the match does not end")
			if n < maxAnswers/answerWeight/2 {
				t.Errorf("aborted after %d answers", n)
			}
		})
	})
	t.Run("of a player", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := setup(t, 1, 0)
			b.run(t)
			n := 0
			for ; !b.over() && n <= maxAnswers/len(long); n++ {
				b.asks(10, 0)
				b.line(0, long)
				b.referee.answer(t)
			}
			b.aborted(t, "the match does not end")
			if n < maxAnswers/len(long)/2 {
				t.Errorf("aborted after %d answers", n)
			}
		})
	})
}

func TestGameThatBreaksTheRulesOfTheWireIsAborted(t *testing.T) {
	score := func(s *wire.SeatResult) *wire.GameFrame {
		e := ended(2)
		e.Seats[1] = s
		return &wire.GameFrame{End: e}
	}
	ask := func(seconds float64, seats ...uint32) *wire.GameFrame {
		return &wire.GameFrame{Ask: &wire.Ask{Seats: seats, Seconds: seconds}}
	}
	tests := []struct {
		name   string
		frames []*wire.GameFrame
		want   string
	}{
		{"answers for a person", []*wire.GameFrame{{BotAnswers: []*wire.Answer{{Seat: 0}}}}, "it answers for seat 0"},
		{"answers for nobody", []*wire.GameFrame{{BotAnswers: []*wire.Answer{{Seat: 2}}}}, "it answers for seat 2"},
		{"sends to nobody", []*wire.GameFrame{{Texts: []*wire.Text{{Seat: 2}}}}, "it sends to seat 2 of 2"},
		{"unknown audience", []*wire.GameFrame{{Texts: []*wire.Text{{To: 4}}}}, "unknown audience 4"},
		{"rests too long", []*wire.GameFrame{{PauseMs: maxPause + 1}}, "it rests for 60001 ms"},
		{"result for one", []*wire.GameFrame{{End: ended(1)}}, "its result is for 1 seats of 2"},
		{"score that is no number", []*wire.GameFrame{score(&wire.SeatResult{Score: math.NaN(), Ended: "finished"})}, "score of NaN"},
		{"endless score", []*wire.GameFrame{score(&wire.SeatResult{Score: math.Inf(1), Ended: "finished"})}, "score of +Inf"},
		{"unknown rank", []*wire.GameFrame{score(&wire.SeatResult{Rank: 3, Ended: "finished"})}, "rank 3 of 2"},
		{"unknown end", []*wire.GameFrame{score(&wire.SeatResult{Ended: "exploded"})}, `ended "exploded"`},
		{"no time", []*wire.GameFrame{ask(0, 0)}, "it gives 0 seconds"},
		{"too much time", []*wire.GameFrame{ask(601, 0)}, "it gives 601 seconds"},
		{"time that is no number", []*wire.GameFrame{ask(math.NaN(), 0)}, "it gives NaN seconds"},
		{"asks nobody", []*wire.GameFrame{ask(1)}, "it asks nobody"},
		{"asks a seat that is not there", []*wire.GameFrame{ask(1, 2)}, "it asks seat 2 of 2"},
		{"asks twice", []*wire.GameFrame{ask(1, 0, 0)}, "it asks seat 0 of 2, or twice"},
		{"asks again before the answer", []*wire.GameFrame{ask(1, 0), ask(1, 0)}, "while its question waits"},
		{"talks before the answer", []*wire.GameFrame{ask(1, 0), {Texts: []*wire.Text{all("x\n")}}}, "while its question waits"},
		{"ends before the answer", []*wire.GameFrame{ask(1, 0), {End: ended(2)}}, "while its question waits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 1, 1)
				b.run(t)
				for _, f := range tt.frames {
					b.says(f)
				}
				b.aborted(t, "the game failed: ")
				if !strings.Contains(b.recorder.record.Reason, tt.want) {
					t.Errorf("the reason is %q, want it to say %q", b.recorder.record.Reason, tt.want)
				}
			})
		})
	}
}

func TestEveryEndThatTheSDKSendsIsTaken(t *testing.T) {
	for _, end := range []driver.Ended{
		driver.EndedFinished, driver.EndedAborted,
		driver.ForfeitIllegal, driver.ForfeitTimeout, driver.ForfeitDisconnected, driver.ForfeitResigned,
	} {
		t.Run(string(end), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 1, 0)
				b.run(t)
				b.says(&wire.GameFrame{End: &wire.End{Seats: []*wire.SeatResult{{Rank: 1, Ended: string(end)}}}})
				if !b.over() || b.recorder.record.State != store.Finished || b.recorder.record.Seats[0].Ended != end {
					t.Errorf("recorded %+v", b.recorder.record)
				}
			})
		})
	}
}

func TestClientsKnowTheEndsOfTheSDK(t *testing.T) {
	for got, want := range map[string]driver.Ended{
		protocol.EndedFinished: driver.EndedFinished, protocol.EndedAborted: driver.EndedAborted,
		protocol.ForfeitIllegal: driver.ForfeitIllegal, protocol.ForfeitTimeout: driver.ForfeitTimeout,
	} {
		if got != string(want) {
			t.Errorf("package protocol has %q, want %q", got, want)
		}
	}
}

func TestLongReasonIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		e := ended(1)
		e.Reason = strings.Repeat("é", 1<<20)
		b.says(&wire.GameFrame{End: e})
		if !b.over() {
			t.Fatal("the match goes on")
		}
		got := b.players[0].result.Reason
		if len(got) > maxReason+len("…") || !strings.HasSuffix(got, "é…") || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("the reason has %d bytes: %.20q", len(got), got)
		}
	})
}

func TestLostProcessAbortsTheMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.run(t)
		b.asks(10, 0)
		b.Lost(errors.New("the game has stopped: it hung up"))
		b.aborted(t, "the game has stopped: it hung up")
	})
}

func TestProcessThatIsGoneBeforeTheStartAbortsTheMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 0)
		b.referee.refusal = engine.ErrGone
		b.run(t)
		b.aborted(t, engine.ErrGone.Error())
		want(t, b.list, "begin", "recorded", "over", "ended A", "ended B")
	})
}

func TestShutdownAbortsTheMatchAndStillRecordsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 1, 0)
		b.run(t)
		b.says(&wire.GameFrame{Texts: []*wire.Text{all("x\n")}})
		b.cancel()
		b.aborted(t, "the host is shutting down")
		if got := string(b.recorder.record.Stream); got != "x\n" {
			t.Errorf("the recorded stream is %q", got)
		}
	})
}

func TestTextsReachTheirAudience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 1)
		b.run(t)
		b.says(&wire.GameFrame{Texts: []*wire.Text{
			{To: wire.Text_SEAT, Seat: 0, Lines: []byte("only 0\n")},
			{To: wire.Text_SPECTATORS, Lines: []byte("spectators\n")},
			{To: wire.Text_OTHERS, Seat: 0, Lines: []byte("not 0\n")},
			all("all\n"),
			{To: wire.Text_SEAT, Seat: 2, Lines: []byte("the bot\n")},
		}})
		stream, _ := b.stream.Read(0, 1000)
		want(t, []string{b.players[0].got, b.players[1].got, string(stream)}, "only 0\nall\n", "not 0\nall\n", "spectators\nnot 0\nall\n")
	})
}

func TestRecordIsCompleteAndDurableBeforeAnybodyIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, 2, 1)
		b.run(t)
		if got := b.referee.start; got.Seed != 7 || got.Timeout != 10 || got.Params["b"] != "2" || len(got.Seats) != 3 ||
			got.Seats[0].Name != "A" || got.Seats[0].Bot || !got.Seats[2].Bot {
			t.Errorf("the referee was told %v", got)
		}
		b.line(0, "ahead")
		pass(time.Second)
		b.says(&wire.GameFrame{Texts: []*wire.Text{all("x\n")}, Ask: &wire.Ask{Seats: []uint32{0, 1}, Seconds: 5}})
		pass(2 * time.Second)
		b.line(1, "b")
		want(t, b.referee.answer(t), "ahead", "b")
		b.asks(5, 0)
		pass(5 * time.Second)
		b.Leave(1)
		b.asks(5, 1)
		pass(time.Second)
		b.says(&wire.GameFrame{
			BotAnswers: []*wire.Answer{{Seat: 2, Line: []byte("c"), AtMs: 8500}}, Texts: []*wire.Text{all("y\n")},
			End: &wire.End{Reason: "A wins", Seats: []*wire.SeatResult{
				{Score: 1.5, Rank: 1, Ended: "finished"}, {Rank: 3, Ended: "forfeit: timeout"}, {Rank: 2, Ended: "finished"},
			}},
		})
		if !b.over() {
			t.Fatal("the match goes on")
		}
		want(t, b.list, "begin", "stop", "recorded", "over", "ended A", "ended B")
		got := b.recorder.record
		wanted := &store.Record{
			ID: "8gj5mqqjtoklo", Name: "T", Game: "g", Plugin: "p", Version: "v", Seed: 7, Timeout: 10,
			Args: map[string]string{"a": "1"}, Params: map[string]string{"a": "1", "b": "2"},
			Seats: []store.Seat{
				{Name: "A", Score: 1.5, Rank: 1, Ended: "finished"}, {Name: "B", Rank: 3, Ended: "forfeit: timeout"},
				{Name: "C", Bot: true, Rank: 2, Ended: "finished"},
			},
			Started: b.start, Ended: b.start.Add(9 * time.Second), State: store.Finished, Reason: "A wins",
			Answers: []store.Answer{
				{Seat: 0, Line: "ahead", At: time.Second}, // counted from the question on
				{Seat: 1, Line: "b", At: 3 * time.Second},
				{Seat: 0, Outcome: "timeout", At: 8 * time.Second},
				{Seat: 1, Outcome: "disconnected", At: 8 * time.Second},
				{Seat: 2, Line: "c", At: 8500 * time.Millisecond},
			},
			Stream: []byte("x\ny\n"),
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("recorded\n%+v\nwant\n%+v", got, wanted)
		}
		if b.recorder.begun.ID != got.ID || len(b.recorder.begun.Seats) != 3 || !b.recorder.begun.Started.Equal(b.start) {
			t.Errorf("begun with %+v", b.recorder.begun)
		}
		told := protocol.MatchResult{Reason: "A wins", Players: []protocol.PlayerResult{
			{Name: "A", Score: 1.5, Rank: 1, Ended: "finished"}, {Name: "B", Rank: 3, Ended: "forfeit: timeout"}, {Name: "C", Rank: 2, Ended: "finished"},
		}}
		for _, p := range b.players[:2] {
			if !reflect.DeepEqual(*p.result, told) {
				t.Errorf("%s was told %+v", p.name, p.result)
			}
		}
		if _, r := b.stream.Read(4, 10); r == nil || !reflect.DeepEqual(*r, told) {
			t.Errorf("spectators were told %+v", r)
		}
	})
}

func TestPlayersAreToldWhenTheRecordIsNotSaved(t *testing.T) {
	tests := []struct{ name, reason, want string }{
		{"no reason", "", "the record of the match is not saved yet"},
		{"a reason", "A wins", "A wins; the record of the match is not saved yet"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, 1, 0)
				b.recorder.failure = errors.New("disk full")
				b.run(t)
				e := ended(1)
				e.Reason = tt.reason
				b.says(&wire.GameFrame{End: e})
				if !b.over() || b.players[0].result.Reason != tt.want {
					t.Errorf("told %+v", b.players[0].result)
				}
			})
		})
	}
}

func TestSeatsAreDrawnByLot(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(300) {
		m, places := New(Config{Record: store.Record{Seed: seed}, Seats: []Seat{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Stream: NewStream()})
		drawn := ""
		for i, s := range m.seats {
			drawn += s.name
			if m.record.Seats[i].Name != s.name || m.seats[places[0]].name != "A" {
				t.Fatalf("seed %d: %v does not fit %v", seed, places, m.record.Seats)
			}
		}
		counts[drawn]++
	}
	if len(counts) != 6 {
		t.Fatalf("only %v were drawn", counts)
	}
	for drawn, n := range counts {
		if n < 25 || n > 80 { // 50 expected
			t.Errorf("%s was drawn %d times of 300", drawn, n)
		}
	}
}
