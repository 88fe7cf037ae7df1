package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"slices"
	"strings"

	"colosseum/host/internal/records/postgres"
)

// table is a table that is moved. Its columns have the same names on both sides;
// PostgreSQL can have more, with defaults.
type table struct {
	name     string
	key      []string // columns
	order    string   // the order of the key in PostgreSQL, as SQLite has it
	sequence bool     // PostgreSQL gives its rows the numbers

	columns []string
	types   []string // in PostgreSQL
	keys    []int    // the places of the key in columns

	// The progress.
	place  []any // the key of the last row that was copied; nil: none
	sum    []byte
	copied int64
}

// tables are in the order in which they are copied.
var tables = []table{
	{name: "matches", key: []string{"number"}, order: "number", sequence: true},
	{name: "players", key: []string{"name"}, order: `lower(name COLLATE "C")`}, // COLLATE NOCASE in SQLite
	{name: "invites", key: []string{"code"}, order: "code"},
	{name: "contests", key: []string{"number"}, order: "number", sequence: true},
	{name: "contest_events", key: []string{"contest", "number"}, order: "contest, number"},
	{name: "contest_results", key: []string{"number"}, order: "number", sequence: true},
	{name: "submissions", key: []string{"number"}, order: "number", sequence: true},
	{name: "submission_blocks", key: []string{"submission", "kind", "number"}, order: `submission, kind COLLATE "C", number`},
	{name: "submission_logs", key: []string{"submission"}, order: "submission"},
	{name: "submission_journals", key: []string{"number"}, order: "number", sequence: true},
	{name: "former_names", key: []string{"name"}, order: `lower(name COLLATE "C")`},
	{name: "tokens", key: []string{"hash"}, order: "hash"},
	{name: "identities", key: []string{"issuer", "subject"}, order: `issuer COLLATE "C", subject COLLATE "C"`},
	{name: "device_codes", key: []string{"code"}, order: "code"},
	{name: "webhook_positions", key: []string{"contest"}, order: "contest"},
	{name: "webhook_deliveries", key: []string{"number"}, order: "number", sequence: true},
}

// describe reads the columns of a table on both sides.
func (m *migration) describe(ctx context.Context, t *table) (err error) {
	if t.columns, err = m.from.columns(ctx, t.name); err != nil {
		return err
	}
	types := map[string]string{}
	// information_schema takes twenty times as long.
	rows, err := m.to.Query(ctx, `SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`, t.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return err
		}
		types[name] = kind
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, c := range t.columns {
		if !slices.Contains([]string{"bigint", "boolean", "bytea", "double precision", "text"}, types[c]) {
			return fmt.Errorf("the column %s of %s has the type %q in PostgreSQL", c, t.name, types[c])
		}
		t.types = append(t.types, types[c])
	}
	for _, k := range t.key {
		t.keys = append(t.keys, slices.Index(t.columns, k))
	}
	return nil
}

// keyOf returns the key of a row.
func (t *table) keyOf(row []any) (key []any) {
	for _, i := range t.keys {
		key = append(key, row[i])
	}
	return key
}

// convert changes the values of a row in the file to those in PostgreSQL, in place.
func (t *table) convert(row []any) error {
	for i, v := range row {
		var ok bool
		switch t.types[i] {
		case "bigint":
			_, ok = v.(int64)
		case "double precision":
			_, ok = v.(float64)
		case "bytea":
			var b []byte
			if b, ok = v.([]byte); ok && b == nil {
				row[i] = []byte{} // SQLite's driver returns nil for no bytes, and PostgreSQL's writes NULL for nil
			}
		case "text":
			var text string
			if text, ok = v.(string); ok {
				row[i] = postgres.CleanText(text)
			}
		case "boolean":
			var n int64
			if n, ok = v.(int64); ok {
				row[i] = n != 0
			}
		}
		if !ok && v != nil {
			return fmt.Errorf("row %v: the column %s has a value of the type %T, which does not fit %s", t.keyOf(row), t.columns[i], v, t.types[i])
		}
	}
	return nil
}

// sumRow returns the SHA-256 of all columns of a row of PostgreSQL, or of one that was
// converted. Each value is a byte for its type, and then 8 bytes, or its length in 8 bytes
// and its bytes.
func sumRow(row []any) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	for i, v := range row {
		if err := sumValue(h, v); err != nil {
			return sum, fmt.Errorf("column %d: %w", i, err)
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

func sumValue(h hash.Hash, v any) error {
	var head [9]byte
	put := func(kind byte, n uint64) {
		head[0] = kind
		binary.BigEndian.PutUint64(head[1:], n)
		h.Write(head[:])
	}
	switch v := v.(type) {
	case nil:
		put(0, 0)
	case int64:
		put('i', uint64(v))
	case float64:
		put('f', math.Float64bits(v))
	case bool:
		n := uint64(0)
		if v {
			n = 1
		}
		put('b', n)
	case string:
		put('t', uint64(len(v)))
		h.Write([]byte(v))
	case []byte:
		put('x', uint64(len(v)))
		h.Write(v)
	default:
		return fmt.Errorf("a value of the type %T", v)
	}
	return nil
}

// size returns about how many bytes a row has.
func size(row []any) (n int) {
	for _, v := range row {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
		n += 8
	}
	return n
}

// list returns names as a list of SQL.
func list(names []string) string { return strings.Join(names, ", ") }
