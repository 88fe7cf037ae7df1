package main

import (
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

func TestStrongBotBeatsRandomPlayers(t *testing.T) {
	t.Parallel()
	matches := gametest.Fewer(300)
	if points := gamefixture.BotAgainstRandom(t, &game, matches, 1); points < 0.97*float64(matches) {
		t.Errorf("%v points in %d matches, want 97 %%", points, matches)
	}
}

// minimax returns the value of a position by plain search, on the bot's scale. As in the
// bot, a move of distance zero costs no depth.
func minimax(b *board, depth, ply int) int {
	if b.over() {
		return ply - victory
	}
	legal := b.legal(nil)
	if b.blocked() {
		depth++
	}
	best := -victory
	for _, m := range legal {
		next := *b
		next.play(m)
		switch {
		case next.reached:
			best = max(best, victory-ply-1)
		case depth == 0:
			// beyond the depth, only wins count
		default:
			best = max(best, -minimax(&next, depth-1, ply+1))
		}
	}
	if depth == 0 && best < decided {
		return evaluate(b)
	}
	return best
}

func TestAlphaBetaFindsTheValueOfPlainSearch(t *testing.T) {
	t.Parallel()
	r := driver.NewRand(1, 0)
	compared := 0
	for range gametest.Fewer(300) {
		b := newBoard()
		for plies := 1 + r.Intn(12); plies > 0 && !b.over(); plies-- {
			legal := b.legal(nil)
			b.play(legal[r.Intn(len(legal))])
		}
		if b.over() || b.blocked() {
			continue
		}
		s := alphaBeta{thinking: func() bool { return true }}
		for depth := 1; depth <= 4; depth++ {
			legal := b.legal(nil)
			m, value := s.root(b, legal, legal[len(legal)-1], depth)
			if want := minimax(b, depth, 0); value != want {
				t.Fatalf("%+v, depth %d: value %d, want %d", *b, depth, value, want)
			}
			next := *b
			next.play(m)
			if want := -minimax(&next, depth-1, 1); value != want {
				t.Fatalf("%+v, depth %d: got move %s of value %d, want value %d", *b, depth, b.line(m), want, value)
			}
			compared++
		}
	}
	if compared < gametest.Fewer(500) {
		t.Errorf("%d searches compared, want %d or more", compared, gametest.Fewer(500))
	}
}

func TestSearchWithoutTimeFindsALegalMove(t *testing.T) {
	b := newBoard()
	legal := b.legal(nil)
	m, _, _ := search(b, legal, maxDepth, 0, func() bool { return false })
	if _, ok := b.find(b.line(m)); !ok {
		t.Errorf("got %+v, want a legal move", m)
	}
}

func BenchmarkSearch(b *testing.B) {
	positions := 0
	for b.Loop() {
		position := after(b, "d1d4", "h8e5")
		legal := position.legal(nil)
		s := alphaBeta{thinking: func() bool { return true }}
		for depth := 1; depth <= 9; depth++ {
			s.root(position, legal, legal[0], depth)
		}
		positions += s.positions
	}
	b.ReportMetric(float64(positions)/b.Elapsed().Seconds(), "nodes/s")
}
