package sdk

import (
	"errors"
	"math"
	"time"

	"colosseum/sdk/driver"
)

// The errors with which a seat forfeits; compare with ==. Ask and AskAll return
// the first three, and ErrResigned for a seat that has resigned.
var (
	ErrIllegal      = errors.New("illegal")      // the answer was not a legal one
	ErrTimeout      = errors.New("timeout")      // no answer in time
	ErrDisconnected = errors.New("disconnected") // the player is gone
	ErrResigned     = errors.New("resigned")     // for m.Forfeit: the player gave up
)

// Match is one match, as its referee sees it. Seats are numbered from 0; the host
// draws the players' seats by lot. Only the goroutine that runs Play is allowed to
// call its methods. When the match is stopped from outside, the next call that
// sends, asks or pauses ends that goroutine (its deferred functions run).
type Match struct {
	*Settings
	names    []string
	bots     []*Bot // by seat; nil for a player
	rand     *driver.Rand
	driver   driver.Driver
	log      func(string)
	frame    *driver.Frame // not yet sent
	weight   int           // of the texts in frame; see flushAt
	timeout  float64       // seconds for the answers to come
	forfeits []error       // by seat; nil: still in the match
	turns    []seatTurn
	scores   []float64
	reason   string
	elapsed  time.Duration // from the start of the match to the last answer
	paced    time.Duration // from the start of the match to the end of the last Pace
	start    time.Time
	tested   bool // time passes only in pauses and answers; see Setup.Thoughts
}

// seatTurn is the turn of one seat: the question that began it and those that
// resumed it. They share one clock.
type seatTurn struct {
	begun   bool
	resumed bool // by the next question
	refused int  // lines
}

// Name returns the name of the player on a seat.
func (m *Match) Name(seat int) string { return m.names[seat] }

// Rand returns a number from 0 to n-1, each with the same chance, drawn from
// the match's seed. It panics if n is below 1.
func (m *Match) Rand(n int) int { return m.rand.Intn(n) }

// Tell sends a line to the player on one seat. Here and below a line has no
// line feed at its end; a line feed inside makes it several lines.
func (m *Match) Tell(seat int, line string) {
	m.checkSeat(seat)
	m.send(driver.ToSeat, seat, line)
}

// Show sends a line to the spectators.
func (m *Match) Show(line string) { m.send(driver.ToSpectators, 0, line) }

// TellAll sends a line to all players and to the spectators.
func (m *Match) TellAll(line string) { m.send(driver.ToAll, 0, line) }

// TellOthers sends a line to the spectators and to all players except the one
// on the given seat.
func (m *Match) TellOthers(seat int, line string) {
	m.checkSeat(seat)
	m.send(driver.ToOthers, seat, line)
}

// Ask asks one seat and returns its answer, one of legal. With any other answer,
// or none in time, the seat forfeits, and Ask returns ErrIllegal, ErrTimeout or
// ErrDisconnected. A seat that has forfeited is not asked again: Ask returns the
// same error at once.
func (m *Match) Ask(seat int, legal []string) (string, error) {
	if len(legal) == 0 {
		panic("sdk: Ask with no legal answer: use AskLine for free text")
	}
	return m.askOne(&driver.Question{Seats: []int{seat}, Legal: [][]string{legal}})
}

// AskLine asks one seat and returns any line. The referee decides whether it is
// legal, and calls Refuse or Forfeit if not. The function examples returns some
// legal answers, for tests; a host never calls it. It can be nil.
func (m *Match) AskLine(seat int, examples func() []string) (string, error) {
	return m.askOne(&driver.Question{Seats: []int{seat}, Examples: examples})
}

// AskAll asks every seat at once: legal[s] are the legal answers of seat s,
// ignored if the seat has forfeited. When all have answered or forfeited it
// returns one answer and one error for each seat, as Ask does.
func (m *Match) AskAll(legal [][]string) ([]string, []error) {
	if len(legal) != m.Players() {
		panic("sdk: AskAll wants one list of legal answers for each seat")
	}
	q := &driver.Question{}
	for seat := range legal {
		if m.forfeits[seat] != nil {
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
		lines[a.Seat], _ = m.judge(q, i, a)
	}
	errs := make([]error, len(legal))
	copy(errs, m.forfeits)
	return lines, errs
}

// Refuse refuses the last line of a seat and lets the seat try again: the next
// question to it continues its turn, as after Resume. Refuse sends why to the
// seat, unless it is empty. With MaxRefusals lines refused in one turn the seat
// forfeits, and Refuse returns ErrIllegal. If the seat has forfeited before,
// Refuse only returns that error.
func (m *Match) Refuse(seat int, why string) error {
	m.checkSeat(seat)
	if m.forfeits[seat] != nil {
		return m.forfeits[seat]
	}
	m.Resume(seat)
	if why != "" {
		m.Tell(seat, why)
	}
	m.turns[seat].refused++
	if m.turns[seat].refused >= MaxRefusals {
		m.forfeit(seat, ErrIllegal)
	}
	return m.forfeits[seat]
}

// Resume makes the next question to a seat part of the seat's last turn, for
// example after an interruption in which another seat was asked: the seat has the
// time that its last answer left, or that of SetTimeout if that is less. Without Resume every question begins a turn and gives the whole time.
func (m *Match) Resume(seat int) {
	m.checkSeat(seat)
	if !m.turns[seat].begun {
		panic("sdk: Resume or Refuse for a seat that was never asked: it has no turn")
	}
	m.turns[seat].resumed = true
}

// SetTimeout changes the time for each answer from now on, in seconds, above 0
// and at most MaxTimeout; the match starts with Timeout(). A resumed turn gets no
// additional time.
func (m *Match) SetTimeout(seconds float64) {
	if !(seconds > 0 && seconds <= MaxTimeout) {
		panic("sdk: SetTimeout wants more than 0 and at most " + formatFloat(MaxTimeout) + " seconds")
	}
	m.timeout = seconds
}

// Elapsed returns the seconds from the start of the match to the last answer. It
// does not change between answers, so that a replay gets the same values.
func (m *Match) Elapsed() float64 { return m.elapsed.Seconds() }

// Pace pauses until the given number of seconds have passed since the last
// Pace, or since the start of the match, so that people can follow what programs
// play.
func (m *Match) Pace(seconds float64) {
	now := m.now()
	if wait := m.paced + duration(seconds) - now; wait > 0 {
		m.pause(wait)
		if now += wait; !m.tested {
			now = m.now()
		}
	}
	m.paced = now
}

// Score adds points to a seat. The ranks at the end follow from the points;
// seats that forfeited come after all others.
func (m *Match) Score(seat int, points float64) {
	m.checkSeat(seat)
	m.scores[seat] += points
	if math.IsNaN(m.scores[seat]) || math.IsInf(m.scores[seat], 0) {
		panic("sdk: Score wants finite points: the seat would have " + formatFloat(m.scores[seat]))
	}
}

// Forfeit takes a seat out of the match for one of ErrIllegal, ErrTimeout,
// ErrDisconnected and ErrResigned. The first reason counts.
func (m *Match) Forfeit(seat int, why error) {
	m.checkSeat(seat)
	if endedBy(why) == "" {
		panic("sdk: Forfeit wants one of ErrIllegal, ErrTimeout, ErrDisconnected and ErrResigned")
	}
	m.forfeit(seat, why)
}

// Pardon takes back a forfeit, for games in which a late answer does not lose.
func (m *Match) Pardon(seat int) {
	m.checkSeat(seat)
	m.forfeits[seat] = nil
}

// Reason sets the sentence that says how the match ended, for players and for the
// record. By default it lists the forfeits, if any.
func (m *Match) Reason(text string) { m.reason = text }
