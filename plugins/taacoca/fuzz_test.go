package main

import (
	"slices"
	"testing"
)

// Every line of a player is read as a legal move or refused.
func FuzzLines(f *testing.F) {
	for _, line := range []string{"C3 C4 C5 R", "c5 b2 c3 l", "", "L", "C3 C4 R", "C3  C4 C5 R", "J1 C3 C4 R", "ı1 C3 C4 R", "A6 C3 C4 R", "C3 C3 C4 R", "\xff\xff A1 B2 L"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m, ok := start.Parse(line)
		if !ok {
			return
		}
		if !slices.Contains(start.Lines(), start.Line(m)) {
			t.Errorf("%q is read as %q, want a legal move", line, start.Line(m))
		}
		if again, ok := start.Parse(start.Line(m)); !ok || again != m {
			t.Errorf("%q is read as %v, but %q as %v, %v, want the same", line, m, start.Line(m), again, ok)
		}
	})
}
