package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

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
	Last    int64 // the number of its last event, when it is read; 0: none
}

// Event is something that happened in a contest, except the result of a match.
type Event struct {
	Number int64 // in its contest, from 1
	At     time.Time
	Kind   string
	Data   json.RawMessage
}

// Contests are the contests, next to the records. Several processes can have
// them open at once, next to the host's. The methods can be called concurrently; those
// that write do all or nothing.
type Contests struct {
	d        dialect.Database
	read     *sql.DB // sees each commit of any process at once
	stream   *sql.DB // for GameResults, so that its function can use read
	watch    *sql.DB // one connection, which only reads the version
	update   *updater
	pack     record.Packer
	version  *sql.Stmt
	commits  dialect.Committer
	fence    func() int64 // the generation of this host; nil: it owns nothing
	recorded func()       // after each Finish; nil: nothing to do
}

// contestReaders is how many reads of contests run at once, and how many calls of
// GameResults; others wait.
const contestReaders = 2

// OpenContests opens the contests in a file of records or in PostgreSQL, next to running
// hosts or without. If a file does not exist or is older, it creates or updates it first,
// which needs that no host runs. The folder must exist.
func OpenContests(ctx context.Context, where string, log *slog.Logger) (*Contests, error) {
	d, shown, err := find(where)
	if err == nil {
		var c *Contests
		if c, err = openContests(ctx, d, log); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("open the contests in %s: %w", shown, explain(d, err))
}

func openContests(ctx context.Context, d dialect.Database, log *slog.Logger) (*Contests, error) {
	if err := d.Prepare(ctx, log); err != nil {
		return nil, err
	}
	write, err := d.Connect(1, false)
	if err != nil {
		return nil, err
	}
	commits, err := d.Committer(ctx, write)
	if err == nil {
		var c *Contests
		if c, err = newContests(ctx, newUpdater(d, write), commits); err == nil {
			return c, nil
		}
	}
	write.Close()
	return nil, err
}

// newContests opens the connections that read. If it fails, those of u stay open.
func newContests(ctx context.Context, u *updater, commits dialect.Committer) (_ *Contests, err error) {
	c := &Contests{d: u.d, update: u, commits: commits}
	defer func() {
		if err != nil {
			c.closeReaders()
		}
	}()
	if c.read, err = u.d.Connect(contestReaders, true); err != nil {
		return nil, err
	}
	if c.stream, err = u.d.Connect(contestReaders, true); err != nil {
		return nil, err
	}
	if c.watch, err = u.d.Connect(1, true); err != nil { // SQLite's numbers are those of one connection
		return nil, err
	}
	c.version, err = c.watch.PrepareContext(ctx, u.d.Texts().Data)
	return c, err
}

// Close closes the connections. It must not be called for the contests of a [Store].
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
	ctx, cancel := c.d.Bound(ctx)
	defer cancel()
	if err := c.version.QueryRowContext(ctx).Scan(&version); err != nil {
		return 0, fmt.Errorf("read the version of %s: %w", c.d, c.d.Explain(err))
	}
	return version, nil
}

// numberOf returns the number of a contest, or ErrNoContest.
func numberOf(ctx context.Context, db dialect.Querier, name, lock string) (number int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT number FROM contests WHERE name = $1`+lock, name).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoContest
	}
	return number, err
}
