package sdk

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"colosseum/sdk/driver"
)

// The errors with which a seat forfeits; compare with ==. Questions return
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
	judging  *judging                // nil: the match has no judgements
	examples func(seat int) []string // of the next question; see Examples
	hints    []bool                  // by seat; see Setup.Hints
	frame    *driver.Frame           // not yet sent
	weight   int                     // of the texts in frame; see flushAt
	timeout  float64                 // seconds for the answers to come
	forfeits []error                 // by seat; nil: still in the match
	turns    []seatTurn
	banks    []bank // by seat
	missed   []int  // by seat; see Answer.Missed
	misses   int    // see MaxMisses
	stay     bool   // see StayWhenGone
	scores   []float64
	teams    []int // by seat, numbered from 1; 0: none
	nteams   int
	reason   string
	elapsed  time.Duration // from the start of the match to the last answer, or the end of the last tick
	paced    time.Duration // from the start of the match to the end of the last Pace
	replayed time.Duration // likewise, if nothing took time except answers and pauses: the same in each run
	start    time.Time
	again    *again // nil: failures are not explained
	watch    *watch // nil: nothing finds out where a silent referee is
	answers  int    // that the referee got or waits for
	begins   int    // answers of Setup.Begin
	tested   bool   // time passes only in pauses and answers; see Setup.Thoughts
}

// bank is the time of one seat for all its answers.
type bank struct {
	timed           bool // it has one
	left, increment time.Duration
}

// seatTurn is the turn of one seat: the question that began it and those that
// resumed it. They share one clock.
type seatTurn struct {
	begun   bool
	resumed bool // by the next question
	ticked  bool // ended by a tick
	refused int  // lines

	asked   time.Duration // when the last question was put; see Match.replayed
	allowed time.Duration // for the answer
	left    time.Duration // of it, after the answer
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
// legal, and calls Refuse or Forfeit if not.
func (m *Match) AskLine(seat int) (string, error) {
	return m.askOne(&driver.Question{Seats: []int{seat}})
}

// Answer is what one of several seats has answered.
type Answer struct {
	Seat int
	Line string // empty with an error
	Err  error  // why the seat has forfeited, as Ask returns it; nil: it is still in the match

	// Missed is how many ticks in a row the seat has missed, this one included. 0: it answered,
	// or was not asked. Only Tick sets it.
	Missed int
}

// AskAll asks every seat at once: legal[s] are the legal answers of seat s,
// ignored if the seat has forfeited. When all have answered or forfeited it
// returns the answers by seat.
func (m *Match) AskAll(legal [][]string) []Answer {
	if len(legal) != m.Players() {
		panic("sdk: AskAll wants one list of legal answers for each seat")
	}
	seats := make([]int, len(legal))
	for seat := range seats {
		seats[seat] = seat
	}
	return m.AskSeats(seats, legal)
}

// AskSeats asks some seats at once, each at most once: legal[i] are the legal answers
// of seats[i], ignored if the seat has forfeited. When all have answered or forfeited it
// returns the answers in the order of seats.
func (m *Match) AskSeats(seats []int, legal [][]string) []Answer {
	if len(legal) != len(seats) {
		panic("sdk: AskSeats wants one list of legal answers for each of its seats")
	}
	for i, seat := range seats {
		if m.checkSeat(seat); len(legal[i]) == 0 && m.forfeits[seat] == nil {
			panic("sdk: AskSeats or AskAll with no legal answer for a seat: leave the seat out, or use AskLines for free text")
		}
	}
	return m.askSeats(seats, legal)
}

// AskLines asks some seats at once, each at most once, and returns any line of each, in
// the order of seats. The referee decides which are legal; to let seats try again, it
// calls Refuse for each and asks these.
func (m *Match) AskLines(seats []int) []Answer { return m.askSeats(seats, nil) }

// Examples names legal lines for the next AskLine, AskLines or Tick, so that tests can play the
// game: legal returns some lines for a seat that is asked. In a match that is being
// played, legal is called only for a seat whose player has asked for hints, so it must not
// change anything; numbers that it draws are drawn again.
func (m *Match) Examples(legal func(seat int) []string) { m.examples = legal }

// askSeats puts one question to those of seats that have not forfeited; legal is nil if
// any line will do.
func (m *Match) askSeats(seats []int, legal [][]string) []Answer {
	q := &driver.Question{Seats: make([]int, 0, len(seats))}
	if legal != nil {
		q.Legal = make([][]string, 0, len(seats))
	}
	answers := make([]Answer, len(seats))
	for i, seat := range seats {
		m.checkSeat(seat)
		if slices.Contains(seats[:i], seat) {
			panic("sdk: one question asks a seat twice")
		}
		answers[i] = Answer{Seat: seat, Err: m.forfeits[seat]}
		if answers[i].Err != nil {
			continue
		}
		q.Seats = append(q.Seats, seat)
		if legal != nil {
			q.Legal = append(q.Legal, legal[i])
		}
	}
	got := m.ask(q)
	next := 0
	for i := range answers {
		if a := &answers[i]; a.Err == nil {
			a.Line, a.Err = m.accept(q, next, &got[next])
			next++
		}
	}
	return answers
}

// Refuse refuses the last line of a seat and lets the seat try again: the next
// question to it continues its turn, as after Resume. Refuse sends why to the
// seat, unless it is empty. With a hundred lines refused in one turn the seat
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
	if m.turns[seat].refused >= driver.MaxRefusals {
		m.forfeit(seat, ErrIllegal)
	}
	return m.forfeits[seat]
}

// Resume makes the next question to a seat part of the seat's last turn, for
// example after an interruption in which another seat was asked: the seat has the
// time that its last answer left, or that of SetTimeout if that is less. Without Resume
// every question begins a turn and gives the whole time. A Tick is no turn, and ends those
// of its seats: Resume and Refuse panic after it.
func (m *Match) Resume(seat int) {
	m.checkSeat(seat)
	if t := m.turns[seat]; !t.begun || t.ticked {
		panic("sdk: Resume or Refuse for a seat that has no turn: it was never asked, or last asked by a Tick")
	}
	m.turns[seat].resumed = true
}

// SetTimeout changes the time for each answer from now on, in seconds, above 0
// and at most 600; the match starts with Timeout(). A resumed turn gets no
// additional time.
func (m *Match) SetTimeout(seconds float64) {
	if !(seconds > 0 && seconds <= driver.MaxTimeout) {
		panic("sdk: SetTimeout wants more than 0 and at most " + formatFloat(driver.MaxTimeout) + " seconds")
	}
	m.timeout = seconds
}

// Elapsed returns the seconds from the start of the match to the last answer, or to the
// end of the last tick. It does not change between them, so that a replay gets the same
// values.
func (m *Match) Elapsed() float64 { return m.elapsed.Seconds() }

// TimeLeft returns the seconds that a seat has for its next answer. Those are the time
// for an answer, or if it is less the rest of the turn that the next question resumes,
// or of the bank of a match with a clock such as 60+1, with the increment of the turn
// that begins. It only changes with answers, and is the same when the match runs again:
// without a clock the rest of a turn counts from the answer or the Pace before its
// question, so a slow connection or a slow referee can have left the player a little
// more.
func (m *Match) TimeLeft(seat int) float64 {
	m.checkSeat(seat)
	t := &m.turns[seat]
	left := duration(m.timeout)
	if t.resumed {
		left = min(left, t.left)
	}
	if b := m.banks[seat]; b.timed {
		if t.begun && !t.resumed {
			b.left += b.increment
		}
		left = min(left, b.left)
	}
	return left.Seconds()
}

// Pace pauses until the given number of seconds have passed since the last
// Pace, or since the start of the match, so that people can follow what programs
// play.
func (m *Match) Pace(seconds float64) {
	m.replayed = max(m.elapsed, m.replayed+max(0, duration(seconds)))
	now := m.now()
	if wait := m.paced + duration(seconds) - now; wait > 0 {
		m.pause(wait)
		if now += wait; !m.tested {
			now = m.now()
		}
	}
	m.paced = now
}

// Score adds points to a seat. The ranks at the end follow from the points, or those
// of a [Match.Team] together; seats that forfeited come after all others. A seat can have
// at most 1e15 points.
func (m *Match) Score(seat int, points float64) {
	m.checkSeat(seat)
	m.scores[seat] += points
	if !(math.Abs(m.scores[seat]) <= driver.MaxScore) {
		panic(fmt.Sprintf("sdk: Score wants points from %v to %v in all: the seat would have %v", -driver.MaxScore, driver.MaxScore, m.scores[seat]))
	}
}

// Team makes seats one team: at the end they share one rank, which follows from the
// sum of their points. A seat can be in one team only. A team comes after all others
// if each of its seats has forfeited; if only some have, these share the rank of the
// others, and their results still say that they forfeited.
func (m *Match) Team(seats ...int) {
	if len(seats) == 0 {
		panic("sdk: Team wants the seats of a team")
	}
	m.nteams++
	for _, seat := range seats {
		if m.checkSeat(seat); m.teams[seat] != 0 {
			panic("sdk: a seat is in two teams, or twice in one: call Team once for each team")
		}
		m.teams[seat] = m.nteams
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
