package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"colosseum/host/internal/records/dialect"
)

// Pages are the pages of a file without its log.
type Pages struct {
	Bytes     int64 // of a page
	All, Free int64
}

// Pages counts the pages.
func (d File) Pages(ctx context.Context, db dialect.Querier) (p Pages, err error) {
	err = db.QueryRowContext(ctx, `SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count`).
		Scan(&p.Bytes, &p.All, &p.Free)
	return p, err
}

// Size implements [dialect.Database].
func (d File) Size(ctx context.Context, db dialect.Querier) (used, free int64, err error) {
	p, err := d.Pages(ctx, db)
	return (p.All - p.Free) * p.Bytes, p.Free * p.Bytes, err
}

// Shrinks reports whether the file can give free space back to the file system. Files of
// older hosts cannot (docs/decisions/store.md).
func (d File) Shrinks(ctx context.Context, db dialect.Querier) (bool, error) {
	var mode int
	err := db.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode)
	return err == nil && mode != 0, err
}

// Shrink gives free pages back to the file system.
func (d File) Shrink(ctx context.Context, tx *sql.Tx, pages int64) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
	return err
}
