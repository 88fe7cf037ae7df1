//go:build unix

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"colosseum/host/internal/games/sandbox"
	"colosseum/internal/test/poll"
)

func TestFilesInThePrivateFolderAreLimited(t *testing.T) {
	dir := t.TempDir()
	check := func(temporary int64, want string) {
		t.Helper()
		got := ""
		if err := excess(os.Getpid(), sandbox.Policy{Write: dir, FileBytes: temporary}); err != nil {
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

func TestFilesInDeepFoldersAreNotHidden(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := strings.Repeat("x", 250)
	at := root
	for range 20 { // as a game can, folder by folder, to a path of more than 4096 bytes
		if err := at.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		if at, err = at.OpenRoot(name); err != nil {
			t.Fatal(err)
		}
		defer at.Close()
	}
	err = excess(os.Getpid(), sandbox.Policy{Write: dir, FileBytes: 1 << 40})
	if want := "its private folder can't be read"; err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 {
		t.Errorf("got %v, want a short error with %q", err, want)
	}
}

func TestGameThatExceedsALimitWhileItStartsIsKilled(t *testing.T) {
	s := newStarter(t, "hang")
	s.confine()
	written := make(chan error, 1)
	go func() { // ends when the game has its folder
		for {
			folders, _ := filepath.Glob(filepath.Join(s.sockets, socketPrefix+"*"))
			if len(folders) == 1 {
				written <- os.WriteFile(filepath.Join(folders[0], "file"), []byte("x"), 0o600)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := Start(t.Context(), s.spec)
	if want := "its files in its private folder have more than 0 bytes"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := poll.Receive(t, "the game has its folder", written); err != nil {
		t.Error(err)
	}
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
	poll.Receive(t, "the game has ended", g.Done())
}
