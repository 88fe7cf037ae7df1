package program

import (
	"sync"
	"time"
)

// A program with a core runs only while its match waits for its line: it is stopped from
// its start to the first question, and from each answer to the next question. Its children
// are stopped with it.

// turn is the state of a program between questions.
type turn struct {
	core *Core // nil: the program always runs

	mu       sync.Mutex // guards the fields below
	match    Match      // nil before Play
	seat     int
	asked    bool          // the match waits for its line
	lines    int           // for which the match waits
	granted  bool          // and it has the core
	reading  bool          // it can read what waits for it, because that is too much
	over     bool          // it has nothing to wait for any more
	stopped  bool          // its processes are stopped
	resumed  time.Time     // when it began to run for this question
	answered bool          // used is what it used for this question
	used     time.Duration // CPU time, if it is known
	known    bool
	charged  time.Duration // CPU time at the end of the last question
	final    time.Duration // CPU time in all, after its end; 0: it runs
	excess   time.Duration // CPU time that it used while it should have been stopped
}

// Resume implements match.Local.
func (p *Program) Resume(lines int) (runs bool) {
	t := &p.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked, t.lines, t.answered, t.resumed = true, lines, false, time.Now()
	if t.core == nil {
		if total, known := p.cpuLocked(); known {
			t.charged = total // it was free to compute before
		}
		return true
	}
	if p.counting == countProcess && !p.freezes { // a timer can send it SIGCONT
		if total, known := p.cpuLocked(); known {
			t.excess += max(0, total-t.charged)
		}
	}
	t.granted = t.core.acquire(p)
	p.applyLocked()
	return t.granted
}

// begin lets the program run for the question that waits for it, if there still is one: it
// has got its core.
func (p *Program) begin() {
	t := &p.turn
	t.mu.Lock()
	if !t.asked || t.granted || !t.core.has(p) {
		t.mu.Unlock()
		return
	}
	t.granted, t.resumed = true, time.Now()
	p.applyLocked()
	m, seat, at := t.match, t.seat, t.resumed
	t.mu.Unlock()
	m.Began(seat, at)
}

// Pause implements match.Local.
func (p *Program) Pause() (used time.Duration, known bool) {
	t := &p.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	p.stopLocked()
	t.asked, t.answered = false, false
	return t.used, t.known
}

// stop stops the program after the last line for which the match waits. The match calls Pause
// only once it knows that the line is the answer.
func (p *Program) stop() {
	p.turn.mu.Lock()
	defer p.turn.mu.Unlock()
	if p.turn.lines--; p.turn.lines <= 0 {
		p.stopLocked()
	}
}

func (p *Program) stopLocked() {
	t := &p.turn
	if !t.asked || t.answered {
		return
	}
	ran := t.granted || t.core == nil
	t.answered, t.granted, t.used, t.known = true, false, 0, p.Counts()
	p.applyLocked()
	if ran {
		t.used, t.known = p.usedLocked(true)
	}
	if t.core != nil {
		t.core.release(p)
	}
}

// Used implements match.Local.
func (p *Program) Used() (used time.Duration, known bool) {
	t := &p.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.answered:
		return t.used, t.known
	case !t.asked || t.core != nil && !t.granted:
		return 0, p.Counts()
	}
	return p.usedLocked(false)
}

// finish lets the program run freely, because its match is over.
func (p *Program) finish() {
	t := &p.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.asked, t.granted = true, false, false
	p.applyLocked()
	if t.core != nil {
		t.core.release(p)
	}
}

// setReading lets the program run until it has read what waits for it, or ends that.
func (p *Program) setReading(reading bool) {
	p.turn.mu.Lock()
	defer p.turn.mu.Unlock()
	p.turn.reading = reading
	p.applyLocked()
}

// applyLocked stops the processes, or lets them go on.
func (p *Program) applyLocked() {
	t := &p.turn
	runs := t.core == nil || t.granted || t.reading || t.over
	if runs != t.stopped {
		return
	}
	t.stopped = !runs
	switch {
	case runs && p.freezes:
		p.control.Thaw()
	case runs:
		p.group.Continue()
	case !p.freezes:
		p.group.Stop()
	case !p.control.Freeze(): // the program has just ended, or the kernel is older than 5.2
		p.freezes = false
		p.group.Stop()
	}
}
