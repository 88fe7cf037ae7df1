package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
)

// thoughtsOfStrong is far less than the strong bot has in a quarter of a second.
const thoughtsOfStrong = 100

// opening returns the position after 2 to 4 moves by lot.
func opening(seed uint64) Position {
	r := driver.NewRand(seed, 1)
	p := start
	for range 2 + r.Intn(3) {
		moves := p.Moves(nil)
		p = p.After(moves[r.Intn(len(moves))])
	}
	return p
}

// duel plays a match between two levels and returns white's points. The strong bot
// searches some thousand positions for each move.
func duel(seats [2]string, seed uint64) float64 {
	p := opening(seed / 2) // twice the same one, with the seats swapped
	r := driver.NewRand(seed, 0)
	for lost(p) == "" {
		s := search{thinking: gamefixture.Thoughts(thoughtsOfStrong)}
		p = p.After(s.choose(seats[p.Side], p, r.Intn))
	}
	return float64(p.Side) // the side to move has lost
}

func TestEachLevelBeatsTheNext(t *testing.T) {
	t.Parallel()
	gamefixture.CheckGrades(t, []string{"strong", "medium", "easy"}, 100, 0.58, 0.92, duel)
	gamefixture.CheckLevels(t, []string{"easy", "beginner"}, 50, 0.75, duel)
	gamefixture.CheckGrades(t, []string{"beginner", "newcomer", "random"}, 200, 0.6, 0.9, duel)
}

func TestEasyBotDoesNotOverlookAWin(t *testing.T) {
	r := driver.NewRand(1, 0)
	wins := 0
	for range 100 {
		for p := start; lost(p) == ""; {
			if p.canWin() {
				wins++
				s := search{thinking: func() bool { return true }}
				if m := s.choose("easy", p, r.Intn); lost(p.After(m)) == "" {
					t.Fatalf("%+v: the easy bot moved %s, want one that wins", p, p.Line(m))
				}
			}
			moves := p.Moves(nil)
			p = p.After(moves[r.Intn(len(moves))])
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
