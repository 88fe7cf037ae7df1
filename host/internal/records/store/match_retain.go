package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/sqlite"
)

// Retention determines which records of ended matches are removed, beginning with the
// match that ended first. The zero value removes none.
type Retention struct {
	Keep         time.Duration // how long after a match's end; 0: forever
	MaxBytes     int64         // of everything in the file but submissions; 0: no limit; not in PostgreSQL
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

// retainer removes records of ended matches.
type retainer struct {
	d       dialect.Database
	log     *slog.Logger
	read    *sql.DB
	update  *updater
	remove  *sql.Stmt
	changed func() // called after records were removed

	// For the goroutine of run alone.
	place   place // all records up to here are kept as verified
	failing bool  // the last check failed
	over    bool  // a warning was logged that what is kept is too large
	others  int64 // bytes of submissions, whose quotas must not cost records

	mu         sync.Mutex // guards the fields below
	removed    uint64
	used, free int64 // bytes
}

// newRetainer prepares what removes records with the connection of u.
func newRetainer(ctx context.Context, r *Reader, u *updater, log *slog.Logger, changed func()) (*retainer, error) {
	remove, err := u.db.PrepareContext(ctx, removeSQL)
	if err != nil {
		return nil, err
	}
	return &retainer{d: r.d, log: log, read: r.db, update: u, remove: remove, changed: changed}, nil
}

// addStats adds the counters of the retainer.
func (t *retainer) addStats(s *Stats) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Removed, s.Used, s.Free = t.removed, t.used, t.free
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

// run removes records until ctx ends, see Store.Retain.
func (t *retainer) run(ctx context.Context, r Retention) {
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		removed, err := t.retain(ctx, r, time.Now())
		if removed > 0 {
			t.log.Info("removed old records", "file", t.d.String(), "matches", removed)
		}
		if err != nil && ctx.Err() == nil && !t.failing {
			t.log.Error("could not remove old records; trying again every minute", "file", t.d.String(), "error", t.d.Explain(err))
		}
		t.failing = err != nil
		var now Stats
		t.addStats(&now)
		if err == nil && r.MaxBytes > 0 && now.Used-t.others > r.MaxBytes && !t.over {
			t.over = true
			t.log.Warn("the records need more space than records.max_gb, and none is left to remove", "file", t.d.String(), "bytes", now.Used)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// retain removes what a retention requires now, and returns the number of records.
func (t *retainer) retain(ctx context.Context, r Retention, now time.Time) (removed int, err error) {
	if r.Keep > 0 {
		old := now.Add(-r.Keep).Truncate(keepGrain)
		if removed, err = t.removeUntil(ctx, r, nanos(old), nil); err != nil {
			return removed, err
		}
	}
	used, err := t.measure(ctx)
	if err != nil {
		return removed, err
	}
	if err := t.read.QueryRowContext(ctx, keptBytes).Scan(&t.others); err != nil {
		return removed, err
	}
	if r.MaxBytes > 0 && used-t.others > r.MaxBytes {
		n, err := t.removeUntil(ctx, r, math.MaxInt64, func(used int64) bool { return used-t.others <= r.MaxBytes-r.MaxBytes/spareShare })
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, t.shrink(ctx)
}

// removeUntil removes the matches that ended before a time, until the rest is small
// enough; nil: all of them.
func (t *retainer) removeUntil(ctx context.Context, r Retention, before int64, enough func(used int64) bool) (removed int, err error) {
	for done := false; !done; {
		begun := time.Now()
		list, last, err := t.removable(ctx, r, before)
		if err != nil {
			return removed, err
		}
		if last == t.place {
			return removed, nil // there are no more
		}
		if len(list) == 0 {
			t.place = last
		}
		var n int
		n, done, err = t.removeSome(ctx, list, enough)
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
func (t *retainer) removable(ctx context.Context, r Retention, before int64) (list []place, last place, err error) {
	last = t.place
	rows, err := t.read.QueryContext(ctx, removableSQL(t.d.Texts()), last.ended, last.number, before, batchRecords)
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
func (t *retainer) removeSome(ctx context.Context, list []place, enough func(used int64) bool) (removed int, done bool, err error) {
	if len(list) == 0 {
		return 0, false, nil
	}
	err = t.update.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		remove := tx.StmtContext(ctx, t.remove)
		for begun := time.Now(); removed < len(list) && !done && time.Since(begun) < batchTime; removed++ {
			if _, err := remove.ExecContext(ctx, list[removed].number, list[removed].ended); err != nil {
				return err
			}
			if enough != nil {
				used, _, err := t.d.Size(ctx, tx)
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
	t.changed()
	t.mu.Lock()
	t.removed += uint64(removed)
	t.mu.Unlock()
	return removed, done, nil
}

// measure returns the bytes in use, and keeps the sizes for Stats.
func (t *retainer) measure(ctx context.Context) (used int64, err error) {
	used, free, err := t.d.Size(ctx, t.read)
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	t.used, t.free = used, free
	t.mu.Unlock()
	return used, nil
}

// shrink gives the free space of a file back to the file system, except for a share for new
// records. PostgreSQL uses the space again by itself.
func (t *retainer) shrink(ctx context.Context) error {
	file, ok := t.d.(sqlite.File)
	if !ok {
		return nil
	}
	if shrinks, err := file.Shrinks(ctx, t.read); err != nil || !shrinks {
		return err
	}
	for {
		if _, err := t.measure(ctx); err != nil {
			return err
		}
		pages, err := file.Pages(ctx, t.read)
		if err != nil {
			return err
		}
		excess := pages.Free - (pages.All-pages.Free)/freeShare
		if excess <= 0 {
			return nil
		}
		begun := time.Now()
		err = t.update.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
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
