//go:build unix

package faults

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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

// onDisk returns the words to put before a command, for which the folder is then a
// separate file system, a tmpfs with the given options. It skips the test if the user
// is not allowed to mount one.
func onDisk(t *testing.T, folder, options string) []string {
	t.Helper()
	script := fmt.Sprintf(`mount -t tmpfs -o %s none "$0" && exec "$@"`, options)
	words := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, folder}
	if out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("users cannot mount file systems here: %v\n%s", err, out)
	}
	return words
}

// TestDiskThatFailsLosesNoRecord ends matches while their records cannot be written:
// the matches continue, the result has that as its reason, and the records are
// written when the fault is gone.
func TestDiskThatFailsLosesNoRecord(t *testing.T) {
	t.Parallel()
	config := "plugins: {folders: [" + programs.Plugins + "]}\n"
	tests := []struct {
		name string
		// start starts a host. root is its root folder, if that is not the root of the test.
		start func(t *testing.T) (h *programs.Host, root string)
		// cause causes the fault, and repair ends it.
		cause func(t *testing.T, h *programs.Host, root string) (repair func())
		log   string
	}{
		{
			"full",
			func(t *testing.T) (*programs.Host, string) {
				data := t.TempDir()
				h := programs.StartHostIn(t, onDisk(t, data, "size=2m"), data, config)
				return h, fmt.Sprintf("/proc/%d/root", h.Cmd.Process.Pid)
			},
			func(t *testing.T, h *programs.Host, root string) func() {
				name := filepath.Join(root, h.Data, "something-else")
				f, err := os.Create(name)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if n, err := io.Copy(f, rand.NewChaCha8([32]byte{})); !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("got %v after %d bytes, want a full disk", err, n)
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
			func(t *testing.T) (*programs.Host, string) { return programs.StartHostWith(t, t.TempDir(), config), "" },
			func(t *testing.T, h *programs.Host, root string) func() {
				db := database(t, h, root)
				if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
					t.Fatal(err)
				}
				return func() { db.Close() } // rolls back
			},
			"another program keeps the file locked",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, root := tt.start(t)
			if err := h.Duel(10); err != nil {
				t.Fatal(err)
			}
			// One match begins before the fault, and one begins and ends during it.
			gate := make(chan struct{})
			var played sync.WaitGroup
			errs := make(chan error, 2)
			if err := h.Prepare(10, gate, &played, errs); err != nil {
				t.Fatal(err)
			}
			mark := h.Mark()
			repair := tt.cause(t, h, root)
			c := h.AgainstBot(t, 10)
			begin := time.Now()
			result, seen, err := c.Roshambo(func(int) string { return "ROCK" })
			if err != nil || result.Aborted || len(seen) != 3+10 || !strings.Contains(result.Reason, "the record of the match is not saved yet") {
				t.Errorf("match during the fault: got %+v after %d lines, %v, want 13 lines and the reason that the record is not saved", result, len(seen), err)
			}
			t.Logf("its players got the result after %v", time.Since(begin))
			h.AwaitAfter(t, mark, tt.log)
			if n := len(h.Records(t)); n != 1 { // records can still be read
				t.Errorf("got %d records, want 1", n)
			}
			close(gate)
			played.Wait()
			close(errs)
			for err := range errs {
				t.Errorf("the match from before the fault: got %v, want no error", err)
			}
			mark = h.Mark()
			repair()
			h.AwaitAfter(t, mark, "wrote the records that were waiting")
			if err := h.Duel(10); err != nil {
				t.Errorf("a match after the fault: got %v, want no error", err)
			}
			records := h.Records(t)
			for id, r := range records {
				if r.State != "finished" {
					t.Errorf("match %s: got the record %+v, want it finished", id, r)
				}
			}
			if len(records) != 4 {
				t.Errorf("got %d records, want 4", len(records))
			}
			var verdict string
			if err := database(t, h, root).QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
				t.Errorf("integrity of the database: got %q, %v, want ok", verdict, err)
			}
			c.Close() // the host would wait for its answer
			h.Stop(t, syscall.SIGTERM)
		})
	}
}

// database opens the records of a host from outside.
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

func TestHostThatCannotWriteItsRecordsReportsThat(t *testing.T) {
	t.Parallel()
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
				t.Errorf("got %v, want exit status 1", err)
			}
			last := strings.TrimSpace(stderr.String())
			last = last[strings.LastIndex(last, "\n")+1:]
			if !strings.HasPrefix(last, "host: ") || !strings.Contains(last, data) || !strings.Contains(last, "read-only file system") || !strings.Contains(last, "open the record of matches") {
				t.Errorf("got %q, want an error that names %s, the record of matches, and the read-only file system", last, data)
			}
		})
	}
}

// At the first start, there is only room for the password and the lock.
func TestHostStartsAfterAFirstStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	words := onDisk(t, data, "size=4k")
	// The second start replaces the shell.
	full := `head -c 4096 /dev/zero >"$0/something-else" && if "$@"; then echo "it started" >&2; exit 1; fi; ` +
		`rm "$0/something-else" && mount -o remount,size=10m none "$0" && exec "$@"`
	h := programs.StartHostIn(t, append(words, "sh", "-c", full, data), data, "plugins: {folders: ["+programs.Plugins+"]}\n")
	h.Await(t, "open the record of matches")
	if err := h.Duel(3); err != nil {
		t.Error(err)
	}
	h.Stop(t, syscall.SIGTERM)
}

func TestFilesOfTheHostArePrivate(t *testing.T) {
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
			t.Errorf("%s: got mode %v, want none for others", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{"colosseum.db", "colosseum.db-wal", "colosseum.db-shm", "colosseum.db.lock", "verification_password"} {
		if !seen[name] {
			t.Errorf("got no file %s, want it", name)
		}
	}
	h.Stop(t, syscall.SIGTERM)
	if log := strings.Join(h.Logged(), "\n"); strings.Contains(log, "is not private") {
		t.Errorf("got a warning about its own files, want none:\n%s", log)
	}
	// A file that others can read keeps its mode, with a warning.
	for path, mode := range map[string]os.FileMode{data: 0o755, filepath.Join(data, "colosseum.db"): 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	h = programs.StartHost(t, data)
	if line := h.Await(t, "the data folder is not private"); !strings.Contains(line, "others can read colosseum.db (mode 0644)") || !strings.Contains(line, "chmod o-rwx "+data) {
		t.Errorf("got %s, want a warning with colosseum.db, its mode and the chmod command", line)
	}
}

// It does not remove the temporary folder of another running host.
func TestNextStartRemovesTheFolderOfAKilledHost(t *testing.T) {
	temporary, err := os.MkdirTemp("", "e2e-") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	t.TempDir() // creates that of the test elsewhere, before TMPDIR is set
	t.Setenv("TMPDIR", temporary)
	left := func() []string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(temporary, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	other := programs.StartHost(t, t.TempDir())
	killed := programs.StartHost(t, t.TempDir())
	killed.Stop(t, syscall.SIGKILL)
	if n := len(left()); n != 2 {
		t.Fatalf("got %q, want 2 folders, of two hosts with one game each", left())
	}
	next := programs.StartHost(t, t.TempDir())
	next.Await(t, "removed temporary folders of a host that was killed")
	if n := len(left()); n != 2 {
		t.Errorf("got %q, want 2 folders, of two hosts with one game each", left())
	}
	if err := other.Duel(3); err != nil {
		t.Errorf("the other host: got %v, want no error", err)
	}
	next.Stop(t, syscall.SIGTERM)
	other.Stop(t, syscall.SIGTERM)
	if n := len(left()); n != 0 {
		t.Errorf("got %q, want nothing left", left())
	}
}
