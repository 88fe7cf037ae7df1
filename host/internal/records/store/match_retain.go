package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/sqlite"
)

// Retention determines which records of ended matches are removed, beginning with the
// match that ended first. The zero value removes none.
type Retention struct {
	Keep         time.Duration // how long after a match's end; 0: forever
	MaxBytes     int64         // of everything in the file; 0: no limit; not in PostgreSQL
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
	// batchTime bounds one transaction that removes records, and so how long the
	// end of a match waits for it. The transaction can exceed it by one record and
	// the commit. It is followed by a pause batchPause times as long.
	batchTime  = 3 * time.Millisecond
	batchPause = 3
	// batchRecords is how many records are looked at together. A fast machine removes
	// that many in batchTime.
	batchRecords = 50
	// freeShare is the share of the used space that stays in a file for new records,
	// 1/freeShare. More goes back to the file system.
	freeShare = 8
	// shrinkPages is how many pages are given back between two looks at the clock.
	shrinkPages = 16
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
func removableSQL(t dialect.Texts) string {
	list := func(aborted string) string {
		return `SELECT e.ended AS ending, e.match AS place, m.verified FROM endings e ` + t.Join + ` matches m ON m.number = e.match
			WHERE e.player = '' AND e.aborted = ` + aborted + ` AND (e.ended, e.match) > ($1, $2) AND e.ended < $3`
	}
	return t.Merge(` ORDER BY ending, place LIMIT $4`, list("FALSE"), list("TRUE"))
}

// removeSQL removes a record; the triggers remove its endings.
const removeSQL = `DELETE FROM matches WHERE number = $1 AND ended = $2`

// Retain removes records until ctx ends: at once, and then every minute. It works in
// short transactions between the commits of records, so that the end of a match never
// waits long, and logs the number that it has removed. It must be called at most once.
func (s *Store) Retain(ctx context.Context, r Retention) {
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		removed, err := s.retain(ctx, r, time.Now())
		if removed > 0 {
			s.log.Info("removed old records", "file", s.d.String(), "matches", removed)
		}
		if err != nil && ctx.Err() == nil && !s.retainer.failing {
			s.log.Error("could not remove old records; trying again every minute", "file", s.d.String(), "error", s.d.Explain(err))
		}
		s.retainer.failing = err != nil
		if used := s.Stats().Used; err == nil && r.MaxBytes > 0 && used > r.MaxBytes && !s.retainer.over {
			s.retainer.over = true
			s.log.Warn("the records need more space than records.max_gb, and none is left to remove", "file", s.d.String(), "bytes", used)
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
	used, err := s.measure(ctx)
	if err != nil {
		return removed, err
	}
	if r.MaxBytes > 0 && used > r.MaxBytes {
		n, err := s.removeUntil(ctx, r, math.MaxInt64, func(used int64) bool { return used <= r.MaxBytes-r.MaxBytes/spareShare })
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, s.shrink(ctx)
}

// removeUntil removes the matches that ended before a time, until the rest is small
// enough; nil: all of them.
func (s *Store) removeUntil(ctx context.Context, r Retention, before int64, enough func(used int64) bool) (removed int, err error) {
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
		if err := dialect.Pause(ctx, batchPause*time.Since(begun)); err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// removable returns the next records to remove, and the place of the last one that it
// has looked at.
func (s *Store) removable(ctx context.Context, r Retention, before int64) (list []place, last place, err error) {
	last = s.retainer.place
	rows, err := s.Reader.db.QueryContext(ctx, removableSQL(s.d.Texts()), last.ended, last.number, before, batchRecords)
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
func (s *Store) removeSome(ctx context.Context, list []place, enough func(used int64) bool) (removed int, done bool, err error) {
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
				used, _, err := s.d.Size(ctx, tx)
				if err != nil {
					return err
				}
				done = enough(used)
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

// measure returns the bytes in use, and keeps the sizes for Stats.
func (s *Store) measure(ctx context.Context) (used int64, err error) {
	used, free, err := s.d.Size(ctx, s.Reader.db)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.stats.Used, s.stats.Free = used, free
	s.mu.Unlock()
	return used, nil
}

// shrink gives the free space of a file back to the file system, except for a share for new
// records. PostgreSQL uses the space again by itself.
func (s *Store) shrink(ctx context.Context) error {
	file, ok := s.d.(sqlite.File)
	if !ok {
		return nil
	}
	if shrinks, err := file.Shrinks(ctx, s.Reader.db); err != nil || !shrinks {
		return err
	}
	for {
		if _, err := s.measure(ctx); err != nil {
			return err
		}
		pages, err := file.Pages(ctx, s.Reader.db)
		if err != nil {
			return err
		}
		excess := pages.Free - (pages.All-pages.Free)/freeShare
		if excess <= 0 {
			return nil
		}
		begun := time.Now()
		err = s.update.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
			for begun := time.Now(); excess > 0 && time.Since(begun) < batchTime; excess -= shrinkPages {
				if err := file.Shrink(ctx, tx, min(excess, shrinkPages)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("give space back to the file system: %w", err)
		}
		if err := dialect.Pause(ctx, batchPause*time.Since(begun)); err != nil {
			return err
		}
	}
}
