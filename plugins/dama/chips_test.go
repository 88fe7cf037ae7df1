package main

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Drawings of the board, top row first, with a dot where no chip can stand.
const drawnOperations = `
× . ÷ . − . + .
. ÷ . × . + . −
− . + . × . ÷ .
. + . − . ÷ . ×
× . ÷ . − . + .
. ÷ . × . + . −
− . + . × . ÷ .
. + . − . ÷ . ×`

const drawnWhole = `
2 . 5 . 8 . 11 .
. 7 . 10 . 3 . 0
4 . 1 . 6 . 9 .
. . . . . . . .
. . . . . . . .
. 9 . 6 . 1 . 4
0 . 3 . 10 . 7 .
. 11 . 8 . 5 . 2`

// eachCell calls f for the words of a drawn board that are not dots.
func eachCell(t *testing.T, drawn string, f func(square int, word string)) {
	t.Helper()
	n := 0
	for i, line := range strings.Split(strings.TrimSpace(drawn), "\n") {
		for x, word := range strings.Fields(line) {
			if word == "." {
				continue
			}
			name := string(rune('a'+x)) + strconv.Itoa(8-i)
			square := slices.Index(damathNames[:], name)
			if square < 0 {
				t.Fatalf("got a word on %s, want a square that is played on", name)
			}
			f(square, word)
			n++
		}
	}
	if n < 24 {
		t.Fatalf("the drawing has %d cells, want 24 or more", n)
	}
}

func TestOperationsAreAsDrawn(t *testing.T) {
	ascii := map[string]byte{"×": '*', "÷": '/', "−": '-', "+": '+'}
	eachCell(t, drawnOperations, func(square int, word string) {
		if operationOn[square] != ascii[word] {
			t.Errorf("%s has %c, want %s", damathNames[square], operationOn[square], word)
		}
	})
	for n := 1; n <= 32; n++ {
		if operations[n-1] != operations[32-n] {
			t.Errorf("square %d has %c, want %c as square %d", n, operations[n-1], operations[32-n], 33-n)
		}
	}
}

func TestWholeChipsAreAsDrawn(t *testing.T) {
	b := newChipBoard("whole", board8.start)
	eachCell(t, drawnWhole, func(square int, word string) {
		if got := strconv.Itoa(b.values[square] / 10); got != word {
			t.Errorf("%s has chip %s, want %s", damathNames[square], got, word)
		}
	})
}

func TestChipsOfEachSet(t *testing.T) {
	// y2 to y0, left to right, in tenths.
	tests := map[string]string{
		"whole":    "90 60 10 40 0 30 100 70 110 80 50 20",
		"counting": "100 70 20 50 10 40 110 80 120 90 60 30",
		"integer":  "-90 60 -10 40 0 -30 100 -70 -110 80 -50 20",
		"fraction": "10 7 2 5 1 4 11 8 12 9 6 3",
		"rational": "-9 6 -1 4 0 -3 10 -7 -11 8 -5 2",
	}
	for name, want := range tests {
		b := newChipBoard(name, board8.start)
		var bottom, top []string
		for _, square := range []string{"b3", "d3", "f3", "h3", "a2", "c2", "e2", "g2", "b1", "d1", "f1", "h1"} {
			bottom = append(bottom, strconv.Itoa(b.values[slices.Index(damathNames[:], square)]))
			turned := string('a'+'h'-square[0]) + string('1'+'8'-square[1])
			top = append(top, strconv.Itoa(b.values[slices.Index(damathNames[:], turned)]))
		}
		if got := strings.Join(bottom, " "); got != want {
			t.Errorf("%s: the first player has %s, want %s", name, got, want)
		}
		if !slices.Equal(top, bottom) {
			t.Errorf("%s: the second player has %v, want %v", name, top, bottom)
		}
	}
}

// exact returns points as a fraction.
func exact(p Points) *big.Rat { return big.NewRat(int64(p), int64(onePoint)) }

func TestEveryJumpIsExact(t *testing.T) {
	for _, set := range chipSets {
		for _, a := range set.values {
			for _, b := range set.values {
				x := big.NewRat(int64(a*set.scale), 10)
				y := big.NewRat(int64(b*set.scale), 10)
				for _, op := range []byte("+-*/") {
					want := new(big.Rat)
					switch {
					case op == '+':
						want.Add(x, y)
					case op == '-':
						want.Sub(x, y)
					case op == '*':
						want.Mul(x, y)
					case y.Sign() != 0:
						want.Quo(x, y)
					}
					got := operate(op, a*set.scale, b*set.scale)
					if exact(got).Cmp(want) != 0 || pointsText(got) != want.RatString() {
						t.Errorf("%s: %s %c %s = %s, want %s", set.name, x, op, y, pointsText(got), want.RatString())
					}
				}
			}
		}
	}
}

func TestPointsAreWrittenInLowestTerms(t *testing.T) {
	tests := []struct {
		points Points
		want   string
	}{
		{0, "0"}, {onePoint, "1"}, {-12 * onePoint, "-12"}, {onePoint * 3 / 10, "3/10"}, {-onePoint / 4 * 7, "-7/4"},
		{onePoint / 11, "1/11"}, {1, "1/138600"}, {-1, "-1/138600"},
	}
	for _, tt := range tests {
		if got := pointsText(tt.points); got != tt.want {
			t.Errorf("%d: got %s, want %s", tt.points, got, tt.want)
		}
	}
}

// putChips returns a board with the given chips: by side, values in tenths by the name
// of the square, with K before the name for a dama.
func putChips(t *testing.T, turn int, chips [2]map[string]int) chipBoard {
	t.Helper()
	b := chipBoard{pos: Position{Turn: turn}, values: make([]int, 64)}
	for side := range chips {
		for name, value := range chips[side] {
			square := slices.Index(damathNames[:], strings.TrimPrefix(name, "K"))
			if square < 0 {
				t.Fatalf("got %q, want a square", name)
			}
			b.pos.Pieces[side] |= bit(square)
			if name[0] == 'K' {
				b.pos.Kings |= bit(square)
			}
			b.values[square] = value
		}
	}
	return b
}

func TestScoreOfACapture(t *testing.T) {
	tests := []struct {
		name          string
		turn          int
		first, second map[string]int
		path, want    string
	}{
		// Landing squares: c4 ÷, d5 +, e4 −, f7 +, g2 ÷, g4 +, h5 ×.
		{"9 - 10 = -1", White, map[string]int{"c6": 90}, map[string]int{"d5": 100}, "c6e4", "-1"},
		{"plus", White, map[string]int{"e2": 90}, map[string]int{"f3": 100}, "e2g4", "19"},
		{"times", White, map[string]int{"f3": 90}, map[string]int{"g4": 100}, "f3h5", "90"},
		{"divided", White, map[string]int{"a2": 90}, map[string]int{"b3": 20}, "a2c4", "9/2"},
		{"divided by zero", White, map[string]int{"a2": 90}, map[string]int{"b3": 0}, "a2c4", "0"},
		{"zero divided", White, map[string]int{"a2": 0}, map[string]int{"b3": -30}, "a2c4", "0"},
		{"black takes", Black, map[string]int{"d5": 20}, map[string]int{"c6": 70}, "c6e4", "5"},
		{"a dama takes a chip", White, map[string]int{"Kc6": 90}, map[string]int{"d5": 100}, "c6e4", "-2"},
		{"a chip takes a dama", White, map[string]int{"c6": 90}, map[string]int{"Kd5": 100}, "c6e4", "-2"},
		{"a dama takes a dama", White, map[string]int{"Kc6": 90}, map[string]int{"Kd5": 100}, "c6e4", "-4"},
		{"from afar", White, map[string]int{"Ka8": 30}, map[string]int{"d5": 70}, "a8g2", "6/7"},
		{"two jumps, each by its own square", White, map[string]int{"b3": 50}, map[string]int{"c4": 30, "e6": 40}, "b3d5f7", "11"},
		{"fractions", White, map[string]int{"f3": 7}, map[string]int{"g4": 9}, "f3h5", "63/100"},
		{"signs", White, map[string]int{"c6": -110}, map[string]int{"d5": -30}, "c6e4", "-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := putChips(t, tt.turn, [2]map[string]int{tt.first, tt.second})
			for _, m := range b.pos.Moves(&damath, nil) {
				if pathText(&m, damathNames, "") == tt.path {
					b.play(&m)
					if got := pointsText(b.scored[tt.turn]); got != tt.want {
						t.Errorf("scored %s, want %s", got, tt.want)
					}
					if b.scored[1-tt.turn] != 0 {
						t.Errorf("the other side scored %s, want 0", pointsText(b.scored[1-tt.turn]))
					}
					return
				}
			}
			t.Fatalf("%s is not a legal move, want one", tt.path)
		})
	}
}

func TestFinalTotalCountsTheChipsLeft(t *testing.T) {
	// The example of the rules: 100 by captures and 9, 5, 1 left make 115.
	b := putChips(t, White, [2]map[string]int{{"a2": 90, "c2": 50, "e2": 10}, {"Kb7": -30, "d7": 40}})
	b.scored[0] = 100 * onePoint
	if got := pointsText(b.total(0, 1)); got != "115" {
		t.Errorf("the first player has %s, want 115", got)
	}
	if got := pointsText(b.total(1, 1)); got != "1" {
		t.Errorf("a dama counted once: %s, want 1", got)
	}
	if got := pointsText(b.total(1, 2)); got != "-2" {
		t.Errorf("a dama counted twice: %s, want -2", got)
	}
}

// In random games, the values on the board are those of the start without the taken
// ones, and jumped finds the pieces of Taken.
func TestValuesFollowTheChips(t *testing.T) {
	random := newPCG(5)
	for range 50 {
		b := newChipBoard("counting", board8.start)
		for range 150 {
			moves := b.pos.Moves(&damath, nil)
			if len(moves) == 0 {
				break
			}
			m := moves[random.IntN(len(moves))]
			taken, found := m.Taken, uint64(0)
			for i := 1; taken != 0 && i < int(m.Len); i++ {
				found |= bit(jumped(taken, int(m.Path[i-1]), int(m.Path[i])))
			}
			if found != taken {
				t.Fatalf("%s: %s jumps over %x, want %x", b.pos.FEN(&damath), moveText(&m), found, taken)
			}
			side := b.pos.Turn
			own, other := valueLeft(&b.pos, b.values, side, 1), valueLeft(&b.pos, b.values, 1-side, 1)
			lost := Points(0)
			for square := range 64 {
				if m.Taken&bit(square) != 0 {
					lost += Points(b.values[square]) * tenthPoint
				}
			}
			b.play(&m)
			if valueLeft(&b.pos, b.values, side, 1) != own || valueLeft(&b.pos, b.values, 1-side, 1) != other-lost {
				t.Fatalf("after %s the chips left are worth %v and %v, want %v and %v", moveText(&m),
					valueLeft(&b.pos, b.values, side, 1), valueLeft(&b.pos, b.values, 1-side, 1), own, other-lost)
			}
		}
	}
}
