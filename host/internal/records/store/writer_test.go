package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/sqlite"
	"colosseum/internal/test/poll"
)

// alter changes a setting of the one connection that writes.
func alter(t *testing.T, s *Store, pragma string) {
	t.Helper()
	if _, err := s.db.Exec("PRAGMA " + pragma); err != nil {
		t.Fatal(err)
	}
}

// hold keeps a file locked as another program would, until release.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() { db.Close() }) // which rolls back
	t.Cleanup(release)
	return release
}

// faults are faults of a disk: breakIt causes one, which lasts until repair.
var faults = []struct {
	name       string
	breakIt    func(*testing.T, *Store, string) (repair func())
	want, more string // in the error
}{
	{"disk full", func(t *testing.T, s *Store, _ string) func() {
		alter(t, s, "max_page_count = 1") // the file cannot grow
		return func() { alter(t, s, "max_page_count = 1000000") }
	}, "the disk is full", "full"},
	{"read-only", func(t *testing.T, s *Store, _ string) func() {
		alter(t, s, "query_only = on")
		return func() { alter(t, s, "query_only = off") }
	}, "no permission to write", "readonly"},
	{"locked", func(t *testing.T, s *Store, path string) func() {
		alter(t, s, "busy_timeout = 10")
		return hold(t, path)
	}, "another program keeps the file locked", "locked"},
}

func TestTheStoreWorksAgainWhenAFaultIsGone(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			s, path, log := openTemp(t)
			big := sample("BIG")
			for i := range 1 << 16 {
				big.Stream = fmt.Appendf(big.Stream, "%x", i*i)
			}
			repair := tt.breakIt(t, s, path)
			for range 3 {
				for i := range 10 {
					begun := sample(fmt.Sprint("BEGUN", i))
					begun.Name = strings.Repeat("long enough to need a page ", 1000)
					s.Begin(begun)
				}
				err := s.Finish(context.Background(), big)
				if err == nil {
					t.Fatal("Finish: got nil, want an error")
				}
				for _, word := range []string{"match BIG", path, tt.want, tt.more} {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("got error %q, want it to contain %q", err, word)
					}
				}
			}
			repair()
			finish(t, s, big)
			wantRecord(t, s.Reader, big)
			finish(t, s, sample("BEGUN1"))
			wantRecord(t, s.Reader, sample("BEGUN1"))

			if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
				t.Errorf("got %d errors in the log of one burst, want 1:\n%s", n, log)
			}
			if !strings.Contains(log.String(), "recorded again") {
				t.Errorf("got log\n%s\nwant it to report the recovery", log)
			}
		})
	}
}

func TestLateRecordsAreWrittenWhenTheFaultIsGone(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, path, log := openTemp(t)
			s.Begin(sample("A")) // runs when the fault begins
			finish(t, s, sample("before"))
			repair := tt.breakIt(t, s, path)
			lost := []*record.Match{sample("A"), sample("B"), sample("C")}
			for _, r := range lost {
				r.Stream = noise(1 << 16) // needs room
				if err := s.Finish(context.Background(), r); err == nil {
					t.Fatal("Finish: got nil, want an error")
				}
			}
			if n := s.Stats().Waiting; n != len(lost) {
				t.Errorf("%d rows wait, want %d", n, len(lost))
			}
			repair()
			again := sample("C")
			again.Reason = "a newer reason"
			finish(t, s, again)
			poll.Until(t, "no record waits, without another call of Finish", func() bool { return s.Stats().Waiting == 0 })
			wantRecord(t, s.Reader, lost[0])
			wantRecord(t, s.Reader, lost[1])
			wantRecord(t, s.Reader, again) // it is newer
			if !strings.Contains(log.String(), "wrote the records that were waiting") {
				t.Errorf("got log\n%s\nwant it to report the written records", log)
			}
		})
	}
}

func TestLateRecordsAreWrittenByClose(t *testing.T) {
	s, path, _ := openTemp(t)
	alter(t, s, "query_only = on")
	if err := s.Finish(context.Background(), sample("ID")); err == nil {
		t.Fatal("Finish: got nil, want an error")
	}
	alter(t, s, "query_only = off")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantRecord(t, reopen(t, path, io.Discard).Reader, sample("ID"))
}

func TestLateRecordsAreBounded(t *testing.T) {
	log := new(journal)
	w := &writer{d: sqlite.File{}, log: slog.New(slog.NewTextHandler(log, nil)), queue: newQueue()} // without its goroutine, which would write them
	w.retry = time.AfterFunc(time.Hour, func() {})
	defer w.retry.Stop()
	const size = 8 << 20
	for i := range maxLate/size + 3 {
		w.keep([]entry{{Row: &dialect.Row{Values: []any{fmt.Sprint("ID", i), make([]byte, size)}, Ended: true}}})
	}
	var stats Stats
	w.addStats(&stats)
	if n := len(w.late.rows); n != maxLate/size-1 || w.late.rows[0].Values[0] != "ID4" || stats.Waiting != n || w.late.lost != 4 {
		t.Errorf("got %d rows, the first %v, %d waiting, %d dropped; want %d, ID4, %[5]d, 4", n, w.late.rows[0].Values[0], stats.Waiting, w.late.lost, maxLate/size-1)
	}
	if c := strings.Count(log.String(), "dropping the oldest"); c != 1 {
		t.Errorf("got %d lines in the log about dropped records, want 1:\n%s", c, log)
	}
}

func TestBeginNeverBlocksAndTheQueueIsBounded(t *testing.T) {
	s, path, log := openTemp(t)
	alter(t, s, "busy_timeout = 600000") // the commit waits for the lock
	release := hold(t, path)
	r := sample("")
	for i := range 2*maxBegins + 1 { // more than a batch of the writer and a full queue
		r.ID = fmt.Sprint("ID", i)
		s.Begin(r)
	}
	q := s.writer.queue
	q.mu.Lock()
	queued := q.begins
	q.mu.Unlock()
	if queued > maxBegins {
		t.Errorf("got %d rows of Begin in the queue, want at most %d", queued, maxBegins)
	}
	if !strings.Contains(log.String(), "too many records are waiting") {
		t.Errorf("got log\n%s\nwant it to report the dropped rows", log)
	}
	release()
	last := sample(r.ID) // its Begin was dropped
	finish(t, s, last)
	wantRecord(t, s.Reader, last)
	if _, err := s.Get(context.Background(), "ID0"); err != nil {
		t.Errorf("Get of the first match: got %v, want nil", err)
	}
}

func TestFinishEndsWithItsContext(t *testing.T) {
	s, path, _ := openTemp(t)
	alter(t, s, "busy_timeout = 600000") // the commit waits for the lock
	release := hold(t, path)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range maxFinishes + 10 { // some wait for a slot, some for the disk
		wg.Go(func() {
			if err := s.Finish(ctx, sample(fmt.Sprint("ID", i))); !errors.Is(err, context.Canceled) {
				t.Errorf("Finish: got %v, want %v", err, context.Canceled)
			}
		})
	}
	cancel()
	wg.Wait()
	release()
	finish(t, s, sample("ID"))
	wantRecord(t, s.Reader, sample("ID"))
}
