package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"
)

// Retention determines which records of ended matches are removed, beginning with the
// match that ended first. The zero value removes none.
type Retention struct {
	Keep         time.Duration // how long after a match's end; 0: forever
	MaxBytes     int64         // of everything in the file; 0: no limit
	KeepVerified bool          // never remove records of verified matches
}

const (
	// retainEvery is the time between two checks of the retention.
	retainEvery = time.Minute
	// keepGrain makes records old enough in groups, so that some are removed and
	// logged once an hour, and not with each check.
	keepGrain = time.Hour
	// spareShare makes room for more than the next records, for the same reason: when
	// the file is too large, a share of 1/spareShare of its limit is freed.
	spareShare = 32
	// freeShare is the share of the used space that stays in the file for new
	// records, 1/freeShare. More goes back to the file system.
	freeShare = 8
	// batchTime bounds one transaction that removes records, and so how long the
	// end of a match waits for it. The transaction can exceed it by one record and
	// the commit. It is followed by a pause batchPause times as long.
	batchTime  = 3 * time.Millisecond
	batchPause = 3
	// batchRecords is how many records are looked at together. A fast machine removes
	// that many in batchTime.
	batchRecords = 50
	// vacuumPages is how many pages are given back between two looks at the clock.
	vacuumPages = 16
)

// retainer is the state of Retain, for its goroutine alone.
type retainer struct {
	remove  *sql.Stmt
	place   place // all records up to here are kept as verified
	failing bool  // the last check failed
	over    bool  // a warning was logged that what is kept is too large
}

// place is a place in the list of ended matches.
type place struct{ ended, number int64 }

// removableSQL selects the ended matches after a place and before a time, in the order
// of their ends. Like the pages of Select it reads only as many rows as it returns.
const removableSQL = `SELECT e.ended AS ending, e.match AS place, m.verified FROM endings e CROSS JOIN matches m ON m.number = e.match
		WHERE e.player = '' AND e.aborted = 0 AND (e.ended, e.match) > (?1, ?2) AND e.ended < ?3
	UNION ALL SELECT e.ended, e.match, m.verified FROM endings e CROSS JOIN matches m ON m.number = e.match
		WHERE e.player = '' AND e.aborted = 1 AND (e.ended, e.match) > (?1, ?2) AND e.ended < ?3
	ORDER BY ending, place LIMIT ?4`

// removeSQL removes a record; the triggers remove its endings.
const removeSQL = `DELETE FROM matches WHERE number = ? AND ended = ?`

// Retain removes records until ctx ends: at once, and then every minute. It works in
// short transactions between the commits of records, so that the end of a match never
// waits long, and logs the number that it has removed. It must be called at most once.
func (s *Store) Retain(ctx context.Context, r Retention) {
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		removed, err := s.retain(ctx, r, time.Now())
		if removed > 0 {
			s.log.Info("removed old records", "file", s.path, "matches", removed)
		}
		if err != nil && ctx.Err() == nil && !s.retainer.failing {
			s.log.Error("could not remove old records; trying again every minute", "file", s.path, "error", explain(err))
		}
		s.retainer.failing = err != nil
		if used := s.Stats().Used; err == nil && r.MaxBytes > 0 && used > r.MaxBytes && !s.retainer.over {
			s.retainer.over = true
			s.log.Warn("the records need more space than records.max_gb, and none is left to remove", "file", s.path, "bytes", used)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// retain removes what a retention requires now, and returns the number of records.
func (s *Store) retain(ctx context.Context, r Retention, now time.Time) (removed int, err error) {
	if r.Keep > 0 {
		old := now.Add(-r.Keep).Truncate(keepGrain)
		if removed, err = s.removeUntil(ctx, r, nanos(old), nil); err != nil {
			return removed, err
		}
	}
	size, err := s.measure(ctx)
	if err != nil {
		return removed, err
	}
	if r.MaxBytes > 0 && size.used() > r.MaxBytes {
		n, err := s.removeUntil(ctx, r, math.MaxInt64, func(size fileSize) bool { return size.used() <= r.MaxBytes-r.MaxBytes/spareShare })
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, s.shrink(ctx)
}

// removeUntil removes the matches that ended before a time, until the file is small
// enough; nil: all of them.
func (s *Store) removeUntil(ctx context.Context, r Retention, before int64, enough func(fileSize) bool) (removed int, err error) {
	for done := false; !done; {
		begun := time.Now()
		list, last, err := s.removable(ctx, r, before)
		if err != nil {
			return removed, err
		}
		if last == s.retainer.place {
			return removed, nil // there are no more
		}
		if len(list) == 0 {
			s.retainer.place = last
		}
		var n int
		n, done, err = s.removeSome(ctx, list, enough)
		removed += n
		if err != nil {
			return removed, err
		}
		if err := pause(ctx, batchPause*time.Since(begun)); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// removable returns the next records to remove, and the place of the last one that it
// has looked at.
func (s *Store) removable(ctx context.Context, r Retention, before int64) (list []place, last place, err error) {
	last = s.retainer.place
	rows, err := s.Reader.db.QueryContext(ctx, removableSQL, last.ended, last.number, before, batchRecords)
	if err != nil {
		return nil, last, err
	}
	defer rows.Close()
	for rows.Next() {
		var verified bool
		if err := rows.Scan(&last.ended, &last.number, &verified); err != nil {
			return nil, last, err
		}
		if !verified || !r.KeepVerified {
			list = append(list, last)
		}
	}
	return list, last, rows.Err()
}

// removeSome removes records in one transaction, as many as its time allows or until
// the file is small enough, and returns their number.
func (s *Store) removeSome(ctx context.Context, list []place, enough func(fileSize) bool) (removed int, done bool, err error) {
	if len(list) == 0 {
		return 0, false, nil
	}
	err = s.update.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		remove := tx.StmtContext(ctx, s.retainer.remove)
		for begun := time.Now(); removed < len(list) && !done && time.Since(begun) < batchTime; removed++ {
			if _, err := remove.ExecContext(ctx, list[removed].number, list[removed].ended); err != nil {
				return err
			}
			if enough != nil {
				size, err := sizeOf(ctx, tx)
				if err != nil {
					return err
				}
				done = enough(size)
			}
		}
		return nil
	})
	if err != nil {
		return 0, false, fmt.Errorf("remove records: %w", err)
	}
	s.generation.Add(1)
	s.mu.Lock()
	s.stats.Removed += uint64(removed)
	s.mu.Unlock()
	return removed, done, nil
}

// fileSize is the size of the database without its log.
type fileSize struct{ page, pages, free int64 }

func (f fileSize) used() int64 { return (f.pages - f.free) * f.page }

// measure returns the size of the file, and keeps it for Stats.
func (s *Store) measure(ctx context.Context) (f fileSize, err error) {
	f, err = sizeOf(ctx, s.Reader.db)
	if err != nil {
		return f, err
	}
	s.mu.Lock()
	s.stats.Used, s.stats.Free = f.used(), f.free*f.page
	s.mu.Unlock()
	return f, nil
}

func sizeOf(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (f fileSize, err error) {
	err = db.QueryRowContext(ctx, `SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count`).
		Scan(&f.page, &f.pages, &f.free)
	return f, err
}

// shrink gives free space back to the file system, except a share for new records. It
// does nothing in files of older hosts (docs/decisions/store.md).
func (s *Store) shrink(ctx context.Context) error {
	var mode int
	if err := s.Reader.db.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode); err != nil || mode == 0 {
		return err
	}
	for {
		size, err := s.measure(ctx)
		if err != nil {
			return err
		}
		excess := size.free - (size.pages-size.free)/freeShare
		if excess <= 0 {
			return nil
		}
		begun := time.Now()
		err = s.update.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
			for begun := time.Now(); excess > 0 && time.Since(begun) < batchTime; excess -= vacuumPages {
				if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", min(excess, vacuumPages))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("give space back to the file system: %w", err)
		}
		if err := pause(ctx, batchPause*time.Since(begun)); err != nil {
			return err
		}
	}
}
