package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
)

// The rows of matches have two more columns: the host, and its generation in which the
// match began. The end of a row that another generation has ended never changes.
var (
	insertSQL = dialect.Insert("host", "generation") + ` ON CONFLICT (id) DO `
	beginSQL  = insertSQL + `NOTHING`
	finishSQL = insertSQL + `UPDATE SET ` + dialect.Excluded() + `, host = excluded.host, generation = excluded.generation
		WHERE matches.ended IS NULL OR (matches.host, matches.generation) = (excluded.host, excluded.generation)`
)

const (
	// resultSQL adds the result of a match if its record was written.
	resultSQL = `INSERT INTO contest_results (contest, game, pairing, leg, attempt, match, ended, aborted, seats)
		SELECT c.number, c.game, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::bigint, $7::boolean, $8::bytea
		FROM contests c, matches m WHERE c.name = $1 AND m.id = $5 AND m.host = $9 AND m.generation = $10 ON CONFLICT DO NOTHING`
	// writtenSQL finds the row that an earlier attempt to write an entry has
	// written: one that was recorded as aborted has another end.
	writtenSQL = `SELECT state = 'aborted' AND reason = $5 FROM matches WHERE id = $1 AND host = $2 AND generation = $3 AND ended = $4`
	// restSQL adds what happened in a match to its record, which another host has
	// written as aborted without it. State and reason stay: readers can have them.
	restSQL = `UPDATE matches SET answers = $4, clocks = $5, notes = $6, spent = $7, stream = $8
		WHERE id = $1 AND host = $2 AND generation = $3 AND state = 'aborted' AND reason = '` + dialect.HostStopped + `'`
	// againSQL makes a match aborted if another one of its attempt at the leg has a result. Its
	// record would otherwise be one of a match that does not count.
	againSQL = `UPDATE matches SET state = 'aborted', reason = $8
		WHERE id = $5 AND state = 'finished' AND host = $6 AND generation = $7 AND EXISTS (SELECT 1
			FROM contest_results r JOIN contests c ON c.number = r.contest
			WHERE c.name = $1 AND r.pairing = $2 AND r.leg = $3 AND r.attempt = $4 AND NOT r.aborted AND r.match <> $5)`
)

// committer writes records to PostgreSQL.
type committer struct {
	owns bool // it writes matches of a host, and checks its generation
	host string
}

// Committer implements [dialect.Database].
func (d *Server) Committer(context.Context, *sql.DB) (dialect.Committer, error) {
	return committer{}, nil
}

// HostCommitter returns what writes the records of a host, which has a generation. It
// leaves out rows of another generation, with the error record.ErrFenced.
func (d *Server) HostCommitter(host string) dialect.Committer {
	return committer{owns: true, host: host}
}

// Commit writes a batch in three round trips. If a row is refused, each row gets a
// transaction of its own, so that one of them cannot hold up all others forever. After
// an error of the connection the transaction might be complete; then it is written again,
// which changes nothing.
func (c committer) Commit(ctx context.Context, conn *sql.Conn, batch []*dialect.Row) error {
	err := c.try(ctx, conn, batch)
	if !refused(err) {
		return err
	}
	if len(batch) == 1 {
		batch[0].Err = err
		return nil
	}
	for i := range batch {
		if err := c.Commit(ctx, conn, batch[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (c committer) try(ctx context.Context, db *sql.Conn, batch []*dialect.Row) error {
	return db.Raw(func(driver any) (err error) {
		pg := driver.(*conn).Conn.Conn()
		defer func() {
			if err != nil && !pg.IsClosed() {
				_, _ = pg.Exec(ctx, "ROLLBACK") // database/sql closes a connection that is still in a transaction
			}
		}()
		generation, err := c.begin(ctx, pg, batch)
		if err != nil {
			return err
		}
		rows := new(pgx.Batch)
		for _, e := range batch {
			e.Err = nil
			if c.owns && e.Generation != generation {
				e.Err = record.ErrFenced
				c.queueWritten(rows, e)
				continue
			}
			c.queue(rows, e)
		}
		rows.Queue("COMMIT").Exec(func(done pgconn.CommandTag) error {
			if done.String() != "COMMIT" {
				return fmt.Errorf("PostgreSQL answered %s to COMMIT", done)
			}
			return nil
		})
		return pg.SendBatch(ctx, rows).Close()
	})
}

// begin begins a transaction, and returns the generation of the host, which does not
// change until its end.
func (c committer) begin(ctx context.Context, pg *pgx.Conn, batch []*dialect.Row) (generation int64, err error) {
	b := new(pgx.Batch)
	b.Queue("BEGIN")
	if c.owns {
		// A beat changes another column, and can go on.
		b.Queue(`SELECT coalesce((SELECT generation FROM hosts WHERE name = $1 FOR KEY SHARE), 0)`, c.host).QueryRow(func(row pgx.Row) error {
			return row.Scan(&generation)
		})
	}
	for _, e := range batch {
		if e.Result != nil {
			// Readers ask for the results after a number. So numbers must become
			// visible in their order, and the transactions of all hosts that draw
			// some must follow each other.
			b.Queue(`SELECT pg_advisory_xact_lock($1)`, lockResults)
			break
		}
	}
	return generation, pg.SendBatch(ctx, b).Close()
}

// queue adds the statements of an entry.
func (c committer) queue(rows *pgx.Batch, e *dialect.Row) {
	row := make([]any, 0, len(e.Values)+2)
	for _, v := range e.Values {
		row = append(row, clean(v))
	}
	row = append(row, c.host, e.Generation)
	if !e.Ended && !e.Late {
		rows.Queue(beginSQL, row...)
		return
	}
	rows.Queue(finishSQL, row...).Exec(func(done pgconn.CommandTag) error {
		if done.RowsAffected() == 0 {
			e.Err = record.ErrFenced
		}
		return nil
	})
	if e.Result == nil {
		return
	}
	rows.Queue(resultSQL, append(e.Result[:len(e.Result):len(e.Result)], c.host, e.Generation)...)
	again := append(e.Result[:5:5], c.host, e.Generation, record.ErrPlayed.Error())
	rows.Queue(againSQL, again...).Exec(func(done pgconn.CommandTag) error {
		if done.RowsAffected() > 0 {
			e.Err = record.ErrPlayed
		}
		return nil
	})
}

// queueWritten finds out whether an entry of an earlier generation is already written:
// PostgreSQL can have completed a transaction although its connection broke. Otherwise it
// adds the rest to the aborted match.
func (c committer) queueWritten(rows *pgx.Batch, e *dialect.Row) {
	if !e.Ended && !e.Late {
		return
	}
	rows.Queue(writtenSQL, e.Values[dialect.ColumnID], c.host, e.Generation, e.Values[dialect.ColumnEnded], record.ErrPlayed.Error()).QueryRow(func(row pgx.Row) error {
		var played bool
		switch err := row.Scan(&played); {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case played:
			e.Err = record.ErrPlayed
		default:
			e.Err = nil
		}
		return nil
	})
	rest := append([]any{e.Values[dialect.ColumnID], c.host, e.Generation}, e.Values[dialect.ColumnAnswers:]...)
	rows.Queue(restSQL, rest...)
}
