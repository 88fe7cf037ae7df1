package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// ErrNotFound is the error of Get for an unknown ID.
var ErrNotFound = errors.New("no such match in the record")

// Reader reads the record, even while a host in another process writes it. Its
// methods can be called concurrently.
type Reader struct {
	d         dialect.Database
	db        *sql.DB
	get, list *sql.Stmt
	pages     map[shape]*sql.Stmt
}

// readers is how many reads run at once; others wait. Clients use fewer: package
// limit keeps cores free for running matches.
const readers = 3

// OpenReader opens a record for reading only, next to running hosts or without.
func OpenReader(ctx context.Context, where string) (*Reader, error) {
	d, shown, err := find(where)
	if err == nil {
		var r *Reader
		if r, err = openReader(ctx, d); err == nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("open the record of matches %s: %w", shown, explain(d, err))
}

func openReader(ctx context.Context, d dialect.Database) (*Reader, error) {
	db, err := d.Connect(readers, true)
	if err != nil {
		return nil, err
	}
	r := &Reader{d: d, db: db}
	_, current, err := d.Version(ctx, db)
	if err == nil && !current {
		err = errors.New("its schema is outdated; start the host once to update it")
	}
	if err == nil {
		r.get, err = db.PrepareContext(ctx, `SELECT `+dialect.Columns+` FROM matches WHERE id = $1`)
	}
	if err == nil {
		r.list, err = db.PrepareContext(ctx, listSQL(d.Texts()))
	}
	if err == nil {
		r.pages, err = preparePages(ctx, db, d.Texts())
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// Close closes the database. Reads that are still running fail.
func (r *Reader) Close() error { return r.db.Close() }

// Get returns the record of an ended or running match, or ErrNotFound. Times are
// in UTC.
func (r *Reader) Get(ctx context.Context, id string) (*record.Match, error) {
	rec, err := scan(r.get.QueryRowContext(ctx, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read match %s from %s: %w", id, r.d, r.d.Explain(err))
	}
	return rec, nil
}

// List returns the IDs of at most limit matches, the last to end first.
func (r *Reader) List(ctx context.Context, limit int) ([]string, error) {
	ids, err := r.ids(ctx, max(limit, 0)) // a negative LIMIT means no limit to SQLite
	if err != nil {
		return nil, fmt.Errorf("list the matches in %s: %w", r.d, r.d.Explain(err))
	}
	return ids, nil
}

func (r *Reader) ids(ctx context.Context, limit int) ([]string, error) {
	rows, err := r.list.QueryContext(ctx, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		var ended, number int64
		if err := rows.Scan(&id, &ended, &number); err != nil {
			return nil, err
		}
		ids = append(ids, id)
		if len(ids)%100 == 0 {
			runtime.Gosched() // running matches come first
		}
	}
	return ids, rows.Err()
}

// scan reads the dialect.Columns of a record, and the dialect.Columns after them into more.
func scan(row interface{ Scan(into ...any) error }, more ...any) (*record.Match, error) {
	var (
		r                   record.Match
		args, params, seats string
		seed                int64
		started, ended      sql.NullInt64
		clock, fixture      sql.NullString
		answers             []byte
		clocks, notes       []byte
		stream              []byte
	)
	into := []any{&r.ID, &r.Name, &r.Game, &r.Plugin, &r.Version, &args, &params, &r.Timeout, &seed, &r.Verified,
		&seats, &started, &ended, &r.State, &r.Reason, &clock, &fixture, &r.Salt, &answers, &clocks, &notes, &stream}
	if err := row.Scan(append(into, more...)...); err != nil {
		return nil, err
	}
	r.Seed, r.Started, r.Ended = uint64(seed), fromNanos(started), fromNanos(ended)
	var err error
	if err = json.Unmarshal([]byte(args), &r.Args); err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	if err = json.Unmarshal([]byte(params), &r.Params); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if r.Seats, err = record.DecodeSeats(seats); err != nil {
		return nil, fmt.Errorf("seats: %w", err)
	}
	if r.State == record.Aborted { // as its players were told; a host that died could not write it
		for i := range r.Seats {
			r.Seats[i].Ended = cmp.Or(r.Seats[i].Ended, driver.EndedAborted)
		}
	}
	if answers, err = record.Unpack(answers); err == nil {
		r.Answers, err = record.DecodeAnswers(answers)
	}
	if err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	if clock.Valid {
		if err = json.Unmarshal([]byte(clock.String), &r.Clock); err != nil {
			return nil, fmt.Errorf("clock: %w", err)
		}
	}
	if fixture.Valid {
		if err = json.Unmarshal([]byte(fixture.String), &r.Fixture); err != nil {
			return nil, fmt.Errorf("fixture: %w", err)
		}
	}
	if clocks, err = record.Unpack(clocks); err == nil {
		err = record.DecodeLefts(clocks, r.Answers)
	}
	if err != nil {
		return nil, fmt.Errorf("clocks: %w", err)
	}
	if notes, err = record.Unpack(notes); err == nil {
		err = record.DecodeNotes(notes, r.Answers)
	}
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	if r.Stream, err = record.Unpack(stream); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return &r, nil
}

func fromNanos(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(0, n.Int64).UTC()
}

func toNanos(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}
