package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/sqlite"
)

func secret(text string) Secret { return sha256.Sum256([]byte(text)) }

// newcomer returns a player to add, whose token is its name.
func newcomer(name string) []NewPlayer { return []NewPlayer{{Name: name, Token: secret(name)}} }

func openPlayersAt(t testing.TB, path string) *Players {
	t.Helper()
	p, err := OpenPlayers(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func add(t testing.TB, p *Players, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := p.Add(context.Background(), newcomer(name), nil); err != nil {
			t.Fatal(err)
		}
	}
}

func wantOwner(t testing.TB, p *Players, name, want string) {
	t.Helper()
	if got, err := p.Owner(context.Background(), name); got != want || err != nil {
		t.Errorf("the owner of %q: got %q, %v, want %q", name, got, err, want)
	}
}

func wantPlayer(t testing.TB, p *Players, token, want string) {
	t.Helper()
	if got, err := p.ByToken(context.Background(), secret(token)); got.Player != want || err != nil {
		t.Errorf("the player with the token %q: got %q, %v, want %q", token, got, err, want)
	}
}

func TestAPlayerIsFoundByNameInAnyCaseAndByToken(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		add(t, p, "Ana", "bob")
		wantOwner(t, p, "aNA", "Ana")
		wantOwner(t, p, "BOB", "bob")
		wantOwner(t, p, "an", "")
		wantPlayer(t, p, "Ana", "Ana")
		wantPlayer(t, p, "ana", "")
	})
}

func TestNamesAreTakenInAnyCaseEvenAfterTheirPlayerIsRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		add(t, p, "Ana", "Bob")
		if got, err := p.Remove(ctx, []string{"aNa"}); err != nil || !slices.Equal(got, []string{"Ana"}) {
			t.Fatalf("Remove: got %q, %v, want Ana", got, err)
		}
		wantPlayer(t, p, "Ana", "")
		wantOwner(t, p, "ana", "Ana")
		err := p.Add(ctx, []NewPlayer{{"new", secret("1")}, {"BOB", secret("2")}, {"ANA", secret("3")}}, nil)
		var taken *TakenError
		if !errors.As(err, &taken) || !slices.Equal(taken.Names, []string{"Bob", "Ana"}) {
			t.Errorf("Add: got %v, want Bob and Ana to be taken", err)
		}
		wantOwner(t, p, "new", "") // all or nothing
	})
}

func TestResetReplacesTheTokensOfAllPlayersOrOfNone(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		add(t, p, "Ana", "Bob")
		var unknown *UnknownError
		if _, err := p.Reset(ctx, []NewPlayer{{"ana", secret("new")}, {"eve", secret("x")}, {"zoe", secret("y")}}); !errors.As(err, &unknown) || !slices.Equal(unknown.Names, []string{"eve", "zoe"}) {
			t.Errorf("Reset: got %v, want eve and zoe to be unknown", err)
		}
		wantPlayer(t, p, "Ana", "Ana")
		if _, err := p.Remove(ctx, []string{"bob", "eve"}); !errors.As(err, &unknown) {
			t.Errorf("Remove: got %v, want eve to be unknown", err)
		}
		wantPlayer(t, p, "Bob", "Bob")
		if _, err := p.Remove(ctx, []string{"bob"}); err != nil {
			t.Fatal(err)
		}
		got, err := p.Reset(ctx, []NewPlayer{{"ana", secret("new")}, {"BOB", secret("newer")}}) // a removed player comes back
		if err != nil || !slices.Equal(got, []string{"Ana", "Bob"}) {
			t.Fatalf("Reset: got %q, %v, want Ana and Bob", got, err)
		}
		wantPlayer(t, p, "Ana", "")
		wantPlayer(t, p, "new", "Ana")
		wantPlayer(t, p, "newer", "Bob")
	})
}

func TestPlayersAreListedWithTheirTimes(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, _ := on.openPlayersTemp(t)
		ctx := context.Background()
		begin := time.Now().Truncate(0)
		add(t, p, "bob", "Ana")
		seen := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
		if err := p.SetSeen(ctx, map[string]time.Time{"bob": seen, "nobody": seen}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Remove(ctx, []string{"Ana"}); err != nil {
			t.Fatal(err)
		}
		got, err := p.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i].Created.Before(begin) {
				t.Errorf("%s was created at %v, want %v or later", got[i].Name, got[i].Created, begin)
			}
			got[i].Created = time.Time{}
		}
		if want := []Player{{Name: "Ana", Removed: true}, {Name: "bob", Seen: seen}}; !slices.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func TestAnInvitationIsUsedOnceHoweverManyTryAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, path := on.openPlayersTemp(t)
		other := openPlayersAt(t, path)
		ctx := context.Background()
		code := secret("code")
		if err := p.AddInvites(ctx, []Secret{code, secret("another")}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		results := make(chan error, 20)
		for i := range cap(results) {
			wg.Go(func() {
				p := []*Players{p, other}[i%2]
				results <- p.Add(ctx, newcomer(fmt.Sprint("p", i)), &code)
			})
		}
		wg.Wait()
		close(results)
		added := 0
		for err := range results {
			switch {
			case err == nil:
				added++
			case !errors.Is(err, ErrInvite):
				t.Errorf("got %v, want nil or ErrInvite", err)
			}
		}
		list, err := p.List(ctx)
		if added != 1 || len(list) != 1 || err != nil {
			t.Errorf("got %d registrations and %d players, %v, want 1 and 1", added, len(list), err)
		}
		for _, tt := range []struct {
			code string
			want bool
		}{{"code", false}, {"another", true}, {"unknown", false}} {
			if got, err := other.HasInvite(ctx, secret(tt.code)); got != tt.want || err != nil {
				t.Errorf("HasInvite(%s): got %v, %v, want %v", tt.code, got, err, tt.want)
			}
		}
	})
}

// addPlayers adds 100 players, and prints the names that were not taken.
func addPlayers(path string) {
	p, err := OpenPlayers(context.Background(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	for i := range 100 {
		name := fmt.Sprint("p", i)
		var taken *TakenError
		switch err := p.Add(context.Background(), newcomer(name), nil); {
		case err == nil:
			fmt.Println(name)
		case !errors.As(err, &taken):
			fmt.Println(err)
		}
	}
}

func TestProcessesRegisterPlayersInOneFileWhileAHostRecordsMatches(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, log := on.openTemp(t)
		if on == inFile {
			alter(t, s, "busy_timeout = 60000") // a commit is not tried again here after a second
		}
		var wg sync.WaitGroup
		var children []*exec.Cmd
		var mu sync.Mutex // guards the field below
		var added []string
		for range 2 {
			cmd := child(t, "add players", path)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			children = append(children, cmd)
			wg.Go(func() {
				for lines := bufio.NewScanner(out); lines.Scan(); {
					mu.Lock()
					added = append(added, lines.Text())
					mu.Unlock()
				}
			})
		}
		wg.Go(func() { // the host takes the same names
			for i := range 100 {
				name := fmt.Sprint("P", i)
				var taken *TakenError
				switch err := s.Players().Add(context.Background(), newcomer(name), nil); {
				case err == nil:
					mu.Lock()
					added = append(added, strings.ToLower(name))
					mu.Unlock()
				case !errors.As(err, &taken):
					t.Errorf("the host: got %v, want nil or a name that is taken", err)
				}
			}
		})
		for i := range 100 {
			r := sample(fmt.Sprint("ID", i))
			s.Begin(r)
			finish(t, s, r)
		}
		wg.Wait()
		for _, cmd := range children {
			if err := cmd.Wait(); err != nil {
				t.Errorf("a process: got %v, want nil", err)
			}
		}
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprint("p", i))
			wantRecord(t, s.Reader, sample(fmt.Sprint("ID", i)))
		}
		slices.Sort(want)
		slices.Sort(added)
		if !slices.Equal(added, want) {
			t.Errorf("got the players %q, want each name once: %q", added, want)
		}
		if log.String() != "" {
			t.Errorf("got log %s, want nothing", log)
		}
	})
}

func TestAHostSeesPlayersOfOtherProcessesAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		wantOwner(t, s.Players(), "p7", "")
		if out, err := child(t, "add players", path).Output(); err != nil {
			t.Fatalf("got %v, want nil; output:\n%s", err, out)
		}
		wantOwner(t, s.Players(), "P7", "p7")
		wantPlayer(t, s.Players(), "p7", "p7")
	})
}

func wantMatches(t *testing.T, r *Reader, want int) {
	t.Helper()
	if ids, err := r.List(context.Background(), want+1); len(ids) != want || err != nil {
		t.Errorf("got the matches %q, %v, want %d", ids, err, want)
	}
}

func TestAnOlderFileGetsPlayersAndKeepsItsRecords(t *testing.T) {
	t.Run("by a host", func(t *testing.T) {
		s := reopen(t, oldFile(t, 3, 3), new(bytes.Buffer))
		add(t, s.Players(), "Ana")
		wantOwner(t, s.Players(), "ana", "Ana")
		wantMatches(t, s.Reader, 3)
	})
	t.Run("by another process", func(t *testing.T) {
		path := oldFile(t, 3, 3)
		p := openPlayersAt(t, path)
		add(t, p, "Ana")
		s := reopen(t, path, new(bytes.Buffer)) // OpenPlayers has released the lock
		wantOwner(t, s.Players(), "ana", "Ana")
		wantMatches(t, s.Reader, 3)
	})
	t.Run("not while a host runs", func(t *testing.T) {
		path := oldFile(t, 3, 3)
		release, err := sqlite.Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		_, err = OpenPlayers(context.Background(), path, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "must be created or updated first: another host") {
			t.Errorf("got %v, want an error about the host", err)
		}
	})
}

func TestOpeningPlayersLeavesRunningMatchesToTheHost(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, _ := on.openTemp(t)
		s.Begin(sample("RUNNING"))
		finish(t, s, sample("ID")) // with the same commit, or after it
		openPlayersAt(t, path)
		if r, err := s.Get(context.Background(), "RUNNING"); err != nil || r.State != "running" {
			t.Errorf("got %+v, %v, want a match that runs", r, err)
		}
	})
}

func TestAFileOfPlayersThatIsNoRecordIsRefused(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"text", func(t *testing.T, path string) { write(t, path, []byte("these are notes")) }, "not an SQLite database"},
		{"database of another program", func(t *testing.T, path string) { execute(t, path, "CREATE TABLE t (id TEXT)") }, "not a record of matches"},
		{"newer version", func(t *testing.T, path string) {
			openPlayersAt(t, path).Close()
			execute(t, path, "PRAGMA user_version = 99")
		}, "a newer host wrote it"},
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
			p, err := OpenPlayers(context.Background(), path, slog.New(slog.DiscardHandler))
			if err == nil {
				p.Close()
			}
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want the path and %q", err, tt.want)
			}
		})
	}
}

func TestAChangeThatHasBegunIsNotCancelled(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		p := s.Players()
		ctx, cancel := context.WithCancel(context.Background())
		if err := p.change(ctx, "test", func(ctx context.Context, tx *sql.Tx) error {
			cancel()
			_, err := tx.ExecContext(ctx, "INSERT INTO players (name, created) VALUES ('Ana', 0)")
			return err
		}); err != nil {
			t.Errorf("a change that is cancelled half-way: got %v, want nil", err)
		}
		wantOwner(t, p, "Ana", "Ana")
		if err := p.Add(ctx, newcomer("bob"), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a change that is cancelled before it begins: got %v, want %v", err, context.Canceled)
		}
		wantOwner(t, p, "bob", "")
		finish(t, s, sample("ID")) // the connection is free
	})
}

func TestAChangeWaitsForItsTurnOnlyAsLongAsItsContext(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, _, _ := on.openTemp(t)
		conn, err := s.db.Conn(context.Background()) // as while a commit of records hangs
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		results := make(chan error)
		for i := range 2 { // one waits for the connection, one for the other
			go func() { results <- s.Players().Add(ctx, newcomer(fmt.Sprint("p", i)), nil) }() // ends with cancel
		}
		cancel()
		for range 2 {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		}
		conn.Close()
		add(t, s.Players(), "p0", "p1")
	})
}

func TestPlayersExplainErrors(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		p, path := on.openPlayersTemp(t)
		execute(t, path, "DROP TABLE players")
		ctx := context.Background()
		for name, call := range map[string]func() error{
			"Owner":      func() error { _, err := p.Owner(ctx, "a"); return err },
			"List":       func() error { _, err := p.List(ctx); return err },
			"Add":        func() error { return p.Add(ctx, newcomer("a"), nil) },
			"Remove":     func() error { _, err := p.Remove(ctx, []string{"a"}); return err },
			"AddInvites": func() error { return errors.Join(p.AddInvites(ctx, []Secret{{}}), p.AddInvites(ctx, []Secret{{}})) },
		} {
			if err := call(); err == nil || !strings.Contains(err.Error(), p.d.String()) {
				t.Errorf("%s: got %v, want an error with the path", name, err)
			}
		}
	})
}

func BenchmarkOwner(b *testing.B) {
	for _, players := range []int{10, 100_000} {
		b.Run(fmt.Sprint(players), func(b *testing.B) {
			p, _ := inFile.openPlayersTemp(b)
			var list []NewPlayer
			for i := range players {
				list = append(list, newcomer(fmt.Sprint("player", i))...)
			}
			if err := p.Add(context.Background(), list, nil); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for i := range b.N {
				if name, err := p.Owner(context.Background(), fmt.Sprint("PLAYER", i%(2*players))); err != nil || name != "" != (i%(2*players) < players) {
					b.Fatal(name, err)
				}
			}
		})
	}
}

func BenchmarkByToken(b *testing.B) {
	p, _ := inFile.openPlayersTemp(b)
	add(b, p, "Ana")
	for b.Loop() {
		wantPlayer(b, p, "Ana", "Ana")
	}
}
