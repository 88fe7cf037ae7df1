package match

import (
	"time"

	"colosseum/protocol"
)

// Player is the connection of a player's program, as a match uses it. Its methods
// do not block, and can be called concurrently.
type Player interface {
	// Send sends bytes to the player, in the order of the calls.
	Send(b []byte)
	// Written reports whether all bytes of Send have been written to the
	// connection, and when the last of them were: the player's clock starts then.
	Written() (since time.Time, done bool)
	// Unread reports whether lines that arrived before a time in the past might not
	// have been passed to Line yet. The match calls it before it counts the player
	// as late, because a delay of the host is not the player's fault.
	Unread(before time.Time) bool
	// Lag returns how long the connection needs from the host to the player and back,
	// at the moment. A ping that is not answered yet counts with its age.
	Lag() time.Duration
	// Probe measures the lag again, unless that is under way.
	Probe()
	// Away reports that the connection of the named player of the match has broken,
	// and when its seat is lost. With a zero time, the player is back.
	Away(name string, until time.Time)
	// Cut closes the connection of a player that does not read.
	Cut()
	// Ended sends the result; the match has ended.
	Ended(r protocol.MatchResult)
}

// maxAhead is how many lines a player can send before being asked. Beyond it the
// connection is not read until the referee catches up, and TCP makes the program
// wait.
const maxAhead = 64

// seat is one place of the match.
type seat struct {
	name   string
	bot    bool
	player Player // nil for a bot
	out    []byte // for the player, gathered during one frame; for Run's goroutine alone
	last   []byte // the end of what it was sent since it was asked, see fault.go; also for Run's goroutine
	prompt []byte // the end of what it was sent before it was asked last; also for Run's goroutine

	// The match's mu guards the fields below.
	asked   time.Time     // when it was asked last
	allowed time.Duration // for the answer
	left    time.Duration // of its time, after its last answer
	grace   time.Duration // how long the questions of this turn can still stay unwritten; see maxUnwritten
	missed  time.Time     // the end of the time for its last answer that did not come
	lines   []line        // not yet used
	waiting bool          // the match waits for a line of this seat
	gone    bool          // no line follows
}

// line is a line of a player, and when it reached the host.
type line struct {
	text string
	at   time.Time
}

// Line adds a line of the player on a seat, trimmed, which reached the host at the
// given time. It blocks while the player is maxAhead lines ahead, and returns
// false when the match has ended.
func (m *Match) Line(number int, text string, at time.Time) bool {
	s := &m.seats[number]
	m.mu.Lock()
	for len(s.lines) >= maxAhead && !m.finished {
		m.room.Wait()
	}
	if m.finished {
		m.mu.Unlock()
		return false
	}
	s.lines = append(s.lines, line{text, at})
	ready := m.arrivedLocked(s)
	m.mu.Unlock()
	if ready {
		m.inbox.Signal()
	}
	return true
}

// Leave removes the player on a seat for good. Lines that it sent before still
// count.
func (m *Match) Leave(number int) {
	s := &m.seats[number]
	m.mu.Lock()
	s.gone = true
	m.room.Broadcast()
	ready := m.arrivedLocked(s)
	m.mu.Unlock()
	if ready {
		m.inbox.Signal()
	}
}

// arrivedLocked notes that a seat has a line, or is gone. It reports whether this
// was the last seat for which the match waited.
func (m *Match) arrivedLocked(s *seat) bool {
	if !s.waiting {
		return false
	}
	s.waiting = false
	m.missing--
	return m.missing == 0
}

// Clocks returns how long each player that the match waits for has left, by name.
// The game keeps the time of its bots.
func (m *Match) Clocks() map[string]time.Duration {
	clocks := map[string]time.Duration{}
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.seats {
		s := &m.seats[i]
		if !s.waiting {
			continue
		}
		left := s.allowed
		if since, written := s.beganLocked(); written {
			left -= now.Sub(since)
		}
		clocks[s.name] = max(0, left)
	}
	return clocks
}

// beganLocked returns when the clock of a seat started, and whether it has: it
// starts when the question has been written to the connection.
func (s *seat) beganLocked() (since time.Time, written bool) {
	since, written = s.player.Written()
	if since.Before(s.asked) {
		since = s.asked
	}
	return since, written
}

// limitLocked returns when a seat that has not answered is late.
func (s *seat) limitLocked() time.Time {
	since, written := s.beganLocked()
	if !written {
		return s.asked.Add(max(0, s.allowed+s.grace))
	}
	return since.Add(s.allowed)
}

// lateLocked reports whether a line that came at the given time was too late for
// the question. The match can have waited longer, for another seat.
func (s *seat) lateLocked(at time.Time) bool {
	return at.Sub(s.asked) >= s.allowed && !at.Before(s.limitLocked())
}
