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
	"testing"

	"colosseum/host/internal/records/record"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/waits"
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
	case "append events":
		appendUntilDone(os.Args[1])
	case "play as host":
		playUntilKilled(os.Args[1], true)
	case "play next to a host":
		playUntilKilled(os.Args[1], false)
	case "accept submissions":
		acceptUntilKilled(os.Args[1])
	case "open":
		_, err := Open(context.Background(), os.Args[1], slog.New(slog.DiscardHandler))
		fmt.Println(err)
	default:
		waits.Together()
		code := m.Run()
		server.stop()
		os.Exit(code)
	}
}

// killAfter is the number of acknowledged matches after which a child is killed.
const killAfter = 200

// child returns a command for the other process. It is killed when it takes too long.
func child(t *testing.T, what, path string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], path)
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
	onBoth(t, func(t *testing.T, on kind) {
		path := on.where(t)
		cmd := child(t, "write until killed", path)
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
			if len(acknowledged) == killAfter {
				cmd.Process.Kill() // and read the rest of its output
			}
		}
		cmd.Wait()
		if len(acknowledged) < killAfter {
			t.Fatalf("the child ended early: got %q, want %d IDs", acknowledged, killAfter)
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
	})
}

func TestASecondHostOnTheSameFileIsRefused(t *testing.T) {
	s, path, log := openTemp(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path string }{{"same name", path}, {"through a link", link}} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := child(t, "open", tt.path).Output()
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
