package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"colosseum/host/internal/record"
	"colosseum/sdk/driver"
)

// contestsTables hold the contests. A result refers to its match by ID, because it
// stays when the record is removed. AUTOINCREMENT gives no number twice, even after
// rows are removed.
const contestsTables = `
	CREATE TABLE contests (
		number  INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which contests were created
		name    TEXT    NOT NULL UNIQUE,
		game    TEXT    NOT NULL,
		spec    TEXT    NOT NULL,    -- YAML
		seed    INTEGER NOT NULL,    -- the 64 bits; above 2^63 shown as negative
		created INTEGER NOT NULL     -- Unix time in nanoseconds
	) STRICT;
	CREATE TABLE contest_events (
		contest INTEGER NOT NULL,    -- its number
		number  INTEGER NOT NULL,    -- from 1 in each contest
		at      INTEGER NOT NULL,    -- Unix time in nanoseconds
		kind    TEXT    NOT NULL,
		data    TEXT    NOT NULL,    -- JSON
		PRIMARY KEY (contest, number)
	) STRICT;
	CREATE TABLE contest_results (
		number  INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which results were written
		contest INTEGER NOT NULL,    -- its number
		game    TEXT    NOT NULL,    -- of the contest
		pairing INTEGER NOT NULL,
		leg     INTEGER NOT NULL,
		match   TEXT    NOT NULL UNIQUE, -- its ID
		ended   INTEGER NOT NULL,    -- Unix time in nanoseconds
		aborted INTEGER NOT NULL,    -- 0 or 1
		seats   BLOB    NOT NULL     -- results.go
	) STRICT;
	CREATE INDEX contest_results_contest ON contest_results (contest);
	CREATE INDEX contest_results_game ON contest_results (game);
	-- A leg has at most one match that was not aborted.
	CREATE UNIQUE INDEX contest_results_leg ON contest_results (contest, pairing, leg) WHERE aborted = 0;
	-- A JSON object; null: the match belongs to no contest.
	ALTER TABLE matches ADD COLUMN fixture TEXT`

// Bounds on what is written and read at once, in bytes.
const (
	maxSpec  = 1 << 20
	maxEvent = 64 << 20 // a round-robin of 1,000 entries needs 40 MB
)

// Errors of contests.
var (
	ErrNoContest      = errors.New("there is no such contest")
	ErrContestExists  = errors.New("there is a contest with this name")
	ErrChanged        = errors.New("the contest has changed in between")
	ErrContestRunning = errors.New("the contest has started and not ended")
	ErrMatchesRun     = errors.New("matches of the contest are still running: try again when they are over, or when the host has started again after it was killed")
)

// Contest is a contest as it was created. Everything that happens afterwards is an
// event or a result.
type Contest struct {
	Name    string // in lower case
	Game    string
	Spec    string // YAML
	Seed    uint64
	Created time.Time
}

// Event is something that happened in a contest, except the result of a match.
type Event struct {
	Number int64 // in its contest, from 1
	At     time.Time
	Kind   string
	Data   json.RawMessage
}

// Result is the result of one match of a contest. It is written in the same
// transaction as the match's record, and stays when the record is removed.
type Result struct {
	Number       int64 // grows with each result in the file
	Contest      string
	Pairing, Leg int
	Match        string // its ID
	Ended        time.Time
	Aborted      bool
	Seats        []ResultSeat
}

// ResultSeat is the result of one seat.
type ResultSeat struct {
	Entry int // its number in the contest
	Rank  int
	Score float64
	Ended driver.Ended
}

// Contests are the contests in the file of the records. Several processes can have
// them open at once, next to the host's. The methods can be called concurrently; those
// that write do all or nothing.
type Contests struct {
	path           string
	read           *sql.DB // sees each commit of any process at once
	stream         *sql.DB // for GameResults, so that its function can use read
	watch          *sql.DB // one connection, which only reads the version
	update         *updater
	pack           record.Packer
	version        *sql.Stmt
	finish, result *sql.Stmt
	recorded       func() // after each Finish; nil: nothing to do
}

// contestReaders is how many reads of contests run at once, and how many calls of
// GameResults; others wait.
const contestReaders = 2

// OpenContests opens the contests in a file of records, next to a running host or
// without. If the file does not exist or is older, it creates or updates it first,
// which needs that no host runs. The folder must exist.
func OpenContests(ctx context.Context, path string, log *slog.Logger) (*Contests, error) {
	if inPostgres(path) {
		return nil, errNotYet
	}
	c, err := openContests(ctx, resolve(path), log)
	if err != nil {
		return nil, fmt.Errorf("open the contests in %s: %w", path, explain(err))
	}
	return c, nil
}

func openContests(ctx context.Context, path string, log *slog.Logger) (*Contests, error) {
	write, err := openNext(ctx, path, log)
	if err != nil {
		return nil, err
	}
	c, err := newContests(ctx, path, newUpdater(write))
	if err != nil {
		write.Close()
	}
	return c, err
}

// newContests opens the connections that read. If it fails, those of u stay open.
func newContests(ctx context.Context, path string, u *updater) (_ *Contests, err error) {
	c := &Contests{path: path, update: u}
	defer func() {
		if err != nil {
			c.closeReaders()
		}
	}()
	if c.read, err = connect(path, contestReaders, true); err != nil {
		return nil, err
	}
	if c.stream, err = connect(path, contestReaders, true); err != nil {
		return nil, err
	}
	if c.watch, err = connect(path, 1, true); err != nil {
		return nil, err
	}
	// Its numbers are those of one connection.
	if c.version, err = c.watch.PrepareContext(ctx, "PRAGMA data_version"); err != nil {
		return nil, err
	}
	if c.finish, err = u.db.PrepareContext(ctx, insert+` ON CONFLICT (id) DO UPDATE SET `+update); err != nil {
		return nil, err
	}
	c.result, err = u.db.PrepareContext(ctx, insertResult)
	return c, err
}

// Close closes the file. It must not be called for the contests of a [Store].
func (c *Contests) Close() error { return errors.Join(c.closeReaders(), c.update.db.Close()) }

func (c *Contests) closeReaders() error {
	var errs []error
	for _, db := range []*sql.DB{c.read, c.stream, c.watch} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Version returns a number that changes with every commit of any process, this one
// included, also of records and players. It takes some microseconds. The numbers of
// two processes cannot be compared.
func (c *Contests) Version(ctx context.Context) (version int64, err error) {
	// Not cancelled, because it takes no time.
	if err := c.version.QueryRowContext(context.WithoutCancel(ctx)).Scan(&version); err != nil {
		return 0, fmt.Errorf("read the version of %s: %w", c.path, explain(err))
	}
	return version, nil
}

// Contest returns a contest, or ErrNoContest.
func (c *Contests) Contest(ctx context.Context, name string) (Contest, error) {
	list, err := c.list(ctx, `WHERE name = ?`, name)
	switch {
	case err != nil:
		return Contest{}, fmt.Errorf("read the contest %s in %s: %w", name, c.path, explain(err))
	case len(list) == 0:
		return Contest{}, ErrNoContest
	}
	return list[0], nil
}

// List returns all contests, the newest first.
func (c *Contests) List(ctx context.Context) ([]Contest, error) {
	list, err := c.list(ctx, `ORDER BY number DESC`)
	if err != nil {
		return nil, fmt.Errorf("list the contests in %s: %w", c.path, explain(err))
	}
	return list, nil
}

func (c *Contests) list(ctx context.Context, which string, args ...any) ([]Contest, error) {
	rows, err := c.read.QueryContext(ctx, fmt.Sprintf(`SELECT name, game, iif(octet_length(spec) <= %d, spec, NULL), seed, created FROM contests `, maxSpec)+which, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Contest
	for rows.Next() {
		var one Contest
		var spec sql.NullString
		var seed, created int64
		if err := rows.Scan(&one.Name, &one.Game, &spec, &seed, &created); err != nil {
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
		err = fmt.Errorf("read the events of the contest %s in %s: %w", name, c.path, explain(err))
	}
	return events, err
}

func (c *Contests) events(ctx context.Context, name string, after int64) ([]Event, error) {
	contest, err := numberOf(ctx, c.read, name)
	if err != nil {
		return nil, err
	}
	rows, err := c.read.QueryContext(ctx, fmt.Sprintf(`SELECT number, at, kind, iif(octet_length(data) <= %d, data, NULL) FROM contest_events
		WHERE contest = ? AND number > ? ORDER BY number`, maxEvent), contest, after)
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

// numberOf returns the number of a contest, or ErrNoContest.
func numberOf(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, name string) (number int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT number FROM contests WHERE name = ?`, name).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoContest
	}
	return number, err
}

// Create adds a contest and its first events, which get the numbers from 1, or returns
// ErrContestExists.
func (c *Contests) Create(ctx context.Context, contest Contest, events []Event) error {
	what := "create the contest " + contest.Name
	if n := len(contest.Spec); n > maxSpec {
		return fmt.Errorf("%s: its description has %d bytes, at most %d are possible", what, n, maxSpec)
	}
	return c.change(ctx, what, busyTimeout, func(ctx context.Context, tx *sql.Tx) error {
		added, err := changed(tx.ExecContext(ctx, `INSERT INTO contests (name, game, spec, seed, created) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
			contest.Name, contest.Game, contest.Spec, int64(contest.Seed), nanos(contest.Created)))
		if err != nil {
			return err
		}
		if !added {
			return ErrContestExists
		}
		number, err := numberOf(ctx, tx, contest.Name)
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
	return c.change(ctx, "add events to the contest "+name, busyTimeout, func(ctx context.Context, tx *sql.Tx) error {
		number, err := numberOf(ctx, tx, name)
		if err != nil {
			return err
		}
		var last int64
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM contest_events WHERE contest = ?`, number).Scan(&last); err != nil {
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
		if _, err := tx.ExecContext(ctx, `INSERT INTO contest_events (contest, number, at, kind, data) VALUES (?, ?, ?, ?, ?)`,
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
	e, err := ending(r, &c.pack)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	err = c.change(ctx, what, math.MaxInt64, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.StmtContext(ctx, c.finish).ExecContext(ctx, e.row...); err != nil || e.result == nil {
			return err
		}
		_, err := tx.StmtContext(ctx, c.result).ExecContext(ctx, e.result...)
		return err
	})
	if err == nil && c.recorded != nil {
		c.recorded()
	}
	return err
}

// change runs a transaction. If other programs lock the file, it tries again for some
// time.
func (c *Contests) change(ctx context.Context, what string, timeout time.Duration, do func(context.Context, *sql.Tx) error) error {
	begun := time.Now()
	err := c.update.transact(ctx, do)
	for isBusy(err) && time.Since(begun) < timeout {
		if err = pause(ctx, busyPause); err == nil {
			err = c.update.transact(ctx, do)
		}
	}
	known := []error{ErrNoContest, ErrContestExists, ErrChanged, ErrContestRunning, ErrMatchesRun}
	if err == nil || slices.Contains(known, err) {
		return err
	}
	return fmt.Errorf("%s in %s: %w", what, c.path, explain(err))
}

// busyPause is the time between two attempts to change a locked file. Each attempt
// waits for the lock, too.
const busyPause = 50 * time.Millisecond

// isBusy reports whether another program locks the file.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
