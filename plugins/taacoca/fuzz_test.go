package main

import (
	"slices"
	"testing"
)

// FuzzLines: whatever a player sends is one of the legal moves, or none.
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
			t.Errorf("%q is taken for %q, which is not legal", line, start.Line(m))
		}
		if again, ok := start.Parse(start.Line(m)); !ok || again != m {
			t.Errorf("%q is read as %v, and %q as %v, %v", line, m, start.Line(m), again, ok)
		}
	})
}
