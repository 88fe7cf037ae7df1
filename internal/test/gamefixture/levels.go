package gamefixture

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"colosseum/internal/test/long"
)

// CheckLevels is CheckGrades without an upper bound.
func CheckLevels(t testing.TB, levels []string, matches int, least float64, play func(seats [2]string, seed uint64) float64) {
	t.Helper()
	CheckGrades(t, levels, matches, least, 1, play)
}

// CheckGrades makes the test fail unless each level of a game's bot wins a share of the
// points from least to most against the next lower one, over the given number of
// matches. levels has the names from the strongest to the weakest. The function plays one
// match between the bots of two levels and returns the points of the first seat, 0 to 1.
// The short run plays a third of the matches, or six, of which the higher level must win more than
// half. With COLOSSEUM_MATCHES, see [Matches], it only logs the shares.
func CheckGrades(t testing.TB, levels []string, matches int, least, most float64, play func(seats [2]string, seed uint64) float64) {
	t.Helper()
	if measured := Matches(0); measured > 0 {
		matches, least, most = measured, 0, 1
	}
	if Matches(0) == 0 && !long.Run() {
		matches, least, most = max(6, matches/3), 0.51, 1
	}
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
		t.Logf("%s against %s: %s", higher, lower, Share(points, matches))
		if share < least || share > most {
			t.Errorf("%s made %v points in %d matches against %s, want %.0f to %.0f %%", higher, points, matches, lower, 100*least, 100*most)
		}
	}
}

// Matches returns the number of matches that a test of a bot plays: n, or the one in
// COLOSSEUM_MATCHES, with which a test measures.
func Matches(n int) int {
	if measured, err := strconv.Atoi(os.Getenv("COLOSSEUM_MATCHES")); err == nil && measured > 0 {
		return measured
	}
	return n
}

// Thoughts returns a function for one move that does what sdk.Bot.Thinking does: it
// returns true for the first n-1 calls, or for COLOSSEUM_THOUGHTS times n, if that is set.
func Thoughts(n int) func() bool {
	if factor, err := strconv.Atoi(os.Getenv("COLOSSEUM_THOUGHTS")); err == nil {
		n *= factor
	}
	return func() bool { n--; return n > 0 }
}

// Share returns points in a number of matches as text: the share in percent, and Wilson's
// 95 % interval of it, in which a draw counts as half a win.
func Share(points float64, matches int) string {
	const z = 1.96
	n := float64(matches)
	share := points / n
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return fmt.Sprintf("%.1f %% (%.1f to %.1f) of the points in %d matches", 100*share, 100*(middle-half), 100*(middle+half), matches)
}
