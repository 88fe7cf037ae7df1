package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/test/poll"
)

// TestFinishWaitsWhileTheServerIsDownAndNothingIsLost kills the server while matches end,
// and starts it again.
func TestFinishWaitsWhileTheServerIsDownAndNothingIsLost(t *testing.T) {
	s, where, _ := onServer.openTemp(t)
	other := openContestsAt(t, where) // as another process has
	create(t, s.Contests(), "cup")
	const players = 10
	stop := make(chan struct{})
	finished := make([]int, players)
	var wg sync.WaitGroup
	for p := range players {
		wg.Go(func() { // ends with stop
			for {
				select {
				case <-stop:
					return
				default:
				}
				r := played(fmt.Sprint(p, "-", finished[p]), "cup", p, finished[p])
				finish := s.Finish
				if p == 0 {
					r.ID, finish = r.ID+"local", other.Finish
				} else {
					s.Begin(r)
				}
				if err := finish(t.Context(), r); err != nil {
					t.Errorf("match %s: got %v, want nil", r.ID, err)
					return
				}
				finished[p]++
			}
		})
	}
	before := s.Stats()
	poll.Until(t, "matches are recorded", func() bool { return s.Stats().Records > before.Records+50 })
	restart := kill(t)
	poll.Until(t, "a commit has failed", func() bool { return s.Stats().Failed > before.Failed })
	restart()
	after := s.Stats().Records
	poll.Until(t, "matches are recorded again", func() bool { return s.Stats().Records > after })
	close(stop)
	wg.Wait()
	total := 0
	for p, n := range finished {
		total += n
		for i := range n {
			r := played(fmt.Sprint(p, "-", i), "cup", p, i)
			if p == 0 {
				r.ID += "local"
			}
			wantRecord(t, s.Reader, r)
		}
	}
	results, err := s.Contests().Results(t.Context(), "cup", 0)
	if err != nil || len(results) != total {
		t.Errorf("got %d results, %v, want %d, one for each match", len(results), err, total)
	}
	if !s.Available() {
		t.Error("got a store that is not available, want it available again")
	}
	// The lock of the host was lost with the server, and is taken again.
	poll.Until(t, "the host has its lock again", func() bool {
		var locks int
		err := s.Reader.db.QueryRow(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&locks)
		return err == nil && locks == 1
	})
	finish(t, s, sample("LAST"))
}

func TestReadersDoNotNoticeThatTheServerWasRestarted(t *testing.T) {
	s, _, _ := onServer.openTemp(t)
	finish(t, s, sample("ID"))
	create(t, s.Contests(), "cup")
	read := func() error {
		_, get := s.Get(t.Context(), "ID")
		_, list := s.List(t.Context(), 10)
		_, page := s.Contests().List(t.Context())
		_, owner := s.Players().Owner(t.Context(), "ada")
		_, version := s.Contests().Version(t.Context())
		return errors.Join(get, list, page, owner, version)
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	restart := killFor(t, s)
	restart()
	if err := read(); err != nil {
		t.Errorf("after a restart of the server: got %v, want no error", err)
	}
}

// kill kills the server, until restart or the end of the test.
func kill(t *testing.T) (restart func()) {
	t.Helper()
	server.pg.Kill()
	restart = sync.OnceFunc(func() {
		if err := server.pg.Run(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(restart)
	return restart
}

// killFor is kill for a test that needs a store to have no connection: the server's other
// processes run on for a moment.
func killFor(t *testing.T, s *Store) (restart func()) {
	t.Helper()
	restart = kill(t)
	poll.Until(t, "the store has no connection", func() bool { return s.db.Ping() != nil })
	return restart
}

func TestCloseDoesNotWaitForAServerThatIsDown(t *testing.T) {
	s, _, _ := onServer.openTemp(t)
	killFor(t, s)
	done := make(chan error)
	go func() { done <- s.Finish(context.Background(), sample("ID")) }() // ends with Close
	poll.Until(t, "a commit has failed", func() bool { return s.Stats().Failed > 0 })
	if err := s.Close(); err == nil {
		t.Error("Close: got nil, want an error")
	}
	if err := poll.Receive(t, "Finish returns", done); err == nil {
		t.Error("Finish: got nil, want an error")
	}
}

func TestFinishEndsWithItsContextWhileTheServerIsDown(t *testing.T) {
	s, _, _ := onServer.openTemp(t)
	restart := killFor(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Finish(ctx, sample("ID")) }() // ends with cancel
	poll.Until(t, "a commit has failed", func() bool { return s.Stats().Failed > 0 })
	cancel()
	if err := poll.Receive(t, "Finish returns", done); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	restart()
	poll.Until(t, "the record is written after all", func() bool { _, err := s.Get(t.Context(), "ID"); return err == nil })
}

func TestAStoreIsNotAvailableWhenCommitsFailOrTooMuchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.since = time.Now()
		s := &Store{writer: &writer{queue: q}, waits: true, patience: 3 * time.Second}
		check := func(when string, want bool) {
			t.Helper()
			if got := s.Available(); got != want {
				t.Errorf("%s: got %v, want %v", when, got, want)
			}
		}
		check("a commit has begun", true)
		time.Sleep(s.patience - time.Nanosecond)
		check("it takes almost 3 s", true)
		time.Sleep(time.Nanosecond)
		check("it takes 3 s", false)
		q.since = time.Time{}
		check("it has succeeded", true)
		q.waiting = maxLate + 1
		check("too much waits", false)
		q.waiting = 0
		s.hosts = &Hosts{name: "a"}
		check("without a generation", false)
		s.hosts.beaten.Store(new(time.Now()))
		check("a beat", true)
		time.Sleep(s.patience - time.Nanosecond)
		check("almost 3 s after a beat", true)
		time.Sleep(time.Nanosecond)
		check("3 s after a beat, as when the host was frozen", false)
		s.hosts.beaten.Store(new(time.Now()))
		check("another beat", true)
		s.hosts.fenced.Store(true)
		check("fenced", false)
		s.hosts = &Hosts{}
		check("alone", true)
		s.waits = false
		q.since = time.Now().Add(-time.Hour)
		check("SQLite", true)
	})
}
