package main

import (
	"slices"
	"sort"
	"strings"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// position returns the position of two lists of cells such as "C3 C4".
func position(t *testing.T, white, black string, side int) Position {
	t.Helper()
	var stones [2]Cells
	for i, list := range []string{white, black} {
		for _, name := range strings.Fields(list) {
			cell := cellNamed[name]
			if cell == 0 {
				t.Fatalf("got %q, want the name of a cell", name)
			}
			stones[i] |= cell
		}
	}
	return Position{Own: stones[side], Enemy: stones[1-side], Side: side}
}

// perft counts the sequences of depth moves. It does not play the last moves.
func perft(p Position, depth int, stack []Move) int {
	if p.Enemy&goal[1-p.Side] != 0 {
		return 0
	}
	from := len(stack)
	stack = p.Moves(stack)
	if depth == 1 {
		return len(stack) - from
	}
	n := 0
	for _, m := range stack[from:] {
		n += perft(p.After(m), depth-1, stack)
	}
	return n
}

func TestPerftFromTheStart(t *testing.T) {
	gametest.Perft(t, []int{58, 3364, 352408, 36917776}, func(depth int) int {
		return perft(start, depth, make([]Move, 0, 4*maxMoves))
	})
}

func BenchmarkPerft(b *testing.B) {
	stack := make([]Move, 0, 4*maxMoves)
	nodes := 0
	for b.Loop() {
		nodes += perft(start, 4, stack)
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
}

// plain is an independent implementation of the rules: the side of the stone on each
// cell, by name. Its moves are all combinations of stones that are legal.
type plain map[string]byte // 'W' or 'B' on the cells with stones

func plainStart() plain {
	b := plain{}
	for _, c := range strings.Fields("A1 A2 A3 A4 A5 B2 B3 B4 B5 C3 C4 C5") {
		b[c] = 'W'
	}
	for _, c := range strings.Fields("I1 I2 I3 I4 I5 H2 H3 H4 H5 G3 G4 G5") {
		b[c] = 'B'
	}
	return b
}

// plainTarget returns the cell that a stone of a side enters, or "" off the board.
func plainTarget(cell string, side byte, dir string) string {
	row, number := cell[0], cell[1]
	if side == 'W' {
		switch {
		case row < 'E' && dir == "R":
			number++
		case row >= 'E' && dir == "L":
			number--
		}
		row++
	} else {
		switch {
		case row > 'E' && dir == "R":
			number++
		case row <= 'E' && dir == "L":
			number--
		}
		row--
	}
	lengths := map[byte]byte{'A': 5, 'B': 6, 'C': 7, 'D': 8, 'E': 9, 'F': 8, 'G': 7, 'H': 6, 'I': 5}
	if number < '1' || number > '0'+lengths[row] {
		return ""
	}
	return string([]byte{row, number})
}

func (b plain) stones(side byte) []string {
	var cells []string
	for c, s := range b {
		if s == side {
			cells = append(cells, c)
		}
	}
	sort.Strings(cells)
	return cells
}

// moves tries each set of stones in both directions.
func (b plain) moves(side byte) []string {
	stones := b.stones(side)
	size := min(3, len(stones))
	var lines []string
	var choose func(from int, set []string)
	choose = func(from int, set []string) {
		if len(set) < size {
			for i := from; i < len(stones); i++ {
				choose(i+1, append(slices.Clone(set), stones[i]))
			}
			return
		}
		for _, dir := range []string{"L", "R"} {
			legal := size > 0
			for _, c := range set {
				to := plainTarget(c, side, dir)
				if to == "" || b[to] == side && !slices.Contains(set, to) {
					legal = false
				}
			}
			if legal {
				lines = append(lines, strings.Join(set, " ")+" "+dir)
			}
		}
	}
	choose(0, nil)
	return lines
}

func (b plain) play(side byte, line string) {
	words := strings.Fields(line)
	set, dir := words[:len(words)-1], words[len(words)-1]
	for _, c := range set {
		delete(b, c)
	}
	for _, c := range set {
		b[plainTarget(c, side, dir)] = side
	}
}

func (b plain) onRow(side, row byte) bool {
	return slices.ContainsFunc(b.stones(side), func(c string) bool { return c[0] == row })
}

func cellsIn(c Cells) []string {
	var list []string
	for i, name := range names {
		if c&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

func TestRandomMatchesAgreeWithThePlainRules(t *testing.T) {
	t.Parallel()
	r := driver.NewRand(1, 0)
	for match := range gametest.Fewer(150) {
		p, b := start, plainStart()
		for ply := 0; ; ply++ {
			side, other := "WB"[p.Side], "BW"[p.Side]
			if got, want := cellsIn(p.Own), b.stones(side); !slices.Equal(got, want) {
				t.Fatalf("match %d ply %d: %c on %v, want %v", match, ply, side, got, want)
			}
			if got, want := cellsIn(p.Enemy), b.stones(other); !slices.Equal(got, want) {
				t.Fatalf("match %d ply %d: %c on %v, want %v", match, ply, other, got, want)
			}
			lines, want := p.Lines(), b.moves(side)
			if b.onRow(other, "AI"[p.Side]) || len(want) == 0 {
				if lost(p) == "" {
					t.Fatalf("match %d ply %d: the match goes on, want it lost by %c: %v", match, ply, side, b)
				}
				break
			}
			if why := lost(p); why != "" {
				t.Fatalf("match %d ply %d: ended by %q, want it to go on", match, ply, why)
			}
			line := lines[r.Intn(len(lines))]
			sort.Strings(lines)
			sort.Strings(want)
			if !slices.Equal(lines, want) {
				t.Fatalf("match %d ply %d: moves %v, want %v", match, ply, lines, want)
			}
			m, ok := p.Parse(line)
			if !ok || p.Line(m) != line {
				t.Fatalf("match %d ply %d: %q is read as %q, %v, want the same", match, ply, line, p.Line(m), ok)
			}
			next := p.After(m)
			if count(next.Enemy) != count(p.Own) || count(next.Own) != count(p.Enemy&^m.To) || next.Own&next.Enemy != 0 || (next.Own|next.Enemy)&^board != 0 {
				t.Fatalf("match %d ply %d: got %v after %q, want the same number of stones without those taken", match, ply, next, line)
			}
			b.play(side, line)
			p = next
		}
	}
}

func TestStepsFollowTheNamesOfTheCells(t *testing.T) {
	for i, name := range names {
		for side := range 2 {
			for dir, letter := range []string{"L", "R"} {
				want := ""
				if row := name[0]; row != "IA"[side] { // the goal row has no next row
					want = plainTarget(name, "WB"[side], letter)
				}
				got := strings.Join(cellsIn(step(1<<i, side, dir)), " ")
				if got != want {
					t.Errorf("side %d from %s to %s: %q, want %q", side, name, letter, got, want)
				}
			}
		}
	}
}

func TestMovesOfAPosition(t *testing.T) {
	tests := []struct {
		name         string
		white, black string
		side         int
		want         string // sorted, separated by commas
	}{
		{"three stones move as one", "C2 C4 E5", "I1", White, "C2 C4 E5 L,C2 C4 E5 R"},
		{"two stones must both move", "C2 E5", "I1", White, "C2 E5 L,C2 E5 R"},
		{"a single stone moves alone", "E5", "I1", White, "E5 L,E5 R"},
		{"two stones cannot when one would leave the board", "E1 C2", "I1", White, "C2 E1 R"},
		{"a stone at the edge goes the other way", "F8", "I1", White, "F8 L"},
		{"a cell left in the same move can be entered", "C3 D3", "I1", White, "C3 D3 L,C3 D3 R"},
		{"three in a column follow one another", "C3 D3 E3", "I1", White, "C3 D3 E3 L,C3 D3 E3 R"},
		{"a column whose head is at the edge stays", "D1 E1 C5", "I1", White, "C5 D1 E1 R"},
		{"the stone behind moves only with the one before it", "C3 D3 A1 A5", "I1", White,
			"A1 A5 C3 R,A1 A5 D3 L,A1 A5 D3 R,A1 C3 D3 L,A1 C3 D3 R,A5 C3 D3 L,A5 C3 D3 R"},
		{"an enemy's cell is entered", "E5", "F4 F5", White, "E5 L,E5 R"},
		{"black moves down", "A1", "E5", Black, "E5 L,E5 R"},
		{"black cannot leave the board either", "A1", "E1 E9", Black, ""},
		{"black column", "A1", "E3 D3", Black, "D3 E3 L,D3 E3 R"},
		{"no stones, no moves", "", "E3", White, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := position(t, tt.white, tt.black, tt.side)
			lines := p.Lines()
			sort.Strings(lines)
			if got := strings.Join(lines, ","); got != tt.want {
				t.Errorf("moves %s, want %s", got, tt.want)
			}
			if got := p.CanMove(); got != (tt.want != "") {
				t.Errorf("CanMove is %v, want %v", got, tt.want != "")
			}
		})
	}
}

func TestStonesAreTakenOnTheirCells(t *testing.T) {
	tests := []struct {
		name         string
		white, black string
		side         int
		move         string
		wantWhite    string
		wantBlack    string
	}{
		{"one of three", "C3 C5 A1", "D4 D1", White, "A1 C3 C5 R", "B2 D4 D6", "D1"},
		{"three at once", "C2 C4 C6", "D2 D4 D6 I1", White, "C2 C4 C6 L", "D2 D4 D6", "I1"},
		{"the last one", "E5", "F5", White, "E5 R", "F5", ""},
		{"a column takes before its head", "C3 D3 E3", "F3", White, "C3 D3 E3 R", "D4 E4 F3", ""},
		{"black takes downward", "D4 D5", "E5", Black, "E5 L", "D5", "D4"},
		{"the other stones stay", "A1 A2 A3 A4", "B1 I1", White, "A1 A3 A4 L", "A2 B1 B3 B4", "I1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := position(t, tt.white, tt.black, tt.side)
			m, ok := p.Parse(tt.move)
			if !ok {
				t.Fatalf("%q is not legal, want a legal move", tt.move)
			}
			if got, want := p.After(m), position(t, tt.wantWhite, tt.wantBlack, 1-tt.side); got != want {
				t.Errorf("got own %v and enemy %v, want %v and %v", cellsIn(got.Own), cellsIn(got.Enemy), cellsIn(want.Own), cellsIn(want.Enemy))
			}
		})
	}
}

func TestTheSideToMoveLoses(t *testing.T) {
	tests := []struct {
		name         string
		white, black string
		side         int
		want         string
	}{
		{"white on the top row", "I3 B1", "E5", Black, "white has reached row I"},
		{"black on the bottom row", "B1", "E5 A5", White, "black has reached row A"},
		{"white without stones", "", "E5", White, "white has no stones left"},
		{"black without stones", "B1", "", Black, "black has no stones left"},
		{"two stones without a common direction", "E1 E9", "G4", White, "white has no moves left"},
		{"three stones without a common direction", "B1", "E1 E9 C4", Black, "black has no moves left"},
		{"the start", "A1 A2 A3 A4 A5 B2 B3 B4 B5 C3 C4 C5", "I1 I2 I3 I4 I5 H2 H3 H4 H5 G3 G4 G5", White, ""},
		{"stones on their own home rows", "A1", "I1", White, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := lost(position(t, tt.white, tt.black, tt.side)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
