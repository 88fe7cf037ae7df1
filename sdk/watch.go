package sdk

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"colosseum/sdk/driver"
)

// watch is the driver of a match. When the referee is silent for long, it finds out where
// the referee is, and ends the match: a script runs again, and of a compiled game it looks
// at the stack a few times.
type watch struct {
	driver.Driver
	match   *Match
	stall   time.Duration
	referee driver.Goroutine
	timer   *time.Timer

	// For tick alone.
	due    time.Time       // of this tick
	seen   int             // steps at the last tick
	silent int             // ticks since then without a step
	stacks []*driver.Stack // of the referee, in these

	mu    sync.Mutex         // guards the fields below
	waits bool               // the referee waits for players, bots or the end of a pause
	steps int                // how many times it began to wait or to work
	found context.CancelFunc // ends the second run; nil: there is none
	over  bool               // the match has ended
}

// The time after which the host aborts a silent match has ticksOfStall ticks. They are
// counted, so that the time in which a debugger or the system stops the process is at most
// one. A script runs again after runAgainAt ticks, for runAgainFor ticks at most. At the
// stack of a compiled referee, watch looks from looksFrom to looksUntil ticks.
const (
	ticksOfStall = 20
	runAgainAt   = 10
	runAgainFor  = 7
	looksFrom    = 14
	looksUntil   = 17
	looks        = 3                    // in each tick
	betweenLooks = 5 * time.Millisecond // at most
)

// newWatch returns a driver that the caller, the referee's goroutine, must stop.
func newWatch(m *Match, d driver.Driver, stall time.Duration) *watch {
	w := &watch{Driver: d, match: m, stall: stall, referee: driver.ThisGoroutine(), due: time.Now().Add(stall / ticksOfStall)}
	w.mu.Lock() // tick uses the timer
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(stall/ticksOfStall, w.tick)
	return w
}

// enter notes that the referee is not silent, and reports whether the match runs.
func (w *watch) enter(waits bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = waits
	w.steps++
	if w.found != nil {
		w.found()
		w.found = nil
	}
	return !w.over
}

// Send implements driver.Driver. After a question, the referee waits for players or
// bots.
func (w *watch) Send(frame *driver.Frame) bool {
	ended := frame.End != nil
	if !w.enter(frame.Question != nil || ended) {
		runtime.Goexit() // also at the end: another result has been sent
	}
	if ended {
		w.stop()
	}
	return w.goesOn(w.Driver.Send(frame))
}

// Wait implements driver.Driver.
func (w *watch) Wait() ([]driver.Answer, bool) {
	answers, ok := w.Driver.Wait()
	return answers, w.enter(false) && w.goesOn(ok)
}

// Pause implements driver.Driver.
func (w *watch) Pause(d time.Duration) bool {
	w.enter(true)
	ok := w.Driver.Pause(d)
	return w.enter(false) && w.goesOn(ok)
}

// goesOn returns what the driver has returned: false if the match has been stopped.
func (w *watch) goesOn(ok bool) bool {
	if !ok {
		w.stop()
	}
	return ok
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}

// tick looks for a silent referee, and calls itself later.
func (w *watch) tick() {
	w.mu.Lock()
	steps, works := w.steps, !w.waits && !w.over
	w.mu.Unlock()
	if w.silent++; !works || steps != w.seen {
		w.seen, w.silent, w.stacks = steps, 0, nil
	}
	var why error
	switch a := w.match.again; {
	case a != nil && w.silent == runAgainAt:
		if why = w.runAgain(steps); why == nil {
			w.silent = 0 // for another look, which does not have to make a program
		}
	case a == nil && w.silent >= looksFrom:
		why = w.look()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over:
	case why == nil || w.steps != steps:
		if w.due = w.due.Add(w.stall / ticksOfStall); time.Until(w.due) < 0 {
			w.due = time.Now()
		}
		w.timer.Reset(time.Until(w.due))
	default:
		w.end(why)
	}
}

// runAgain runs the referee of a script again to find out where it is. It returns nil if
// that is not found.
func (w *watch) runAgain(steps int) error {
	ctx, cancel := context.WithTimeout(context.Background(), runAgainFor*w.stall/ticksOfStall)
	defer cancel()
	w.mu.Lock()
	if w.steps != steps {
		w.mu.Unlock()
		return nil
	}
	w.found = cancel
	w.mu.Unlock()
	a := w.match.again
	return a.describe(ctx, nil, a.play)
}

// look looks at the stack of the referee. At last it returns where the referee is.
func (w *watch) look() error {
	for i := range looks {
		if i > 0 {
			time.Sleep(min(betweenLooks, w.stall/1000))
		}
		if s := w.referee.Stack(); s != nil {
			w.stacks = append(w.stacks, s)
		}
	}
	if w.silent < looksUntil || len(w.stacks) == 0 {
		return nil
	}
	if text := driver.Stuck(w.stacks); text != "" {
		return errors.New(text)
	}
	return nil
}

// end ends the match of a referee that does not end. w.mu is held.
func (w *watch) end(why error) {
	w.over = true
	w.match.log("referee: " + why.Error())
	result := driver.Aborted(len(w.match.names), "the referee failed: "+why.Error())
	result.Stuck = true
	for _, b := range w.match.bots {
		if b != nil {
			b.stop()
		}
	}
	w.Driver.Send(&driver.Frame{End: result})
}
