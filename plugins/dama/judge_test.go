package main

import (
	"testing"

	"colosseum/sdk"
	"colosseum/sdk/gametest"
)

func judged(t *testing.T, judge func(m *sdk.Match, thinking func() bool) (float64, string)) gametest.Judgement {
	t.Helper()
	once := sdk.Game{Name: "once", MinPlayers: 2, MaxPlayers: 2, Timeout: 1, Play: func(m *sdk.Match) error {
		m.Judge(func(thinking func() bool) (float64, string) { return judge(m, thinking) })
		return nil
	}}
	got := gametest.MustPlay(t, gametest.Match{Game: &once, Players: []gametest.Player{gametest.Gone, gametest.Gone}, Judge: true, Thoughts: 50})
	return got.Judgements[0]
}

func TestJudgeKnowsWhoWins(t *testing.T) {
	for _, name := range ruleNames() {
		r := rulesNamed(name)
		if r == &damath {
			continue
		}
		value := func(p Position) float64 {
			return judged(t, func(m *sdk.Match, thinking func() bool) (float64, string) {
				return judgeClassic(m, thinking, r, &p, newHistory(r, 0, &p))
			}).Value
		}
		start := r.Board.start
		more, takes := start, Position{Pieces: [2]uint64{bit(squareOf(0, 0)), bit(squareOf(1, 1))}}
		for n := 1; n <= 2; n++ {
			more.Pieces[Black] &^= bit(squareOf(r.Board.size-1, 2*n-1))
		}
		if v := value(start); v < -0.4 || v > 0.4 {
			t.Errorf("%s: White can expect %v at the start, want about 0", name, v)
		}
		if v := value(more); v < 0.4 {
			t.Errorf("%s: White can expect %v with two men more, want more than 0.4", name, v)
		}
		if v := value(takes); v != 1 {
			t.Errorf("%s: White can expect %v if it takes the last man, want 1", name, v)
		}
	}
}

func TestJudgeOfDamathCountsThePointsScoredBefore(t *testing.T) {
	value := func(scored [2]Points, pieces [2]uint64) gametest.Judgement {
		p := Position{Pieces: pieces}
		d := &damathMatch{board: newChipBoard("whole", p), past: newHistory(&damath, 0, &p), damaLeft: 1, average: 5 * onePoint}
		d.board.scored = scored
		return judged(t, func(m *sdk.Match, thinking func() bool) (float64, string) {
			d.m = m
			return judgeDamath(thinking, d)
		})
	}
	takes := [2]uint64{bit(squareOf(0, 0)), bit(squareOf(1, 1))}
	if v := value([2]Points{0, 1000 * onePoint}, takes).Value; v != -1 {
		t.Errorf("White can expect %v when it takes the last chip but is far behind, want -1", v)
	}
	if v := value([2]Points{1000 * onePoint, 0}, takes).Value; v != 1 {
		t.Errorf("White can expect %v when it takes the last chip and is far ahead, want 1", v)
	}
}

func TestEachTurnOfAMatchIsJudged(t *testing.T) {
	for _, name := range ruleNames() {
		random := gametest.Random(1)
		got := gametest.MustPlay(t, gametest.Match{Game: &game, Players: []gametest.Player{random, random}, Args: map[string]string{"rules": name}, Judge: true, Thoughts: 2})
		if len(got.Judgements) < 10 {
			t.Errorf("%s: got %d judgements, want one for each turn", name, len(got.Judgements))
		}
		for _, j := range got.Judgements {
			if j.Best == "" {
				t.Errorf("%s: got %+v, want a best move", name, j)
			}
		}
	}
}
