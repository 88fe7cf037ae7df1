package main

import (
	"strings"
	"sync"
	"testing"

	"colosseum/sdk/driver"
	"colosseum/sdk/gametest"

	"github.com/corentings/chess/v2"
)

// published has the positions and figures of www.chessprogramming.org/Perft_Results, those
// that do not take long.
var published = []struct {
	name, fen string
	counts    []int
}{
	{"start", usual, []int{20, 400, 8902, 197281, 4865609}},
	{"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", []int{48, 2039, 97862, 4085603}},
	{"position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", []int{14, 191, 2812, 43238, 674624}},
	{"position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", []int{6, 264, 9467, 422333}},
	{"position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", []int{44, 1486, 62379, 2103487}},
	{"position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", []int{46, 2079, 89890, 3894594}},
}

func perft(b *board, depth int) int {
	if depth == 0 {
		return 1
	}
	var buffer [256]move
	total := 0
	var next board // declared inside the loop, it would escape to the heap
	for _, m := range b.moves(b.captures(buffer[:0])) {
		next = *b
		if next.play(m); !next.exposed() {
			total += perft(&next, depth-1)
		}
	}
	return total
}

func TestPerft(t *testing.T) {
	for _, p := range published {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			gametest.Perft(t, p.counts, func(depth int) int { return perft(readBoard(p.fen), depth) })
		})
	}
}

// decoding guards the library's decoder of FEN, which uses a package variable.
var decoding sync.Mutex

func decode(t *testing.T, fen string) *chess.Position {
	decoding.Lock()
	defer decoding.Unlock()
	pos := &chess.Position{}
	if err := pos.UnmarshalText([]byte(fen)); err != nil {
		t.Fatal(err)
	}
	return pos
}

func TestRandomMatchesFollowALibrary(t *testing.T) {
	t.Parallel()
	r := driver.NewRand(1, 0)
	special := map[string]int{}
	for n := range gametest.Fewer(200) {
		start := published[n%len(published)].fen
		g, err := newMatch(start)
		if err != nil {
			t.Fatal(err)
		}
		pos := decode(t, start)
		played := ""
		for plies := 0; g.draw(5, 75) == (drawn{}) && len(g.legal) > 0 && plies < 150; plies++ {
			theirs := map[string]*chess.Move{}
			for _, m := range pos.ValidMoves() {
				theirs[m.String()] = &m
			}
			for _, m := range g.legal {
				if theirs[m.uci()] == nil {
					t.Fatalf("%s after%s: the library has not the legal move %s", start, played, m.uci())
				}
			}
			if len(theirs) != len(g.legal) {
				t.Fatalf("%s after%s: the library has %d legal moves, want %d", start, played, len(theirs), len(g.legal))
			}
			m := g.legal[r.Intn(len(g.legal))]
			w := g.board.words(m)
			if len(w) > 2 {
				special[w[0]]++
			}
			their := theirs[m.uci()]
			if got := their.HasTag(chess.EnPassant); got != (w[0] == "enpassant") {
				t.Fatalf("%s after%s: en passant is %v of %v in the library", start, played, got, w)
			}
			if got := their.HasTag(chess.KingSideCastle) || their.HasTag(chess.QueenSideCastle); got != (w[0] == "castle") {
				t.Fatalf("%s after%s: castling is %v of %v in the library", start, played, got, w)
			}
			played += " " + m.uci()
			g.play(m)
			pos = pos.Update(their)
			if again := readBoard(pos.String()); *again != g.board {
				t.Fatalf("%s after%s: got\n%+v\nwant that of the library\n%+v", start, played, g.board, *again)
			}
			if fields := strings.Fields(pos.String()); g.board.fen() != fields[0] {
				t.Fatalf("%s after%s: got %s, want that of the library, %s", start, played, g.board.fen(), fields[0])
			}
		}
		if g.mated() != (pos.Status() == chess.Checkmate) {
			t.Fatalf("%s after%s: mated is %v, the library has %v", start, played, g.mated(), pos.Status())
		}
	}
	for _, kind := range []string{"castle", "enpassant", "promote"} {
		if special[kind] == 0 && gametest.Fewer(100) == 100 {
			t.Errorf("the matches had no move %s, want some", kind)
		}
	}
}

func BenchmarkPerft(b *testing.B) {
	n := 0
	for b.Loop() {
		n += perft(readBoard(usual), 4)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
}
