package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"colosseum/host/internal/record"
)

// The test binary is also the other process of these tests: the variable
// names what it does with the file in its argument.
const childEnv = "STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "write until killed":
		writeUntilKilled(os.Args[1])
	case "add players":
		addPlayers(os.Args[1])
	case "open":
		_, err := Open(context.Background(), os.Args[1], slog.New(slog.DiscardHandler))
		fmt.Println(err)
	default:
		os.Exit(m.Run())
	}
}

func child(what, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeUntilKilled prints the ID of a match as soon as Finish has returned.
func writeUntilKilled(path string) {
	s, err := Open(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Begin(sample("RUNNING"))
	var wg sync.WaitGroup
	for g := range 20 {
		wg.Go(func() {
			for i := 0; ; i++ {
				r := sample(fmt.Sprintf("%d-%d", g, i))
				s.Begin(r)
				if err := s.Finish(context.Background(), r); err != nil {
					panic(err)
				}
				os.Stdout.WriteString(r.ID + "\n") // unbuffered, one write each
			}
		})
	}
	wg.Wait()
}

func TestAKilledHostLosesNoAcknowledgedMatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.db")
	cmd := child("write until killed", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		acknowledged = append(acknowledged, lines.Text())
		if len(acknowledged) == 1000 {
			cmd.Process.Kill() // and read the rest of its output
		}
	}
	cmd.Wait()
	if len(acknowledged) < 1000 {
		t.Fatalf("the child ended early: got %q, want 1000 IDs", acknowledged)
	}

	log := new(bytes.Buffer)
	s := reopen(t, path, log) // no stale lock
	for _, id := range acknowledged {
		wantRecord(t, s.Reader, sample(id))
	}
	r, err := s.Get(context.Background(), "RUNNING")
	if err != nil || r.State != record.Aborted || r.Reason != "the host stopped during the match" || r.Ended.IsZero() {
		t.Errorf("got %+v, %v, want the running match as aborted", r, err)
	}
	if !strings.Contains(log.String(), "recorded them as aborted") || !strings.Contains(log.String(), "matches=") {
		t.Errorf("got log\n%s\nwant it to report the aborted matches", log)
	}
	var running int
	if err := s.Reader.db.QueryRow("SELECT count(*) FROM matches WHERE state = 'running'").Scan(&running); err != nil || running != 0 {
		t.Errorf("got %d running matches, %v, want 0", running, err)
	}
}

func TestASecondHostOnTheSameFileIsRefused(t *testing.T) {
	s, path, log := openTemp(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path string }{{"same name", path}, {"through a link", link}} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := child("open", tt.path).Output()
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("open the record of matches %s: another host (process %d) is using it", tt.path, os.Getpid())
			if !strings.HasPrefix(string(out), want) {
				t.Errorf("a second process got %q, want %q", out, want)
			}
		})
	}
	if _, err := Open(context.Background(), path, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("opening a second Store: got nil, want an error")
	}
	finish(t, s, sample("ID")) // the first one still works
	s.Close()
	wantRecord(t, reopen(t, path, log).Reader, sample("ID"))
}

func TestOpenExplainsMissingPermissions(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "record.db")
	reopen(t, path, new(bytes.Buffer)).Close()
	tests := []struct {
		name         string
		folder, file os.FileMode
		want         string
	}{
		{"folder", 0o555, 0o666, "the folder must exist and be writable"},
		{"file", 0o777, 0o444, "no permission to write"},
		{"nothing is readable", 0o777, 0o000, "that the host can read and write it"},
		{"everything allowed", 0o777, 0o666, "<nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, left := range []string{".lock", "-wal", "-shm"} { // by the previous case
				os.Remove(path + left)
			}
			for name, mode := range map[string]os.FileMode{path: tt.file, folder: tt.folder} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			defer os.Chmod(folder, 0o777)
			cmd := child("open", path)
			if os.Geteuid() == 0 { // root can write anywhere
				asNobody(t, cmd, folder)
			}
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("got the error %q, want it to contain %q", out, tt.want)
			}
		})
	}
}

// asNobody makes a child run without root's rights, from a copy of the program, and
// makes the folder accessible to it.
func asNobody(t *testing.T, cmd *exec.Cmd, folder string) {
	const nobody = 65534
	dir := t.TempDir()
	for _, private := range []string{filepath.Dir(dir), filepath.Dir(folder)} {
		if err := os.Chmod(private, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = filepath.Join(dir, "program")
	if err := os.WriteFile(cmd.Path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
