package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScreenReplacesItsLines(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &Screen{f: f, size: func() (int, int, error) { return 10, 4, nil }}
	read := 0
	want := func(what, want string) {
		t.Helper()
		all, err := os.ReadFile(f.Name())
		if got := string(all[read:]); err != nil || got != want {
			t.Errorf("%s: wrote %q, %v, want %q", what, got, err, want)
		}
		read = len(all)
	}
	s.Show("one", "two")
	want("the first lines", "\r\x1b[Jone\ntwo\n")
	s.Show("0123456789", "漢漢漢漢漢漢", "\x1b[2J\nx", "no room")
	want("lines that are too long", "\r\x1b[A\x1b[A\x1b[J01234567…\n漢漢漢漢…\n\\x1b[2J x\n")
	s.Print("stays")
	want("a line above", "\r"+strings.Repeat("\x1b[A", 3)+"\x1b[Jstays\n")
	s.Show("one")
	want("lines after it", "\r\x1b[Jone\n")
}

func TestFileIsNotAScreen(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s := NewScreen(f); s != nil {
		t.Errorf("got %v, want nil", s)
	}
}
