package main

import (
	"math"
	"math/bits"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// greedy is a player that looks one ply ahead: at the stones that are left after its move.
// It always wins if it can.
type greedy struct {
	name string
	near int  // worth of a stone by the square of the rows behind it, in thousandths of a stone
	hung int  // loss by each own stone that the enemy can take next
	safe bool // never let the enemy win in its next turn if there is another move
}

// move returns the best move; one of several by lot.
func (g greedy) move(p Position, rand func(n int) int) Move {
	best, most, equal := Move{}, math.MinInt, 0
	for _, m := range p.Moves(nil) {
		next := p.After(m)
		value := -1000*count(next.Own) - g.hung*count(next.Enemy&reach(next.Own, next.Side))
		for c := next.Enemy; c != 0; c &= c - 1 {
			row := rowOf[bits.TrailingZeros64(uint64(c))]
			if p.Side == Black {
				row = 8 - row
			}
			value += g.near * row * row
		}
		if m.To&goal[p.Side] != 0 || !next.CanMove() {
			value = won
		} else if g.safe && next.canWin() {
			value -= won
		}
		if value > most {
			best, most, equal = m, value, 0
		}
		if value == most {
			if equal++; rand(equal) == 0 {
				best = m
			}
		}
	}
	return best
}

func TestStrongBotBeatsGreedyPlayers(t *testing.T) {
	t.Parallel()
	matches := long.Number(20, 40)
	players := []greedy{
		{name: "the most stones"},
		{name: "the most stones, then forward", near: 1, safe: true},
		{name: "safe stones and forward", near: 100, hung: 1000, safe: true},
		{name: "very safe stones and forward", near: 200, hung: 3000, safe: true},
	}
	for _, g := range players[:gametest.Fewer(len(players))] {
		t.Run(g.name, func(t *testing.T) {
			wins := 0
			for seed := range uint64(matches) {
				r := driver.NewRand(seed, 0)
				p := opening(seed / 2) // twice the same one, with the seats swapped
				strong := int(seed % 2)
				for lost(p) == "" {
					if p.Side == strong {
						m, _ := think(p, thoughtsOfStrong)
						p = p.After(m)
					} else {
						p = p.After(g.move(p, r.Intn))
					}
				}
				if p.Side != strong {
					wins++
				}
			}
			t.Logf("%d of %d", wins, matches)
			if wins < matches*3/4 {
				t.Errorf("the strong bot won %d of %d matches, want %d", wins, matches, matches*3/4)
			}
		})
	}
}
