package program

import (
	"time"

	"colosseum/host/internal/games/sandbox"
)

// counting is how the CPU time of a program is counted.
type counting int

const (
	// countNothing: it is not known. The system does not tell it, or a confined program
	// can start processes and there is no control group: then the time of a process that
	// ends before anybody looks is lost.
	countNothing counting = iota
	// countGroup: that of its control group, with all processes that were ever in it.
	countGroup
	// countProcess: that of its only process.
	countProcess
	// countScan: that of the processes in its process group, for a program that is not
	// confined and so can leave it anyway.
	countScan
)

// howToCount returns how the CPU time of the program, which has been started, is counted.
func (p *Program) howToCount() counting {
	_, grouped := p.control.CPU()
	_, process := p.group.LeaderWork()
	switch i := p.isolation; {
	case grouped:
		return countGroup
	case !process: // not Linux
		return countNothing
	case i.off():
		return countScan
	case !i.Processes && sandbox.Supported().Calls:
		return countProcess
	}
	return countNothing
}

// scanAfter is how long a program has to run before its processes are looked up: that can
// take a few milliseconds.
const scanAfter = 10 * time.Millisecond

// Counts reports whether the CPU time of the program is counted.
func (p *Program) Counts() bool { return p.counting != countNothing }

// usedLocked returns the CPU time since the end of the last question, and with charge set
// ends this one.
func (p *Program) usedLocked(charge bool) (used time.Duration, known bool) {
	t := &p.turn
	ran := time.Since(t.resumed)
	if p.counting == countScan && ran < scanAfter {
		return ran, true // it has at most one core
	}
	total, known := p.cpuLocked()
	if !known {
		return 0, false
	}
	used = max(0, total-t.charged)
	if p.counting == countScan { // it includes answers that were too short to look
		used = min(used, ran)
	}
	if charge {
		t.charged = total
	}
	return used, true
}

// cpuLocked returns the CPU time of the program since its start.
func (p *Program) cpuLocked() (total time.Duration, known bool) {
	switch t := &p.turn; {
	case t.final > 0:
		return t.final, true
	case p.counting == countGroup:
		return p.control.CPU()
	case p.counting == countProcess:
		return p.group.LeaderWork()
	case p.counting == countScan:
		return p.group.Work(), true
	}
	return 0, false
}

// keepLocked keeps the CPU time of the program, which has ended and has not been waited for.
func (p *Program) keepLocked() {
	if total, known := p.cpuLocked(); known {
		p.turn.final = max(total, 1)
	}
}
