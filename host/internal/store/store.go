// Package store keeps the record of every match in SQLite.
//
// One goroutine writes. It commits everything in the queue in one transaction,
// and then everything queued since, so that matches which end at about the same
// time share the cost of a commit, an fsync.
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

	"colosseum/host/internal/record"
)

// Store is the record of one host. It owns the file while it is open. Its methods
// can be called concurrently.
type Store struct {
	*Reader
	log   *slog.Logger
	pack  record.Packer
	close func() error

	// For the writer goroutine alone.
	db                     *sql.DB
	begin, finish, catchUp *sql.Stmt
	result                 *sql.Stmt
	late                   late

	retainer retainer

	update   *updater
	players  *Players
	contests *Contests
	others   others

	// slots bounds the calls of Finish that are queued or being committed, and so
	// the memory and the size of a commit. When it is full, Finish waits.
	slots chan struct{}
	// generation counts the commits that changed the list of ended matches.
	generation atomic.Uint64
	// wake wakes the writer. One token is enough, because the writer takes the
	// whole queue.
	wake chan struct{}

	mu     sync.Mutex // guards the fields below
	queue  []entry
	begins int // in the queue, at most maxBegins
	lost   int // calls of Begin not written since the last successful commit
	kept   int // rows in late, for Stats
	stats  Stats
	closed bool
}

// entry is a row to write.
type entry struct {
	row    []any
	result []any        // of a contest; nil: none
	done   chan<- error // nil for Begin, which does not wait
	late   bool         // a commit of it has failed
}

const (
	maxFinishes = 512
	// maxBegins bounds the rows of Begin in the queue. Beyond it, when the disk
	// hangs, rows are dropped, because Begin must not block. Such a match leaves no
	// trace if the host is killed before its end.
	maxBegins = 4096
)

var errClosed = errors.New("the record is closed")

// Open opens the record in a file, which it creates if necessary, in a folder
// that exists; or in PostgreSQL, if it begins with postgres://. Only one Store can have it
// open. Open marks matches that a killed host left running as aborted, and logs their
// number.
func Open(ctx context.Context, path string, log *slog.Logger) (*Store, error) {
	if inPostgres(path) {
		return nil, errNotYet
	}
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
	createPrivate(path)
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
	if err := abortRunning(ctx, db, log); err != nil {
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
	if s.result, err = db.PrepareContext(ctx, insertResult); err != nil {
		return nil, err
	}
	if s.retainer.remove, err = db.PrepareContext(ctx, removeSQL); err != nil {
		return nil, err
	}
	if s.Reader, err = openReader(ctx, path); err != nil {
		return nil, err
	}
	s.update = newUpdater(db)
	if s.players, err = newPlayers(ctx, path, s.update); err != nil {
		return nil, err
	}
	if s.contests, err = newContests(ctx, path, s.update); err != nil {
		return nil, err
	}
	s.contests.recorded = func() { s.generation.Add(1) }
	if err := s.Refresh(ctx); err != nil {
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

// prepareFile checks that the file is a record before it changes anything, and
// then updates its schema.
func prepareFile(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	version, err := identify(ctx, db)
	if err != nil {
		return err
	}
	if version == 0 { // a file that has tables would need a VACUUM
		if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = incremental"); err != nil {
			return err
		}
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not support SQLite's write-ahead log (journal mode %s); use a local disk", mode)
	}
	return migrate(ctx, db, version, migrations, log)
}

// Begin records that a match has begun. It does not block and cannot fail: the
// row is written with the next commit, and a failure is logged. The caller can
// change the record as soon as Begin returns.
func (s *Store) Begin(r *record.Match) {
	begun := *r
	begun.State, begun.Reason, begun.Ended, begun.Answers, begun.Stream = record.Running, "", time.Time{}, nil, nil
	row, err := rowOf(&begun, &s.pack)
	if err != nil {
		s.lose(1, err)
		return
	}
	s.mu.Lock()
	switch {
	case s.closed:
		err = errClosed
	case s.begins == maxBegins:
		err = errors.New("the disk is too slow: too many records are waiting")
	default:
		s.begins++
		s.queue = append(s.queue, entry{row: row})
	}
	s.mu.Unlock()
	if err != nil {
		s.lose(1, err)
		return
	}
	s.wakeWriter()
}

// Finish records a match that has ended, together with its result if it belongs to a
// contest. It replaces the row of Begin, if there is one. It returns nil when the record
// is durable. After an error Finish can be called again. A record that could not be
// committed is kept in memory and tried again; if ctx ends first, the record might still
// be written.
func (s *Store) Finish(ctx context.Context, r *record.Match) error {
	if err := s.finishOne(ctx, r); err != nil {
		return fmt.Errorf("record match %s in %s: %w", r.ID, s.path, explain(err))
	}
	return nil
}

func (s *Store) finishOne(ctx context.Context, r *record.Match) error {
	e, err := ending(r, &s.pack)
	if err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}: // the writer releases it
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	e.done = done
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.queue = append(s.queue, e)
	}
	s.mu.Unlock()
	if closed {
		<-s.slots
		return errClosed
	}
	s.wakeWriter()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Generation returns a number that changes with the list of ended matches. A
// list that was read after a call of Generation is current as long as Generation
// returns the same number.
func (s *Store) Generation() uint64 { return s.generation.Load() }

// Players returns the registered players. They are open as long as the store.
func (s *Store) Players() *Players { return s.players }

// Contests returns the contests. They are open as long as the store.
func (s *Store) Contests() *Contests { return s.contests }

// Close commits the queue and closes the file. It returns the error of the last
// commit, if any.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut(done <-chan error, owned *os.File) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wakeWriter()
	err := <-done
	// Release the lock last, because another host can then open the file.
	err = errors.Join(err, s.Reader.Close(), s.players.read.Close(), s.contests.closeReaders(), s.db.Close(), owned.Close())
	if err != nil {
		return fmt.Errorf("close the record of matches %s: %w", s.path, explain(err))
	}
	return nil
}
