package command

import (
	"context"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"colosseum/host/internal/contests/series"
)

// sprtOption returns the test of the option for a number of entrants.
func sprtOption(t *testing.T, value string, entrants int, more ...string) (test *sprt, err error) {
	t.Helper()
	play := playCommand(nil)
	play.Action = func(_ context.Context, cmd *cli.Command) error {
		test, err = sprtOf(cmd, make([]series.Entrant, entrants))
		return nil
	}
	if err := play.Run(t.Context(), append([]string{"play", "--sprt", value}, more...)); err != nil {
		t.Fatal(err)
	}
	return test, err
}

func TestSPRTEndsWhenItIsDecided(t *testing.T) {
	tests := []struct {
		name    string
		score   []float64 // again and again
		verdict string
	}{
		{"the first wins", []float64{1, 0.75, 1}, series.AcceptElo1},
		{"the first loses", []float64{0, 0.5}, series.AcceptElo0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sprtOption(t, "0,50", 2)
			if err != nil {
				t.Fatal(err)
			}
			var samples []float64
			for s.add(samples) {
				if samples = append(samples, tt.score[len(samples)%len(tt.score)]); len(samples) > 1000 {
					t.Fatalf("not decided after %d samples: %v", len(samples), s)
				}
			}
			if r := s.report(); r.Verdict != tt.verdict || r.Samples != len(samples) || r.LLR > r.Lower && r.LLR < r.Upper {
				t.Errorf("got %+v, want %s after %d samples, and an LLR beyond the bounds", r, tt.verdict, len(samples))
			}
		})
	}
}

func TestSPRTOfTheSameScoresIsNotDecided(t *testing.T) {
	s, err := sprtOption(t, "-5,5", 2)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 500 {
		samples := make([]float64, n)
		for i := range samples {
			samples[i] = float64(i % 2)
		}
		if !s.add(samples) {
			t.Fatalf("decided after %d samples of 0 and 1 in turn: %v", n, s)
		}
	}
}

func TestWrongSPRTIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		entrants    int
		more        []string
		want        string
	}{
		{"no comma", "5", 2, nil, "not of the form ELO0,ELO1"},
		{"no number", "0,x", 2, nil, "not of the form ELO0,ELO1"},
		{"the larger first", "10,0", 2, nil, "ELO0 must be less than ELO1"},
		{"not a number", "NaN,NaN", 2, nil, "ELO0 must be less than ELO1"},
		{"three programs", "0,10", 3, nil, "--sprt compares 2 programs, got 3 entrants"},
		{"one match", "0,10", 2, []string{"-n", "1"}, "--sprt needs at least 2 matches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := sprtOption(t, tt.value, tt.entrants, tt.more...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %v, want %q", err, tt.want)
			}
		})
	}
}
