package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/series"
)

// maxSPRT is how many matches a test has if it is not decided before.
const maxSPRT = 100_000

// sprt is the test of the option --sprt.
type sprt struct {
	shown series.SPRT
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
	return &sprt{shown: series.SPRT{Elo0: elo0, Elo1: elo1, Verdict: series.Undecided}}, nil
}

// maxElo bounds the differences of a test.
const maxElo = 1000

// add decides with all samples so far, and reports whether more are needed.
func (s *sprt) add(samples []float64) (more bool) {
	if len(samples) == s.shown.Samples {
		return s.shown.Verdict == series.Undecided
	}
	s.shown.Samples = len(samples)
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
