package contest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/long"
)

// TestSwissGoesOnAfterTheHostWasKilled plays a Swiss among players that are connected, while
// the host is killed again and again.
func TestSwissGoesOnAfterTheHostWasKilled(t *testing.T) {
	long.Only(t, "the contest with dates survives the same in the short run")
	t.Parallel()
	const students, rounds, legs = 40, 5, 2
	c := newDiceClass(t, students)
	c.Create(fmt.Sprintf("name: swiss\ngame: dice\nargs: {rounds: 3}\ntimeout: 60\nformat: swiss\nrounds: %d\nmatches: %d\nentries: open\ngrace: 10m\n", rounds, legs))
	daemons := c.RollAll(students, func(i int) string { return fmt.Sprintf("%d-%d", i, i+20) }, "--contest", "swiss")
	c.Run("contest", "start", "swiss")
	for _, done := range []int{20, 90, 150} {
		c.Until("swiss", fmt.Sprintf("%d matches are over", done), func(d *programs.Contest) bool { return d.Done >= done })
		c.Restart()
	}
	d := c.Ended("swiss")
	if all := rounds * legs * students / 2; d.Done != all || d.All != all || d.Round != rounds {
		t.Errorf("got %d of %d matches in %d rounds, want %d in %d", d.Done, d.All, d.Round, all, rounds)
	}
	played := c.CheckOnce("swiss")["swiss"]
	met, perRound := map[string]int{}, map[string]int{}
	for _, m := range played {
		met[strings.Join(slices.Sorted(slices.Values(m.Seats)), " ")]++
		for _, seat := range m.Seats {
			perRound[fmt.Sprint(m.Round, seat)]++
		}
	}
	for pair, n := range met {
		if n != legs {
			t.Errorf("%s: got %d matches, want %d", pair, n, legs)
		}
	}
	if len(met) != rounds*students/2 || len(perRound) != rounds*students {
		t.Errorf("got %d pairs and %d players in all rounds, want %d and %d", len(met), len(perRound), rounds*students/2, rounds*students)
	}
	c.CheckStandings("swiss", legs)
	c.Run("contest", "verify", "swiss")
	programs.Drain(t, daemons)
}
