package interpreter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// Limits of second runs.
const (
	maxSecond = 5           // of the same failure
	checkTime = time.Second // of main, and of a call of the game's Check
)

// second is what a program needs for second runs. At most one runs at a time.
type second struct {
	turn chan struct{} // holds a value during a second run; nil: the program has marks itself

	// For the holder of turn alone.
	marked *Program // nil: not yet made
	game   *sdk.Game
	broken bool           // marks don't work for this script
	runs   map[string]int // by the text of the failure
}

// explain returns a failure with its line and values, or the lines where a silent
// referee is, for [driver.Game].
func (p *Program) explain(ctx context.Context, why error, again func(g driver.Game, sent func()) error) error {
	var first *failure
	if why != nil && !errors.As(why, &first) {
		return why // not a panic
	}
	select {
	case p.second.turn <- struct{}{}:
	case <-ctx.Done():
		return why
	}
	begun := time.Now()
	made := make(chan bool, 1)
	go func() { made <- p.mark(why) }() // ends when the program is made, which no ctx can stop
	select {
	case ok := <-made:
		defer func() { <-p.second.turn }()
		if !ok {
			return why
		}
	case <-ctx.Done():
		go func() { // ends with the goroutine above; the next second run uses the program
			<-made
			<-p.second.turn
		}()
		return why
	}
	if end, ok := ctx.Deadline(); why == nil && ok && time.Until(end) < time.Since(begun) {
		return nil // it would stop before it is where the referee is silent; the next look has all its time
	}
	marked := p.second.marked
	r := marked.record(ctx)
	err := again(driver.Of(p.second.game), r.progress)
	if r.running.Load() { // it is abandoned, and can still call the recorder
		p.second.broken = true
		return why
	}
	var found *failure
	switch {
	case why == nil && r.stopped && err == nil: // else it has not come to where the referee is silent
		if loop := r.loop(); loop != "" {
			return errors.New(loop)
		}
		return nil
	case why == nil:
		return nil
	case errors.As(err, &found) && found.cause == first.cause:
		return found
	case !strings.Contains(first.text, " to "):
		return why
	case r.stopped:
		return fmt.Errorf("%w (a second run, to find the line, took too long)", why)
	default:
		return fmt.Errorf("%w (a second run, to find the line, did not fail)", why)
	}
}

// mark makes the program with marks, and reports whether a second run for a failure is
// possible and worth its time.
func (p *Program) mark(why error) bool {
	s := &p.second
	if s.runs == nil {
		s.runs = map[string]int{}
	}
	if s.broken || s.runs[fmt.Sprint(why)] == maxSecond {
		return false
	}
	s.runs[fmt.Sprint(why)]++
	if s.marked != nil {
		return true
	}
	if s.marked = p.withMarks(); s.marked == nil {
		s.broken = true
		return false
	}
	var err error
	s.game, err = s.marked.Run()
	s.broken = err != nil
	return err == nil
}

// withMarks returns the program with marks; nil: the interpreter cannot run it.
func (p *Program) withMarks() *Program {
	p.editing.Lock()
	marked := &Program{Source: p.Source, recursion: p.recursion, editing: p.editing}
	marked.marks = p.addMarks()
	merged := merge(p.Source)
	p.editing.Unlock()
	if problems := marked.compile(merged); len(problems) > 0 {
		return nil
	}
	return marked
}

// mainAgain explains a failure of main or of an initialiser.
func (p *Program) mainAgain(why error) error {
	var first, found *failure
	if p.second.turn == nil || !errors.As(why, &first) {
		return why
	}
	marked := p.withMarks()
	if marked == nil {
		return why
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	marked.record(ctx)
	again := call(func() error {
		_, err := marked.Run()
		return err
	})
	if errors.As(again, &found) && found.cause == first.cause {
		return found
	}
	return why
}

// call calls a function that the recorder can end with its goroutine.
func call(f func() error) error {
	done := make(chan error, 1)
	go func() { // ends with the second run, which is bounded
		var err error
		defer func() { done <- err }()
		err = f()
	}()
	return <-done
}

// checked wraps the game's Check so that a panic is explained.
func (p *Program) checked(check func(*sdk.Settings) error) func(*sdk.Settings) error {
	if check == nil || p.second.turn == nil {
		return check
	}
	return func(s *sdk.Settings) error {
		err := check(s)
		var panicked *failure
		if !errors.As(err, &panicked) {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), checkTime)
		defer cancel()
		return p.explain(ctx, err, func(driver.Game, func()) error {
			return call(func() error { return p.second.game.Check(s) })
		})
	}
}
