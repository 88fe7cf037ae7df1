package store

import (
	"database/sql"
	"math"
	"time"
)

// fromNanos returns a time as it is in a record.
func fromNanos(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(0, n.Int64).UTC()
}

// toNanos is the reverse of fromNanos.
func toNanos(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// nanos returns a time as stored in a record. Times outside the range of Unix
// nanoseconds become its first or last value.
func nanos(t time.Time) int64 {
	switch {
	case t.Year() < 1678:
		return math.MinInt64
	case t.Year() > 2261:
		return math.MaxInt64
	}
	return t.UnixNano()
}
