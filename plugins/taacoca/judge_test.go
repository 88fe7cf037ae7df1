package main

import (
	"math"
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

// judged returns what judge says in a test.
func judged(t *testing.T, p Position) gametest.Judgement {
	t.Helper()
	once := sdk.Game{Name: "once", MinPlayers: 2, MaxPlayers: 2, Timeout: 1, Play: func(m *sdk.Match) error {
		m.Judge(func(thinking func() bool) (float64, string) { return judge(thinking, p) })
		return nil
	}}
	got := gametest.MustPlay(t, gametest.Match{Game: &once, Players: []gametest.Player{gametest.Gone, gametest.Gone}, Judge: true, Thoughts: 50})
	return got.Judgements[0]
}

func TestJudgeKnowsWhoWins(t *testing.T) {
	one := Position{Own: 1 << 50, Enemy: 1 << 10, Side: White} // one step from the goal
	fewer := start
	fewer.Enemy &^= 0x7 << 56
	even := judged(t, start).Value
	for _, tt := range []struct {
		name     string
		position Position
		ok       func(v float64) bool
	}{
		{"white reaches its goal", one, func(v float64) bool { return v == 1 }},
		{"the start", start, func(v float64) bool { return math.Abs(v) < 0.5 }},
		{"three stones more", fewer, func(v float64) bool { return v > even && v <= 1 }},
	} {
		if j := judged(t, tt.position); !tt.ok(j.Value) || j.Best == "" {
			t.Errorf("%s: white can expect %v by %q, even is %v", tt.name, j.Value, j.Best, even)
		}
	}
}

func TestJudgeOfAMatchEndsWithItsWinner(t *testing.T) {
	for seed := range uint64(5) {
		random := gametest.Random(seed)
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{random, random}, Seed: seed, Judge: true, Thoughts: 5})
		winner := 1 - 2*float64(got.Result.Seats[0].Rank-1)
		if last := got.Judgements[len(got.Judgements)-1].Value; last != winner {
			t.Errorf("seed %d: white could expect %v before the last move, want %v", seed, last, winner)
		}
	}
}
