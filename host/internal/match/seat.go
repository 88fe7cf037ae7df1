package match

import (
	"slices"
	"time"

	"colosseum/protocol"
	"colosseum/sdk/wire"
)

// Player is the connection of a person's program, as a match uses it. Its
// methods do not block.
type Player interface {
	// Send adds bytes to what the player reads.
	Send(b []byte)
	// Written tells whether all that was sent is on its way, and since when:
	// the player's clock starts then.
	Written() (since time.Time, done bool)
	// Unread reports whether lines that came before a time, which has passed, may
	// not have been handed to the match yet. It is asked when the player would be
	// late: a delay of the host is no delay of the player.
	Unread(before time.Time) bool
	// Cut closes the connection of a player who does not read.
	Cut()
	// Ended says that the match is over.
	Ended(r protocol.MatchResult)
}

// A player may answer so many questions before they are asked. When the queue
// is full, its connection is not read until the referee catches up, and TCP
// holds the program back.
const maxAhead = 64

// seat is one place at the match. The fields below the line are guarded by
// the match's mu; the others belong to its goroutine or do not change. What it
// was asked last is set with mu held, so that Clocks can read it, too.
type seat struct {
	name   string
	bot    bool
	player Player // nil for a bot
	out    []byte // for the player, gathered during one frame

	asked   time.Time     // when it was asked last
	allowed time.Duration // for the answer
	left    time.Duration // of its time, when it had answered last
	grace   time.Duration // what is left in its turn of the time to read the questions; see unwritten
	// ---
	lines   []line // not yet used
	waiting bool   // the match waits for a line of this seat
	gone    bool   // no line will come any more
}

// line is what a player wrote, and when it reached the host.
type line struct {
	text string
	at   time.Time
}

// Line takes a line of the player on a seat, trimmed, which reached the host at
// the given time.
// It blocks while the player is too far ahead, and returns false when the
// match is over.
func (m *Match) Line(number int, text string, at time.Time) bool {
	s := &m.seats[number]
	m.mu.Lock()
	for len(s.lines) >= maxAhead && !m.ended {
		m.room.Wait()
	}
	if m.ended {
		m.mu.Unlock()
		return false
	}
	s.lines = append(s.lines, line{text, at})
	ready := m.arrived(s)
	m.mu.Unlock()
	if ready {
		m.signal()
	}
	return true
}

// Leave says that the player on a seat is gone for good. Lines that it wrote
// before still count.
func (m *Match) Leave(number int) {
	s := &m.seats[number]
	m.mu.Lock()
	s.gone = true
	m.room.Broadcast()
	ready := m.arrived(s)
	m.mu.Unlock()
	if ready {
		m.signal()
	}
}

// arrived notes that a seat has something for the match, and tells whether
// that was the last one that the match waits for. Called with mu held.
func (m *Match) arrived(s *seat) bool {
	if !s.waiting {
		return false
	}
	s.waiting = false
	m.missing--
	return m.missing == 0
}

// await makes the match wait for a line of the seats that are asked.
func (m *Match) await(q *wire.Ask, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range q.Seats {
		s := &m.seats[n]
		if s.bot {
			continue
		}
		allowed := seconds(q.Seconds)
		if slices.Contains(q.Resumed, n) && !s.asked.IsZero() {
			allowed = min(allowed, s.left)
		} else {
			s.grace = unwritten
		}
		s.asked, s.allowed, s.left = now, allowed, 0
		if len(s.lines) == 0 && !s.gone {
			s.waiting = true
			m.missing++
		}
	}
}

// Clocks tells how long those players have left, by name, for whose answers
// the match waits. The time of bots is up to the game.
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
		if since, written := s.began(); written {
			left -= now.Sub(since)
		}
		clocks[s.name] = max(0, left)
	}
	return clocks
}

// answered reports whether nothing has to be waited for: every seat has answered,
// is gone, or is late.
func (m *Match) answered(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.missing == 0 {
		return true
	}
	for _, n := range m.ask.Seats {
		s := &m.seats[n]
		if !s.waiting {
			continue
		}
		if limit := s.limit(); now.Before(limit) || now.Before(limit.Add(maxUnread)) && s.player.Unread(limit) {
			return false
		}
	}
	for _, n := range m.ask.Seats {
		if s := &m.seats[n]; s.waiting {
			if _, written := s.player.Written(); !written {
				s.player.Cut()
			}
		}
	}
	return true
}

// began tells since when the time of a seat runs: since the question was written
// to its connection, if it is already. Called with the match's mu held.
func (s *seat) began() (since time.Time, written bool) {
	since, written = s.player.Written()
	if since.Before(s.asked) {
		since = s.asked
	}
	return since, written
}

// limit is when a seat that still waits is late. Called with the match's mu held.
func (s *seat) limit() time.Time {
	since, written := s.began()
	if !written {
		return s.asked.Add(max(0, s.allowed+s.grace))
	}
	return since.Add(s.allowed)
}

// late reports whether a line that came at the given time is no answer to the
// question any more. The match may have waited on for another seat.
// Called with the match's mu held.
func (s *seat) late(at time.Time) bool {
	return at.Sub(s.asked) >= s.allowed && !at.Before(s.limit())
}

// deadline is when to look next whether a seat is late. The question may not
// have been written yet, so the first look is at the earliest possible time.
func (m *Match) deadline(now time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	var latest time.Time
	for _, n := range m.ask.Seats {
		s := &m.seats[n]
		if !s.waiting {
			continue
		}
		look := s.asked.Add(max(0, s.allowed+min(0, s.grace)))
		if !look.After(now) {
			look = now.Add(min(max(s.limit().Sub(now), readAgain), time.Second))
		}
		if look.After(latest) {
			latest = look
		}
	}
	return latest
}

// collect takes the answers to the question. A seat that still has none is
// late; a line that came too late is left for the next question.
func (m *Match) collect(seats []uint32, now time.Time) []*wire.Answer {
	answers := make([]*wire.Answer, 0, len(seats))
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range seats {
		s := &m.seats[n]
		if s.bot {
			continue
		}
		a := &wire.Answer{Seat: n}
		at := now
		switch {
		case len(s.lines) > 0 && !s.late(s.lines[0].at):
			l := s.lines[0]
			s.lines = slices.Delete(s.lines, 0, 1)
			m.room.Broadcast()
			a.Line = []byte(l.text)
			if at = l.at; at.Before(s.asked) {
				at = s.asked // it was written ahead
			}
			m.tally.Answers.Add(at.Sub(s.asked))
			since, written := s.began()
			if !written {
				since = at // it answered what it had not read
			}
			used := max(0, at.Sub(since))
			s.left = s.allowed - used
			s.grace -= since.Sub(s.asked)
			if m.took != nil {
				m.took(int(n), used)
			}
		case s.gone && len(s.lines) == 0:
			a.Outcome = wire.Answer_DISCONNECTED
			m.tally.Gone++
		default:
			a.Outcome = wire.Answer_TIMEOUT
			m.tally.Late++
		}
		a.AtMs = uint64(at.Sub(m.started).Milliseconds())
		s.waiting = false
		answers = append(answers, a)
	}
	m.missing = 0
	return answers
}
