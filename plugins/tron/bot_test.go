package main

import (
	"slices"
	"testing"

	"colosseum/sdk/driver"
)

// random plays a match of bots that never look ahead, and calls before each tick.
func random(players int, seed uint64, before func(b *board)) {
	r := driver.NewRand(seed, 0)
	b := newBoard(12+int(seed%20), 10+int(seed%13), players, players == 4 && seed%2 == 0, r.Intn)
	for !b.over() {
		before(b)
		turns := make([]int, players)
		for _, seat := range b.living() {
			p := player{level: "random", board: b, own: seat, rand: r.Intn}
			turns[seat], _ = p.choose()
		}
		b.tick(turns)
	}
}

func TestBotFollowsTheMatchFromItsLines(t *testing.T) {
	for seed := range uint64(60) {
		var followed *board
		random(2+int(seed%3), seed, func(b *board) {
			if followed == nil {
				followed = emptyBoard(b.width, b.height)
				for seat := range b.cycles {
					followed.join(b.begin(seat, "a name 7"))
				}
			} else {
				followed.follow(numbers(b.heads()))
			}
			if !slices.Equal(followed.taken, b.taken) || !slices.EqualFunc(followed.cycles, b.cycles, func(x, y cycle) bool {
				return x.cell == y.cell && x.team == y.team && x.crashed == y.crashed && (x.way == y.way || x.crashed > 0) // the way into a wall is not sent
			}) {
				t.Fatalf("seed %d, tick %d: got %+v, want %+v", seed, b.ticks, followed.cycles, b.cycles)
			}
		})
	}
}

func TestBotsNeverCrashWithAFreeCellNextToThem(t *testing.T) {
	r := driver.NewRand(1, 0)
	walls := 0
	for seed := range uint64(20) {
		random(2, seed, func(b *board) {
			for seat, c := range b.cycles {
				free := slices.ContainsFunc(b.steps[:], func(step int) bool { return !b.taken[c.cell+step] })
				if b.taken[c.cell+b.steps[c.way]] {
					walls++
				}
				for _, level := range []string{"strong", "medium", "easy", "beginner", "newcomer", "random"} {
					n := 0
					p := player{level: level, board: b, own: seat, rand: r.Intn, thinking: func() bool { n++; return n < 20 }}
					if way, _ := p.choose(); free && b.taken[c.cell+b.steps[way]] {
						t.Fatalf("seed %d, tick %d: %s on seat %d moves %s into a wall", seed, b.ticks, level, seat, ways[way])
					}
				}
			}
		})
	}
	if walls == 0 {
		t.Error("no cycle had a wall ahead, want some")
	}
}

// drawn returns a board from rows of text: # is a wall, 0 to 3 are heads, and a dot is free.
// All cycles have moved up.
func drawn(rows ...string) *board {
	b := emptyBoard(len(rows[0]), len(rows))
	heads := map[byte]int{}
	for row, text := range rows {
		for column := range text {
			if text[column] != '.' {
				heads[text[column]] = b.at(column, row)
				b.taken[b.at(column, row)] = true
			}
		}
	}
	for seat := 0; heads[byte('0'+seat)] > 0; seat++ {
		b.add(b.column(heads[byte('0'+seat)]), b.row(heads[byte('0'+seat)]), up, seat)
	}
	return b
}

func TestStrongBotMoves(t *testing.T) {
	tests := []struct {
		name string
		rows []string
		want string
	}{
		{"into the larger room", []string{
			"....#.....",
			"....#.....",
			"....#.....",
			"....0.....",
			"##########",
			"1.........",
		}, "R"},
		{"not into a dead end", []string{
			"...#######",
			"...#..####",
			"...0..####",
			"...#######",
			"....######",
			"##########",
			"1.........",
		}, "L"},
		{"so that it cuts the rival off", []string{
			"##########",
			"#........#",
			"0........#",
			"#####.1..#",
			"#####....#",
			"##########",
		}, "R"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := drawn(tt.rows...)
			p := player{level: "strong", board: b, own: 0, rand: driver.NewRand(1, 0).Intn, thinking: func() bool { return true }}
			way, note := p.choose()
			if ways[way] != tt.want {
				t.Errorf("got %s (%s), want %s", ways[way], note, tt.want)
			}
		})
	}
}

func TestStrongBotCountsTheCellsThatEachReachesFirst(t *testing.T) {
	b := drawn(
		"#######",
		"#0...1#", // one cell for each, and the middle for nobody
		"#######",
	)
	s := newSearcher(b, 0, nil)
	if got := s.count(); got != 0 {
		t.Errorf("equal sides: got value %d, want 0", got)
	}
	s.taken[b.at(4, 1)] = true // the rival's cell
	if got, want := s.count(), 2*cellValue+(2+0+1)*edgeValue; got < cellValue || got > want {
		t.Errorf("a rival without cells: got value %d, want from %d to %d", got, cellValue, want)
	}
}
