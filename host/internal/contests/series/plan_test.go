package series

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// programs returns the configuration of a series with seed 42.
func programs(programs, bots, seats, matches int) *Config {
	c := &Config{Seats: seats, Seed: 42, Matches: matches}
	for range programs {
		c.Entrants = append(c.Entrants, Entrant{Command: []string{"x"}})
	}
	for range bots {
		c.Entrants = append(c.Entrants, Entrant{})
	}
	return c
}

func TestEverySeedIsPlayedInEveryRotation(t *testing.T) {
	tests := []struct {
		name              string
		entrants, matches int
		want              []PlannedMatch
	}{
		{"one match", 2, 1, []PlannedMatch{{1, 0, 0, 42, []int{0, 1}, true}}},
		{"a pair", 2, 2, []PlannedMatch{{1, 0, 0, 42, []int{0, 1}, true}, {2, 0, 1, 42, []int{1, 0}, true}}},
		{"rounded up", 2, 3, []PlannedMatch{{1, 0, 0, 42, []int{0, 1}, true}, {2, 0, 1, 42, []int{1, 0}, true}, {3, 0, 0, 43, []int{0, 1}, true}, {4, 0, 1, 43, []int{1, 0}, true}}},
		{"three seats", 3, 2, []PlannedMatch{{1, 0, 0, 42, []int{0, 1, 2}, true}, {2, 0, 1, 42, []int{2, 0, 1}, true}, {3, 0, 2, 42, []int{1, 2, 0}, true}}},
		{"alone", 1, 2, []PlannedMatch{{1, 0, 0, 42, []int{0}, true}, {2, 0, 0, 43, []int{0}, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := plan(programs(tt.entrants, 0, tt.entrants, tt.matches))
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if n := Rounded(tt.matches, tt.entrants); n != len(got) {
				t.Errorf("Rounded returned %d, want %d", n, len(got))
			}
		})
	}
	for n := 1; n < 8; n++ {
		for seat := range n {
			var held []int
			for _, f := range plan(programs(n, 0, n, max(n, 2))) {
				held = append(held, f.Seating[seat])
			}
			slices.Sort(held)
			if held = slices.Compact(held); len(held) != n {
				t.Errorf("%d entrants: seat %d is held by %v, want all entrants", n, seat, held)
			}
		}
	}
}

func TestMoreProgramsThanSeatsMeetInAllGroups(t *testing.T) {
	tests := []struct {
		name                  string
		programs, bots, seats int
		want                  string
	}{
		{"pairs", 4, 0, 2, "[[0 1] [0 2] [0 3] [1 2] [1 3] [2 3]]"},
		{"all", 3, 0, 3, "[[0 1 2]]"},
		{"three of four", 4, 0, 3, "[[0 1 2] [0 1 3] [0 2 3] [1 2 3]]"},
		{"each with the bot", 3, 1, 2, "[[0 3] [1 3] [2 3]]"},
		{"pairs with two bots", 3, 2, 4, "[[0 1 3 4] [0 2 3 4] [1 2 3 4]]"},
		{"too few", 1, 0, 2, "[]"},
		{"too many bots", 1, 3, 2, "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := programs(tt.programs, tt.bots, tt.seats, 1)
			all := groups(c.Entrants, c.Seats)
			if got := fmt.Sprint(all); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if n := Groups(c.Entrants, c.Seats); n != len(all) {
				t.Errorf("Groups returned %d, want %d", n, len(all))
			}
		})
	}
	if n := Groups(programs(200, 0, 16, 1).Entrants, 16); n != MaxGroups+1 {
		t.Errorf("16 of 200: got %d groups, want %d", n, MaxGroups+1)
	}
}

func TestGroupsPlayEachSeedBeforeTheNext(t *testing.T) {
	var got []string
	for _, f := range plan(programs(3, 0, 2, 2)) {
		got = append(got, fmt.Sprintf("%d: %v %s", f.Number, f.Seating, f.id("g")))
	}
	want := []string{"1: [0 1] g-42-0-1", "2: [0 2] g-42-0-2", "3: [1 2] g-42-0-3", "4: [1 0] g-42-1-1", "5: [2 0] g-42-1-2", "6: [2 1] g-42-1-3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
