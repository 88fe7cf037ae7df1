package migrate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// A transaction copies at most chunkRows rows or, of long ones, chunkBytes and one more.
const (
	chunkRows  = 2000
	chunkBytes = 8 << 20
)

// copy copies the rest of a table.
func (m *migration) copy(ctx context.Context, t *table) error {
	all, err := m.from.count(ctx, t)
	if err != nil {
		return err
	}
	rows, err := m.from.rows(ctx, t, t.place)
	if err != nil {
		return err
	}
	defer rows.Close()
	for more := true; more; {
		m.report(Progress{Table: t.name, Rows: t.copied, All: all, Interrupted: m.resumed})
		var chunk [][]any
		for bytes := 0; len(chunk) < m.chunk && bytes < chunkBytes; {
			if more = rows.Next(); !more {
				break
			}
			row, err := m.from.scan(rows, t)
			if err != nil {
				return err
			}
			chunk = append(chunk, row)
			bytes += size(row)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if len(chunk) > 0 {
			if err := m.write(ctx, t, chunk); err != nil {
				return err
			}
		}
	}
	m.report(Progress{Table: t.name, Rows: t.copied, All: all, Interrupted: m.resumed})
	return nil
}

// write copies rows and stores the progress, in one transaction.
func (m *migration) write(ctx context.Context, t *table, chunk [][]any) error {
	last := chunk[len(chunk)-1]
	place := t.keyOf(last)
	text, err := encodeKey(place)
	if err != nil {
		return err
	}
	sum, err := sumRow(last)
	if err != nil {
		return err
	}
	copied := t.copied + int64(len(chunk))
	err = pgx.BeginFunc(ctx, m.to, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(chunk)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO migration (name, place, sum, copied) VALUES ($1, $2, $3, $4)
			ON CONFLICT (name) DO UPDATE SET place = excluded.place, sum = excluded.sum, copied = excluded.copied`, t.name, text, sum[:], copied)
		return err
	})
	if err == nil {
		t.place, t.sum, t.copied = place, sum[:], copied
	}
	return err
}

// resume reads the progress of a table, and checks that the last row is in the file as it
// was copied.
func (m *migration) resume(ctx context.Context, t *table) error {
	var place *string
	err := m.to.QueryRow(ctx, `SELECT place, sum, copied FROM migration WHERE name = $1`, t.name).Scan(&place, &t.sum, &t.copied)
	if isNoRow(err) {
		return nil
	}
	if err == nil && place != nil {
		t.place, err = decodeKey(*place)
	}
	if err != nil {
		return fmt.Errorf("read the progress of %s: %w", t.name, err)
	}
	row, err := m.from.row(ctx, t, t.place)
	if isNoRow(err) {
		return fmt.Errorf("%w: the migration there is one of another file (%s %v is not in this one)", ErrOther, t.name, show(t.place))
	}
	if err != nil {
		return err
	}
	if sum, err := sumRow(row); err != nil {
		return err
	} else if string(sum[:]) != string(t.sum) {
		return fmt.Errorf("%w: the migration there is one of another file, or this one has changed since (%s %v)", ErrOther, t.name, show(t.place))
	}
	return nil
}

// checkCount returns an error if PostgreSQL does not have exactly the rows that were copied.
func (m *migration) checkCount(ctx context.Context, t *table) error {
	var n int64
	if err := m.to.QueryRow(ctx, `SELECT count(*) FROM `+t.name).Scan(&n); err != nil {
		return err
	}
	if n != t.copied {
		return fmt.Errorf("%w (the table %s has %d rows, but the migration has copied %d)", ErrOther, t.name, n, t.copied)
	}
	return nil
}

// encodeKey returns a key as JSON: numbers, texts, and bytes as an array of their Base64.
func encodeKey(key []any) (string, error) {
	out := make([]any, len(key))
	for i, v := range key {
		if out[i] = v; v != nil {
			if b, ok := v.([]byte); ok {
				out[i] = []string{base64.StdEncoding.EncodeToString(b)}
			}
		}
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// decodeKey is the reverse of encodeKey.
func decodeKey(text string) (key []any, err error) {
	var raw []*json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, err
	}
	for _, r := range raw {
		var n int64
		var s string
		var b [][]byte
		switch {
		case r == nil:
			return nil, errors.New("a part of the key is null")
		case json.Unmarshal(*r, &n) == nil:
			key = append(key, n)
		case json.Unmarshal(*r, &s) == nil:
			key = append(key, s)
		case json.Unmarshal(*r, &b) == nil && len(b) == 1:
			key = append(key, b[0])
		default:
			return nil, fmt.Errorf("a part of the key is neither a number, a text nor bytes: %s", *r)
		}
	}
	return key, nil
}

// show returns a key for an error. Bytes are hashes of secrets, and are not shown.
func show(key []any) string {
	text := ""
	for _, v := range key {
		if _, ok := v.([]byte); ok {
			v = "(hidden)"
		}
		text += fmt.Sprint(" ", v)
	}
	return text[1:]
}
