package main

import (
	"testing"

	"colosseum/sdk/gametest"
)

// perft counts the sequences of moves of a given number of plies. It does not play the
// last moves.
//
// The published figures count captures of the same pieces in another order as
// different moves. They count captures as one that differ only by where a king lands
// between two pieces of one diagonal, and so does perft.
func perft(p *Position, r *Rules, depth int, list []Move) int {
	moves := p.Moves(r, list)
	nodes := 0
	for i := len(list); i < len(moves); i++ {
		switch m := &moves[i]; {
		case m.Len > 2 && r.Flying && landsFar(m):
		case depth == 1:
			nodes++
		default:
			next := *p
			next.Play(m)
			nodes += perft(&next, r, depth-1, moves)
		}
	}
	return nodes
}

// landsFar reports whether a king continues in the same direction after a landing that
// was not directly behind the piece it took.
func landsFar(m *Move) bool {
	for i := 2; i < int(m.Len); i++ {
		a, b, c := int(m.Path[i-2]), int(m.Path[i-1]), int(m.Path[i])
		straight := (rowOf(b) > rowOf(a)) == (rowOf(c) > rowOf(b)) && (colOf(b) > colOf(a)) == (colOf(c) > colOf(b))
		behind := jumped(m.Taken, b, a) // seen from the landing
		if straight && rowOf(b)-rowOf(behind) != 1 && rowOf(behind)-rowOf(b) != 1 {
			return true
		}
	}
	return false
}

func countPerft(p Position, r *Rules, depth int) int {
	return perft(&p, r, depth, make([]Move, 0, 1024))
}

func TestPerftFromTheStartIsAsPublished(t *testing.T) {
	// Rein Halbersma, "Perft for all recognized draughts variants" (2010);
	// english from depth 8: Aart Bik, "perft for 8x8 checkers" (2009). There are no
	// published figures for classic, the original server's rules, and damath: these
	// were counted by two independent programs.
	tests := []struct {
		rules string
		want  []int
	}{
		{"classic", []int{7, 49, 379, 2872, 23582, 190647}},
		{"italian", []int{7, 49, 302, 1469, 7361, 36473, 177532}},
		{"english", []int{7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564}},
		{"russian", []int{7, 49, 302, 1469, 7482, 37986, 190146}},
		{"brazilian", []int{7, 49, 302, 1469, 7473, 37628, 187302}},
		{"spanish", []int{7, 49, 302, 1469, 7361, 36473, 177532}},
		{"damath", []int{7, 49, 302, 1469, 7473, 37628}},
	}
	for _, tt := range tests {
		t.Run(tt.rules, func(t *testing.T) {
			gametest.Perft(t, tt.want, func(depth int) int { return countPerft(start, rulesNamed(tt.rules), depth) })
		})
	}
}

func TestPerftCountsLandingsOnOneDiagonalOnce(t *testing.T) {
	// The king takes b2 and f6 and can land on c3, d4 or e5 in between.
	r := rulesNamed("russian")
	p := parseFEN(t, r, "W:WKa1:Bb2,f6")
	if got, want := len(p.Moves(r, nil)), 6; got != want {
		t.Errorf("%d paths, want %d", got, want)
	}
	if got, want := countPerft(p, r, 1), 2; got != want {
		t.Errorf("perft(1) = %d, want %d", got, want)
	}
}

func BenchmarkPerft(b *testing.B) {
	for _, r := range allRules {
		b.Run(r.Name, func(b *testing.B) {
			nodes := 0
			for b.Loop() {
				nodes += countPerft(start, r, 7)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
	b.Run("kings", func(b *testing.B) {
		r := rulesNamed("russian")
		p := parseFEN(b, r, "W:WK29,K30,K31:BK1,K2,K4,12")
		nodes := 0
		for b.Loop() {
			nodes += countPerft(p, r, 4)
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}
