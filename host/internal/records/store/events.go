package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

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
