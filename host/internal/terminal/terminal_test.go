package terminal

import (
	"strings"
	"testing"
)

func TestControlCharactersAreShown(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "a\tb\nü – 漢", "a\tb\nü – 漢"},
		{"escape sequence", "\x1b[2J\x07", `\x1b[2J\x07`},
		{"carriage return", "a\rb", `a\x0db`},
		{"eight-bit control", "\u009b2J", `\u009b2J`},
		{"text that runs backwards", "a\u202eb", `a\u202eb`},
		{"no UTF-8", "a\xffb", `a\xffb`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.text); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestTableKeepsItsShape(t *testing.T) {
	got := Table([]string{"name", "p50"}, [][]string{{"evil\n\x1b[2J", "1 ms"}})
	if lines := strings.Split(got, "\n"); len(lines) != 5 || !strings.Contains(lines[1], "name") || !strings.Contains(lines[3], `evil \x1b[2J`) {
		t.Errorf("the table is\n%s", got)
	}
}
