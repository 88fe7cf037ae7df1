package main

import "testing"

func TestLinesOfAPlayer(t *testing.T) {
	tests := []struct {
		name, line string
		want       string // the line that the others receive; empty: illegal
	}{
		{"in the order of the board", "C3 C4 C5 R", "C3 C4 C5 R"},
		{"in another order", "C5 B2 C3 L", "B2 C3 C5 L"},
		{"small letters", "c3 c4 c5 r", "C3 C4 C5 R"},
		{"mixed letters", "c3 C4 c5 L", "C3 C4 C5 L"},
		{"a stone behind another", "B2 C3 A1 R", "A1 B2 C3 R"},
		{"empty", "", ""},
		{"only a direction", "L", ""},
		{"no direction", "C3 C4 C5", ""},
		{"another direction", "C3 C4 C5 U", ""},
		{"direction first", "R C3 C4 C5", ""},
		{"direction twice", "C3 C4 C5 R R", ""},
		{"two stones", "C3 C4 R", ""},
		{"four stones", "B2 C3 C4 C5 L", ""},
		{"the same stone twice", "C3 C3 C4 R", ""},
		{"more spaces", "C3  C4 C5   R", "C3 C4 C5 R"},
		{"a tab", "C3\tC4 C5 R", ""},
		{"commas", "C3,C4,C5,R", ""},
		{"no spaces", "C3C4C5R", ""},
		{"a number of two digits", "C3 C4 C05 R", ""},
		{"a cell right of the row", "A6 C3 C4 R", ""},
		{"a cell left of the row", "A0 C3 C4 R", ""},
		{"a row above the board", "J1 C3 C4 R", ""},
		{"a letter that is not ASCII", "ı1 C3 C4 R", ""},
		{"an empty cell", "C1 C3 C4 R", ""},
		{"an enemy's stone", "G3 C3 C4 R", ""},
		{"an own stone in the way", "B3 C4 C5 L", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, ok := start.Parse(tt.line)
			got := ""
			if ok {
				got = start.Line(m)
			}
			if got != tt.want {
				t.Errorf("%q is read as %q, want %q", tt.line, got, tt.want)
			}
		})
	}
}
