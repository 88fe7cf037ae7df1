package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"
)

// ErrNotFound says that there is no match with such an ID.
var ErrNotFound = errors.New("no such match in the record")

// Reader reads a record, also one that a host in another process is writing.
// Its methods may be called from any goroutine.
type Reader struct {
	path      string
	db        *sql.DB
	get, list *sql.Stmt
	pages     map[shape]*sql.Stmt
}

// readers is how many reads run at once; more wait. Whoever serves strangers
// lets fewer of them come this far at once, so that the cores are free for those
// who play: see the package web.
const readers = 3

// OpenReader opens a record for reading only, for a command that runs next to
// the host.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	r, err := openReader(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open the record of matches %s: %w", path, explain(err))
	}
	return r, nil
}

func openReader(ctx context.Context, path string) (*Reader, error) {
	db, err := connect(path, readers, true)
	if err != nil {
		return nil, err
	}
	r := &Reader{path: path, db: db}
	version, err := identify(ctx, db)
	if err == nil && version < len(migrations) {
		err = errors.New("its schema is of an older version; start the host once to renew it")
	}
	if err == nil {
		r.get, err = db.PrepareContext(ctx, `SELECT `+columns+` FROM matches WHERE id = ?`)
	}
	if err == nil {
		r.list, err = db.PrepareContext(ctx, listSQL)
	}
	if err == nil {
		r.pages, err = preparePages(ctx, db)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// Close ends all reading.
func (r *Reader) Close() error { return r.db.Close() }

// Get returns the record of a match, also of one that runs, or ErrNotFound.
// Times are UTC.
func (r *Reader) Get(ctx context.Context, id string) (*Record, error) {
	rec, err := scan(r.get.QueryRowContext(ctx, id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read match %s from %s: %w", id, r.path, explain(err))
	}
	return rec, nil
}

// List returns the IDs of the matches that ended last, newest first, at most
// limit of them, so none when limit is not above 0.
func (r *Reader) List(ctx context.Context, limit int) ([]string, error) {
	ids, err := r.ids(ctx, max(limit, 0)) // to SQLite a negative limit is none
	if err != nil {
		return nil, fmt.Errorf("list the matches in %s: %w", r.path, explain(err))
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
			runtime.Gosched() // whoever plays comes first
		}
	}
	return ids, rows.Err()
}

// columns are those of a Record, in the order of scan and of row.
const columns = `id, name, game, plugin, version, args, params, timeout, seed, verified,
	seats, started, ended, state, reason, answers, stream`

// scan reads the columns of a Record, and into more what follows them.
func scan(row interface{ Scan(into ...any) error }, more ...any) (*Record, error) {
	var (
		r                   Record
		args, params, seats string
		seed                int64
		started, ended      sql.NullInt64
		answers, stream     []byte
	)
	into := []any{&r.ID, &r.Name, &r.Game, &r.Plugin, &r.Version, &args, &params, &r.Timeout, &seed, &r.Verified,
		&seats, &started, &ended, &r.State, &r.Reason, &answers, &stream}
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
	if r.Seats, err = decodeSeats(seats); err != nil {
		return nil, fmt.Errorf("seats: %w", err)
	}
	if answers, err = unpack(answers); err == nil {
		r.Answers, err = decodeAnswers(answers)
	}
	if err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	if r.Stream, err = unpack(stream); err != nil {
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

// resolve follows links, so that two names of one file have one lock.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
