package driver

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNotesAreCleanAndBounded(t *testing.T) {
	long := strings.Repeat("x", MaxNote-1)
	for _, tt := range []struct{ name, text, want string }{
		{"a line", "depth 9, value +1.2", "depth 9, value +1.2"},
		{"spaces at the ends", " \n depth 9\t\n", "depth 9"},
		{"tabs and lines inside", "a\tb\nc", "a\tb\nc"},
		{"control characters", "a\x1b[2Jb\r\x00\u0085c", "a\ufffd[2Jb\ufffd\ufffd\ufffdc"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"empty", "", ""},
		{"only spaces", " \n", ""},
		{"the longest", long + "y", long + "y"},
		{"a byte too long", long + "yz", long + "y"},
		{"a character across the limit", long + "è", long},
		{"a space before the limit", long + " y", long},
		{"longer than it is read", long + strings.Repeat("è", 99), long},
	} {
		if got := CleanNote(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzCleanNote(f *testing.F) {
	for _, text := range []string{"", "depth 9", "\x00\xff", strings.Repeat("\x01", 2000), strings.Repeat("è ", 600)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		note := CleanNote(text)
		if len(note) > MaxNote || !utf8.ValidString(note) || CleanNote(note) != note {
			t.Errorf("got %q for %q: it has %d bytes, and becomes %q when it is cleaned again", note, text, len(note), CleanNote(note))
		}
	})
}
