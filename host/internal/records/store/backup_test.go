package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/sqlite"
)

// names returns the names of the files in a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// big returns a record that fills many pages.
func big(id string) *record.Match {
	r := sample(id)
	r.Stream = append(noise(64<<10), id...)
	return r
}

func TestABackupHasWhatWasCommittedWhenItBegan(t *testing.T) {
	s, path, _ := openTemp(t)
	for i := range 60 {
		finish(t, s, big(fmt.Sprint("BEFORE", i)))
	}
	s.Begin(sample("RUNNING"))
	finish(t, s, sample("LAST"))
	if err := s.Players().Add(t.Context(), []NewPlayer{{Name: "Ann", Token: Secret{1}}}, nil); err != nil {
		t.Fatal(err)
	}

	to := filepath.Join(t.TempDir(), "copy.db")
	steps, last := 0, sqlite.BackupProgress{}
	report := func(p sqlite.BackupProgress) {
		if p.Checking {
			return
		}
		// Each step is between commits that change old and new pages. If they
		// restarted the backup, it would not end.
		steps++
		finish(t, s, big(fmt.Sprint("DURING", steps)))
		finish(t, s, sample("RUNNING"))
		if p.Copied <= last.Copied || p.Copied > p.Total {
			t.Errorf("got progress %+v after %+v, want more, and at most all", p, last)
		}
		last = p
	}
	if _, err := sqlite.Backup(t.Context(), path, to, false, report); err != nil {
		t.Fatal(err)
	}
	if steps < 4 || last.Copied != last.Total {
		t.Errorf("got %d steps, the last one %+v, want 4 or more, and all copied", steps, last)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file with mode 0600", info, err)
	}
	if got := names(t, filepath.Dir(to)); len(got) != 1 {
		t.Errorf("got the files %q next to the backup, want none", got)
	}
	if c, err := sqlite.CheckBackup(t.Context(), to); c.Matches != 62 || err != nil {
		t.Errorf("got %d matches, %v, want 62", c.Matches, err)
	}

	restored := reopen(t, to, new(bytes.Buffer))
	ids, err := restored.List(t.Context(), 1000)
	if err != nil || len(ids) != 62 {
		t.Errorf("got %d matches, %v, want 62", len(ids), err)
	}
	for i := range 60 {
		wantRecord(t, restored.Reader, big(fmt.Sprint("BEFORE", i)))
	}
	if r, err := restored.Get(t.Context(), "RUNNING"); err != nil || r.State != record.Aborted {
		t.Errorf("got %+v, %v, want the match that ran as aborted", r, err)
	}
	if token, err := restored.Players().ByToken(t.Context(), Secret{1}); token.Player != "Ann" || err != nil {
		t.Errorf("got the player %q, %v, want Ann", token.Player, err)
	}
	for i := range steps {
		wantRecord(t, s.Reader, big(fmt.Sprint("DURING", i+1)))
	}
}

func TestABackupThatFailsLeavesNothing(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(t *testing.T, s *Store, path, to string) (from, target string, replace bool)
		want    string
	}{
		{"the file exists", func(t *testing.T, _ *Store, path, to string) (string, string, bool) {
			write(t, to, []byte("precious"))
			return path, to, false
		}, "it exists"},
		{"a folder", func(t *testing.T, _ *Store, path, to string) (string, string, bool) {
			return path, filepath.Dir(to), true
		}, "it is a folder"},
		{"no such folder", func(t *testing.T, _ *Store, path, to string) (string, string, bool) {
			return path, filepath.Join(to, "copy.db"), false
		}, "no such file or directory"},
		{"the records themselves", func(t *testing.T, _ *Store, path, _ string) (string, string, bool) { return path, path, true }, "it belongs to the host"},
		{"their log", func(t *testing.T, _ *Store, path, _ string) (string, string, bool) { return path, path + "-wal", true }, "it belongs to the host"},
		{"a hard link to the records", func(t *testing.T, _ *Store, path, to string) (string, string, bool) {
			if err := os.Link(path, to); err != nil {
				t.Fatal(err)
			}
			return path, to, true
		}, "it belongs to the host"},
		{"no records", func(t *testing.T, _ *Store, path, to string) (string, string, bool) {
			return filepath.Join(filepath.Dir(path), "other.db"), to, false
		}, "check that the file exists"},
		{"another program's file", func(t *testing.T, _ *Store, path, to string) (string, string, bool) {
			other := filepath.Join(filepath.Dir(path), "other.db")
			execute(t, other, "CREATE TABLE notes (text TEXT)")
			return other, to, false
		}, "not a record of matches"},
		{"damaged records", func(t *testing.T, s *Store, path, to string) (string, string, bool) {
			for i := range 20 {
				finish(t, s, big(fmt.Sprint(i)))
			}
			s.Close()
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, _ := f.Stat()
			for at := int64(64 << 10); at+4096 <= info.Size(); at += 64 << 10 {
				if _, err := f.WriteAt(noise(4096), at); err != nil {
					t.Fatal(err)
				}
			}
			return path, to, false
		}, "damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, path, _ := openTemp(t)
			finish(t, s, sample("ID"))
			from, to, replace := tt.prepare(t, s, path, filepath.Join(t.TempDir(), "copy.db"))
			before, _ := os.ReadFile(to)
			_, err := sqlite.Backup(t.Context(), from, to, replace, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
			if after, _ := os.ReadFile(to); !bytes.Equal(before, after) {
				t.Errorf("got another content of %s, want it unchanged", to)
			}
			for _, folder := range []string{filepath.Dir(from), filepath.Dir(to)} {
				if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) > 0 {
					t.Errorf("got the files %q, want none", left)
				}
			}
		})
	}
}

func TestABackupThatIsCancelledLeavesNothing(t *testing.T) {
	s, path, _ := openTemp(t)
	for i := range 60 {
		finish(t, s, big(fmt.Sprint(i)))
	}
	folder := t.TempDir()
	for _, when := range []string{"while it copies", "before it checks"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := sqlite.Backup(ctx, path, filepath.Join(folder, "copy.db"), false, func(p sqlite.BackupProgress) {
			if p.Checking == (when == "before it checks") {
				cancel()
			}
		})
		if err == nil || ctx.Err() == nil {
			t.Errorf("%s: got %v, want an error", when, err)
		}
		if got := names(t, folder); len(got) > 0 {
			t.Errorf("%s: got the files %q, want none", when, got)
		}
	}
}

func TestABackupReplacesAFileOnlyOnRequest(t *testing.T) {
	s, path, _ := openTemp(t)
	finish(t, s, sample("ID"))
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(to, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Backup(t.Context(), path, to, false, nil); !errors.Is(err, sqlite.ErrExists) {
		t.Errorf("got %v, want sqlite.ErrExists", err)
	}
	if _, err := sqlite.Backup(t.Context(), path, to, true, nil); err != nil {
		t.Errorf("with replace: got %v, want nil", err)
	}
	if c, err := sqlite.CheckBackup(t.Context(), to); c.Matches != 1 || err != nil {
		t.Errorf("got %d matches, %v, want 1", c.Matches, err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 0600", info, err)
	}
}
