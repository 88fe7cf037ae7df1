package main

import (
	"slices"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
)

// contest plays a match between levels, by seat, and returns the board at its end.
func contest(levels []string, width, height int, seed uint64) *board {
	r := driver.NewRand(seed, 0)
	b := newBoard(width, height, len(levels), false, r.Intn)
	for !b.over() {
		turns := make([]int, len(levels))
		for _, seat := range b.living() {
			p := player{level: levels[seat], board: b, own: seat, rand: r.Intn, thinking: gamefixture.Thoughts(300)}
			turns[seat], _ = p.choose()
		}
		b.tick(turns)
	}
	return b
}

// duel returns a function that plays a match of two and returns the points of seat 0.
func duel(width, height int) func(levels [2]string, seed uint64) float64 {
	return func(levels [2]string, seed uint64) float64 {
		return contest(levels[:], width, height, seed).points(0)
	}
}

var levels = []string{"strong", "medium", "easy", "beginner", "newcomer", "random"}

// The board of the short run is small, so that a match is fast.
func TestEachLevelBeatsTheNext(t *testing.T) {
	t.Parallel()
	gamefixture.CheckGrades(t, levels, 40, 0.6, 0.98, duel(20, 14))
}

func TestEachLevelBeatsTheNextOnTheDefaultBoard(t *testing.T) {
	long.Only(t, "more matches, which take longer")
	t.Parallel()
	gamefixture.CheckLevels(t, levels, 60, 0.55, duel(30, 20))
}

func TestLevelsOfOneMatchComeInTheirOrder(t *testing.T) {
	t.Parallel()
	matches := 24
	if long.Run() {
		matches = 60
	}
	points := map[string]float64{}
	four := []string{"strong", "medium", "beginner", "random"}
	for seed := range matches {
		turned := append(slices.Clone(four[seed%4:]), four[:seed%4]...)
		b := contest(turned, 20, 14, uint64(seed))
		for seat, level := range turned {
			points[level] += b.points(seat)
		}
	}
	for i := range four[1:] {
		if points[four[i]] <= points[four[i+1]] {
			t.Errorf("%s has %v points in %d matches, %s has %v: want more", four[i], points[four[i]], matches, four[i+1], points[four[i+1]])
		}
	}
	t.Log(points)
}

func TestOnlyTheStrongBotUsesTheTime(t *testing.T) {
	t.Parallel()
	gamefixture.CheckSpeedIsIrrelevant(t, &game, map[string]string{"width": "14", "height": "12"}, levels[1:]...)
}
