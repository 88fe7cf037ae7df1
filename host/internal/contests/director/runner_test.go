package director

import (
	"testing"

	"colosseum/host/internal/contests/contest"
)

func TestMatchesOfAContestHaveItsRetriesAndHints(t *testing.T) {
	for more, want := range map[string]struct {
		retries int
		noHints bool
	}{"": {0, false}, "retries: 2\nhints: true\n": {2, false}, "hints: false\n": {0, true}} {
		spec, err := contest.ReadSpec([]byte("name: cup\ngame: duel\nformat: round-robin\nentries: open\n" + more))
		if err != nil {
			t.Fatal(err)
		}
		if got := matchOf(contest.Match{Spec: spec}); got.Retries != want.retries || got.NoHints != want.noHints {
			t.Errorf("%q: got %d retries, NoHints %v; want %+v", more, got.Retries, got.NoHints, want)
		}
	}
}
