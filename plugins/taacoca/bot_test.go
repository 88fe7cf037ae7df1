package main

import (
	"strings"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// think searches as many positions as the bot does with the given thoughts.
func think(p Position, thoughts int) (Move, *search) {
	s := &search{thinking: func() bool { thoughts--; return thoughts >= 0 }}
	move, _ := s.best(p, deepest-1)
	return move, s
}

func TestBotFindsTheMove(t *testing.T) {
	tests := []struct {
		name         string
		white, black string
		side         int
		want         string // correct moves, separated by commas
	}{
		{"it reaches the goal", "H1 C3 C5", "I1 I2 G7", White, "C3 C5 H1 L,C3 C5 H1 R"},
		{"rather than take three stones", "H6 A1 A3 A5", "B1 B3 B5 D1", White,
			"A1 A3 H6 L,A1 A5 H6 L,A3 A5 H6 L,A1 A3 H6 R,A1 A5 H6 R,A3 A5 H6 R"},
		{"it takes the stone about to win", "A3 A5 C1 C3", "B4 E5 E9", White, "A3 A5 C1 R,A3 A5 C3 R,A3 C1 C3 R"},
		{"black takes it too", "H4", "I4 F1 F3 F5", Black, "F1 F3 I4 L,F1 F5 I4 L,F3 F5 I4 L"},
		{"its only move", "E1 C2", "I1", White, "C2 E1 R"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := position(t, tt.white, tt.black, tt.side)
			m, _ := think(p, 50)
			if got := p.Line(m); !strings.Contains(","+tt.want+",", ","+got+",") {
				t.Errorf("got %s, want one of %s", got, tt.want)
			}
		})
	}
}

func TestBotHasAMoveWithoutTimeToThink(t *testing.T) {
	m, _ := think(start, 0)
	if _, ok := start.Parse(start.Line(m)); !ok {
		t.Errorf("got %v, want a legal move", m)
	}
}

// plainValue returns the value of a position by plain search, with the bot's estimates.
func plainValue(p Position, depth, ply int) int {
	switch {
	case lost(p) != "":
		return ply - won
	case p.canWin():
		return won - ply - 1
	case depth == 0:
		return new(search).estimate(p)
	}
	best := -won
	for _, m := range p.Moves(nil) {
		best = max(best, -plainValue(p.After(m), depth-1, ply+1))
	}
	return best
}

func TestAlphaBetaFindsTheValueOfPlainSearch(t *testing.T) {
	r := driver.NewRand(3, 0)
	for range 30 {
		p := start
		for range 6 + r.Intn(12) {
			moves := p.Moves(nil)
			if next := p.After(moves[r.Intn(len(moves))]); lost(next) == "" {
				p = next
			}
		}
		for depth := 1; depth <= 2; depth++ {
			s := &search{thinking: func() bool { return true }, plain: true}
			if got := s.value(p, depth, 0, -won, won); got != plainValue(p, depth, 0) {
				t.Fatalf("depth %d of %v: value %d, want %d", depth, p, got, plainValue(p, depth, 0))
			}
			if len(s.moves) != 0 || len(s.promise) != 0 {
				t.Fatalf("%d moves and %d promises left after the search, want none", len(s.moves), len(s.promise))
			}
		}
	}
}

func TestCanWinMeansThatAMoveReachesTheGoal(t *testing.T) {
	r := driver.NewRand(4, 0)
	wins := 0
	for range 300 {
		for p := start; lost(p) == ""; {
			moves := p.Moves(nil)
			want := false
			for _, m := range moves {
				want = want || m.To&goal[p.Side] != 0
			}
			if p.canWin() != want {
				t.Fatalf("%v: canWin is %v, want %v", p, !want, want)
			}
			if want {
				wins++
			}
			p = p.After(moves[r.Intn(len(moves))])
		}
	}
	if wins == 0 {
		t.Error("0 positions with a winning move, want some")
	}
}

func TestBotBeatsRandomPlayers(t *testing.T) {
	t.Parallel()
	matches := gametest.Fewer(500)
	if points := gamefixture.BotAgainstRandom(t, &game, matches, 2); points < 0.98*float64(matches) {
		t.Errorf("%v points in %d matches, want 98 %%", points, matches)
	}
}

func TestRandomBotPlaysToTheEnd(t *testing.T) {
	wins := 0
	for seed := range uint64(100) {
		got := playMatch(t, gametest.Match{Players: []gametest.Player{nil, nil}, Args: map[string]string{"bot": "random"}, Seed: seed})
		if r := got.Result.Seats; r[0].Ended != driver.EndedFinished || r[1].Ended != driver.EndedFinished {
			t.Fatalf("seed %d: got %+v, want two bots that finish", seed, r)
		}
		wins += int(got.Result.Seats[0].Score)
	}
	if wins < 20 || wins > 80 {
		t.Errorf("white won %d of 100 matches between random bots, want 20 to 80", wins)
	}
}

func TestBotFinishesWhenItsOpponentRetires(t *testing.T) {
	for _, p := range []gametest.Player{gametest.Late, gametest.Gone, gametest.Script("nonsense")} {
		for seat := range 2 {
			players := []gametest.Player{p, p}
			players[seat] = nil
			got := playMatch(t, gametest.Match{Players: players, Thoughts: 1})
			if r, want := got.Result.Seats[seat], (driver.SeatResult{Score: 1, Rank: 1, Ended: driver.EndedFinished}); r != want {
				t.Errorf("the bot on seat %d ended as %+v, want %+v", seat, r, want)
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	nodes := 0
	for b.Loop() {
		_, s := think(start, 2000)
		nodes += s.nodes
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}
