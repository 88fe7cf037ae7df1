package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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

// FuzzClean: nothing that a stranger wrote steers the terminal.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain\n\ttext", "\x1b]0;title\a", "\u009b31m", "\r\n\r", "\xff\x00", "\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q", text, got)
		}
		if again := Clean(got); again != got {
			t.Errorf("%q becomes %q, and that %q", text, got, again)
		}
	})
}
