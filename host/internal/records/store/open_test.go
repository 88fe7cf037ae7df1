package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAReaderCanRunNextToTheHost(t *testing.T) {
	s, path, _ := openTemp(t)
	r, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	finish(t, s, sample("ID"))
	wantRecord(t, r, sample("ID"))
	if _, err := r.db.Exec("DELETE FROM matches"); err == nil {
		t.Error("DELETE by a reader: got nil, want an error")
	}
	s.Close()
	wantRecord(t, r, sample("ID"))
	r.Close()

	if r, err = OpenReader(context.Background(), path); err != nil {
		t.Fatalf("OpenReader without a host: got %v, want nil", err)
	}
	defer r.Close()
	wantRecord(t, r, sample("ID"))
	missing := filepath.Join(t.TempDir(), "missing.db")
	if _, err := OpenReader(context.Background(), missing); err == nil || !strings.Contains(err.Error(), "check that the file exists") {
		t.Errorf("OpenReader of a missing file: got %v, want advice", err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("OpenReader created the file, want none")
	}
}

func TestEveryCommitWaitsForTheDisk(t *testing.T) {
	s, _, _ := openTemp(t)
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "fullfsync": "1"} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", pragma, got, err, want)
		}
	}
}

func TestThePathCanHaveAnyCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?mode=memory&c%41#d", "ré:cord.db")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path, new(bytes.Buffer))
	finish(t, s, sample("ID"))
	wantRecord(t, s.Reader, sample("ID"))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestAFileThatIsNoRecordIsRefusedAndNotChanged(t *testing.T) {
	// ours writes a record, and then changes it with the SQL of spoil.
	ours := func(t *testing.T, path string, spoil string) {
		s := reopen(t, path, new(bytes.Buffer))
		finish(t, s, sample("ID"))
		s.Close()
		execute(t, path, spoil)
	}
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"text", func(t *testing.T, path string) { write(t, path, []byte("these are notes")) }, "not an SQLite database"},
		{"bytes", func(t *testing.T, path string) { write(t, path, noise(10000)) }, "not an SQLite database"},
		{"database of another program", func(t *testing.T, path string) {
			execute(t, path, "CREATE TABLE matches (id TEXT); PRAGMA application_id = 77")
		}, "not a record of matches"},
		{"database without a mark", func(t *testing.T, path string) { execute(t, path, "CREATE TABLE t (id TEXT)") }, "not a record of matches"},
		{"newer version", func(t *testing.T, path string) {
			ours(t, path, "PRAGMA user_version = 99")
		}, "a newer host wrote it (its schema has version 99, this host supports up to "},
		{"damaged", func(t *testing.T, path string) {
			ours(t, path, "")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, append(b[:4096], noise(len(b)-4096)...))
		}, "the file is damaged"},
		{"folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "unable to open"},
		{"missing folder", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, "folder must exist"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "record.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := Open(context.Background(), path, slog.New(slog.DiscardHandler))
			if err == nil {
				s.Close()
				t.Fatal("got no error, want one")
			}
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got the error %q, want the path and %q", err, tt.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed, want it untouched")
			}
		})
	}
}

func TestADamagedMatchDoesNotHideTheOthers(t *testing.T) {
	s, path, log := openTemp(t)
	finish(t, s, sample("GOOD"))
	for _, column := range []string{"args", "params", "seats", "fixture", "answers", "stream"} {
		finish(t, s, sample(column))
		s.db.Exec(fmt.Sprintf("UPDATE matches SET %s = '{' WHERE id = '%[1]s'", column)) // refused for a BLOB
		s.db.Exec(fmt.Sprintf("UPDATE matches SET %s = x'7b' WHERE id = '%[1]s'", column))
		_, err := s.Get(context.Background(), column)
		if err == nil || !strings.Contains(err.Error(), column+":") || !strings.Contains(err.Error(), path) {
			t.Errorf("damaged %s: got %v, want an error about it", column, err)
		}
	}
	wantRecord(t, s.Reader, sample("GOOD"))
	if ids, err := s.List(context.Background(), 10); len(ids) != 7 || err != nil {
		t.Errorf("listed %q, error %v, want 7 matches", ids, err)
	}
	if log.String() != "" {
		t.Errorf("got log %s, want nothing", log)
	}
}

func execute(t *testing.T, where, query string) {
	t.Helper()
	if _, err := connectTo(t, where).Exec(query); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}
