package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLineIsOneLineWithoutColourInAFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	NewPrinter(f).Line("%s %d", "Reason: a\nb", 7)
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "> Reason: a b 7\n" {
		t.Errorf("printed %q, %v, want one plain line", got, err)
	}
}
