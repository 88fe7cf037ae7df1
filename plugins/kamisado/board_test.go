package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"
)

// drawing is the board in rules.md, row 8 first.
const drawing = `
8 O B P K Y R G N
7 R O K G B Y N P
6 G K O R P N Y B
5 K P B O N G R Y
4 Y R G N O B P K
3 B Y N P R O K G
2 P N Y B G K O R
1 N G R Y K P B O
  a b c d e f g h
`

// after returns the position after moves, those of distance zero included.
func after(t testing.TB, lines ...string) *board {
	t.Helper()
	b := newBoard()
	for _, line := range lines {
		m, ok := b.find(line)
		if !ok || b.over() {
			t.Fatalf("%s is not legal, want a legal move", line)
		}
		b.play(m)
	}
	return b
}

// texts returns the legal moves of a position, sorted.
func texts(b *board) []string {
	list := lines(b, b.legal(nil))
	slices.Sort(list)
	return list
}

func TestColoursAreThoseOfTheDrawing(t *testing.T) {
	for _, row := range strings.Split(strings.TrimSpace(drawing), "\n")[:8] {
		fields := strings.Fields(row)
		for column, letter := range fields[1:] {
			square := 8*int(fields[0][0]-'1') + column
			if got := string(colours[colourOf[square]]); got != letter {
				t.Errorf("%s has colour %s, want %s", names[square], got, letter)
			}
		}
	}
}

// With r = 0 at the top, the colour is number ((c-r)(2r+1)) mod 8 of row 8.
func TestColoursFollowTheFormula(t *testing.T) {
	for square, got := range colourOf {
		r, c := 7-square/8, square%8
		if want := ((c-r)*(2*r+1)%8 + 8) % 8; int(got) != want {
			t.Errorf("%s has colour %d, want %d", names[square], got, want)
		}
	}
}

func TestDrawingOfTheRulesIsRight(t *testing.T) {
	text, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```"+drawing+"```") {
		t.Error("rules.md has another drawing of the board, want the one above")
	}
}

func TestTowersStartOnTheirColours(t *testing.T) {
	b := newBoard()
	for side, row := range []string{"NGRYKPBO", "OBPKYRGN"} {
		for column, letter := range row {
			tower := strings.IndexRune(colours, letter)
			if got, want := b.towers[side][tower], uint8(56*side+column); got != want {
				t.Errorf("side %d: tower %c on %s, want %s", side, letter, names[got], names[want])
			}
		}
	}
}

func TestSquaresHaveAlgebraicNames(t *testing.T) {
	// pairs of the original server's array index (row from the top, column) and name
	for _, tt := range []struct {
		row, column int
		want        string
	}{{0, 0, "a8"}, {3, 4, "e5"}, {6, 5, "f2"}, {7, 0, "a1"}, {5, 2, "c3"}, {0, 7, "h8"}, {7, 7, "h1"}} {
		if got := names[8*(7-tt.row)+tt.column]; got != tt.want {
			t.Errorf("row %d, column %d is %s, want %s", tt.row, tt.column, got, tt.want)
		}
	}
}

func TestMovesAreFoundByTheirNotation(t *testing.T) {
	b := newBoard()
	for _, m := range b.legal(nil) {
		if got, ok := b.find(b.line(m)); !ok || got != m {
			t.Errorf("%s names %+v, %v, want %+v", b.line(m), got, ok, m)
		}
	}
	for _, line := range []string{"", "a1", "a1a1", "a1a8", "A1A2", "a1-a2", "a1a2 ", "a1a9", "i1i2", "a8a7", "b1a3"} {
		if m, ok := b.find(line); ok {
			t.Errorf("%q names %+v, want nothing", line, m)
		}
	}
}

func TestLegalMoves(t *testing.T) {
	tests := []struct {
		name   string
		played []string
		want   []string
	}{
		{"ahead and on the diagonal, up to the towers in the way", []string{"d1d4"},
			[]string{"h8e5", "h8f6", "h8g7", "h8h2", "h8h3", "h8h4", "h8h5", "h8h6", "h8h7"}},
		{"nothing on the side that is shut", []string{"d1d4", "h8h2", "c1c4", "g8g2", "h1h1", "a8a2"},
			[]string{"f1d3", "f1e2", "f1f2", "f1f3", "f1f4", "f1f5", "f1f6", "f1f7"}},
		{"only the move of distance zero for a blocked tower", []string{"d1d4", "h8h2", "c1c4", "g8g2"}, []string{"h1h1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			slices.Sort(tt.want)
			if got := texts(after(t, tt.played...)); !slices.Equal(got, tt.want) {
				t.Errorf("legal moves %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDeadlockIsLostByTheSideThatMovedLast(t *testing.T) {
	b := after(t, "d1d4", "h8h2", "c1c4", "g8g2", "h1h1", "a8a2", "f1f4", "b8b2")
	if b.over() || !b.blocked() {
		t.Fatalf("over %v, blocked %v, want a blocked tower before its move of distance zero", b.over(), b.blocked())
	}
	m, _ := b.find("a1a1")
	b.play(m)
	if !b.over() || b.reached || b.side != white {
		t.Errorf("over %v, far row reached %v, loser %d, want a deadlock lost by white", b.over(), b.reached, b.side)
	}
}

// perft counts the sequences of depth moves, and those among them whose last
// move reaches the far row.
func perft(b *board, depth int) (sequences, wins int) {
	if b.over() {
		return 0, 0
	}
	var buffer [24]move // the most moves of one tower; the first move of a game allocates
	var next board      // declared inside the loop, it would escape to the heap
	for _, m := range b.legal(buffer[:0]) {
		next = *b
		next.play(m)
		if depth == 1 {
			sequences++
			if next.reached {
				wins++
			}
			continue
		}
		s, w := perft(&next, depth-1)
		sequences += s
		wins += w
	}
	return sequences, wins
}

// The numbers were counted by two independent programs.
func TestPerft(t *testing.T) {
	wantWins := []int{0, 0, 54, 1350, 16280}
	gametest.Perft(t, []int{102, 1150, 11182, 105024, 901002, 7399896}, func(depth int) int {
		sequences, wins := perft(newBoard(), depth)
		if depth <= len(wantWins) && wins != wantWins[depth-1] {
			t.Errorf("depth %d: %d wins, want %d", depth, wins, wantWins[depth-1])
		}
		return sequences
	})
}

func TestRandomGamesFollowAnIndependentGenerator(t *testing.T) {
	t.Parallel()
	games := gametest.Fewer(5000)
	r := driver.NewRand(1, 0)
	plies, blackWins, deadlocks, zero := 0, 0, 0, 0
	for range games {
		b, k := newBoard(), newSlow()
		for !b.over() {
			got, want := texts(b), k.moves()
			if !slices.Equal(got, want) {
				t.Fatalf("after %v: legal moves %v, want %v", k.played, got, want)
			}
			line := got[r.Intn(len(got))]
			if (line[:2] == line[2:]) != b.blocked() {
				t.Fatalf("after %v: blocked %v, want %v at move %s", k.played, b.blocked(), !b.blocked(), line)
			}
			if b.blocked() {
				zero++
			}
			m, ok := b.find(line)
			if !ok {
				t.Fatalf("after %v: %s is not found, want a legal move", k.played, line)
			}
			b.play(m)
			k.play(line)
			plies++
			if occupied := k.occupied(); b.occupied != occupied {
				t.Fatalf("after %v: towers on %x, want %x", k.played, b.occupied, occupied)
			}
			loser, over := k.loser()
			if over != b.over() || over && loser != b.side {
				t.Fatalf("after %v: over %v, loser %d, want %v, %d", k.played, b.over(), b.side, over, loser)
			}
		}
		if b.side == white {
			blackWins++
		}
		if !b.reached {
			deadlocks++
		}
	}
	t.Logf("%d random games: %.2f plies a game, %d of distance zero, black won %d, %d deadlocks",
		games, float64(plies)/float64(games), zero, blackWins, deadlocks)
	if deadlocks == 0 || zero == 0 {
		t.Errorf("%d deadlocks and %d moves of distance zero, want some of both", deadlocks, zero)
	}
}

func BenchmarkPerft(b *testing.B) {
	sequences := 0
	for b.Loop() {
		n, _ := perft(newBoard(), 5)
		sequences += n
	}
	b.ReportMetric(float64(sequences)/b.Elapsed().Seconds(), "nodes/s")
}
