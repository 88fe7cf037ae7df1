package sdk

import (
	"errors"
	"math"
	"runtime"
	"time"
)

// Why a seat forfeits. Ask and AskAll return the first three; compare with ==.
var (
	ErrIllegal      = errors.New("illegal")      // the answer was not a legal one
	ErrTimeout      = errors.New("timeout")      // no answer in time
	ErrDisconnected = errors.New("disconnected") // the player is gone
	ErrResigned     = errors.New("resigned")     // for m.Forfeit: the player gave up
)

// Match is one match, as its referee sees it. Seats are numbered from 0; who
// sits where was drawn by lot before. All methods are for the goroutine that
// runs Play. When the match is stopped from outside, the next call that sends
// or asks ends that goroutine (its deferred functions run).
type Match struct {
	*Settings
	names   []string
	bots    []*Bot // by seat; nil for a player from outside
	rand    *Rand
	table   Table
	log     func(string)
	turn    *Turn
	said    int     // weight of the texts in turn; see say
	timeout float64 // seconds for the answers to come
	faults  []error // by seat; nil: still in the match
	turns   []seatTurn
	scores  []float64
	reason  string
	elapsed time.Duration // when the last answer came, since the match began
	paced   time.Duration // when the last Pace returned
	start   time.Time
	tested  bool // time passes by pauses and answers alone: see Setup.Thoughts
}

// seatTurn is the turn of one seat: all questions to it from one that begins a
// turn to the next such one. They share one clock.
type seatTurn struct {
	begun   bool
	resumed bool // the next question goes on with it
	refused int  // lines
}

// Name returns the name of the player on a seat.
func (m *Match) Name(seat int) string { return m.names[seat] }

// Rand returns a number from 0 to n-1, each with the same chance, drawn from
// the match's seed.
func (m *Match) Rand(n int) int { return m.rand.Intn(n) }

// Tell sends a line to the player on one seat. Here and below a line has no
// line feed at its end; one inside makes it several lines.
func (m *Match) Tell(seat int, line string) {
	m.seat(seat)
	m.say(ToSeat, seat, line)
}

// Show sends a line to the spectators.
func (m *Match) Show(line string) { m.say(ToSpectators, 0, line) }

// TellAll sends a line to all players and to the spectators.
func (m *Match) TellAll(line string) { m.say(ToAll, 0, line) }

// TellOthers sends a line to the spectators and to all players but the one on
// the given seat.
func (m *Match) TellOthers(seat int, line string) {
	m.seat(seat)
	m.say(ToOthers, seat, line)
}

// Ask waits for an answer of one seat: one of legal. With any other answer, or
// none in time, the seat forfeits, and Ask returns ErrIllegal, ErrTimeout or
// ErrDisconnected. A seat that has forfeited is not asked again: the same
// error comes back at once.
func (m *Match) Ask(seat int, legal []string) (string, error) {
	if len(legal) == 0 {
		panic("sdk: Ask with no legal answer: use AskLine for free text")
	}
	return m.askOne(&Ask{Seats: []int{seat}, Legal: [][]string{legal}})
}

// AskLine waits for any line of one seat; the referee decides whether it is
// legal, and calls Forfeit if not. Examples returns some legal answers: it is
// called by tests and local players, never during a match on a server, and may
// be nil.
func (m *Match) AskLine(seat int, examples func() []string) (string, error) {
	return m.askOne(&Ask{Seats: []int{seat}, Examples: examples})
}

// AskAll asks every seat at once: legal[s] are the legal answers of seat s; for
// a seat that has forfeited they do not matter. It returns when all have
// answered or forfeited, with one answer and one error for each seat, as Ask
// gives them.
func (m *Match) AskAll(legal [][]string) ([]string, []error) {
	if len(legal) != m.Players() {
		panic("sdk: AskAll wants one list of legal answers for each seat")
	}
	q := &Ask{}
	for seat := range legal {
		if m.faults[seat] != nil {
			continue
		}
		if len(legal[seat]) == 0 {
			panic("sdk: AskAll with no legal answer for a seat")
		}
		q.Seats = append(q.Seats, seat)
		q.Legal = append(q.Legal, legal[seat])
	}
	lines := make([]string, len(legal))
	for i, a := range m.ask(q) {
		if m.judge(q, i, &a) == nil {
			lines[a.Seat] = a.Line
		}
	}
	errs := make([]error, len(legal))
	copy(errs, m.faults)
	return lines, errs
}

// Refuse refuses the last line of a seat, which may try again: the next question
// to the seat goes on with its turn, as after Resume. The seat is told why;
// nothing is sent when that is empty. With MaxRefusals lines refused in one turn
// the seat forfeits, and Refuse returns ErrIllegal. For a seat that has forfeited
// it does nothing but return the error.
func (m *Match) Refuse(seat int, why string) error {
	m.seat(seat)
	if m.faults[seat] != nil {
		return m.faults[seat]
	}
	m.Resume(seat)
	if why != "" {
		m.Tell(seat, why)
	}
	m.turns[seat].refused++
	if m.turns[seat].refused >= MaxRefusals {
		m.fault(seat, ErrIllegal)
	}
	return m.faults[seat]
}

// Resume makes the next question to a seat part of the seat's turn, as after an
// interruption in which another seat was asked: the seat has what its last
// answer left of its time, or what SetTimeout says, if that is less. Without
// Resume every question begins a turn and gives the whole time.
func (m *Match) Resume(seat int) {
	m.seat(seat)
	if !m.turns[seat].begun {
		panic("sdk: Resume or Refuse for a seat that was never asked: it has no turn")
	}
	m.turns[seat].resumed = true
}

// SetTimeout changes the time for each answer from now on, in seconds, above 0
// and at most MaxTimeout; the match starts with Timeout(). It gives no more time
// to a turn that is resumed.
func (m *Match) SetTimeout(seconds float64) {
	if !(seconds > 0 && seconds <= MaxTimeout) {
		panic("sdk: SetTimeout wants more than 0 and at most " + formatFloat(MaxTimeout) + " seconds")
	}
	m.timeout = seconds
}

// Elapsed is how many seconds after the start of the match the last answer
// came. It stands still between answers, so that a replay sees the same.
func (m *Match) Elapsed() float64 { return m.elapsed.Seconds() }

// Pace waits until the given number of seconds have passed since the last
// Pace, or since the start of the match: people want to follow what programs
// play.
func (m *Match) Pace(seconds float64) {
	now := m.now()
	if wait := m.paced + duration(seconds) - now; wait > 0 {
		m.turn.Pause = wait
		m.flush()
		if !m.table.Pause(wait) {
			runtime.Goexit()
		}
		if now += wait; !m.tested {
			now = m.now()
		}
	}
	m.paced = now
}

// Score adds points to a seat. The ranks at the end follow from the points;
// seats that forfeited come after all others.
func (m *Match) Score(seat int, points float64) {
	m.seat(seat)
	m.scores[seat] += points
	if math.IsNaN(m.scores[seat]) || math.IsInf(m.scores[seat], 0) {
		panic("sdk: Score makes no number: " + formatFloat(m.scores[seat]))
	}
}

// Forfeit takes a seat out of the match for one of the errors above. The
// first reason counts.
func (m *Match) Forfeit(seat int, why error) {
	m.seat(seat)
	if why != ErrIllegal && why != ErrTimeout && why != ErrDisconnected && why != ErrResigned {
		panic("sdk: Forfeit wants one of ErrIllegal, ErrTimeout, ErrDisconnected and ErrResigned")
	}
	m.fault(seat, why)
}

// Pardon takes a forfeit back, in games where a late answer is not the end.
func (m *Match) Pardon(seat int) {
	m.seat(seat)
	m.faults[seat] = nil
}

// Reason sets the text that tells players and the record how the match ended.
// Without it the SDK writes one about the forfeits, if any.
func (m *Match) Reason(text string) { m.reason = text }

func (m *Match) askOne(q *Ask) (string, error) {
	seat := q.Seats[0]
	m.seat(seat)
	if m.faults[seat] != nil {
		return "", m.faults[seat]
	}
	a := m.ask(q)[0]
	err := m.judge(q, 0, &a)
	return a.Line, err
}

// judge decides whether an answer to the i-th seat of a question stands; if
// not, the seat forfeits and the line is dropped.
func (m *Match) judge(q *Ask, i int, a *Answer) error {
	why := a.Outcome
	if why == nil && q.Legal != nil && !contains(q.Legal[i], a.Line) {
		why = ErrIllegal
	}
	if why != nil {
		m.fault(a.Seat, why)
		a.Line = ""
	}
	return why
}

// ask puts one question and returns an answer for each of its seats, in their
// order. Players from outside answer through the table, bots directly.
func (m *Match) ask(q *Ask) []Answer {
	if len(q.Seats) == 0 {
		return nil
	}
	q.Seconds = m.timeout
	for _, seat := range q.Seats {
		if m.turns[seat].resumed {
			q.Resumed = append(q.Resumed, seat)
			m.turns[seat].resumed = false
		} else {
			m.turns[seat] = seatTurn{begun: true}
		}
	}
	m.turn.Ask = q
	m.flush()
	outside := 0
	for _, seat := range q.Seats {
		if m.bots[seat] == nil {
			outside++
		} else {
			m.bots[seat].ask(duration(m.timeout), index(q.Resumed, seat) >= 0)
		}
	}
	answers := make([]Answer, len(q.Seats))
	if outside > 0 {
		got, ok := m.table.Wait()
		if !ok {
			runtime.Goexit()
		}
		for _, a := range got {
			if i := index(q.Seats, a.Seat); i >= 0 && m.bots[a.Seat] == nil {
				answers[i] = a
				outside--
			}
		}
		if outside != 0 {
			panic("sdk: the host did not bring one answer for each seat that was asked")
		}
	}
	for i, seat := range q.Seats {
		if b := m.bots[seat]; b != nil {
			line, err := b.answer()
			// In whole milliseconds, as players' answers come and as the record has
			// it: Elapsed is then the same when the match is run again.
			answers[i] = Answer{Seat: seat, Line: line, Outcome: err, At: m.now().Truncate(time.Millisecond)}
			m.turn.BotAnswers = append(m.turn.BotAnswers, answers[i])
		}
		if answers[i].At > m.elapsed {
			m.elapsed = answers[i].At
		}
	}
	return answers
}

// now is the time since the match began.
func (m *Match) now() time.Duration {
	if !m.tested {
		return time.Since(m.start)
	}
	if m.elapsed > m.paced {
		return m.elapsed
	}
	return m.paced
}

func (m *Match) fault(seat int, why error) {
	if m.faults[seat] == nil {
		m.faults[seat] = why
	}
}

func (m *Match) seat(seat int) {
	if seat < 0 || seat >= len(m.names) {
		panic("sdk: there is no such seat")
	}
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func contains(list []string, s string) bool {
	for i := range list {
		if list[i] == s {
			return true
		}
	}
	return false
}

func index(list []int, n int) int {
	for i := range list {
		if list[i] == n {
			return i
		}
	}
	return -1
}
