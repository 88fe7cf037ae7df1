//go:build unix

package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// shortFolder makes a folder with a short path for temporary files.
func shortFolder(t *testing.T) string {
	t.Helper()
	short, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	t.Setenv("TMPDIR", short)
	return short
}

func TestSocketsFolderHasAShortPathWhereverTemporaryFilesAre(t *testing.T) {
	short := shortFolder(t)
	long := filepath.Join(short, strings.Repeat("x", 60))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for parent, want := range map[string]string{short: short, long: "/tmp"} {
		t.Setenv("TMPDIR", parent)
		s, err := makeSockets()
		if err != nil {
			t.Fatal(err)
		}
		defer s.remove()
		if filepath.Dir(s.path) != want || len(s.path) > maxFolderPath {
			t.Errorf("with TMPDIR=%s the folder is %s, want one in %s", parent, s.path, want)
		}
		if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has the mode %v, error %v, want 0700", s.path, info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(long); err != nil || len(left) > 0 {
		t.Errorf("left in %s: %v, error %v, want nothing", long, left, err)
	}
}

// names lists the files of a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestSweepRemovesTheFoldersOfKilledProcesses(t *testing.T) {
	folder := shortFolder(t)
	for range 3 {
		s, err := makeSockets()
		if err != nil {
			t.Fatal(err)
		}
		inside := filepath.Join(s.path, "plugin-dir1")
		if err := os.Mkdir(inside, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(inside, "plugin1"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = s.lock.Close() // as the system does when a process is killed
	}
	used, err := makeSockets()
	if err != nil {
		t.Fatal(err)
	}
	Sweep() // its number can include folders of other processes in /tmp
	if got, want := names(t, folder), []string{filepath.Base(used.path)}; !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
	used.remove()
	if got := names(t, folder); len(got) != 0 {
		t.Errorf("left are %q after the last was removed, want nothing", got)
	}
}

func TestSweepSkipsAllOtherFiles(t *testing.T) {
	folder := shortFolder(t)
	kept := t.TempDir() // the target of a link
	path := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"colosseum-game-", "colosseum-game-1x", "colosseum-game-x1", "colosseum-1", "xcolosseum-game-1", "other"} {
		if err := os.Mkdir(path(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path("colosseum-game-2"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, path("colosseum-game-3")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path("colosseum-game-4"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path("colosseum-game-5"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path("colosseum-game-5"), 12345, -1); err != nil { // only root can
		if err := os.Remove(path("colosseum-game-5")); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, folder)
	Sweep()
	if got := names(t, folder); !slices.Equal(got, before) {
		t.Errorf("left are %q, want %q", got, before)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the target of a link: %v, want it to exist", err)
	}
}

// Many processes can start at the same time.
func TestSweepsNeverRemoveANewFolder(t *testing.T) {
	folder := shortFolder(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				Sweep()
			}
		})
		all.Go(func() {
			for range 50 {
				s, err := makeSockets()
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(s.path, "socket"), nil, 0o600); err != nil {
					t.Errorf("got %v, want the folder to exist", err)
				}
				s.remove()
			}
		})
	}
	all.Wait()
	if got := names(t, folder); len(got) != 0 {
		t.Errorf("left are %q, want nothing", got)
	}
}
