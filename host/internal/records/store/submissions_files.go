package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"colosseum/host/internal/records/dialect"
)

// blockBytes is the length of all blocks of a source or program except the last one.
const blockBytes = 256 << 10

// What the blocks of a submission are of.
const (
	ofSource  = "source"
	ofProgram = "program" // nobody sees them before the submission is accepted
)

// Source returns the archive of a submission, or ErrNoSubmission.
func (s *Submissions) Source(ctx context.Context, number int64) ([]byte, error) {
	b, err := s.join(ctx, number, ofSource, `s.bytes`, `s.state <> 'removed'`)
	return b, s.wrap(fmt.Sprintf("read the source of submission %d", number), err)
}

// Program returns the built files of a submission, or ErrNotAccepted.
func (s *Submissions) Program(ctx context.Context, number int64) ([]byte, error) {
	b, err := s.join(ctx, number, ofProgram, `s.built`, `s.state = 'accepted'`)
	if errors.Is(err, ErrNoSubmission) {
		var one Submission
		if one, err = submission(ctx, s.read, `number = $1 AND state <> 'removed'`, number); err == nil {
			err = fmt.Errorf("%w: it is %s", ErrNotAccepted, one.State)
		}
	}
	return b, s.wrap(fmt.Sprintf("read the program of submission %d", number), err)
}

// join returns the bytes in the blocks of a submission that meets a condition. Their number
// is in a column of its row.
func (s *Submissions) join(ctx context.Context, number int64, kind, size, which string) ([]byte, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+size+`, b.data FROM submissions s JOIN submission_blocks b ON b.submission = s.number
		WHERE s.number = $1 AND b.kind = $2 AND `+which+` ORDER BY b.number`, number, kind)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []byte
	var want int64 = -1
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&want, &data); err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	switch err := rows.Err(); {
	case err != nil:
		return nil, err
	case want < 0:
		return nil, ErrNoSubmission
	case want != int64(len(all)):
		return nil, fmt.Errorf("got %d bytes of %d: %w", len(all), want, errDamagedResult)
	}
	return all, nil
}

// blocks returns bytes as one or more blocks.
func blocks(b []byte) [][]byte {
	if len(b) == 0 {
		return [][]byte{{}} // not none, which would mean that there is no such file
	}
	return slices.Collect(slices.Chunk(b, blockBytes))
}

func addBlock(ctx context.Context, tx *sql.Tx, submission int64, kind string, number int, data []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO submission_blocks (submission, kind, number, data) VALUES ($1, $2, $3, $4)`, submission, kind, number, data)
	return err
}

// addProgram writes the blocks of a program in short transactions, so that the end of a
// match never waits long. Each checks that the host still works on the submission.
func (s *Submissions) addProgram(ctx context.Context, what string, number int64, program []byte, check func(context.Context, *sql.Tx) error) error {
	list := blocks(program)
	for done := 0; done < len(list); {
		next := done
		begun := time.Now()
		if err := s.change(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
			if err := check(ctx, tx); err != nil {
				return err
			}
			next = done
			for began := time.Now(); next < len(list) && (next == done || time.Since(began) < batchTime); next++ {
				if err := addBlock(ctx, tx, number, ofProgram, next, list[next]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		if done = next; done < len(list) {
			if err := dialect.Pause(ctx, batchPause*time.Since(begun)); err != nil {
				return s.wrap(what, err)
			}
		}
	}
	return nil
}

// useless selects the blocks b that nobody can read or complete: of submissions s that were
// removed, and of programs that are built again. A host that was killed while it wrote a
// program leaves such blocks, too.
const useless = `(s.state = 'removed' OR b.kind = 'program' AND s.state IN ('queued', 'refused'))`

// clear deletes the blocks that are useless, also those that an earlier call has left.
func (s *Submissions) clear(ctx context.Context, what string) error {
	numbers, err := s.uselessNumbers(ctx)
	if err != nil {
		return s.wrap(what, err)
	}
	for _, number := range numbers {
		if err := s.drop(ctx, what, useless, number); err != nil {
			return err
		}
	}
	return nil
}

func (s *Submissions) uselessNumbers(ctx context.Context) (numbers []int64, err error) {
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT s.number FROM submissions s JOIN submission_blocks b ON b.submission = s.number WHERE `+useless)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var number int64
		if err := rows.Scan(&number); err != nil {
			return nil, err
		}
		numbers = append(numbers, number)
	}
	return numbers, rows.Err()
}

// drop deletes the blocks of a submission, $1, that meet a condition, in short transactions.
func (s *Submissions) drop(ctx context.Context, what, which string, args ...any) error {
	for more := true; more; {
		begun := time.Now()
		if err := s.change(ctx, what, func(ctx context.Context, tx *sql.Tx) (err error) {
			more = true
			for began := time.Now(); more && err == nil && time.Since(began) < batchTime; {
				more, err = changed(tx.ExecContext(ctx, `DELETE FROM submission_blocks WHERE (submission, kind, number) IN (
					SELECT b.submission, b.kind, b.number FROM submissions s JOIN submission_blocks b ON b.submission = s.number
					WHERE s.number = $1 AND `+which+` LIMIT 4)`, args...))
			}
			return err
		}); err != nil {
			return err
		}
		if more {
			if err := dialect.Pause(ctx, batchPause*time.Since(begun)); err != nil {
				return s.wrap(what, err)
			}
		}
	}
	return nil
}
