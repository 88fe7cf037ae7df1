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
		{"line of Windows", "a\r\nb\r\r\n", "a\nb\\x0d\n"},
		{"DEL", "a\x7f", `a\x7f`},
		{"eight-bit control", "\u009b2J", `\u009b2J`},
		{"next line", "a\u0085b", `a\u0085b`},
		{"right-to-left override", "a\u202eb", `a\u202eb`},
		{"embedded directions", "\u202aa\u202bb\u202cc\u202dd", `\u202aa\u202bb\u202cc\u202dd`},
		{"isolates", "\u2066a\u2067b\u2068c\u2069", `\u2066a\u2067b\u2068c\u2069`},
		{"direction marks", "\u200ea\u200fb\u061cc", `\u200ea\u200fb\u061cc`},
		{"line and paragraph separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"characters without width", "a\u200bb\u200cc\u200dd\u2060e\ufefff", `a\u200bb\u200cc\u200dd\u2060e\ufefff`},
		{"soft hyphen", "a\u00adb", `a\u00adb`},
		{"grapheme joiner", "a\u034fb", `a\u034fb`},
		{"fillers", "\u115f\u1160\u3164\uffa0", `\u115f\u1160\u3164\uffa0`},
		{"tags", "a\U000e0041\U000e007f", `a\U000e0041\U000e007f`},
		{"variation selectors", "a\ufe00\U000e0100", `a\ufe00\U000e0100`},
		{"an emoji", "❤\ufe0f", "❤\ufe0f"},
		{"invalid UTF-8", "a\xffb", `a\xffb`},
		{"a surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.text); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// FuzzClean: no text controls the terminal.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain\n\ttext", "\x1b]0;title\a", "\u009b31m", "\r\n\r", "\xff\x00", "\u202e", "\U000e0041", "a\u2028b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) }); i >= 0 || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, want it without control characters", text, got)
		}
		if again := Clean(got); again != got {
			t.Errorf("%q becomes %q and that %q, want no second change", text, got, again)
		}
		for size := 1; size <= 3; size++ {
			var c Cleaner
			var pieces []byte
			for i := 0; i < len(text); i += size {
				pieces = append(pieces, c.Clean([]byte(text[i:min(i+size, len(text))]))...)
			}
			if whole := string(pieces) + Clean(string(c.rest)); whole != got {
				t.Errorf("in pieces of %d bytes %q becomes %q, want %q", size, text, whole, got)
			}
		}
	})
}
