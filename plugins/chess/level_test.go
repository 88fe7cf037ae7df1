package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// duel plays a match between two levels and returns White's points. All search only a part of
// their positions, of which the strong bot has 200,000. A match of more than 200 moves is
// drawn.
func duel(seats [2]string, seed uint64, share int) float64 {
	r := driver.NewRand(seed, 0)
	var players [2]*player
	for i := range players {
		players[i] = &player{share: share, rand: r.Intn, board: *readBoard(usual)}
	}
	counts := map[uint64]int{}
	for ply := range 400 {
		p := players[players[0].board.side]
		counts[p.board.key]++
		if counts[p.board.key] == 3 || p.board.quiet >= 100 || p.board.bare() {
			return 0.5
		}
		if len(p.board.legal(nil)) == 0 {
			if p.board.check() {
				return float64(p.board.side)
			}
			return 0.5
		}
		p.thinking = gamefixture.Thoughts(200_000 / askEvery / share)
		level := seats[p.board.side]
		if ply < 8 { // without an opening by lot, many matches would be the same
			level = "random"
		}
		m := p.choose(level)
		players[0].play(m)
		players[1].play(m)
	}
	return 0.5
}

func TestEachLevelBeatsTheNext(t *testing.T) {
	if gametest.Fewer(100) < 100 {
		t.Skip("with the race detector it would take minutes")
	}
	t.Parallel()
	const matches, share = 10, 20 // the shallow searches still show the order
	play := func(seats [2]string, seed uint64) float64 { return duel(seats, seed, share) }
	gamefixture.CheckLevels(t, []string{"strong", "medium", "easy", "beginner"}, matches, 0.62, play)
	gamefixture.CheckGrades(t, []string{"beginner", "newcomer", "random"}, 20, 0.55, 1, func(seats [2]string, seed uint64) float64 { return duel(seats, seed, 1) })
}

func TestOnlyTheStrongBotUsesTheTime(t *testing.T) {
	t.Parallel()
	gamefixture.CheckSpeedIsIrrelevant(t, &game, nil, "medium", "easy", "beginner", "newcomer")
}
