package series

import "fmt"

// SPRT is a sequential test of two hypotheses: that the first of two entrants is stronger
// than the other one by Elo0 points, or by Elo1.
type SPRT struct {
	Name    string  `json:"name"` // of the first one
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	LLR     float64 `json:"llr"`   // logarithm of the ratio of the likelihoods
	Lower   float64 `json:"lower"` // at which Elo0 is accepted
	Upper   float64 `json:"upper"` // at which Elo1 is accepted
	Samples int     `json:"samples"`
	Verdict string  `json:"verdict"` // elo0, elo1 or undecided
}

// The verdicts of an SPRT.
const (
	AcceptElo0 = "elo0"
	AcceptElo1 = "elo1"
	Undecided  = "undecided"
)

// String returns the test in one line.
func (s *SPRT) String() string {
	text := fmt.Sprintf("SPRT of %v against %v Elo: LLR %.2f (from %.2f to %.2f) after %d seeds: ", s.Elo0, s.Elo1, s.LLR, s.Lower, s.Upper, s.Samples)
	switch s.Verdict {
	case AcceptElo0:
		return text + fmt.Sprintf("%s is not stronger by %v", s.Name, s.Elo1)
	case AcceptElo1:
		return text + fmt.Sprintf("%s is stronger by more than %v", s.Name, s.Elo0)
	}
	return text + "not decided yet"
}
