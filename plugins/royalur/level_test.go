package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
)

// duel plays a match between two levels and returns the first player's points.
func duel(seats [2]string, seed uint64) float64 {
	r := driver.NewRand(seed, 0)
	var b board
	for side := 0; ; {
		n := r.Intn(2) + r.Intn(2) + r.Intn(2) + r.Intn(2)
		again := false
		if legal := b.legal(side, n); len(legal) > 0 {
			again = b.move(side, choose(seats[side], &b, side, n, legal, r.Intn, gamefixture.Thoughts(4)), n)
		}
		if b.won(side) {
			return float64(1 - side)
		}
		if !again {
			side = 1 - side
		}
	}
}

func TestEachLevelBeatsTheNext(t *testing.T) {
	t.Parallel()
	gamefixture.CheckGrades(t, []string{"strong", "medium", "easy"}, 200, 0.65, 0.85, duel)
	gamefixture.CheckLevels(t, []string{"easy", "beginner"}, 100, 0.65, duel)
	gamefixture.CheckGrades(t, []string{"beginner", "newcomer", "random"}, 300, 0.6, 0.9, duel)
}

func TestOnlyTheStrongBotUsesTheTime(t *testing.T) {
	t.Parallel()
	gamefixture.CheckSpeedIsIrrelevant(t, &game, nil, "medium", "easy", "beginner", "newcomer")
}
