package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const (
	// freeShare is the share of the used space that stays in the file for new
	// records, 1/freeShare. More goes back to the file system.
	freeShare = 8
	// vacuumPages is how many pages are given back between two looks at the clock.
	vacuumPages = 16
)

// fileSize is the size of the database without its log.
type fileSize struct{ page, pages, free int64 }

func (f fileSize) used() int64 { return (f.pages - f.free) * f.page }

func sizeOf(ctx context.Context, db querier) (f fileSize, err error) {
	err = db.QueryRowContext(ctx, `SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count`).
		Scan(&f.page, &f.pages, &f.free)
	return f, err
}

func (d sqliteFile) size(ctx context.Context, db querier) (used, free int64, err error) {
	f, err := sizeOf(ctx, db)
	return f.used(), f.free * f.page, err
}

// shrink leaves a share of the free space for new records. It does nothing in files of
// older hosts (docs/decisions/store.md).
func (d sqliteFile) shrink(ctx context.Context, s *Store) error {
	var mode int
	if err := s.Reader.db.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode); err != nil || mode == 0 {
		return err
	}
	for {
		if _, err := s.measure(ctx); err != nil {
			return err
		}
		size, err := sizeOf(ctx, s.Reader.db)
		if err != nil {
			return err
		}
		excess := size.free - (size.pages-size.free)/freeShare
		if excess <= 0 {
			return nil
		}
		begun := time.Now()
		err = s.update.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
			for begun := time.Now(); excess > 0 && time.Since(begun) < batchTime; excess -= vacuumPages {
				if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", min(excess, vacuumPages))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("give space back to the file system: %w", err)
		}
		if err := pause(ctx, batchPause*time.Since(begun)); err != nil {
			return err
		}
	}
}
