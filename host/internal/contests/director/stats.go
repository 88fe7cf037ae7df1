package director

import "colosseum/host/internal/contests/contest"

// Stats are counts at one moment.
type Stats struct {
	Contests map[contest.Phase]int // contests among players, except those that were only read
	Matches  int                   // of contests, that wait for their players or run
	Absent   uint64                // players that did not come to a match
}

// Stats returns the counts.
func (d *Director) Stats() Stats {
	s := Stats{Contests: map[contest.Phase]int{contest.Open: 0, contest.Running: 0, contest.Paused: 0, contest.Ended: 0}}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Matches, s.Absent = d.matches, d.absent
	for _, t := range d.contests {
		if t.phase != "" {
			s.Contests[t.phase]++
		}
	}
	return s
}

// counted counts a match that begins (1) or is over (-1), and the players that did not
// come to it.
func (d *Director) counted(matches, absent int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.matches += matches
	d.absent += uint64(absent)
}

// setPhase notes how far a contest has come.
func (d *Director) setPhase(t *tracked, phase contest.Phase) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t.phase = phase
}
