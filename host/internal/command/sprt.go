package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/rating"
	"colosseum/host/internal/contests/series"
)

// maxSPRT is how many matches a test has if it is not decided before.
const maxSPRT = 100_000

// sprtError is the probability of each wrong verdict of a test.
const sprtError = 0.05

// sprt is the test of the option --sprt.
type sprt struct {
	test  rating.SPRT
	shown series.SPRT
	next  int // the number of samples at which it is decided again
}

// sprtOf returns the test of the option, or nil.
func sprtOf(cmd *cli.Command, entrants []series.Entrant) (*sprt, error) {
	if !cmd.IsSet("sprt") {
		return nil, nil
	}
	low, high, ok := strings.Cut(cmd.String("sprt"), ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	switch {
	case !ok || err0 != nil || err1 != nil:
		return nil, fmt.Errorf("--sprt %q is not of the form ELO0,ELO1, like 0,10", cmd.String("sprt"))
	case !(elo0 >= -maxElo && elo0 < elo1 && elo1 <= maxElo):
		return nil, fmt.Errorf("--sprt: ELO0 must be less than ELO1, and both from %d to %d", -maxElo, maxElo)
	case len(entrants) != 2:
		return nil, fmt.Errorf("--sprt compares 2 programs, got %d entrants", len(entrants))
	case cmd.IsSet("players") && cmd.Int("players") != 2:
		return nil, errors.New("--sprt is for matches of 2")
	case cmd.IsSet("matches") && cmd.Int("matches") < 2:
		return nil, errors.New("--sprt needs at least 2 matches")
	}
	s := &sprt{
		test:  rating.SPRT{Elo0: elo0, Elo1: elo1, Alpha: sprtError, Beta: sprtError},
		shown: series.SPRT{Name: entrants[0].Name, Elo0: elo0, Elo1: elo1, Verdict: series.Undecided},
	}
	s.shown.Lower, s.shown.Upper = s.test.Bounds()
	return s, nil
}

// maxElo bounds the differences of a test.
const maxElo = 1000

// add decides with all samples so far, and reports whether more are needed. With many
// samples it does so less often: that takes time, and makes no verdict less certain.
func (s *sprt) add(samples []float64) (more bool) {
	if len(samples) == 0 || len(samples) < s.next {
		return true
	}
	s.next = len(samples) + 1 + len(samples)/200
	s.shown.Samples = len(samples)
	llr, verdict := s.test.Decide(samples)
	s.shown.LLR = llr
	switch verdict {
	case rating.AcceptH0:
		s.shown.Verdict = series.AcceptElo0
	case rating.AcceptH1:
		s.shown.Verdict = series.AcceptElo1
	}
	return s.shown.Verdict == series.Undecided
}

// String returns the state of the test in a few words; "" without a test.
func (s *sprt) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("LLR %.2f (from %.2f to %.2f)", s.shown.LLR, s.shown.Lower, s.shown.Upper)
}

func (s *sprt) report() *series.SPRT { return &s.shown }
