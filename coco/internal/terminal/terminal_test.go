package terminal

import (
	"os"
	"path/filepath"
	"testing"
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
