package match

import (
	"slices"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// beginning is the part of an earlier match with which a branch begins. The referee asks the
// same questions again: the match gives it the answers of the seats of players at once, and
// the game repeats those of its bots. The mu of the match guards it.
type beginning struct {
	left  []record.Answer // to later questions
	given []record.Answer // to the last question; nil: it waits for its seats
}

const notAgain = "the game does not play the moves of the earlier match again: with this version of it, matches cannot begin with moves"

// beginLocked handles a question that is answered by the earlier match. It returns false for
// one that is not.
func (m *Match) beginLocked(q *driver.Question) bool {
	b := &m.branch
	b.given = nil
	if len(b.left) == 0 {
		return false
	}
	n := len(q.Seats)
	if q.Tick || n > len(b.left) || slices.ContainsFunc(b.left[:n], func(a record.Answer) bool { return !slices.Contains(q.Seats, a.Seat) }) {
		m.abortLocked(abortWire, notAgain)
		return true
	}
	b.given, b.left = b.left[:n], b.left[n:]
	for _, a := range b.given {
		if m.seats[a.Seat].bot {
			m.pause = seconds(q.Seconds)
		} else {
			m.ask = q // for answerLocked
		}
	}
	return true
}

// givenLocked returns the answers of the earlier match for the seats of players, who learn
// that they have given them.
func (m *Match) givenLocked() (answers []driver.Answer) {
	for _, a := range m.branch.given {
		s := &m.seats[a.Seat]
		if s.bot {
			continue
		}
		if a.Outcome == driver.Answered && s.sent != nil {
			s.sent(a.Line)
		}
		answers = append(answers, driver.Answer{Seat: a.Seat, Line: a.Line, Outcome: a.Outcome})
	}
	return answers
}

// repeatedLocked reports whether an answer of a bot is that of the earlier match, if that has
// one.
func (m *Match) repeatedLocked(a driver.Answer) bool {
	i := slices.IndexFunc(m.branch.given, func(b record.Answer) bool { return b.Seat == a.Seat })
	return i < 0 || m.branch.given[i].Line == a.Line && m.branch.given[i].Outcome == a.Outcome
}

// Snapshot returns the record of the match so far, as if it were aborted now, and the seats
// that are asked.
func (m *Match) Snapshot() (rec *record.Match, asked []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.record
	now.Seats, now.Answers = slices.Clone(m.record.Seats), m.answers.all()
	now.Stream, now.State = m.config.Stream.whole(), record.Aborted
	if m.ask != nil && m.result == nil {
		asked = slices.Clone(m.ask.Seats)
	}
	return &now, asked
}

// Alone reports whether all seats except one have bots of the game, and the match is neither
// one of a contest nor verified.
func (m *Match) Alone() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	players := 0
	for i := range m.seats {
		if !m.seats[i].bot {
			players++
		}
	}
	return players == 1 && m.record.Fixture == nil && !m.record.Verified
}

// TakeBack ends the match, because it goes on from an earlier position in another one.
func (m *Match) TakeBack(branch string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.abortLocked(abortTaken, "a move was taken back: the match goes on as "+branch)
}

// Hinted adds to the record that the player on a seat was shown a move of the bot.
func (m *Match) Hinted(seat int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.result == nil {
		m.record.Seats[seat].Hints++
	}
}
