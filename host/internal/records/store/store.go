// Package store keeps the record of every match, in SQLite or in PostgreSQL.
//
// One goroutine writes. It commits everything in the queue in one transaction,
// and then everything queued since, so that matches which end at about the same
// time share the cost of a commit, an fsync.
//
// Files have the names of what they hold: match (records of matches, and what is read of
// them), writer (what is written), players, contests, submissions (programs that players have
// handed in), webhooks (messages for other sites), and hosts (generations, fences and
// leadership of several hosts). What differs between the databases is in the packages
// dialect, sqlite and postgres.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"colosseum/host/internal/records/record"
)

// Store is the record of one host, which owns its matches while it is open. Its methods
// can be called concurrently.
type Store struct {
	*Reader
	log     *slog.Logger
	db      *sql.DB // one connection, which writes
	release func() error
	close   func() error

	writer      *writer
	retainer    *retainer
	players     *Players
	contests    *Contests
	submissions *Submissions
	webhooks    *Webhooks
	hosts       *Hosts        // nil: this host is alone
	waits       bool          // see owned
	patience    time.Duration // see SetPatience

	// generation counts the commits that changed the list of ended matches.
	generation atomic.Uint64
	damaged    atomic.Bool // Check has found damage

	// For the goroutine of Refresh alone.
	version int64 // of Contests.Version at the last call
	foreign int64 // of the connection that writes
}

// Begin records that a match has begun. It does not block and cannot fail: the
// row is written with the next commit, and a failure is logged. The caller can
// change the record as soon as Begin returns.
func (s *Store) Begin(r *record.Match) { s.writer.begin(r) }

// Finish records a match that has ended, together with its result if it belongs to a
// contest. It replaces the row of Begin, if there is one. It returns nil when the record
// is durable. After an error Finish can be called again. A record that could not be
// committed is kept in memory and tried again; if ctx ends first, the record might still
// be written.
//
// With PostgreSQL Finish waits until the record is written, and nothing was written after
// record.ErrFenced. After record.ErrPlayed the match is recorded as aborted.
func (s *Store) Finish(ctx context.Context, r *record.Match) error {
	if err := s.writer.finish(ctx, r); err != nil {
		return fmt.Errorf("record match %s in %s: %w", r.ID, s.d, s.d.Explain(err))
	}
	return nil
}

// usualPatience is the patience without SetPatience.
const usualPatience = 5 * time.Second

// SetPatience sets for how long Available is true while PostgreSQL does not answer. With
// several hosts it is at most config.MaxPatience. It must be called before Available.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }

// Available reports whether matches should begin: not if records could not be written for
// some time, see SetPatience, if those that wait need more than 64 MiB, or if another host
// can have fenced this one. With SQLite it is always true.
func (s *Store) Available() bool {
	if !s.waits {
		return true
	}
	if s.hosts != nil && !s.hosts.knows(s.patience) {
		return false
	}
	return s.writer.queue.moves(s.patience, maxLate)
}

// Retain removes records until ctx ends: at once, and then every minute. It works in
// short transactions between the commits of records, so that the end of a match never
// waits long, and logs the number that it has removed. It must be called at most once.
func (s *Store) Retain(ctx context.Context, r Retention) { s.retainer.run(ctx, r) }

// Stats returns the counters.
func (s *Store) Stats() Stats {
	c := Stats{Damaged: s.damaged.Load()}
	s.writer.addStats(&c)
	s.retainer.addStats(&c)
	return c
}

// Generation returns a number that changes with the list of ended matches. A
// list that was read after a call of Generation is current as long as Generation
// returns the same number.
func (s *Store) Generation() uint64 { return s.generation.Load() }

// Players returns the registered players. They are open as long as the store.
func (s *Store) Players() *Players { return s.players }

// Contests returns the contests. They are open as long as the store.
func (s *Store) Contests() *Contests { return s.contests }

// Submissions returns the programs that players have handed in. They are open as long as
// the store.
func (s *Store) Submissions() *Submissions { return s.submissions }

// Webhooks returns the messages for other sites. They are open as long as the store.
func (s *Store) Webhooks() *Webhooks { return s.webhooks }

// Hosts returns the hosts that share these records; nil: they are in SQLite.
func (s *Store) Hosts() *Hosts { return s.hosts }

// Close commits the queue and closes the database. It returns the error of the last
// commit, if any.
func (s *Store) Close() error { return s.close() }

func (s *Store) shut(done <-chan error) error {
	s.writer.queue.close()
	err := <-done
	s.writer.retry.Stop()
	if err = errors.Join(err, s.closeAll()); err != nil {
		return fmt.Errorf("close the record of matches %s: %w", s.d, s.d.Explain(err))
	}
	return nil
}

// closeAll closes what is open.
func (s *Store) closeAll() error {
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
	if s.submissions != nil {
		errs = append(errs, s.submissions.read.Close())
	}
	if s.webhooks != nil {
		errs = append(errs, s.webhooks.read.Close())
	}
	// The lock is last, because another host can then open the database.
	return errors.Join(append(errs, s.db.Close(), s.release())...)
}
