package main

import (
	"slices"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/sdk/gametest"
)

func TestStrongBotBeatsRandomPlayers(t *testing.T) {
	t.Parallel()
	matches := gametest.Fewer(300)
	if points := gamefixture.BotAgainstRandom(t, &game, matches, 1); points < 0.95*float64(matches) {
		t.Errorf("%v points in %d matches, want 95 %%", points, matches)
	}
}

func TestSearchWithoutTimeFindsALegalToken(t *testing.T) {
	b := on([]int{5, 8, 13}, []int{6, 11, 2})
	for n := 1; n <= 4; n++ {
		token := search(b, 0, n, maxDepth, func() bool { return false })
		if !slices.Contains(b.legal(0, n), token) {
			t.Errorf("roll %d: got token %d, want one that can move", n, token)
		}
	}
}

func TestSearchFindsTheObviousToken(t *testing.T) {
	tests := []struct {
		name          string
		first, second []int
		roll          int
		want          int
	}{
		{"a capture near the end of the track", []int{1, 9}, []int{12}, 3, 1},
		{"the middle rosette", []int{1, 6}, []int{5}, 2, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := search(on(tt.first, tt.second), 0, tt.roll, maxDepth-2, func() bool { return true })
			if got != tt.want {
				t.Errorf("got token %d, want %d", got, tt.want)
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	position := on([]int{5, 8, 13}, []int{6, 11, 2})
	positions := 0
	for b.Loop() {
		x := expectimax{thinking: func() bool { return true }}
		x.move(position, 0, 2, maxDepth-1)
		positions += x.positions
	}
	b.ReportMetric(float64(positions)/b.Elapsed().Seconds(), "nodes/s")
}
