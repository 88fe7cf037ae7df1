package match

import "time"

// Local is a player whose program the host itself runs. It can run only while the match
// waits for its line, and its time can be counted as CPU time.
type Local interface {
	Player
	// Resume lets the program run until it has sent the given number of lines, because the
	// match waits for them, and reports whether it does. If not, it has to wait for a core,
	// and then calls Match.Began.
	Resume(lines int) (runs bool)
	// Pause stops the program, because the match waits no longer, and returns the CPU time
	// that it has used since Resume.
	Pause() (used time.Duration, known bool)
	// Used returns the CPU time that it has used since Resume.
	Used() (used time.Duration, known bool)
	// Counts reports whether that is known, except for single answers.
	Counts() bool
}

// A program whose CPU time counts can use more time than that if the machine is busy, or if
// it waits for something: three times as much, and at least a second more. In a tick, which
// lasts for all others too, it is only twice as much.
const (
	wallFactor = 3
	wallExtra  = time.Second
	tickFactor = 2
)

// Began handles that the program on a seat has got its core: its time starts.
func (m *Match) Began(number int, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.seats[number]
	if s.queued {
		s.queued, s.asked = false, at
		m.armLocked(at)
	}
}

// resumeLocked lets a program run that the match waits for.
func (s *seat) resumeLocked() {
	if s.local != nil {
		s.queued = !s.local.Resume(max(1, s.owed))
	}
}

// pauseLocked stops the program of a seat for which the match waits no longer.
func (s *seat) pauseLocked() {
	if s.local != nil {
		s.cpu, s.counted = s.local.Pause()
		s.queued = false
	}
}

// expireLocked stops a program that is late, although the match still waits for others: they
// might need its core.
func (m *Match) expireLocked(s *seat) {
	if _, written := s.player.Written(); !written {
		s.player.Cut()
	}
	s.waiting = false
	m.missing--
	s.pauseLocked()
}

// usedLocked returns the time for which a seat is charged that used some time of the clock
// on the wall.
func (s *seat) usedLocked(wall time.Duration) time.Duration {
	if s.byCPU && s.counted {
		return s.cpu
	}
	return wall
}

// wallLocked returns how much time of the clock on the wall a seat has for its answer.
func (s *seat) wallLocked() time.Duration {
	switch {
	case s.byCPU && s.tick:
		return tickFactor*(s.allowed-s.startup) + s.startup
	case s.byCPU:
		return max(wallFactor*s.allowed, s.allowed+wallExtra)
	}
	return s.allowed
}

// exhaustedLocked reports whether the program of a seat that has not answered has used its
// CPU time, and how much is left if not.
func (s *seat) exhaustedLocked() (exhausted bool, left time.Duration) {
	if !s.byCPU {
		return false, 0
	}
	used, known := s.local.Used()
	return known && used >= s.allowed, max(0, s.allowed-used)
}
