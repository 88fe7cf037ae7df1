package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"colosseum/host/internal/records/dialect"
)

// Contest returns a contest, or ErrNoContest.
func (c *Contests) Contest(ctx context.Context, name string) (Contest, error) {
	list, err := c.list(ctx, `WHERE name = $1`, name)
	switch {
	case err != nil:
		return Contest{}, fmt.Errorf("read the contest %s in %s: %w", name, c.d, c.d.Explain(err))
	case len(list) == 0:
		return Contest{}, ErrNoContest
	}
	return list[0], nil
}

// List returns all contests, the newest first.
func (c *Contests) List(ctx context.Context) ([]Contest, error) {
	list, err := c.list(ctx, `ORDER BY number DESC`)
	if err != nil {
		return nil, fmt.Errorf("list the contests in %s: %w", c.d, c.d.Explain(err))
	}
	return list, nil
}

func (c *Contests) list(ctx context.Context, which string, args ...any) ([]Contest, error) {
	rows, err := c.read.QueryContext(ctx, fmt.Sprintf(`SELECT name, game, CASE WHEN octet_length(spec) <= %d THEN spec END, seed, created,
		coalesce((SELECT max(e.number) FROM contest_events e WHERE e.contest = contests.number), 0) FROM contests `, maxSpec)+which, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Contest
	for rows.Next() {
		var one Contest
		var spec sql.NullString
		var seed, created int64
		if err := rows.Scan(&one.Name, &one.Game, &spec, &seed, &created, &one.Last); err != nil {
			return nil, err
		}
		if !spec.Valid {
			return nil, fmt.Errorf("the description of %s is longer than %d bytes", one.Name, maxSpec)
		}
		one.Spec, one.Seed, one.Created = spec.String, uint64(seed), time.Unix(0, created).UTC()
		list = append(list, one)
	}
	return list, rows.Err()
}

// Events returns the events of a contest after the one with the given number, in their
// order, or ErrNoContest. Results that are read before them belong to pairings that
// they have.
func (c *Contests) Events(ctx context.Context, name string, after int64) ([]Event, error) {
	events, err := c.events(ctx, name, after)
	if err != nil && !errors.Is(err, ErrNoContest) {
		err = fmt.Errorf("read the events of the contest %s in %s: %w", name, c.d, c.d.Explain(err))
	}
	return events, err
}

func (c *Contests) events(ctx context.Context, name string, after int64) ([]Event, error) {
	contest, err := numberOf(ctx, c.read, name, "")
	if err != nil {
		return nil, err
	}
	rows, err := c.read.QueryContext(ctx, fmt.Sprintf(`SELECT number, at, kind, CASE WHEN octet_length(data) <= %d THEN data END FROM contest_events
		WHERE contest = $1 AND number > $2 ORDER BY number`, maxEvent), contest, after)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Event
	for rows.Next() {
		var e Event
		var at int64
		var data sql.NullString
		if err := rows.Scan(&e.Number, &at, &e.Kind, &data); err != nil {
			return nil, err
		}
		if !data.Valid {
			return nil, fmt.Errorf("event %d is longer than %d bytes", e.Number, maxEvent)
		}
		e.At, e.Data = time.Unix(0, at).UTC(), json.RawMessage(data.String)
		list = append(list, e)
	}
	return list, rows.Err()
}

// Results returns the results of a contest after the one with the given number, in the
// order of their numbers, or ErrNoContest.
func (c *Contests) Results(ctx context.Context, name string, after int64) (list []Result, err error) {
	contest, err := numberOf(ctx, c.read, name, "")
	if err == nil {
		err = c.results(ctx, c.read, map[int64]string{contest: name}, "contest", contest, after, func(r Result) error {
			list = append(list, r)
			return nil
		})
	}
	if err != nil && !errors.Is(err, ErrNoContest) {
		err = fmt.Errorf("read the results of the contest %s in %s: %w", name, c.d, c.d.Explain(err))
	}
	return list, err
}

// GameResults calls f for the results of all contests of a game after the one with the
// given number, in the order of their numbers. It returns the error of f, which can call
// all methods except this one.
func (c *Contests) GameResults(ctx context.Context, game string, after int64, f func(Result) error) error {
	var failed error
	err := c.gameResults(ctx, game, after, func(r Result) error {
		failed = f(r)
		return failed
	})
	if err != nil && failed == nil {
		err = fmt.Errorf("read the results of %s in %s: %w", game, c.d, c.d.Explain(err))
	}
	return err
}

func (c *Contests) gameResults(ctx context.Context, game string, after int64, f func(Result) error) error {
	conn, err := c.stream.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// One snapshot, so that each result has its contest.
	if _, err := conn.ExecContext(ctx, c.d.Texts().Snapshot); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	names, err := namesOf(ctx, conn, game)
	if err != nil || len(names) == 0 {
		return err
	}
	return c.results(ctx, conn, names, "game", game, after, f)
}

// namesOf returns the names of the contests of a game by their numbers.
func namesOf(ctx context.Context, conn *sql.Conn, game string) (map[int64]string, error) {
	rows, err := conn.QueryContext(ctx, `SELECT number, name FROM contests WHERE game = $1`, game)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := map[int64]string{}
	for rows.Next() {
		var number int64
		var name string
		if err := rows.Scan(&number, &name); err != nil {
			return nil, err
		}
		names[number] = name
	}
	return names, rows.Err()
}

// resultsSQL selects the results with a value in a column that has an index.
func resultsSQL(column string) string {
	return `SELECT number, contest, pairing, leg, attempt, match, ended, aborted, seats FROM contest_results
		WHERE ` + column + ` = $1 AND number > $2 ORDER BY number`
}

// results reads results. Those of contests without a name are being removed, and left
// out.
func (c *Contests) results(ctx context.Context, db dialect.Querier, names map[int64]string, column string, key any, after int64, f func(Result) error) error {
	rows, err := db.QueryContext(ctx, resultsSQL(column), key, after)
	if err != nil {
		return err
	}
	defer rows.Close()
	var seats sql.RawBytes
	for n := 1; rows.Next(); n++ {
		var r Result
		var contest, ended int64
		if err := rows.Scan(&r.Number, &contest, &r.Pairing, &r.Leg, &r.Attempt, &r.Match, &ended, &r.Aborted, &seats); err != nil {
			return err
		}
		name, ok := names[contest]
		if !ok {
			continue
		}
		r.Contest, r.Ended = name, time.Unix(0, ended).UTC()
		if r.Seats, err = decodeResult(seats); err != nil {
			return fmt.Errorf("match %s: %w", r.Match, err)
		}
		if err := f(r); err != nil {
			return err
		}
		if n%100 == 0 {
			runtime.Gosched() // running matches come first
		}
	}
	return rows.Err()
}
