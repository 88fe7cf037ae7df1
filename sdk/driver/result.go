package driver

import "strings"

// Result is how a match ended.
type Result struct {
	Seats   []SeatResult
	Reason  string
	Aborted bool // by a fault of the game or of the host, not of a player
	Stuck   bool // the referee does not end; see Setup.Stall
}

// MaxScore is the greatest score of a seat; the least is -MaxScore. The sums of thousands
// of such scores can still be written as numbers.
const MaxScore = 1e15

// SeatResult is how a match ended for one seat.
type SeatResult struct {
	Score float64 // at most MaxScore
	Rank  int     // from 1; equal seats share the better rank; 0 when aborted
	Ended Ended
	Team  int // from 1; the seats of a team share their rank; 0: the seat plays for itself
}

// Ended is how a match ended for one seat, in the text that records hold.
type Ended string

// The values of Ended.
const (
	EndedFinished Ended = "finished"
	EndedAborted  Ended = "aborted"

	ForfeitIllegal      = forfeit + "illegal"      // the answer was not a legal one
	ForfeitTimeout      = forfeit + "timeout"      // no answer in time
	ForfeitDisconnected = forfeit + "disconnected" // the player is gone
	ForfeitResigned     = forfeit + "resigned"     // the player gave up
)

const forfeit Ended = "forfeit: "

// Forfeit returns the reason of a forfeit, as in "illegal", and false for a seat
// that did not forfeit.
func (e Ended) Forfeit() (why string, ok bool) {
	return strings.CutPrefix(string(e), string(forfeit))
}

// Aborted returns the result of an aborted match of n seats.
func Aborted(n int, reason string) *Result {
	r := &Result{Seats: make([]SeatResult, n), Reason: reason, Aborted: true}
	for i := range r.Seats {
		r.Seats[i].Ended = EndedAborted
	}
	return r
}
