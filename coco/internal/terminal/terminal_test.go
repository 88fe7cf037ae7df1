package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCleanTextCannotSteerTheTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n",
		"\x1b[2J":       "\ufffd[2J",
		"a\rb\r\nc":     "a\ufffdb\nc",
		"\u009b1mü":     "\ufffd1mü",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestLineIsOneLineWithoutColourInAFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	NewPrinter(f).Line("%s %d", "Reason: a\nb", 7)
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "> Reason: a b 7\n" {
		t.Errorf("printed %q, %v", got, err)
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
