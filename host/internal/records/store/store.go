// Package store keeps the record of every match, in SQLite or in PostgreSQL.
//
// One goroutine writes. It commits everything in the queue in one transaction,
// and then everything queued since, so that matches which end at about the same
// time share the cost of a commit, an fsync.
package store

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// Store is the record of one host, which owns its matches while it is open. Its methods
// can be called concurrently.
type Store struct {
	*Reader
	log   *slog.Logger
	pack  record.Packer
	close func() error

	// For the writer goroutine alone.
	db      *sql.DB
	commits dialect.Committer
	late    late
	retry   *time.Timer // wakes the writer after a commit that has failed

	retainer retainer

	update   *updater
	players  *Players
	contests *Contests
	hosts    *Hosts // nil: this host is alone
	others   others
	waits    bool          // see owned
	patience time.Duration // see SetPatience

	// slots bounds the calls of Finish that are queued or being committed, and so
	// the memory and the size of a commit. When it is full, Finish waits.
	slots chan struct{}
	// generation counts the commits that changed the list of ended matches.
	generation atomic.Uint64
	// wake wakes the writer. One token is enough, because the writer takes the
	// whole queue.
	wake chan struct{}

	mu      sync.Mutex // guards the fields below
	queue   []entry
	begins  int // in the queue, at most maxBegins
	lost    int // calls of Begin not written since the last successful commit
	kept    int // rows in late, for Stats
	stats   Stats
	closed  bool
	since   time.Time // when the first commit began that is not complete; zero: none
	failing bool      // an error of a commit was logged, and none has succeeded since
	fault   string    // why the last commit failed, for operators; empty: it succeeded
	waiting int       // estimated bytes of the matches that wait
	// begun has the generation of this host in which each running match began; nil if
	// there is only one host.
	begun map[string]int64
}

// Generation returns a number that changes with the list of ended matches. A
// list that was read after a call of Generation is current as long as Generation
// returns the same number.
func (s *Store) Generation() uint64 { return s.generation.Load() }

// Players returns the registered players. They are open as long as the store.
func (s *Store) Players() *Players { return s.players }

// Contests returns the contests. They are open as long as the store.
func (s *Store) Contests() *Contests { return s.contests }

// Hosts returns the hosts that share these records; nil: they are in SQLite.
func (s *Store) Hosts() *Hosts { return s.hosts }

// Close commits the queue and closes the database. It returns the error of the last
// commit, if any.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut(done <-chan error, o owned) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wakeWriter()
	err := <-done
	s.retry.Stop()
	if err = errors.Join(err, s.closeAll(o)); err != nil {
		return fmt.Errorf("close the record of matches %s: %w", s.d, s.d.Explain(err))
	}
	return nil
}

// closeAll closes what is open.
func (s *Store) closeAll(o owned) error {
	var errs []error
	if s.Reader != nil {
		errs = append(errs, s.Reader.Close())
	}
	if s.players != nil {
		errs = append(errs, s.players.read.Close())
	}
	if s.contests != nil {
		errs = append(errs, s.contests.closeReaders())
	}
	// The lock is last, because another host can then open the database.
	return errors.Join(append(errs, o.db.Close(), o.release())...)
}
