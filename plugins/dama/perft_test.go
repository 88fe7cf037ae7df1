package main

import (
	"slices"
	"testing"

	"colosseum/sdk/gametest"
)

// perft counts the sequences of moves of a given number of plies. It does not play the
// last moves.
//
// The published figures for the smaller board count captures of the same pieces in
// another order as different moves. They count captures as one that differ only by where
// a king lands between two pieces of one diagonal, and so does perft. Those for the
// larger board count captures of the same pieces between the same squares as one.
func perft(p *Position, r *Rules, depth int, list []Move) int {
	moves := p.Moves(r, list)
	nodes := 0
	for i := len(list); i < len(moves); i++ {
		switch m := &moves[i]; {
		case r.Board == board10 && m.Len > 2 && sameIn(moves[len(list):i], m):
		case r.Board == board8 && m.Len > 2 && r.Flying && landsFar(m):
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

// sameIn reports whether a list has a move of the same piece to the same square that
// captures the same pieces.
func sameIn(list []Move, m *Move) bool {
	return slices.ContainsFunc(list, func(o Move) bool { return o.Taken == m.Taken && o.From() == m.From() && o.To() == m.To() })
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
	// english from depth 8: Aart Bik, "perft for 8x8 checkers" (2009); international:
	// his "BikDam: international checkers" (2012). There are no
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
		{"international", []int{9, 81, 658, 4265, 27117, 167140, 1049442, 6483961}},
		{"damath", []int{7, 49, 302, 1469, 7473, 37628}},
	}
	for _, tt := range tests {
		t.Run(tt.rules, func(t *testing.T) {
			gametest.Perft(t, tt.want, func(depth int) int { return countPerft(rulesNamed(tt.rules).Board.start, rulesNamed(tt.rules), depth) })
		})
	}
}

// The positions and figures of international draughts that the authors of draughts
// programs compare: forum of the FMJD, thread 2308, as in the tests of Rein Halbersma's
// dctl; the last two as in those of ggplib.
func TestPerftOfInternationalPositionsIsAsPublished(t *testing.T) {
	tests := []struct {
		name, fen string
		want      []int
	}{
		{"random 178", "B:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46:BK17,K24", []int{14, 55, 1168, 5432, 87195, 629010, 9041010}},
		{"Woldouby", "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26", []int{6, 12, 30, 73, 215, 590, 1944, 6269, 22369, 88050, 377436, 1910989, 9872645}},
		{"all kings", "W:WK31-50:BK1-20", []int{17, 79, 352, 1399, 7062, 37589, 217575, 1333217}},
		{"men before the far row", "W:W6-10:B41-45", []int{9, 81, 795, 7578, 86351, 936311, 11448262}},
	}
	r := rulesNamed("international")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := mustFEN(t, r, tt.fen)
			gametest.Perft(t, tt.want, func(depth int) int { return countPerft(p, r, depth) })
		})
	}
}

func TestPerftCountsLandingsOnOneDiagonalOnce(t *testing.T) {
	// The king takes b2 and f6 and can land on c3, d4 or e5 in between.
	r := rulesNamed("russian")
	p := mustFEN(t, r, "W:WKa1:Bb2,f6")
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
				nodes += countPerft(r.Board.start, r, 7)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
	b.Run("kings", func(b *testing.B) {
		r := rulesNamed("russian")
		p := mustFEN(b, r, "W:WK29,K30,K31:BK1,K2,K4,12")
		nodes := 0
		for b.Loop() {
			nodes += countPerft(p, r, 4)
		}
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
	})
}
