package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"colosseum/host/internal/records/dialect"
)

// Remove deletes a contest with its events and results. Records of its matches stay. It
// returns ErrNoContest, ErrContestRunning for a contest that has started and not ended,
// or ErrMatchesRun, because results of running matches would count for a later contest of
// this name. The contest is gone at once; its results are deleted in short transactions,
// so that the end of a match never waits long.
func (c *Contests) Remove(ctx context.Context, name string) error {
	what := "remove the contest " + name
	err := c.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		number, err := numberOf(ctx, tx, name, c.d.Texts().Lock)
		if err != nil {
			return err
		}
		var runs bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM contest_events WHERE contest = $1 AND kind = 'start')
			AND NOT EXISTS (SELECT 1 FROM contest_events WHERE contest = $1 AND kind = 'end')`, number).Scan(&runs); err != nil {
			return err
		}
		if runs {
			return ErrContestRunning
		}
		if err := tx.QueryRowContext(ctx, c.d.Texts().Running, name).Scan(&runs); err != nil {
			return err
		}
		if runs {
			return ErrMatchesRun
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM contest_events WHERE contest = $1`, number); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM contests WHERE number = $1`, number)
		return err
	})
	if err != nil {
		return err
	}
	return c.clear(ctx, what)
}

// removedSQL selects the numbers of the contests that were removed and have results. It
// reads one entry of the index for each contest.
const removedSQL = `WITH RECURSIVE used (contest) AS (
		SELECT min(contest) FROM contest_results
		UNION ALL SELECT (SELECT min(contest) FROM contest_results r WHERE r.contest > used.contest) FROM used WHERE contest IS NOT NULL
	) SELECT contest FROM used WHERE contest IS NOT NULL AND contest NOT IN (SELECT number FROM contests)`

// clear deletes the results of contests that were removed, also those that an earlier
// call has left.
func (c *Contests) clear(ctx context.Context, what string) error {
	var removed []int64
	rows, err := c.read.QueryContext(ctx, removedSQL)
	if err != nil {
		return fmt.Errorf("%s from %s: %w", what, c.d, c.d.Explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var number int64
		if err := rows.Scan(&number); err != nil {
			return fmt.Errorf("%s from %s: %w", what, c.d, c.d.Explain(err))
		}
		removed = append(removed, number)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s from %s: %w", what, c.d, c.d.Explain(err))
	}
	for _, number := range removed {
		for more := true; more; {
			begun := time.Now()
			if err := c.change(ctx, what, func(ctx context.Context, tx *sql.Tx) (err error) {
				for more && err == nil && time.Since(begun) < batchTime {
					more, err = changed(tx.ExecContext(ctx, `DELETE FROM contest_results
						WHERE number IN (SELECT number FROM contest_results WHERE contest = $1 LIMIT 20)`, number))
				}
				return err
			}); err != nil {
				return err
			}
			if err := dialect.Pause(ctx, batchPause*time.Since(begun)); err != nil {
				return fmt.Errorf("%s from %s: the contest is gone, but not all of its results: %w", what, c.d, err)
			}
		}
	}
	return nil
}
