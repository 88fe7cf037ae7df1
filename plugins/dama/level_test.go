package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// duel returns a function that plays a match by the given rules between two levels and
// returns White's points. The strong bot searches some thousand positions for each move.
func duel(rules *Rules) func(seats [2]string, seed uint64) float64 {
	return func(seats [2]string, seed uint64) float64 {
		r := driver.NewRand(seed, 0)
		board := newChipBoard("whole", rules.Board.start)
		past := newHistory(rules, 20, &board.pos)
		var players [2]*search // each with a memory of its own
		for i := range players {
			players[i] = &search{rules: rules, rand: r.Intn}
			if rules == &damath {
				players[i].values, players[i].damaLeft, players[i].average = board.values, 1, board.average()
			}
		}
		for plies := 0; ; plies++ {
			moves := board.pos.Moves(rules, nil)
			switch {
			case len(moves) > 0 && plies < 300 && !past.repeated() && !past.tooQuiet():
			case rules == &damath:
				return compare(board.total(White, 1), board.total(Black, 1))
			case len(moves) > 0:
				return 0.5
			default:
				return float64(board.pos.Turn)
			}
			s := players[board.pos.Turn]
			s.thinking = gamefixture.Thoughts(200)
			m := s.pick(seats[board.pos.Turn], &board.pos, past, true)
			board.play(&m)
			past.note(&board.pos, &m)
		}
	}
}

// compare returns the points of White for two totals.
func compare(white, black Points) float64 {
	switch {
	case white > black:
		return 1
	case white < black:
		return 0
	default:
		return 0.5
	}
}

func TestEachLevelBeatsTheNext(t *testing.T) {
	if gametest.Fewer(100) < 100 {
		t.Skip("with the race detector it would take minutes")
	}
	const matches = 10
	for _, rules := range []*Rules{rulesNamed("italian"), &damath} { // they search by the others with the same code
		t.Run(rules.Name, func(t *testing.T) {
			t.Parallel()
			gamefixture.CheckLevels(t, []string{"strong", "medium", "easy", "beginner"}, matches, 0.6, duel(rules))
			gamefixture.CheckGrades(t, []string{"beginner", "newcomer", "random"}, 5*matches, 0.6, 1, duel(rules))
		})
	}
}

func TestOnlyTheStrongBotUsesTheTime(t *testing.T) {
	t.Parallel()
	for _, rules := range []string{"italian", "international", "damath"} {
		t.Run(rules, func(t *testing.T) {
			gamefixture.CheckSpeedIsIrrelevant(t, &game, map[string]string{"rules": rules}, "medium", "easy", "beginner", "newcomer")
		})
	}
}
