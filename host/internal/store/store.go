// Package store keeps the record of every match in SQLite.
//
// One goroutine writes: it commits all that is queued, everything together,
// and takes what was queued meanwhile. So the time of a commit (that of an
// fsync) is shared by all the matches that end at about the same moment.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Store is the record of one host, which owns the file while it is open. Its
// methods may be called from any goroutine.
type Store struct {
	*Reader
	log   *slog.Logger
	pack  packer
	close func() error

	// For the writer goroutine alone.
	db                     *sql.DB
	begin, finish, catchUp *sql.Stmt
	late                   late

	// slots bounds the Finishes that are queued or being committed, and with
	// it memory and the size of a commit. Full: Finish waits for a slot.
	slots chan struct{}
	// generation counts the commits that changed the list of ended matches.
	generation atomic.Uint64
	// wake tells the writer that there is something in the queue. One token
	// is enough: the writer takes the whole queue.
	wake chan struct{}

	mu     sync.Mutex // guards the fields below
	queue  []entry
	begins int // in the queue, at most maxBegins
	lost   int // Begins that were not written since the last good commit
	kept   int // rows in late
	counts Counts
	closed bool
}

// entry is a row to write.
type entry struct {
	row  []any
	done chan<- error // nil for a Begin, which nobody waits for
	late bool         // a commit has failed with it
}

const (
	maxFinishes = 512
	// maxBegins bounds the Begins in the queue. Full (the disk hangs): the
	// Begin is dropped, because it must not block. That costs nothing unless
	// the host is killed before the match ends; then no trace of it is left.
	maxBegins = 4096
)

var errClosed = errors.New("the record is closed")

// Open opens the record in a file, which is made when it does not exist; its
// folder must exist. Only one Store can have a file open, in all processes of
// the machine. Matches that a killed host left running are marked as aborted,
// and their number is logged.
func Open(ctx context.Context, path string, log *slog.Logger) (*Store, error) {
	s, err := open(ctx, resolve(path), log)
	if err != nil {
		return nil, fmt.Errorf("open the record of matches %s: %w", path, explain(err))
	}
	return s, nil
}

func open(ctx context.Context, path string, log *slog.Logger) (_ *Store, err error) {
	owned, err := lock(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			owned.Close()
		}
	}()
	private(path)
	db, err := connect(path, 1, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	s := &Store{
		log: log, db: db,
		slots: make(chan struct{}, maxFinishes), wake: make(chan struct{}, 1),
	}
	if err := prepareFile(ctx, db, log); err != nil {
		return nil, err
	}
	if s.begin, err = db.PrepareContext(ctx, insert+` ON CONFLICT (id) DO NOTHING`); err != nil {
		return nil, err
	}
	if s.finish, err = db.PrepareContext(ctx, insert+` ON CONFLICT (id) DO UPDATE SET `+update); err != nil {
		return nil, err
	}
	if s.catchUp, err = db.PrepareContext(ctx, insert+` ON CONFLICT (id) DO UPDATE SET `+update+` WHERE state = 'running'`); err != nil {
		return nil, err
	}
	if s.Reader, err = openReader(ctx, path); err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", commitTimeout.Milliseconds())); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- s.write() }() // ends after Close
	s.close = sync.OnceValue(func() error { return s.shut(done, owned) })
	return s, nil
}

// prepareFile makes sure that the file is ours before anything in it changes,
// and then brings it up to date.
func prepareFile(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	version, err := identify(ctx, db)
	if err != nil {
		return err
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not support SQLite's write-ahead log (journal mode %s); use a local disk", mode)
	}
	if err := migrate(ctx, db, version, migrations, log); err != nil {
		return err
	}
	return abortRunning(ctx, db, log)
}

// Begin notes that a match began. It returns at once and never fails: what is
// noted gets written with the next commit, and when it can't be, the log says
// so. The record may be changed as soon as Begin has returned.
func (s *Store) Begin(r *Record) {
	begun := *r
	begun.State, begun.Reason, begun.Ended, begun.Answers, begun.Stream = Running, "", time.Time{}, nil, nil
	row, err := s.row(&begun)
	if err != nil {
		s.lose(1, err)
		return
	}
	s.mu.Lock()
	switch {
	case s.closed:
		err = errClosed
	case s.begins == maxBegins:
		err = errors.New("the disk is too slow: too many are waiting")
	default:
		s.begins++
		s.queue = append(s.queue, entry{row: row})
	}
	s.mu.Unlock()
	if err != nil {
		s.lose(1, err)
		return
	}
	s.rouse()
}

// Finish records a match that ended, whether its Begin was recorded or not,
// in place of what was recorded under its ID. It returns when the record is
// safe on the disk, or with an error that says why it is not; it may be called
// again then. A record that the disk did not take is kept and written later,
// when it does; when ctx ends first, the record may get written nevertheless.
func (s *Store) Finish(ctx context.Context, r *Record) error {
	if err := s.finishOne(ctx, r); err != nil {
		return fmt.Errorf("record match %s in %s: %w", r.ID, s.path, explain(err))
	}
	return nil
}

func (s *Store) finishOne(ctx context.Context, r *Record) error {
	if r.Ended.IsZero() || r.State != Finished && r.State != Aborted {
		return fmt.Errorf("it has not ended (state %q, ended %v)", r.State, r.Ended)
	}
	row, err := s.row(r)
	if err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}: // given back by the writer
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.queue = append(s.queue, entry{row: row, done: done})
	}
	s.mu.Unlock()
	if closed {
		<-s.slots
		return errClosed
	}
	s.rouse()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Generation tells lists of ended matches apart: one that was read after a call of
// Generation holds as long as Generation returns the same.
func (s *Store) Generation() uint64 { return s.generation.Load() }

// Close commits what is queued and lets go of the file. Its error is that of
// the last commit, if any.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut(done <-chan error, owned *os.File) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.rouse()
	err := <-done
	// The lock goes last: until then the file is ours.
	err = errors.Join(err, s.Reader.Close(), s.db.Close(), owned.Close())
	if err != nil {
		return fmt.Errorf("close the record of matches %s: %w", s.path, explain(err))
	}
	return nil
}
