package main

import (
	"math"
	"strings"
	"testing"

	"colosseum/sdk/gametest"
)

// missed is a match in which each side misses a win several times.
const missed = "g1g5 f8g7 a1b2 h8h7 f1f7 e8b5 f7f8"

func TestJudgeSeesWinsAndBlunders(t *testing.T) {
	moves := strings.Fields(missed)
	player := func(q gametest.Question) (string, error) { return moves[2*q.Number+q.Seat], nil }
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{player, player}, Judge: true, Thoughts: 1000})
	want := []float64{math.NaN(), math.NaN(), 1, -1, 1, -1, 1} // NaN: undecided
	if len(got.Judgements) != len(want) {
		t.Fatalf("got %d judgements, want %d", len(got.Judgements), len(want))
	}
	for i, j := range got.Judgements {
		undecided := math.Abs(j.Value) < 0.9
		if j.Value != want[i] && !(math.IsNaN(want[i]) && undecided) {
			t.Errorf("before move %d black can expect %v, want %v", i+1, j.Value, want[i])
		}
		if j.Lines != 2+i {
			t.Errorf("judgement %d comes after %d lines, want %d", i, j.Lines, 2+i)
		}
	}
	if best := got.Judgements[6].Best; !strings.HasSuffix(best, "8") {
		t.Errorf("the best last move is %q, want one to row 8", best)
	}
}

func TestJudgeThatCannotThinkCountsTowers(t *testing.T) {
	random := gametest.Random(3)
	got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{random, random}, Judge: true, Thoughts: 1})
	for i, j := range got.Judgements {
		if j.Best == "" || math.Abs(j.Value) > 1 {
			t.Errorf("judgement %d: got %+v, want a move and a value", i, j)
		}
	}
}
