package match

import (
	"slices"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/protocol"
	"colosseum/sdk/driver"
)

// hints is what a match does about legal answers for one seat: it tells them to a player that
// has asked for them, and refuses other answers if the match has retries. The mu of the match
// guards it.
type hints struct {
	tell    func(protocol.MatchQuestion) // nil: the player has not asked for hints
	hint    *driver.Hint                 // of the last question; nil: the game has given none
	count   int                          // questions to the seat
	tries   int                          // how often it can still answer again in this turn
	refused int                          // answers
}

// hinted returns the seats for which the game must give hints; nil: there is none.
func (m *Match) hinted() []bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]bool, len(m.seats))
	for i := range m.seats {
		s := &m.seats[i]
		list[i] = !s.bot && (s.tell != nil || m.record.Retries > 0)
	}
	if !slices.Contains(list, true) {
		return nil
	}
	return list
}

// hintLocked handles a question to a seat, whose clock has started.
func (m *Match) hintLocked(n int, q *driver.Question) {
	s := &m.seats[n]
	if s.tell == nil && m.record.Retries == 0 {
		return
	}
	s.hint = nil
	if i := slices.IndexFunc(q.Hints, func(h driver.Hint) bool { return h.Seat == n }); i >= 0 {
		s.hint = &q.Hints[i]
	}
	if s.count++; s.count == 1 || !slices.Contains(q.Resumed, n) {
		s.tries = m.record.Retries
	}
	s.tellLocked(s.allowed - s.startup)
}

// tellLocked tells the player what it can answer in the time that is left.
func (s *seat) tellLocked(left time.Duration) {
	if s.tell == nil {
		return
	}
	q := protocol.MatchQuestion{Answers: []string{}, Number: s.count, Tick: s.tick, Seconds: left.Seconds(), Retries: s.retriesLocked()}
	if s.hint != nil {
		q.Name(s.hint.Answers, s.hint.More, s.hint.Examples)
	}
	s.tell(q)
}

// retriesLocked returns how often a seat can still answer again if its answer is not legal.
func (s *seat) retriesLocked() int {
	if s.hint == nil || s.tick || !s.hint.Complete() {
		return 0 // only the game knows what is legal
	}
	return s.tries
}

// refuseLocked refuses the lines of a seat that are not legal, as long as it can answer again.
// Its turn goes on, with the time that is left. The referee gets none of that.
func (m *Match) refuseLocked(n int) {
	s := &m.seats[n]
	for s.retriesLocked() > 0 && len(s.lines) > 0 && !s.lateLocked(s.lines[0].at) && !slices.Contains(s.hint.Answers, s.lines[0].text) {
		line, at := m.takeLocked(n)
		m.addLocked(driver.Answer{Seat: n, Line: line, Outcome: record.Refused, At: m.sinceStart(at)})
		s.tries--
		s.refused++
		s.count++
		s.startLocked(time.Now(), s.left, true)
		s.cpu, s.counted = 0, s.byCPU
		s.out = append(s.out, record.Refusal(line)...)
		s.player.Send(s.out)
		s.sentLastLocked()
		s.askedNowLocked()
		s.out = emptied(s.out)
		s.tellLocked(s.allowed)
	}
}
