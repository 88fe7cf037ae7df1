package sdk

import (
	"runtime"
	"time"
)

// As many bots of a process search at a time as it has cores; they take turns. Otherwise
// the referees of all matches would wait for a core behind all bots that search.

const (
	slotTurn  = 2 * time.Millisecond   // how long a bot searches while others wait
	slotYield = 100 * time.Microsecond // how long it searches before a referee that can run does
	slotWait  = 100 * time.Millisecond // after that a bot searches anyway, because another one might not end
)

// slots holds a value for each bot that searches.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// slot is the part of a bot in the turns. The goroutine of the bot alone uses it.
type slot struct {
	held    bool
	since   time.Time // of the turn
	yielded time.Time
}

// take waits for the bot's turn, unless it has one, and ends a turn that was long enough.
func (s *slot) take() {
	now := time.Now()
	switch {
	case !s.held:
	case now.Sub(s.since) >= slotTurn:
		s.release()
	case now.Sub(s.yielded) >= slotYield:
		runtime.Gosched()
		s.yielded = time.Now()
		return
	default:
		return
	}
	select {
	case slots <- struct{}{}:
		s.held = true
	default:
		timer := time.NewTimer(slotWait)
		select {
		case slots <- struct{}{}:
			s.held = true
		case <-timer.C:
		}
		timer.Stop()
	}
	s.since = time.Now()
	s.yielded = s.since
}

// release ends the bot's turn.
func (s *slot) release() {
	if s.held {
		s.held = false
		<-slots
	}
}
