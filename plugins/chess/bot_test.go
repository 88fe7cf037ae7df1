package main

import (
	"fmt"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func TestStrongBotBeatsRandomPlayers(t *testing.T) {
	t.Parallel()
	matches := gametest.Fewer(24)
	if points := gamefixture.BotAgainstRandom(t, &game, matches, 10); points < 0.95*float64(matches) {
		t.Errorf("%v points in %d matches, want 95 %%", points, matches)
	}
}

func TestBotClaimsDraws(t *testing.T) {
	const lost, won = "6k1/8/8/8/8/8/r7/6K1 w - - %d 60", "6k1/8/8/8/8/8/r7/6K1 b - - %d 60"
	tests := []struct {
		name, fen    string
		quiet, times int
		claimed      bool
		want         bool
	}{
		{"third time, worse", lost, 10, 3, true, true},
		{"second time, worse", lost, 10, 2, true, false},
		{"third time, better", won, 10, 3, true, false},
		{"50 moves, worse", lost, 100, 1, true, true},
		{"49 moves, worse", lost, 99, 1, true, false},
		{"50 moves, better", won, 100, 1, true, true},
		{"automatic draws", lost, 10, 3, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &player{search: search{thinking: always}, rand: driver.NewRand(1, 0).Intn, board: *readBoard(fmt.Sprintf(tt.fen, tt.quiet))}
			for range tt.times - 1 {
				p.seen = append(p.seen, p.board.key, 0)
			}
			if got := p.turn("beginner", tt.claimed); (got == "DRAW") != tt.want {
				t.Errorf("got %q with the value %d, want a claim: %t", got, p.value, tt.want)
			}
		})
	}
}

// Black's king has one move, and White only waits.
func TestAClaimOfTheBotEndsTheMatch(t *testing.T) {
	script := gametest.Script("a3b4", "b4a3", "a3b4", "b4a3", "a3b4", "b4a3")
	got := gametest.MustPlay(t, gametest.Match{
		Game: &game, Args: map[string]string{"start": "6k1/8/5K1P/8/4B3/B7/8/8 w - - 0 1", "draws": "claimed"},
		Players: []gametest.Player{script, nil},
	})
	if end := tail(got.Spectators, 2); end != "OK <b4> <a3>|DRAW <REPETITION>" && end != "OK <a3> <b4>|DRAW <REPETITION>" {
		t.Errorf("the stream ends with %s, want a claim of the bot", end)
	}
}

// always is the clock of a search that has time without end.
func always() bool { return true }

func TestSearchFindsMates(t *testing.T) {
	tests := []struct {
		fen   string
		depth int
		plies int // to the mate
		best  string
	}{
		{"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 3, 1, "d1d8"},
		{"k7/8/1K6/8/8/8/8/7R w - - 99 80", 3, 1, "h1h8"},
		{"r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 6, 3, "d2h6"},
		{"8/8/8/8/8/4k3/r7/4K3 b - - 0 1", 3, 1, "a2a1"},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 6, 3, "a1a6"},
		{"8/8/8/8/1p6/8/1P6/k1K1Q3 w - - 0 1", 8, 0, ""}, // only that it ends
	}
	for _, tt := range tests {
		s := search{thinking: always}
		b := readBoard(tt.fen)
		got := s.best(b, nil, b.legal(nil), tt.depth)
		if tt.best != "" && (got.move.uci() != tt.best || got.value != mate-tt.plies) {
			t.Errorf("%s: got %s with the value %d, want %s with %d", tt.fen, got.move.uci(), got.value, tt.best, mate-tt.plies)
		}
	}
}

func TestSearchAvoidsAndFindsRepetitions(t *testing.T) {
	// A side has a rook, and the move of the white king repeats a position.
	for _, tt := range []struct {
		fen  string
		want bool
	}{{"6k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 10 40", false}, {"6k1/r4ppp/8/8/8/8/5PPP/6K1 w - - 10 40", true}} {
		b := readBoard(tt.fen)
		king := readMove("g1h1")
		next := *b
		next.play(king)
		s := search{thinking: always}
		got := s.best(b, []uint64{0, next.key, 0, next.key}, b.legal(nil), 6)
		if (got.move == king) != tt.want {
			t.Errorf("%s: got %s with %d, want the repetition: %t", tt.fen, got.move.uci(), got.value, tt.want)
		}
	}
}

func TestExchanges(t *testing.T) {
	tests := []struct {
		fen, move string
		want      int
	}{
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100},
		{"4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0},
		{"4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", -900},
		{"3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100},
		{"3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", -420},
	}
	for _, tt := range tests {
		if got := readBoard(tt.fen).exchange(readMove(tt.move)); got != tt.want {
			t.Errorf("%s in %s gains %d, want %d", tt.move, tt.fen, got, tt.want)
		}
	}
}

// mirrored returns a position with the sides exchanged.
func mirrored(b *board) *board {
	m := &board{castling: b.castling>>2 | b.castling<<2&12, passed: noSquare, quiet: b.quiet}
	for s := range m.on {
		m.on[s] = none
	}
	for s := range uint8(64) {
		if b.on[s] != none {
			side := white
			if b.sides[white]>>s&1 != 0 {
				side = black
			}
			m.put(side, int(b.on[s]), s^56)
		}
	}
	m.side = 1 - b.side
	return m
}

func TestEvaluationIsTheSameForBothSides(t *testing.T) {
	r := driver.NewRand(1, 0)
	for range 200 {
		b := readBoard(published[r.Intn(len(published))].fen)
		for range r.Intn(60) {
			legal := b.legal(nil)
			if len(legal) == 0 {
				break
			}
			b.play(legal[r.Intn(len(legal))])
			if got, want := mirrored(b).evaluate(), b.evaluate(); got != want {
				t.Fatalf("%+v: mirrored it has the value %d, want %d", *b, got, want)
			}
		}
	}
}

func TestSearchWithoutTimeFindsALegalMove(t *testing.T) {
	b := readBoard(usual)
	s := search{thinking: func() bool { return false }}
	legal := b.legal(nil)
	if got := s.best(b, nil, legal, maxDepth); got.move != legal[0] && readBoard(usual).on[got.move.from] == none {
		t.Errorf("got %+v, want a legal move", got.move)
	}
}

func BenchmarkSearch(b *testing.B) {
	nodes := 0
	for b.Loop() {
		for _, p := range published {
			s := search{thinking: always}
			board := readBoard(p.fen)
			s.best(board, nil, board.legal(nil), 8)
			nodes += s.nodes
		}
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
}
