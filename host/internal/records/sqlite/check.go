package sqlite

import (
	"context"
	"database/sql"
)

// Damage reads the whole file, and returns the first damage, or an empty string. It needs
// a goroutine of its own, whose thread gets a lower priority and ends with it.
func (d File) Damage(ctx context.Context) (string, error) {
	lowerPriority()
	db, err := d.Connect(1, true)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return quickCheck(ctx, db)
}

// LogIsLong reports whether the write-ahead log is longer than usual. It grows as long as
// somebody reads the whole file, since that needs a snapshot.
func (d File) LogIsLong() bool { return logIsLong(d.path) }

// quickCheck reads a whole database, and returns the first damage, or an empty string.
func quickCheck(ctx context.Context, db *sql.DB) (string, error) {
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return "", err
	}
	if result == "ok" {
		return "", nil
	}
	return result, nil
}
