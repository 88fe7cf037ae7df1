package gamefixture

import (
	"math"
	"testing"
)

// CheckLevels is CheckGrades without an upper bound.
func CheckLevels(t testing.TB, levels []string, matches int, least float64, play func(seats [2]string, seed uint64) float64) {
	t.Helper()
	CheckGrades(t, levels, matches, least, 1, play)
}

// CheckGrades makes the test fail unless each level of a game's bot wins a share of the
// points from least to most against the next lower one, over the given number of
// matches. levels has the names from the strongest to the weakest. The function plays
// one match between the bots of two levels and returns the points of the first seat, 0
// to 1.
func CheckGrades(t testing.TB, levels []string, matches int, least, most float64, play func(seats [2]string, seed uint64) float64) {
	t.Helper()
	for i := range levels[1:] {
		higher, lower := levels[i], levels[i+1]
		points := 0.0
		for seed := range uint64(matches) {
			if seed%2 == 0 {
				points += play([2]string{higher, lower}, seed)
			} else {
				points += 1 - play([2]string{lower, higher}, seed)
			}
		}
		share := points / float64(matches)
		margin := 1.96 * math.Sqrt(share*(1-share)/float64(matches))
		t.Logf("%s against %s: %.1f %% ± %.1f of the points in %d matches", higher, lower, 100*share, 100*margin, matches)
		if share < least || share > most {
			t.Errorf("%s made %v points in %d matches against %s, want %.0f to %.0f %%", higher, points, matches, lower, 100*least, 100*most)
		}
	}
}
