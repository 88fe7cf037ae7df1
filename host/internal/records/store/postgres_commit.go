package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"colosseum/host/internal/records/record"
)

// The rows of matches have two more columns: the host, and its generation in which the
// match began. The end of a row that another generation has ended never changes.
var (
	postgresInsert = `INSERT INTO matches (` + columns + `, host, generation) VALUES (` + places(1, 3+strings.Count(columns, ",")) + `) ON CONFLICT (id) DO `
	postgresBegin  = postgresInsert + `NOTHING`
	postgresFinish = postgresInsert + `UPDATE SET ` + update + `, host = excluded.host, generation = excluded.generation
		WHERE matches.ended IS NULL OR (matches.host, matches.generation) = (excluded.host, excluded.generation)`
)

const (
	// postgresResult adds the result of a match if its record was written.
	postgresResult = `INSERT INTO contest_results (contest, game, pairing, leg, match, ended, aborted, seats)
		SELECT c.number, c.game, $2::bigint, $3::bigint, $4::text, $5::bigint, $6::boolean, $7::bytea
		FROM contests c, matches m WHERE c.name = $1 AND m.id = $4 AND m.host = $8 AND m.generation = $9 ON CONFLICT DO NOTHING`
	// postgresWritten finds the row that an earlier attempt to write an entry has
	// written: one that was recorded as aborted has another end.
	postgresWritten = `SELECT state = 'aborted' AND reason = $5 FROM matches WHERE id = $1 AND host = $2 AND generation = $3 AND ended = $4`
	// postgresRest adds what happened in a match to its record, which another host has
	// written as aborted without it. State and reason stay: readers can have them.
	postgresRest = `UPDATE matches SET answers = $4, clocks = $5, notes = $6, stream = $7
		WHERE id = $1 AND host = $2 AND generation = $3 AND state = 'aborted' AND reason = '` + hostStopped + `'`
	// postgresAgain makes a match aborted if another one of its leg has a result. Its
	// record would otherwise be one of a match that does not count.
	postgresAgain = `UPDATE matches SET state = 'aborted', reason = $7
		WHERE id = $4 AND state = 'finished' AND host = $5 AND generation = $6 AND EXISTS (SELECT 1
			FROM contest_results r JOIN contests c ON c.number = r.contest
			WHERE c.name = $1 AND r.pairing = $2 AND r.leg = $3 AND NOT r.aborted AND r.match <> $4)`
)

// postgresCommitter writes records to PostgreSQL.
type postgresCommitter struct {
	owns bool // it writes matches of a host, and checks its generation
	host string
}

func (d *postgresServer) committer(context.Context, *sql.DB) (committer, error) {
	return postgresCommitter{}, nil
}

// commit writes a batch in three round trips. If a row is refused, each row gets a
// transaction of its own, so that one of them cannot hold up all others forever. After
// an error of the connection the transaction might be complete; then it is written again,
// which changes nothing.
func (c postgresCommitter) commit(ctx context.Context, conn *sql.Conn, batch []entry) error {
	err := c.try(ctx, conn, batch)
	if !refused(err) {
		return err
	}
	if len(batch) == 1 {
		batch[0].err = err
		return nil
	}
	for i := range batch {
		if err := c.commit(ctx, conn, batch[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (c postgresCommitter) try(ctx context.Context, conn *sql.Conn, batch []entry) error {
	return conn.Raw(func(driver any) (err error) {
		pg := driver.(*postgresConn).Conn.Conn()
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
		for i := range batch {
			e := &batch[i]
			e.err = nil
			if c.owns && e.generation != generation {
				e.err = record.ErrFenced
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
func (c postgresCommitter) begin(ctx context.Context, pg *pgx.Conn, batch []entry) (generation int64, err error) {
	b := new(pgx.Batch)
	b.Queue("BEGIN")
	if c.owns {
		// A beat changes another column, and can go on.
		b.Queue(`SELECT coalesce((SELECT generation FROM hosts WHERE name = $1 FOR KEY SHARE), 0)`, c.host).QueryRow(func(row pgx.Row) error {
			return row.Scan(&generation)
		})
	}
	for _, e := range batch {
		if e.result != nil {
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
func (c postgresCommitter) queue(rows *pgx.Batch, e *entry) {
	row := make([]any, 0, len(e.row)+2)
	for _, v := range e.row {
		row = append(row, clean(v))
	}
	row = append(row, c.host, e.generation)
	if !e.ended && !e.late {
		rows.Queue(postgresBegin, row...)
		return
	}
	rows.Queue(postgresFinish, row...).Exec(func(done pgconn.CommandTag) error {
		if done.RowsAffected() == 0 {
			e.err = record.ErrFenced
		}
		return nil
	})
	if e.result == nil {
		return
	}
	rows.Queue(postgresResult, append(e.result[:len(e.result):len(e.result)], c.host, e.generation)...)
	again := append(e.result[:4:4], c.host, e.generation, record.ErrPlayed.Error())
	rows.Queue(postgresAgain, again...).Exec(func(done pgconn.CommandTag) error {
		if done.RowsAffected() > 0 {
			e.err = record.ErrPlayed
		}
		return nil
	})
}

// queueWritten finds out whether an entry of an earlier generation is already written:
// PostgreSQL can have completed a transaction although its connection broke. Otherwise it
// adds the rest to the aborted match.
func (c postgresCommitter) queueWritten(rows *pgx.Batch, e *entry) {
	if !e.ended && !e.late {
		return
	}
	rows.Queue(postgresWritten, e.row[columnID], c.host, e.generation, e.row[columnEnded], record.ErrPlayed.Error()).QueryRow(func(row pgx.Row) error {
		var played bool
		switch err := row.Scan(&played); {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case played:
			e.err = record.ErrPlayed
		default:
			e.err = nil
		}
		return nil
	})
	rest := append([]any{e.row[columnID], c.host, e.generation}, e.row[columnAnswers:]...)
	rows.Queue(postgresRest, rest...)
}

// hostStopped is the reason of matches whose host did not record their end.
const hostStopped = "the host stopped during the match"

// abortSQL marks running matches as aborted. They end now, because the time of the stop
// is unknown.
const abortSQL = `UPDATE matches SET state = 'aborted', reason = '` + hostStopped + `', ended = $1 WHERE ended IS NULL`

// abortMatches marks the running matches of a host as aborted.
func abortMatches(ctx context.Context, tx *sql.Tx, which string, args ...any) (ids []string, err error) {
	rows, err := tx.QueryContext(ctx, abortSQL+which+` RETURNING id`, append([]any{time.Now().UnixNano()}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
