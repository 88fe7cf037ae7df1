package match

import (
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// A tick is a question that ends when its time has passed since the host handled the frame,
// never earlier. The answer of a seat is its last line that came within the tick; all its
// other lines are dropped, those that waited when the question came included. So a player
// that was late once is not behind in the next tick.
//
// After its time, a tick waits only for what is not the player's fault: a line that has
// arrived and is not read (for a twentieth of the tick if the seat has an older one), lag
// within the quota, a program of this host that waits for its core or has CPU time left, and
// the start grace of a seat's first question. A player that does not read or is away delays
// nobody. docs/decisions/clocks.md has the reasons.

// startTickLocked starts the clock for a tick that takes some time. lag is Config.Lag.
func (c *clock) startTickLocked(now time.Time, length, lag time.Duration) {
	gain := min(lag, length/gainShare)
	if c.asked.IsZero() {
		c.quota = min(c.quota, firstGains*gain)
	} else {
		c.startup = 0
		c.quota = min(c.quota+gain, mostGains*gain)
	}
	if !c.tick {
		c.grace = maxUnwritten
	}
	c.tick, c.fresh = true, true
	c.asked, c.allowed, c.left = now, length+c.startup, 0
	c.probed, c.waited, c.excuse = false, 0, 0
}

// awaitTickLocked begins a tick.
func (m *Match) awaitTickLocked(q *driver.Question, now time.Time) {
	for _, n := range q.Seats {
		s := &m.seats[n]
		if s.bot {
			continue
		}
		s.startTickLocked(now, seconds(q.Seconds), m.config.Lag)
		m.dropLocked(s, len(s.lines))
		s.cpu, s.counted = 0, false
		m.hintLocked(n, q)
		if !s.gone {
			s.waiting = true
			m.missing++
			s.owed++
			s.resumeLocked()
		}
	}
}

// lateInTickLocked is lateLocked for a line that has just come in a tick. More can follow, so
// the program of the host that sent it might still run.
func (s *seat) lateInTickLocked(at time.Time) bool {
	if s.waiting {
		if exhausted, _ := s.exhaustedLocked(); exhausted {
			return true
		}
	}
	return s.lateLocked(at)
}

// dropLocked drops the first n lines of a seat that are not used.
func (m *Match) dropLocked(s *seat, n int) {
	s.dropped += n
	m.recent.dropped += uint32(n)
	m.removeLocked(s, n)
}

// tickOverLocked reports whether a tick has ended. It stops waiting for each seat for which
// there is nothing to wait any more.
func (m *Match) tickOverLocked(now time.Time) bool {
	end := m.tickEndLocked()
	over := !now.Before(end)
	for _, n := range m.ask.Seats {
		s := &m.seats[n]
		switch {
		case s.bot:
		case s.waiting && s.tickOverLocked(now, end):
			m.giveUpLocked(s, now)
		case s.waiting:
			over = false
		case over && now.Before(end.Add(seconds(m.ask.Seconds/gainShare))) && s.newerLocked(end):
			over = false
		}
	}
	return over
}

// tickEndLocked returns when the time of the tick ends.
func (m *Match) tickEndLocked() time.Time { return m.since.Add(seconds(m.ask.Seconds)) }

// tickOverLocked reports whether a tick whose time ends at the given time waits no longer for
// a seat for which it has waited.
func (s *seat) tickOverLocked(now, end time.Time) bool {
	switch {
	case s.local == nil && now.Before(end) || s.queued:
		return false
	case !s.away.IsZero():
		return true
	case len(s.lines) > 0: // a program that owes lines of earlier ticks too
		return !now.Before(s.asked.Add(s.allowed - s.startup))
	}
	return s.overdueLocked(now)
}

// newerLocked reports whether a connected player that has answered might have sent another
// line before the end of the tick, which is in the past. One that floods the host has enough
// lines.
func (s *seat) newerLocked(end time.Time) bool {
	return s.local == nil && len(s.lines) > 0 && !s.fullLocked() && s.player.Unread(end)
}

// giveUpLocked makes a tick wait no longer for a seat. The quota pays for the time for which
// it has waited in vain: otherwise a player that answers no pings would make every tick longer.
func (m *Match) giveUpLocked(s *seat, now time.Time) {
	if s.probed {
		s.quota -= min(s.lagLocked(), max(0, now.Sub(s.limitLocked())))
	}
	s.waiting = false
	m.missing--
	s.pauseLocked()
}

// tickDeadlineLocked returns when to look at the tick next.
func (m *Match) tickDeadlineLocked(now time.Time) time.Time {
	switch end := m.tickEndLocked(); {
	case now.Before(end):
		return end
	case m.missing == 0: // a line is not read
		return now.Add(readAgain)
	}
	return m.deadlineLocked(now)
}

// collectTickLocked returns the answers to a tick that has ended.
func (m *Match) collectTickLocked(seats []int, now time.Time) []driver.Answer {
	answers := make([]driver.Answer, 0, len(seats))
	for _, n := range seats {
		s := &m.seats[n]
		if s.bot {
			continue
		}
		_, written := s.beganLocked()
		a, at := driver.Answer{Seat: n}, now
		last := len(s.lines) - 1
		for last >= 0 && s.lines[last].late {
			last--
		}
		if last >= 0 {
			a.Line, at, s.taken = s.lines[last].text, s.lines[last].at, s.lines[last].note
			m.dropLocked(s, last)
			m.removeLocked(s, 1)
			m.recent.answers.Add(max(0, at.Sub(s.asked)))
			s.forgiveLocked(s.usedLocked(at.Sub(s.asked)))
		} else {
			a.Outcome = driver.Timeout
			if s.gone {
				a.Outcome = driver.Disconnected
				m.recent.gone++
			}
			s.due = s.limitLocked()
			s.missed++
			m.recent.missed++
		}
		spent := record.Spent{Wall: max(0, at.Sub(s.asked)), CPU: s.cpu, Counted: s.counted}
		if s.spent = (record.Spent{}); s.local != nil {
			s.spent = spent
		}
		if m.config.Took != nil && a.Outcome == driver.Answered {
			m.config.Took(n, spent)
		}
		if s.grace -= now.Sub(s.asked); written {
			s.grace = maxUnwritten
		} else if s.grace <= 0 && !s.gone {
			s.player.Cut()
		}
		a.At = m.sinceStart(at)
		answers = append(answers, a)
	}
	return answers
}

// forgiveLocked takes from the quota by how much an answer used more than the time of its tick.
func (c *clock) forgiveLocked(used time.Duration) {
	forgiven := min(c.quota, max(0, used-c.allowed))
	c.quota -= forgiven
	c.forgiven += forgiven
}
