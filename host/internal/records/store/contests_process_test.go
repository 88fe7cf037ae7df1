package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"colosseum/internal/test/poll"
)

// appended is how many events each process of a test adds.
const appended = 15

// appendEvents adds events, each after the one that was the last when it looked.
func appendEvents(c *Contests, source string) error {
	ctx := context.Background()
	for i := range appended {
		for {
			events, err := c.Events(ctx, "cup", 0)
			if err != nil {
				return err
			}
			err = c.Append(ctx, "cup", int64(len(events)), []Event{{Kind: "enter", Data: fmt.Appendf(nil, `"%s %d after %d"`, source, i, len(events))}})
			if err == nil {
				break
			}
			if !errors.Is(err, ErrChanged) {
				return err
			}
		}
	}
	return nil
}

// appendUntilDone is the other process of a test.
func appendUntilDone(path string) {
	c, err := OpenContests(context.Background(), path, slog.New(slog.DiscardHandler))
	if err == nil {
		err = appendEvents(c, fmt.Sprint("process ", os.Getpid()))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	c.Close()
}

func TestProcessesAddEventsAtOnceAndNoneIsLostOrOverwritten(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s, path, log := on.openTemp(t)
		create(t, s.Contests(), "cup")
		version, err := s.Contests().Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		generation := s.Generation()
		var wg sync.WaitGroup
		wg.Go(func() {
			if out, err := child(t, "append events", path).Output(); err != nil {
				t.Errorf("the other process: got %v, want nil; output:\n%s", err, out)
			}
		})
		other := openContestsAt(t, path)
		for source, c := range map[string]*Contests{"the host": s.Contests(), "the host again": s.Contests(), "another connection": other} {
			wg.Go(func() {
				if err := appendEvents(c, source); err != nil {
					t.Errorf("%s: got %v, want nil", source, err)
				}
			})
		}
		wg.Wait()
		events, err := s.Contests().Events(t.Context(), "cup", 0)
		if err != nil || len(events) != 4*appended {
			t.Errorf("got %d events, %v, want %d", len(events), err, 4*appended)
		}
		for i, e := range events {
			if want := fmt.Sprintf(` after %d"`, i); e.Number != int64(i+1) || !strings.HasSuffix(string(e.Data), want) {
				t.Errorf("event %d: got the number %d and the data %s, want an end with %s", i+1, e.Number, e.Data, want)
			}
		}
		if got, err := s.Contests().Version(t.Context()); got == version || err != nil {
			t.Errorf("got version %d, %v, want another one than before", got, err)
		}
		if err := s.Refresh(t.Context()); err != nil || s.Generation() == generation {
			t.Errorf("got generation %d, %v, want another one than before", s.Generation(), err)
		}
		if log.String() != "" {
			t.Errorf("got log %s, want nothing", log)
		}
	})
}

// playUntilKilled prints the ID of a match of a contest as soon as its record is
// durable.
func playUntilKilled(path string, asHost bool) {
	ctx := context.Background()
	var c *Contests
	finish := func(i int) error { return c.Finish(ctx, played(fmt.Sprint(i), "cup", i, 0)) }
	var err error
	if asHost {
		var s *Store
		if s, err = Open(ctx, path, slog.New(slog.DiscardHandler)); err == nil {
			c = s.Contests()
			finish = func(i int) error {
				r := played(fmt.Sprint(i), "cup", i, 0)
				s.Begin(r)
				return s.Finish(ctx, r)
			}
		}
	} else {
		c, err = OpenContests(ctx, path, slog.New(slog.DiscardHandler))
	}
	if err == nil {
		err = c.Create(ctx, cup("cup"), nil)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := g; ; i += 8 {
				if err := finish(i); err != nil {
					panic(err)
				}
				fmt.Fprintln(os.Stdout, i) // unbuffered, one write each
			}
		})
	}
	wg.Wait()
}

func TestAKilledProcessLeavesRecordAndResultOrNeither(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		for _, what := range []string{"play as host", "play next to a host"} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				path := on.where(t)
				cmd := child(t, what, path)
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				acknowledged := map[string]bool{}
				for lines := bufio.NewScanner(out); lines.Scan(); {
					acknowledged[lines.Text()] = true
					if len(acknowledged) == killAfter {
						cmd.Process.Kill() // and read the rest of its output
					}
				}
				cmd.Wait()
				if len(acknowledged) < killAfter {
					t.Fatalf("the process ended early: got %v, want %d IDs", acknowledged, killAfter)
				}
				s := reopen(t, path, io.Discard)
				results, err := s.Contests().Results(t.Context(), "cup", 0)
				if err != nil {
					t.Fatal(err)
				}
				var with []string
				for _, r := range results {
					wantRecord(t, s.Reader, played(r.Match, "cup", r.Pairing, 0))
					with = append(with, r.Match)
					delete(acknowledged, r.Match)
				}
				if len(acknowledged) > 0 {
					t.Errorf("%v were acknowledged and have no result, want all", acknowledged)
				}
				// Matches that the host had begun have no result: they are played again.
				rows, err := s.Reader.db.Query("SELECT id FROM matches WHERE reason <> 'the host stopped during the match'")
				if err != nil {
					t.Fatal(err)
				}
				defer rows.Close()
				var finished []string
				for rows.Next() {
					var id string
					if err := rows.Scan(&id); err != nil {
						t.Fatal(err)
					}
					finished = append(finished, id)
				}
				slices.Sort(with)
				slices.Sort(finished)
				if err := rows.Err(); err != nil || !slices.Equal(with, finished) {
					t.Errorf("got results of %v and records of %v, %v, want the same", with, finished, err)
				}
			})
		}
	})
}

func TestMatchesThatEndTogetherAreOneTransactionWithTheirResults(t *testing.T) {
	s, path, _ := openTemp(t)
	create(t, s.Contests(), "cup")
	commits := 0
	conn, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Raw(func(driver any) error {
		driver.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 { commits++; return 0 })
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	alter(t, s, "busy_timeout = 600000") // the commit waits for the lock
	release := hold(t, path)
	var wg sync.WaitGroup
	const matches = 200
	for i := range matches {
		wg.Go(func() {
			if err := s.Finish(t.Context(), played(fmt.Sprint(i), "cup", i, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	poll.Until(t, "all are queued or about to be", func() bool { return len(s.writer.queue.slots) >= matches })
	release()
	wg.Wait()
	s.Close()
	if commits < 1 || commits > 20 {
		t.Errorf("got %d transactions, want few for %d matches", commits, matches)
	}
	s = reopen(t, path, io.Discard)
	if got, err := s.Contests().Results(t.Context(), "cup", 0); len(got) != matches || err != nil {
		t.Errorf("got %d results, %v, want %d", len(got), err, matches)
	}
}
