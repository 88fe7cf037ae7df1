package sdk

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"colosseum/sdk/driver"
)

// Limits of the second run of a match. In a test, which must not depend on the speed of
// the machine, both are minTestTimeout.
const (
	againTime  = 2 * time.Second        // after a failure
	againGrace = 500 * time.Millisecond // then the second run is abandoned
)

// again is what a second run of a match needs.
type again struct {
	game  *Game
	setup driver.Setup

	mu      sync.Mutex      // guards the field below
	answers []driver.Answer // that the referee got, also of bots
}

// newAgain returns nil if failures of the game are not explained.
func newAgain(g *Game, s *driver.Setup) *again {
	if g.explain == nil {
		return nil
	}
	return &again{game: g, setup: *s}
}

// keep keeps answers of the match.
func (a *again) keep(answers []driver.Answer) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, answer := range answers {
			answer.Note = "" // the record keeps notes up to a limit
			a.answers = append(a.answers, answer)
		}
	}
}

// explain returns the description of a failure.
func (a *again) explain(why error, run func(ctx context.Context, g *Game, sent func()) error) error {
	if a == nil || why == nil {
		return why
	}
	limit := againTime
	if a.setup.Thoughts > 0 {
		limit = minTestTimeout
	}
	if a.setup.Stall > 0 {
		limit = min(limit, a.setup.Stall/2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return a.describe(ctx, why, run)
}

// describe calls the function of driver.Game.OnFailure.
func (a *again) describe(ctx context.Context, why error, run func(ctx context.Context, g *Game, sent func()) error) error {
	return a.game.explain(ctx, why, func(g driver.Game, sent func()) error { return run(ctx, (*Game)(g.(*driven)), sent) })
}

// play runs the referee again.
func (a *again) play(ctx context.Context, g *Game, sent func()) error {
	s := a.setup
	s.Bots, s.Log, s.Stall = nil, nil, 0
	a.mu.Lock()
	d := &replay{answers: a.answers, sent: sent} // only appended to
	a.mu.Unlock()
	return a.abandoned(ctx, func(err *error) {
		defer func() {
			if ctx.Err() != nil && *err == nil && len(d.answers) > 0 {
				*err = errBehind
			}
		}()
		second := *g
		second.Play = func(m *Match) error {
			*err = g.Play(m)
			return *err
		}
		second.run(&s, d)
	})
}

// errBehind is the error of a second run that has not come as far as the first.
var errBehind = errors.New("sdk: the second run was too slow")

// abandoned calls a function in a goroutine of its own, which it can end, and
// returns the error that it sets.
func (a *again) abandoned(ctx context.Context, run func(err *error)) error {
	done := make(chan error, 1)
	go func() { // ends with the match; when ctx has ended, soon
		var err error
		defer func() { done <- err }()
		run(&err)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	grace := againGrace
	if a.setup.Thoughts > 0 {
		grace = minTestTimeout
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return errAbandoned
	}
}

var errAbandoned = errors.New("sdk: the second run does not end")

// replay drives the second run of a match.
type replay struct {
	answers []driver.Answer // not yet used
	seats   int             // of the last question
	sent    func()
}

func (d *replay) Send(frame *driver.Frame) bool {
	d.sent()
	if frame.Question != nil {
		d.seats = len(frame.Question.Seats)
	}
	return true
}

func (d *replay) Wait() ([]driver.Answer, bool) {
	if len(d.answers) < d.seats {
		return nil, false // the first run has not come so far
	}
	answers := d.answers[:d.seats]
	d.answers = d.answers[d.seats:]
	d.sent()
	return answers, true
}

func (d *replay) Pause(time.Duration) bool { return true }

// maxHeard limits what a bot keeps for a second run, in bytes. With more, there is none.
const maxHeard = 256 << 10

// lineSize is the memory of a line that a bot has read, or can read, on top of its text, in bytes.
const lineSize = 24

// heard is what a bot has read, for its second run.
type heard struct {
	lines    []string
	thoughts []int // how many times Thinking returned true before the first line, and after each
	size     int   // in bytes
	dropped  bool  // it was too much
}

// add adds a line that the bot has read.
func (h *heard) add(line string) {
	if h.dropped {
		return
	}
	if h.size += len(line) + lineSize; h.size > maxHeard {
		*h = heard{dropped: true}
		return
	}
	h.lines, h.thoughts = append(h.lines, line), append(h.thoughts, 0)
}

// next returns the next line of the second run of a bot. At the end it ends the
// goroutine.
func (h *heard) next() string {
	if len(h.lines) == 0 {
		runtime.Goexit()
	}
	line := h.lines[0]
	h.lines, h.thoughts = h.lines[1:], h.thoughts[1:]
	return line
}

// playAgain runs the bot again.
func (b *Bot) playAgain(ctx context.Context, g *Game, sent func()) error {
	second := &Bot{Settings: b.Settings, rand: driver.NewRand(b.again.setup.Seed, driver.StreamBots+uint64(b.seat)), log: func(string) {}, begin: beginOf(&b.again.setup, b.seat)}
	second.replay = &heard{lines: b.heard.lines, thoughts: b.heard.thoughts}
	second.cond = sync.NewCond(&second.mu)
	return b.again.abandoned(ctx, func(err *error) { *err = g.Bot(second) })
}
