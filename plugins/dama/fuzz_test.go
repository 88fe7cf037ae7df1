package main

import (
	"strings"
	"testing"
)

// A position that is read, written and read again is the same.
func FuzzParseFEN(f *testing.F) {
	for _, fen := range []string{
		"W:W21-32:B1-12", "B:WKa1,a3:BKh8,h6.", "W:W18,24,K10:B12,16,K22.", "W:W:B", "W:WK:B", "W:Wb2-b4:B", "W:W1,1:B", "W:W0:B33", "W:W1-32:B", "X:W1:B2", "W:W1",
	} {
		f.Add(fen)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range ruleNames() {
			r := rulesNamed(name)
			p, err := ParseFEN(r, text)
			if err != nil {
				continue
			}
			if again, err := ParseFEN(r, p.FEN(r)); err != nil || again != p {
				t.Errorf("%s: %q is read as %+v, but %q as %+v, %v, want the same", name, text, p, p.FEN(r), again, err)
			}
			p.Moves(r, nil)
		}
	})
}

// Every line of a player is a legal move or is refused with a text.
func FuzzLines(f *testing.F) {
	for _, line := range []string{"6A 5B", "6a 5b 4c", "", " ", "6A", "9Z 8Y", "6A  5B ", "6\xff 5B", "3B 1D", "6E 4C 2A", "\t6A \r 5\tB\t"} {
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
				p, err := ParseFEN(r, fen)
				if err != nil {
					t.Fatal(err)
				}
				move, refusal := readClassic(r, &p, line)
				if refusal != "" {
					continue
				}
				words := strings.Fields(strings.NewReplacer("\t", "", "\r", "").Replace(line))
				if path := pathText(&move, classicNames, " "); !strings.EqualFold(strings.Join(words, " "), path) {
					t.Errorf("%s, %s: %q is read as %q, want the same squares", name, fen, line, path)
				}
				next := p
				next.Play(&move) // must not panic
			}
		}
	})
}
