package match

import (
	"slices"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// answerWeight is the memory of an answer in the record on top of its line, in
// bytes.
const answerWeight = 64

// maxUnwritten is how long the questions of one turn can stay unwritten, because
// the player does not read, before the player is cut. It is added to the time for
// the answer.
const maxUnwritten = 10 * time.Second

// A busy host reads a player's lines some time after they arrived. Before it counts
// a player as late, the match waits at most maxUnread until they are read, and looks
// again every readAgain.
const (
	maxUnread = 10 * time.Second
	readAgain = 2 * time.Millisecond
)

// askLocked begins to wait for the answers of players. The game asks its bots
// itself, and can be silent while they think.
func (m *Match) askLocked(q *driver.Question) {
	if m.beginLocked(q) {
		return
	}
	players := false
	for _, n := range q.Seats {
		if m.seats[n].bot {
			m.pause = seconds(q.Seconds)
		} else {
			players = true
		}
	}
	switch {
	case !players:
		return
	case q.Tick:
		m.awaitTickLocked(q, m.since)
	default:
		m.awaitLocked(q, m.since)
	}
	m.ask = q
}

// answerLocked sends the referee the answers to its question.
func (m *Match) answerLocked(now time.Time) {
	var answers []driver.Answer
	if m.branch.given != nil {
		answers = m.givenLocked()
	} else if m.ask.Tick {
		answers = m.collectTickLocked(m.ask.Seats, now)
	} else {
		m.cutLocked()
		answers = m.collectLocked(m.ask.Seats, now)
	}
	for i := range answers {
		answers[i].Left = m.addLocked(answers[i])
	}
	m.ask = nil
	m.since, m.inTurn = now, true
	if now.Sub(m.reported) >= reportEvery {
		m.reportLocked(now)
		m.measureLocked()
	}
	m.remote.Answer(answers)
}

// addLocked adds an answer of a player to the record, and returns what it has left in its bank.
func (m *Match) addLocked(a driver.Answer) (left time.Duration) {
	s := &m.seats[a.Seat]
	a.Note, s.taken = s.taken, ""
	if s.timed {
		left = s.bank
	}
	m.noteLocked(a, left, s.spent)
	return left
}

// noteLocked adds an answer to the record, with the time left in the bank after it and the
// time that a program of the host took for it.
func (m *Match) noteLocked(a driver.Answer, left time.Duration, spent record.Spent) {
	m.recorded += len(a.Line) + answerWeight
	answer := record.NewAnswer(a)
	answer.Left, answer.Spent = left, spent
	if note := driver.CleanNote(answer.Note); note != "" && m.noted+len(note) <= maxNotes {
		m.noted += len(note)
		answer.Note, answer.Lines = note, m.lines
	} else {
		answer.Note = ""
	}
	m.answers.add(answer)
}

// awaitLocked makes the match wait for a line of each player that is asked.
func (m *Match) awaitLocked(q *driver.Question, now time.Time) {
	for _, n := range q.Seats {
		s := &m.seats[n]
		if s.bot {
			continue
		}
		s.startLocked(now, seconds(q.Seconds), slices.Contains(q.Resumed, n))
		if s.fresh {
			m.dropLocked(s, len(s.lines))
		}
		s.owed = 0
		s.cpu, s.counted = 0, s.byCPU // of a line that is there already
		m.hintLocked(n, q)
		m.refuseLocked(n)
		if len(s.lines) == 0 && !s.gone {
			s.waiting = true
			m.missing++
			s.resumeLocked()
		}
	}
}

// probeLocked probes the connection of each player whose time has ended without an answer.
func (m *Match) probeLocked(now time.Time) {
	for _, n := range m.ask.Seats {
		if s := &m.seats[n]; s.waiting {
			s.probeLocked(now)
		}
	}
}

// answeredLocked reports whether there is nothing to wait for: every seat has answered,
// is gone, or is late.
func (m *Match) answeredLocked(now time.Time) bool {
	switch {
	case m.ask.Tick:
		return m.tickOverLocked(now)
	case m.missing == 0:
		return true
	}
	all := true
	for _, n := range m.ask.Seats {
		s := &m.seats[n]
		switch {
		case !s.waiting:
		case !s.overdueLocked(now):
			all = false
		case s.local != nil:
			m.expireLocked(s)
		}
	}
	return all
}

// cutLocked cuts the players that are late because they have not read the question.
func (m *Match) cutLocked() {
	if m.missing == 0 {
		return
	}
	for _, n := range m.ask.Seats {
		if s := &m.seats[n]; s.waiting {
			if _, written := s.player.Written(); !written {
				s.player.Cut()
			}
		}
	}
}

// deadlineLocked returns when to check next: when a seat has to be probed, or when all might
// be late. The question might not have been written yet, so the first check is at the
// earliest possible time.
func (m *Match) deadlineLocked(now time.Time) time.Time {
	var probe, latest time.Time
	for _, n := range m.ask.Seats {
		s := &m.seats[n]
		if !s.waiting || s.queued {
			continue
		}
		look := s.asked.Add(max(0, s.allowed+min(0, s.grace)))
		rest := look.Sub(now)
		if rest <= 0 {
			rest = s.limitLocked().Sub(now)
			if s.byCPU {
				_, left := s.exhaustedLocked()
				rest = min(rest, left)
			}
			look = now.Add(min(max(rest, readAgain), time.Second))
		}
		if (rest > 0 && s.quota > 0 && !s.probed || s.local != nil) && (probe.IsZero() || look.Before(probe)) {
			probe = look
		}
		if look.After(latest) {
			latest = look
		}
	}
	switch {
	case !probe.IsZero():
		return probe
	case latest.IsZero(): // all wait for a core
		return now.Add(time.Second)
	}
	return latest
}

// collectLocked returns the players' answers to the question. A seat that still has none
// is late; a line that came too late stays for the next question.
func (m *Match) collectLocked(seats []int, now time.Time) []driver.Answer {
	answers := make([]driver.Answer, 0, len(seats))
	for _, n := range seats {
		s := &m.seats[n]
		if s.bot {
			continue
		}
		a := driver.Answer{Seat: n}
		at := now
		switch {
		case len(s.lines) > 0 && !s.lateLocked(s.lines[0].at):
			a.Line, at = m.takeLocked(n)
		case s.gone && len(s.lines) == 0:
			a.Outcome = driver.Disconnected
			m.recent.gone++
		default:
			a.Outcome = driver.Timeout
			if since, _ := s.beganLocked(); s.local != nil {
				s.spent = record.Spent{Wall: max(0, at.Sub(since)), CPU: s.cpu, Counted: s.counted}
			}
			s.due = s.limitLocked()
			s.missLocked()
			m.recent.late++
		}
		a.At = m.sinceStart(at)
		s.waiting = false
		answers = append(answers, a)
	}
	m.missing = 0
	return answers
}

// takeLocked takes the first line of a seat as an answer to its question, and charges the seat
// for its time.
func (m *Match) takeLocked(n int) (line string, at time.Time) {
	s := &m.seats[n]
	l := s.lines[0]
	s.taken = l.note
	m.removeLocked(s, 1)
	if at = l.at; at.Before(s.asked) {
		at = s.asked // it was sent before the question
	}
	m.recent.answers.Add(at.Sub(s.asked))
	since, written := s.beganLocked()
	if !written {
		since = at // it answered a question that it had not read
	}
	wall := max(0, at.Sub(since))
	s.spendLocked(s.usedLocked(wall))
	s.grace -= since.Sub(s.asked)
	if s.spent = (record.Spent{}); s.local != nil {
		s.spent = record.Spent{Wall: wall, CPU: s.cpu, Counted: s.counted}
	}
	if m.config.Took != nil {
		m.config.Took(n, record.Spent{Wall: wall, CPU: s.cpu, Counted: s.counted})
	}
	return l.text, at
}

// sinceStart returns a time of an answer as the referee gets it.
func (m *Match) sinceStart(at time.Time) time.Duration {
	return at.Sub(m.started).Truncate(time.Millisecond)
}
