package match

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// fakeLocal is a player whose program the host runs.
type fakeLocal struct {
	*fakePlayer
	rate float64 // CPU time that it uses in each second
	busy bool    // its core is taken

	mu   sync.Mutex // guards the fields below
	runs bool
	from time.Time // when it began to run
	used time.Duration
	log  string // R for each Resume, with the number of lines if it is not 1, P for each Pause
}

func (p *fakeLocal) Resume(lines int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log += "R"
	if lines != 1 {
		p.log += strconv.Itoa(lines)
	}
	p.runs, p.from, p.used = !p.busy, time.Now(), 0
	return p.runs
}

func (p *fakeLocal) Pause() (time.Duration, bool) {
	used, _ := p.Used()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log += "P"
	p.runs, p.used = false, used
	return used, true
}

func (p *fakeLocal) Used() (time.Duration, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs {
		return time.Duration(p.rate * float64(time.Since(p.from))), true
	}
	return p.used, true
}

func (p *fakeLocal) Counts() bool { return true }

// get gives the program its core.
func (p *fakeLocal) get(b *testMatch, seat int) {
	p.mu.Lock()
	p.runs, p.from = true, time.Now()
	p.mu.Unlock()
	b.Began(seat, time.Now())
	synctest.Wait()
}

func (p *fakeLocal) wantLog(t *testing.T, want string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != want {
		t.Errorf("%s: got the calls %s, want %s", p.name, p.log, want)
	}
}

// withLocals is withMatch for two players whose programs the host runs, with their rates.
func withLocals(t *testing.T, rates [2]float64, f func(t *testing.T, b *testMatch, players [2]*fakeLocal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, 2, 0)
		var players [2]*fakeLocal
		for i, rate := range rates {
			players[i] = &fakeLocal{fakePlayer: b.players[i], rate: rate}
			s := &b.seats[i]
			s.player, s.local, s.byCPU = players[i], players[i], true
		}
		b.run(t)
		f(t, b, players)
	})
}

func TestProgramRunsOnlyWhileTheMatchWaitsForItsLine(t *testing.T) {
	withLocals(t, [2]float64{1, 1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
		b.ask(10, 0)
		pass(time.Second)
		b.line(0, "x")
		b.line(0, "ahead")
		b.ask(10, 0, 1) // seat 0 has a line for it
		pass(time.Second)
		players[0].wantLog(t, "RP")
		players[1].wantLog(t, "R")
		pass(10 * time.Second)
		want(t, b.referee.answer(t), "x")
		want(t, b.referee.answer(t), "ahead", "timeout")
		players[1].wantLog(t, "RP")
		b.ask(10, 1)
		b.Leave(1)
		players[1].wantLog(t, "RPRP")
	})
}

func TestProgramIsChargedItsCPUTime(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name  string
		rate  float64
		after time.Duration // the line comes; 0: never
		want  string
		ended time.Duration // when the match had the answer
		spent record.Spent
	}{
		{"as much as the clock on the wall", 1, 9 * s, "x", 9 * s, record.Spent{Wall: 9 * s, CPU: 9 * s, Counted: true}},
		{"less on a busy machine", 0.5, 19 * s, "x", 19 * s, record.Spent{Wall: 19 * s, CPU: 9500 * time.Millisecond, Counted: true}},
		{"more with many threads", 4, 3 * s, "timeout", 3 * s, record.Spent{Wall: 3 * s, CPU: 12 * s, Counted: true}},
		{"all of it on a busy machine", 0.5, 0, "timeout", 20 * s, record.Spent{Wall: 20 * s, CPU: 10 * s, Counted: true}},
		{"hardly any, and it waits for too long", 0.01, 0, "timeout", 30 * s, record.Spent{Wall: 30 * s, CPU: 300 * time.Millisecond, Counted: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withLocals(t, [2]float64{tt.rate, 1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
				begin := time.Now()
				b.ask(10, 0)
				if tt.after > 0 {
					pass(tt.after)
					b.line(0, "x")
				}
				answers := <-b.referee.answers
				if took := time.Since(begin).Round(100 * time.Millisecond); took != tt.ended {
					t.Errorf("the match waited for %v, want %v", took, tt.ended)
				}
				got := answers[0].Line
				if got == "" {
					got = string(answers[0].Outcome)
				}
				spent := b.seats[0].spent
				spent.Wall, spent.CPU = spent.Wall.Round(100*time.Millisecond), spent.CPU.Round(100*time.Millisecond)
				if got != tt.want || spent != tt.spent {
					t.Errorf("got %q and %+v, want %q and %+v", got, spent, tt.want, tt.spent)
				}
			})
		})
	}
}

func TestProgramLosesNoTimeWhileItWaitsForItsCore(t *testing.T) {
	withLocals(t, [2]float64{1, 1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
		players[1].busy = true
		b.ask(10, 0, 1)
		pass(25 * time.Second) // seat 0 is late after 10 s: its core is free then
		players[0].wantLog(t, "RP")
		players[1].wantLog(t, "R")
		players[1].get(b, 1)
		pass(9 * time.Second)
		b.line(1, "y")
		want(t, b.referee.answer(t), "timeout", "y")
		if left := b.seats[1].left.Round(time.Second); left != time.Second {
			t.Errorf("seat 1 has %v left, want 1s", left)
		}
	})
}

// The program can answer before the goroutine that has given it the core calls Began.
func TestAnswerThatOvertakesBeganIsInTime(t *testing.T) {
	for _, ticks := range []bool{false, true} {
		withLocals(t, [2]float64{0.01, 1}, func(t *testing.T, b *testMatch, players [2]*fakeLocal) {
			players[1].busy = true
			b.send(&driver.Frame{Question: &driver.Question{Seats: []int{0, 1}, Seconds: 1, Tick: ticks}})
			pass(wallFactor * time.Second) // seat 0 is late: its core is free
			b.line(1, "y")
			want(t, b.referee.answer(t), "timeout", "y")
			b.Began(1, time.Now())
			b.ask(1, 1)
			b.line(1, "z")
			want(t, b.referee.answer(t), "z")
		})
	}
}

func TestProgramOfTheHostHasItsOwnStartGrace(t *testing.T) {
	player := &fakePlayer{eventLog: &eventLog{}, name: "A"}
	seats := []Participant{{Name: "A", Player: player}, {Name: "B", Player: &fakeLocal{fakePlayer: player}, Version: 7}}
	for _, tt := range []struct{ program, connected, local time.Duration }{
		{0, time.Second, time.Second},
		{10 * time.Second, time.Second, 10 * time.Second},
	} {
		m, _ := New(Config{Record: &record.Match{}, Seats: seats, Seated: true, StartGrace: time.Second, ProgramGrace: tt.program, Stream: NewStream()})
		if a, b := m.seats[0].startup, m.seats[1].startup; a != tt.connected || b != tt.local {
			t.Errorf("got the start graces %v and %v, want %v and %v", a, b, tt.connected, tt.local)
		}
		if a, b := m.record.Seats[0].Version, m.record.Seats[1].Version; a != 0 || b != 7 {
			t.Errorf("got the versions %d and %d in the record, want 0 and 7", a, b)
		}
	}
}
