package faults

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"colosseum/e2e/internal/programs"
)

// onDisk returns the words before a command that give it a file system of its
// own in a folder, with the given options of tmpfs. The test is skipped where
// that takes more rights than it has.
func onDisk(t *testing.T, folder, options string) []string {
	t.Helper()
	script := fmt.Sprintf(`mount -t tmpfs -o %s none "$0" && exec "$@"`, options)
	words := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, folder}
	if out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this system lets nobody mount a file system of his own: %v\n%s", err, out)
	}
	return words
}

// TestDiskThatFailsLosesNoRecord lets matches end while the disk does not take
// their records: they go on, their players are told, and the records are
// written when the disk takes them again.
func TestDiskThatFailsLosesNoRecord(t *testing.T) {
	config := "plugins: {folders: [" + programs.Plugins + "]}\n"
	tests := []struct {
		name  string
		start func(t *testing.T) *programs.Host
		// spoil makes the fault, which lasts until mend. Files are found under
		// root.
		spoil func(t *testing.T, h *programs.Host, root string) (mend func())
		log   string
	}{
		{
			"full",
			func(t *testing.T) *programs.Host {
				data := t.TempDir()
				return programs.StartHostIn(t, onDisk(t, data, "size=2m"), data, config)
			},
			func(t *testing.T, h *programs.Host, root string) func() {
				name := filepath.Join(root, h.Data, "something-else")
				f, err := os.Create(name)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if n, err := io.Copy(f, endless{}); !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("the disk took %d bytes: %v", n, err)
				}
				return func() {
					if err := os.Remove(name); err != nil {
						t.Fatal(err)
					}
				}
			},
			"the disk is full",
		},
		{
			"locked by another program",
			func(t *testing.T) *programs.Host { return programs.StartHostWith(t, t.TempDir(), config) },
			func(t *testing.T, h *programs.Host, root string) func() {
				db := database(t, h, root)
				if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
					t.Fatal(err)
				}
				return func() { db.Close() } // which rolls back
			},
			"another program keeps the file locked",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := tt.start(t)
			root := fmt.Sprintf("/proc/%d/root", h.Cmd.Process.Pid)
			if err := h.Duel(10); err != nil {
				t.Fatal(err)
			}
			// One match begins before the fault, one begins and ends in it.
			gate := make(chan struct{})
			var played sync.WaitGroup
			errs := make(chan error, 2)
			if err := h.Prepare(10, gate, &played, errs); err != nil {
				t.Fatal(err)
			}
			mark := h.Mark()
			mend := tt.spoil(t, h, root)
			c := h.Versus(t, 10)
			begin := time.Now()
			result, seen, err := c.Roshambo(func(int) string { return "ROCK" })
			if err != nil || result.Aborted || len(seen) != 3+10 || !strings.Contains(result.Reason, "the record of the match is not saved yet") {
				t.Errorf("a match in the fault ended with %+v after %d lines, %v", result, len(seen), err)
			}
			t.Logf("its players were told after %v", time.Since(begin))
			h.AwaitAfter(t, mark, tt.log)
			if n := len(h.Records(t)); n != 1 { // what is there can be read
				t.Errorf("there are %d records", n)
			}
			close(gate)
			played.Wait()
			close(errs)
			for err := range errs {
				t.Errorf("the match that had begun before: %v", err)
			}
			mark = h.Mark()
			mend()
			h.AwaitAfter(t, mark, "wrote the records that were waiting")
			if err := h.Duel(10); err != nil {
				t.Errorf("a match after the fault: %v", err)
			}
			records := h.Records(t)
			for id, r := range records {
				if r.State != "finished" {
					t.Errorf("the record of match %s is %+v", id, r)
				}
			}
			if len(records) != 4 {
				t.Errorf("there are %d records of 4 matches", len(records))
			}
			var verdict string
			if err := database(t, h, root).QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
				t.Errorf("the database: %q, %v", verdict, err)
			}
			h.Stop(t, syscall.SIGTERM)
		})
	}
}

// database opens the records of a host as another program would.
func database(t *testing.T, h *programs.Host, root string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(root, h.Data, "colosseum.db")+"?_pragma=busy_timeout(3600000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// endless is a file without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

func TestHostThatMayNotWriteItsRecordsSaysSo(t *testing.T) {
	for _, config := range []string{"", "verification_password: x\n"} {
		t.Run(config, func(t *testing.T) {
			data := t.TempDir()
			file := filepath.Join(t.TempDir(), "host.yaml")
			if err := os.WriteFile(file, []byte("plugins: {folders: ["+programs.Plugins+"]}\n"+config), 0o600); err != nil {
				t.Fatal(err)
			}
			words := append(onDisk(t, data, "size=1m,ro"), filepath.Join(programs.Bin, "host"), "--config", file, "--listen", "127.0.0.1:0", "--data", data)
			var stderr bytes.Buffer
			cmd := exec.Command(words[0], words[1:]...)
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 1 {
				t.Errorf("it ended with %v", err)
			}
			last := strings.TrimSpace(stderr.String())
			last = last[strings.LastIndex(last, "\n")+1:]
			if !strings.HasPrefix(last, "host: ") || !strings.Contains(last, data) || !strings.Contains(last, "read-only file system") || !strings.Contains(last, "open the record of matches") {
				t.Errorf("it says %q", last)
			}
		})
	}
}

// TestHostThatFoundAFullDiskAtItsFirstStartStartsWhenThereIsRoom makes the first
// start fail where the password, the lock and nothing else can be made.
func TestHostThatFoundAFullDiskAtItsFirstStartStartsWhenThereIsRoom(t *testing.T) {
	data := t.TempDir()
	words := onDisk(t, data, "size=4k")
	// The second start takes the place of the shell.
	full := `head -c 4096 /dev/zero >"$0/something-else" && if "$@"; then echo "it started" >&2; exit 1; fi; ` +
		`rm "$0/something-else" && mount -o remount,size=10m none "$0" && exec "$@"`
	h := programs.StartHostIn(t, append(words, "sh", "-c", full, data), data, "plugins: {folders: ["+programs.Plugins+"]}\n")
	h.Await(t, "open the record of matches")
	if err := h.Duel(3); err != nil {
		t.Error(err)
	}
	h.Stop(t, syscall.SIGTERM)
}

func TestWhatTheHostKeepsIsPrivate(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	data := filepath.Join(t.TempDir(), "new", "data")
	if err := os.Mkdir(filepath.Dir(data), 0o755); err != nil {
		t.Fatal(err)
	}
	h := programs.StartHost(t, data)
	if err := h.Duel(3); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(data, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen[e.Name()] = true
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{"colosseum.db", "colosseum.db-wal", "colosseum.db-shm", "colosseum.db.lock", "verification_password"} {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
	h.Stop(t, syscall.SIGTERM)
	if log := strings.Join(h.Log, "\n"); strings.Contains(log, "is not private") {
		t.Errorf("it warns of its own files:\n%s", log)
	}
	// What somebody has opened stays so, with a warning.
	for path, mode := range map[string]os.FileMode{data: 0o755, filepath.Join(data, "colosseum.db"): 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	h = programs.StartHost(t, data)
	if line := h.Await(t, "the data folder is not private"); !strings.Contains(line, "others can read colosseum.db (mode 0644)") || !strings.Contains(line, "chmod o-rwx "+data) {
		t.Errorf("it warns with %s", line)
	}
}

// TestNextStartRemovesWhatAKilledHostLeft leaves the temporary files of a host
// beside it alone.
func TestNextStartRemovesWhatAKilledHostLeft(t *testing.T) {
	temporary, err := os.MkdirTemp("", "e2e-") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	t.TempDir() // those of the test are elsewhere
	t.Setenv("TMPDIR", temporary)
	left := func() []string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(temporary, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	beside := programs.StartHost(t, t.TempDir())
	killed := programs.StartHost(t, t.TempDir())
	killed.Stop(t, syscall.SIGKILL)
	if n := len(left()); n != 2 {
		t.Fatalf("there are %d folders of two hosts with one game each: %q", n, left())
	}
	next := programs.StartHost(t, t.TempDir())
	next.Await(t, "removed temporary folders of a host that was killed")
	if n := len(left()); n != 2 {
		t.Errorf("there are %d folders of two hosts with one game each: %q", n, left())
	}
	if err := beside.Duel(3); err != nil {
		t.Errorf("a host beside it: %v", err)
	}
	next.Stop(t, syscall.SIGTERM)
	beside.Stop(t, syscall.SIGTERM)
	if n := len(left()); n != 0 {
		t.Errorf("left are %q", left())
	}
}
