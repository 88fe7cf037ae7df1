package migrate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrDiffers is the error of Run if the copy is not equal to the file.
var ErrDiffers = errors.New("the copy differs from the file: start again with an empty database")

// verifyStep is the number of rows between two reports.
const verifyStep = 1000

// verify reads a table on both sides in the order of its keys, and compares all columns.
func (m *migration) verify(ctx context.Context, t *table) (Moved, error) {
	all, err := m.from.count(ctx, t)
	if err != nil {
		return Moved{}, err
	}
	m.report(Progress{Table: t.name, All: all, Verifying: true})
	ours, err := m.from.rows(ctx, t, nil)
	if err != nil {
		return Moved{}, err
	}
	defer ours.Close()
	theirs, err := m.to.Query(ctx, `SELECT `+list(t.columns)+` FROM `+t.name+` ORDER BY `+t.order)
	if err != nil {
		return Moved{}, err
	}
	defer theirs.Close()
	moved, total := Moved{Table: t.name}, sha256.New()
	for {
		if moved.Rows%verifyStep == 0 && moved.Rows > 0 {
			m.report(Progress{Table: t.name, Rows: moved.Rows, All: all, Verifying: true})
		}
		more, there := ours.Next(), theirs.Next()
		if err := errors.Join(ours.Err(), theirs.Err()); err != nil {
			return Moved{}, err
		}
		if more != there {
			return Moved{}, fmt.Errorf("%w (the file has %d rows, PostgreSQL has fewer or more)", ErrDiffers, all)
		}
		if !more {
			break
		}
		row, err := m.from.scan(ours, t)
		if err != nil {
			return Moved{}, err
		}
		copied, err := theirs.Values()
		if err != nil {
			return Moved{}, err
		}
		a, err := sumRow(row)
		if err != nil {
			return Moved{}, err
		}
		b, err := sumRow(copied)
		if err != nil {
			return Moved{}, err
		}
		if a != b {
			return Moved{}, fmt.Errorf("%w (row %s)", ErrDiffers, show(t.keyOf(row)))
		}
		total.Write(a[:])
		moved.Rows++
	}
	total.Sum(moved.Sum[:0])
	m.report(Progress{Table: t.name, Rows: moved.Rows, All: all, Verifying: true})
	return moved, nil
}

// verifyEndings checks that each match is in the index of ended matches, which PostgreSQL
// fills itself.
func (m *migration) verifyEndings(ctx context.Context) error {
	var matches, listed int64
	if err := m.to.QueryRow(ctx, `SELECT (SELECT count(*) FROM matches), (SELECT count(*) FROM endings WHERE player = '')`).Scan(&matches, &listed); err != nil {
		return err
	}
	if matches != listed {
		return fmt.Errorf("%w (%d matches, but %d in their index)", ErrDiffers, matches, listed)
	}
	return nil
}
