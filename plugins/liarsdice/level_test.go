package main

import (
	"fmt"
	"testing"

	"colosseum/internal/test/gamefixture"
	"colosseum/internal/test/long"
	"colosseum/sdk/driver"
)

// standings plays a match between bots of these levels, by seat, and returns the seats in
// the order in which they went out; the winner is the last.
func standings(levels []string, seed uint64) []int {
	r := driver.NewRand(seed, 0)
	const wild = true
	t := newTable(len(levels), 5, wild)
	views := make([]*view, len(levels))
	for seat := range views {
		views[seat] = newView(len(levels), wild)
		views[seat].me = seat
	}
	var out []int
	for t.left() > 1 {
		t.roll(r.Intn)
		for seat, v := range views {
			v.begin(t.dice)
			v.hand = t.hands[seat]
		}
		for {
			seat := t.turn
			line, _ := choose(levels[seat], views[seat], r.Intn)
			if line == liar {
				break
			}
			var b bid
			if _, err := fmt.Sscan(line, &b.count, &b.face); err != nil {
				panic(err)
			}
			t.raise(b)
			for _, v := range views {
				v.hear(seat, b)
			}
		}
		if _, loser := t.challenge(); t.dice[loser] == 0 {
			out = append(out, loser)
		}
	}
	return append(out, t.turn)
}

// duel plays a match of two, and returns the points of the first seat.
func duel(seats [2]string, seed uint64) float64 {
	return float64(1 - standings(seats[:], seed)[1])
}

// four plays a match of four, in which the levels have every second seat. It returns the
// share of pairs of seats of both levels in which the first level came further.
func four(seats [2]string, seed uint64) float64 {
	order := standings([]string{seats[0], seats[1], seats[0], seats[1]}, seed)
	points := 0.0
	for i, seat := range order {
		for _, before := range order[:i] {
			if seat%2 == 0 && before%2 == 1 {
				points++
			}
		}
	}
	return points / 4
}

func TestEachLevelBeatsTheNext(t *testing.T) {
	t.Parallel()
	more := 1
	if long.Run() {
		more = 5
	}
	levels := []string{"strong", "medium", "easy", "beginner", "random"}
	gamefixture.CheckGrades(t, levels[:3], 200*more, 0.65, 0.85, duel)
	gamefixture.CheckLevels(t, levels[2:], 100*more, 0.7, duel)
	gamefixture.CheckLevels(t, levels, 50*more, 0.65, four)
}
