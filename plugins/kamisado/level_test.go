package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
)

// duel plays a match between two levels and returns black's points. The strong bot
// searches 77,000 positions for each move, so that the test is fast.
func duel(seats [2]string, seed uint64) float64 {
	r := driver.NewRand(seed, 0)
	b := newBoard()
	for !b.over() {
		next, _ := choose(seats[b.side], b, r.Intn, gamefixture.Thoughts(300))
		b.play(next)
	}
	return float64(b.side) // the side to move has lost
}

func TestEachLevelBeatsTheNext(t *testing.T) {
	t.Parallel()
	gamefixture.CheckGrades(t, []string{"strong", "medium", "easy"}, 100, 0.65, 0.85, duel)
	gamefixture.CheckLevels(t, []string{"easy", "beginner"}, 60, 0.75, duel)
	gamefixture.CheckGrades(t, []string{"beginner", "newcomer", "random"}, 200, 0.6, 0.9, duel)
}

func TestEasyBotDoesNotOverlookAWin(t *testing.T) {
	r := driver.NewRand(1, 0)
	wins := 0
	for range 300 {
		for b := newBoard(); !b.over(); {
			legal := b.legal(nil)
			reach := map[string]bool{}
			for _, m := range legal {
				next := *b
				if next.play(m); next.reached {
					reach[b.line(m)] = true
				}
			}
			if len(reach) > 0 {
				wins++
				next, _ := choose("easy", b, r.Intn, func() bool { return true })
				if got := b.line(next); !reach[got] {
					t.Fatalf("%+v: the easy bot moved %s, want one of %v", *b, got, reach)
				}
			}
			b.play(legal[r.Intn(len(legal))])
		}
	}
	if wins == 0 {
		t.Error("0 positions with a winning move, want some")
	}
}

func TestOnlyTheStrongBotUsesTheTime(t *testing.T) {
	t.Parallel()
	gamefixture.CheckSpeedIsIrrelevant(t, &game, nil, "medium", "easy", "beginner", "newcomer")
}
