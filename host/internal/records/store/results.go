package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/record"
	"colosseum/sdk/driver"
)

// resultOf returns the parameters of the statement that adds a result.
func resultOf(r *record.Match) []any {
	var seats []ResultSeat
	for i, s := range r.Seats {
		seats = append(seats, ResultSeat{Entry: r.Fixture.Entries[i], Rank: s.Rank, Score: s.Score, Ended: s.Ended})
	}
	return []any{r.Fixture.Contest, r.Fixture.Pairing, r.Fixture.Leg, r.ID, nanos(r.Ended), r.State == record.Aborted, encodeResult(seats)}
}

// resultEndings are the values of ResultSeat.Ended that are stored as a number, their index.
// They never change; more can be added.
var resultEndings = []driver.Ended{driver.EndedFinished, driver.EndedAborted,
	"forfeit: illegal", "forfeit: timeout", "forfeit: disconnected", "forfeit: resigned"}

// encodeResult returns for each seat varints of encoding/binary: the entry, the rank
// (signed), the bits of the score with its bytes reversed, because short numbers end
// with zeros, and how it ended: 1 + the index in resultEndings, or 0, the number of
// bytes of a text, and the text.
func encodeResult(seats []ResultSeat) []byte {
	b := make([]byte, 0, 8*len(seats)) // not nil, which would be NULL
	for _, s := range seats {
		b = binary.AppendUvarint(b, uint64(s.Entry))
		b = binary.AppendVarint(b, int64(s.Rank))
		b = binary.AppendUvarint(b, bits.ReverseBytes64(math.Float64bits(s.Score)))
		i := slices.Index(resultEndings, s.Ended)
		b = binary.AppendUvarint(b, uint64(i+1))
		if i < 0 {
			b = binary.AppendUvarint(b, uint64(len(s.Ended)))
			b = append(b, s.Ended...)
		}
	}
	return b
}

var errDamagedResult = errors.New("the recorded bytes are damaged")

// decodeResult is the reverse of encodeResult. It fails for other bytes.
func decodeResult(b []byte) ([]ResultSeat, error) {
	seats := make([]ResultSeat, 0, 2)
	failed := false
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			failed, n = true, len(b)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		s := ResultSeat{Entry: int(next())}
		rank := next()
		s.Rank = int(int64(rank>>1) ^ -int64(rank&1)) // as binary.Varint
		s.Score = math.Float64frombits(bits.ReverseBytes64(next()))
		switch ended := next(); {
		case ended > uint64(len(resultEndings)):
			failed = true
		case ended > 0:
			s.Ended = resultEndings[ended-1]
		default:
			n := next()
			if n > uint64(len(b)) {
				failed, n = true, 0
			}
			s.Ended, b = driver.Ended(b[:n]), b[n:]
		}
		if failed || s.Entry < 0 {
			return nil, errDamagedResult
		}
		seats = append(seats, s)
	}
	return seats, nil
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
	return `SELECT number, contest, pairing, leg, match, ended, aborted, seats FROM contest_results
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
		if err := rows.Scan(&r.Number, &contest, &r.Pairing, &r.Leg, &r.Match, &ended, &r.Aborted, &seats); err != nil {
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
