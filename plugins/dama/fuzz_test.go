package main

import (
	"strings"
	"testing"
)

// Every line of a player is a legal move or is refused with a text.
func FuzzLines(f *testing.F) {
	for _, line := range []string{"6A 5B", "6a 5b 4c", "", " ", "6A", "9Z 8Y", "6A  5B ", "6\xff 5B", "3B 1D", "6E 4C 2A", "\t6A \r 5\tB\t", "10A 9B", "11A 10B", "1J 2I", "010A 9B"} {
		f.Add(line)
	}
	positions := []string{"W:W21-32:B1-12", "W:WKe3,c3:Bd4,Kb4,f2,h6", "B:WKe3,c3:Bd4,Kb4,f2,h6"}
	f.Fuzz(func(t *testing.T, line string) {
		for _, name := range ruleNames() {
			r := rulesNamed(name)
			if r == &damath {
				continue // its referee compares lines with the legal ones
			}
			for _, fen := range positions {
				p := mustFEN(t, r, fen)
				move := readClassic(r.Board, p.Moves(r, nil), line)
				if move == nil {
					whyNot(r, &p, line) // must not panic
					continue
				}
				words := strings.Fields(strings.NewReplacer("\t", "", "\r", "").Replace(line))
				if path := pathText(move, &r.Board.names, " "); !strings.EqualFold(strings.Join(words, " "), path) {
					t.Errorf("%s, %s: %q is read as %q, want the same squares", name, fen, line, path)
				}
				next := p
				next.Play(move) // must not panic
			}
		}
	})
}
