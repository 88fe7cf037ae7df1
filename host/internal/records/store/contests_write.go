package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// Create adds a contest and its first events, which get the numbers from 1, or returns
// ErrContestExists.
func (c *Contests) Create(ctx context.Context, contest Contest, events []Event) error {
	what := "create the contest " + contest.Name
	if n := len(contest.Spec); n > maxSpec {
		return fmt.Errorf("%s: its description has %d bytes, at most %d are possible", what, n, maxSpec)
	}
	return c.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		added, err := changed(tx.ExecContext(ctx, `INSERT INTO contests (name, game, spec, seed, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING`,
			contest.Name, contest.Game, contest.Spec, int64(contest.Seed), nanos(contest.Created)))
		if err != nil {
			return err
		}
		if !added {
			return ErrContestExists
		}
		number, err := numberOf(ctx, tx, contest.Name, "")
		if err != nil {
			return err
		}
		return addEvents(ctx, tx, number, 0, events)
	})
}

// Append adds events after the one with the given number, whatever their own numbers.
// If that is not the last event, it returns ErrChanged, and if there is no such contest,
// ErrNoContest.
func (c *Contests) Append(ctx context.Context, name string, after int64, events []Event) error {
	return c.change(ctx, "add events to the contest "+name, func(ctx context.Context, tx *sql.Tx) error {
		number, err := numberOf(ctx, tx, name, c.d.Texts().Lock)
		if err != nil {
			return err
		}
		var last int64
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM contest_events WHERE contest = $1`, number).Scan(&last); err != nil {
			return err
		}
		if last != after {
			return ErrChanged
		}
		return addEvents(ctx, tx, number, after, events)
	})
}

func addEvents(ctx context.Context, tx *sql.Tx, contest, after int64, events []Event) error {
	for i, e := range events {
		if n := len(e.Data); n > maxEvent || !json.Valid(e.Data) {
			return fmt.Errorf("the event %s with %d bytes is not JSON of at most %d bytes", e.Kind, n, maxEvent)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO contest_events (contest, number, at, kind, data) VALUES ($1, $2, $3, $4, $5)`,
			contest, after+int64(i)+1, nanos(e.At), e.Kind, string(e.Data)); err != nil {
			return err
		}
	}
	return nil
}

// Finish records a match that has ended, together with its result, like [Store.Finish],
// but for a process that does not own the file. It waits while other programs lock the
// file, until ctx ends.
func (c *Contests) Finish(ctx context.Context, r *record.Match) error {
	what := "record match " + r.ID
	row, err := rowOf(r, &c.pack)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if c.fence != nil {
		row.Generation = c.fence()
	}
	batch := []*dialect.Row{row}
	// It is the same row each time, so it can be written twice.
	err = dialect.Again(ctx, math.MaxInt64, func(err error) bool { return c.d.Busy(err) || c.d.Down(err) }, func() error {
		return c.update.use(ctx, func(ctx context.Context, conn *sql.Conn) error { return c.commits.Commit(ctx, conn, batch) })
	})
	if err == nil {
		err = row.Err
	}
	if err != nil {
		return fmt.Errorf("%s in %s: %w", what, c.d, c.d.Explain(err))
	}
	if c.recorded != nil {
		c.recorded()
	}
	return nil
}

// change runs a transaction, and for some time again if others are in its way.
func (c *Contests) change(ctx context.Context, what string, do func(context.Context, *sql.Tx) error) error {
	err := c.update.change(ctx, dialect.BusyTimeout, do)
	known := []error{ErrNoContest, ErrContestExists, ErrChanged, ErrContestRunning, ErrMatchesRun}
	if err == nil || slices.Contains(known, err) {
		return err
	}
	return fmt.Errorf("%s in %s: %w", what, c.d, c.d.Explain(err))
}
