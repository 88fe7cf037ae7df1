package main

import (
	"slices"
	"strings"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// place is where a cycle of a test starts.
type place struct {
	column, row int
	way         string
}

// ride moves cycles on a board of 8 by 8 cells, by a word of lines for each tick, with a dot
// for none, and returns for each cycle the tick at which it crashed.
func ride(starts []place, ticks ...string) []int {
	b := emptyBoard(8, 8)
	for seat, p := range starts {
		b.add(p.column, p.row, slices.Index(ways, p.way), seat)
	}
	for _, lines := range ticks {
		turns := make([]int, len(starts))
		for seat := range starts {
			turns[seat] = b.turn(seat, strings.TrimPrefix(lines[seat:seat+1], "."))
		}
		b.tick(turns)
	}
	var crashed []int
	for _, c := range b.cycles {
		crashed = append(crashed, c.crashed)
	}
	return crashed
}

func TestCyclesCrash(t *testing.T) {
	tests := []struct {
		name   string
		starts []place
		ticks  []string
		want   []int
	}{
		{"into the wall at the top", []place{{3, 1, "U"}}, []string{".", "."}, []int{2}},
		{"into the wall at the bottom", []place{{3, 6, "D"}}, []string{".", "."}, []int{2}},
		{"into the wall on the left", []place{{0, 3, "U"}}, []string{"L"}, []int{1}},
		{"into the wall on the right", []place{{7, 3, "U"}}, []string{"R"}, []int{1}},
		{"not in a corner", []place{{6, 0, "R"}}, []string{".", "D", "."}, []int{0}},
		{"into its own trail", []place{{3, 3, "U"}}, []string{".", "R", "D", "L"}, []int{4}},
		{"into its start", []place{{3, 3, "U"}}, []string{"U", "L", "D", "R"}, []int{4}},
		{"not backwards", []place{{3, 3, "U"}}, []string{"D", "D", "D", "."}, []int{4}},
		{"into a trail", []place{{3, 3, "R"}, {4, 5, "U"}}, []string{"..", "U.", "R."}, []int{0, 2}},
		{"head on with a cell between them", []place{{2, 3, "R"}, {4, 3, "L"}}, []string{".."}, []int{1, 1}},
		{"head on with none", []place{{2, 3, "R"}, {3, 3, "L"}}, []string{".."}, []int{1, 1}},
		{"at a right angle", []place{{2, 3, "R"}, {3, 4, "U"}}, []string{".."}, []int{1, 1}},
		{"three at once", []place{{2, 3, "R"}, {3, 4, "U"}, {4, 3, "L"}}, []string{"..."}, []int{1, 1, 1}},
		{"into a cell that a head leaves", []place{{2, 3, "R"}, {3, 3, "R"}}, []string{".."}, []int{1, 0}},
		{"into the trail of one that has crashed", []place{{0, 3, "L"}, {1, 3, "L"}}, []string{"..", ".."}, []int{1, 1}},
		{"past a cell that another did not enter", []place{{0, 3, "L"}, {4, 7, "D"}}, []string{"..", ".."}, []int{1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ride(tt.starts, tt.ticks...); !slices.Equal(got, tt.want) {
				t.Errorf("got crashes at %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLinesThatAreNoWayMeanStraightOn(t *testing.T) {
	b := emptyBoard(8, 8)
	b.add(3, 3, up, 0)
	for line, want := range map[string]int{"U": up, "L": left, "R": right, "D": up, "": up, "u": up, "l": up, "LEFT": up, "L R": up, "☃": up} {
		if got := b.turn(0, line); got != want {
			t.Errorf("%q: got way %s, want %s", line, ways[got], ways[want])
		}
	}
}

func TestPlacesAtTheStartAreFair(t *testing.T) {
	for _, size := range [][2]int{{8, 8}, {9, 11}, {30, 20}, {60, 8}, {60, 60}} {
		for players := 2; players <= 4; players++ {
			seen := map[int]bool{}
			for seed := range uint64(200) {
				b := newBoard(size[0], size[1], players, false, driver.NewRand(seed, 0).Intn)
				x, y := b.column(b.cycles[0].cell), b.row(b.cycles[0].cell)
				seen[b.cycles[0].cell] = true
				if x < 1 || x >= size[0]/3 || y < 1 || y > size[1]-2 {
					t.Errorf("%v: seat 0 starts at %d %d", size, x, y)
				}
				far := [][2]int{{x, y}, {size[0] - 1 - x, size[1] - 1 - y}, {x, size[1] - 1 - y}, {size[0] - 1 - x, y}}
				cells := map[int]bool{}
				for seat, c := range b.cycles {
					cells[c.cell] = true
					if at := [2]int{b.column(c.cell), b.row(c.cell)}; at != far[seat] || c.way != []int{right, left}[seat%2] {
						t.Errorf("%v: seat %d starts at %v moving %s, want %v", size, seat, at, ways[c.way], far[seat])
					}
				}
				if len(cells) != players {
					t.Errorf("%v: %d cycles start on %d cells", size, players, len(cells))
				}
			}
			if len(seen) < 3 {
				t.Errorf("%v: %d players start in %d ways, want more", size, players, len(seen))
			}
		}
	}
}

func TestPoints(t *testing.T) {
	tests := []struct {
		name    string
		crashes []int // by seat; 0: the last
		teams   bool
		want    []float64
	}{
		{"one of two is left", []int{0, 5}, false, []float64{1, 0}},
		{"two crash at once", []int{5, 5}, false, []float64{0.5, 0.5}},
		{"four one after the other", []int{7, 0, 3, 5}, false, []float64{2, 3, 0, 1}},
		{"the last two at once", []int{7, 7, 3, 5}, false, []float64{2.5, 2.5, 0, 1}},
		{"the first two at once", []int{0, 3, 3, 5}, false, []float64{3, 0.5, 0.5, 2}},
		{"all at once", []int{2, 2, 2}, false, []float64{1, 1, 1}},
		{"a team with one left", []int{3, 5, 0, 7}, true, []float64{1, 0, 1, 0}},
		{"a team with both left", []int{3, 0, 5, 0}, true, []float64{0, 1, 0, 1}},
		{"teams at once", []int{3, 7, 7, 5}, true, []float64{0.5, 0.5, 0.5, 0.5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBoard(30, 20, len(tt.crashes), tt.teams, driver.NewRand(1, 0).Intn)
			b.ticks = slices.Max(tt.crashes)
			for seat, tick := range tt.crashes {
				b.cycles[seat].crashed = tick
			}
			if !b.over() {
				t.Error("the match is not over, want that it is")
			}
			for seat, want := range tt.want {
				if got := b.points(seat); got != want {
					t.Errorf("seat %d has %v points, want %v", seat, got, want)
				}
			}
		})
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	gametest.CheckRefused(t, &game, "tick", "from 50 to 500", "49", "501", "0.2")
	gametest.CheckRefused(t, &game, "width", "from 8 to 60", "7", "61")
	gametest.CheckRefused(t, &game, "height", "from 8 to 60", "7", "61")
	gametest.CheckRefused(t, &game, "teams", "teams=yes needs 4 players", "yes")
}
