package main

import (
	"math"
	"strings"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// judged returns what judge says in a test.
func judged(t *testing.T, position *board, side, n int) (value float64, best string) {
	t.Helper()
	once := sdk.Game{Name: "once", MinPlayers: 2, MaxPlayers: 2, Timeout: 1, Play: func(m *sdk.Match) error {
		m.Judge(func(thinking func() bool) (float64, string) { return judge(thinking, position, side, n) })
		return nil
	}}
	got := gametest.MustPlay(t, gametest.Match{Game: &once, Players: []gametest.Player{gametest.Gone, gametest.Gone}, Judge: true, Thoughts: 100})
	return got.Judgements[0].Value, got.Judgements[0].Best
}

// nearHome returns a position in which each side has one token left, on these cells.
func nearHome(first, second int) *board {
	b := &board{home: [2]uint8{6, 6}}
	for side, cell := range []int{first, second} {
		for token := 1; token < tokens; token++ {
			b.at[side][token] = home
		}
		b.at[side][0] = uint8(cell)
		if cell != start {
			b.occupied[side] |= bit(cell)
		}
	}
	return b
}

func TestJudgeTellsLuckFromSkill(t *testing.T) {
	b := nearHome(13, start)
	before, _ := judged(t, b, 0, -1)
	lucky, best := judged(t, b, 0, 2)
	unlucky, _ := judged(t, b, 0, 3)
	if lucky != 1 || best != "0" {
		t.Errorf("with the winning roll seat 0 can expect %v by token %q, want 1 by token 0", lucky, best)
	}
	if !(unlucky < before && before < lucky) {
		t.Errorf("got %v with a bad roll, %v before it and %v with a good one, want them in this order", unlucky, before, lucky)
	}
}

func TestJudgeIsSymmetric(t *testing.T) {
	for _, tt := range []struct{ first, second, side, n int }{{13, 2, 0, -1}, {4, 4, 0, -1}, {6, 12, 0, 3}, {1, 14, 0, 1}} {
		mine, _ := judged(t, nearHome(tt.first, tt.second), 0, tt.n)
		other, _ := judged(t, nearHome(tt.second, tt.first), 1, tt.n)
		if math.Abs(mine+other) > 1e-9 {
			t.Errorf("%+v: got %v for seat 0 and %v for seat 1 in its place, want opposite values", tt, mine, other)
		}
	}
}

func TestEachMoveIsJudgedBeforeAndAfterItsRoll(t *testing.T) {
	random := gametest.Random(1)
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{random, random}, Judge: true, Thoughts: 3})
	asks, rolls := 0, 0
	for _, line := range got.Timeline {
		if line == "ask" {
			asks++
		} else if strings.Count(line, " ") == 3 {
			rolls++
		}
	}
	if n := len(got.Judgements); n != asks+rolls {
		t.Errorf("got %d judgements, want one before each of %d rolls and one before each of %d questions", n, rolls, asks)
	}
}
