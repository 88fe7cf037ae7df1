package driver

import "time"

// Frame is all that a referee did since its last frame.
type Frame struct {
	Texts      []Text        // in order
	BotAnswers []Answer      // given by bots, for the record
	Judgement  *Judgement    // of the position after these texts
	Question   *Question     // the referee now waits for answers
	Pause      time.Duration // the referee now pauses for that long
	End        *Result       // the match has ended
}

// Judgement is how good a position of a match with two seats is.
type Judgement struct {
	Value float64 // the result that seat 0 can expect, from -1 to 1
	Best  string  // the best answer to the next question, for people; empty: unknown
}

// Audience is the set of receivers of a text.
type Audience int

// The audiences.
const (
	ToSeat       Audience = iota // the player on one seat
	ToSpectators                 // the spectators
	ToAll                        // all players and the spectators
	ToOthers                     // the spectators and all players except one
)

// Text is one or more lines, each ended by a line feed.
type Text struct {
	To    Audience
	Seat  int // for ToSeat and ToOthers
	Lines []byte
}

// For reports whether a text is for the player on a seat.
func (t Text) For(seat int) bool {
	switch t.To {
	case ToSeat:
		return t.Seat == seat
	case ToOthers:
		return t.Seat != seat
	default:
		return t.To == ToAll
	}
}

// ForSpectators reports whether a text is for the spectators.
func (t Text) ForSpectators() bool { return t.To != ToSeat }

// Question asks one or more seats at once for a line each.
type Question struct {
	Seats   []int
	Seconds float64 // for each answer
	// Resumed are those of Seats that continue their turn: each has the time that
	// its last answer left, at most Seconds. The others begin a turn.
	Resumed []int
	// Tick makes the question end when Seconds have passed, and not before. The last line of a
	// seat that came within the tick is its answer; without one the outcome is Timeout.
	Tick  bool
	Legal [][]string // the legal answers of each of Seats; nil: the referee judges
	// Examples returns legal answers of a seat if Legal is nil. It can be nil.
	Examples func(seat int) []string

	Hints []Hint // for those of Seats that Setup.Hints names
}

// Answers returns legal answers of the i-th seat of the question: all of them
// when Legal is set, else what Examples returns, else none.
func (q *Question) Answers(i int) []string {
	switch {
	case q.Legal != nil:
		return q.Legal[i]
	case q.Examples != nil:
		return q.Examples(q.Seats[i])
	default:
		return nil
	}
}

// Answer is the line that one seat gave to a question, or why there is none.
type Answer struct {
	Seat    int
	Line    string // trimmed, without line feed
	Outcome Outcome
	At      time.Duration // since the match began
	Note    string        // of a bot, see CleanNote; empty: none
	Left    time.Duration // in the seat's bank after the answer, if it has one; see Setup.Banks
}

// Outcome is how a question to a seat ended, in the text that records hold.
type Outcome string

// The outcomes.
const (
	Answered     Outcome = ""
	Timeout      Outcome = "timeout"      // no answer in time
	Disconnected Outcome = "disconnected" // the player is gone
)
