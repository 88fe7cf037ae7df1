//go:build unix

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesInThePrivateFolderAreLimited(t *testing.T) {
	dir := t.TempDir()
	check := func(temporary int64, want string) {
		t.Helper()
		got := ""
		if err := excess(os.Getpid(), dir, temporary); err != nil {
			got = err.Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(0, "")
	if err := os.Mkdir(filepath.Join(dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "below", "file"), make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	check(100, "")
	check(99, "more than 99 bytes")
	for i := range maxEntries {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check(100, "more than 1000 files")
}

func TestGameThatExceedsALimitIsKilled(t *testing.T) {
	s := newStarter(t, "parity")
	s.confine()
	g := s.start()
	m := s.open(g)
	if err := os.WriteFile(filepath.Join(g.sockets.path, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err, want := m.loss(t), "the game has stopped: its files in its private folder have more than 0 bytes"; err.Error() != want {
		t.Errorf("the match got %v, want %s", err, want)
	}
	<-g.Done()
}
