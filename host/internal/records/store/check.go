package store

import (
	"context"
	"database/sql"
	"os"
	"time"
)

// The check of a file mentions in the log that it runs, when it has taken a second and then
// every minute.
const (
	checkTick     = time.Second
	checkProgress = time.Minute
)

// Check reads the whole file, and logs whether it is damaged: SQLite finds a damaged page
// otherwise only when it needs that page. It returns when it has read all, or ctx ends,
// which must be before Close. It does nothing with PostgreSQL, which does this itself.
func (s *Store) Check(ctx context.Context) {
	d, ok := s.d.(sqliteFile)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		damage string
		err    error
	}
	results := make(chan result, 1)
	go func() { // ends with the check, or with ctx; a goroutine, because lowerPriority keeps its thread
		lowerPriority()
		damage, err := d.damage(ctx)
		results <- result{damage, err}
	}()
	log, begun, shown := s.log.With("file", d.path), time.Now(), time.Time{}
	ticker := time.NewTicker(checkTick)
	defer ticker.Stop()
	for {
		select {
		case r := <-results:
			log = log.With("seconds", time.Since(begun).Round(time.Millisecond).Seconds())
			switch {
			case ctx.Err() != nil:
			case r.err != nil:
				log.Error("could not check the records for damage", "error", d.explain(r.err))
			case r.damage != "":
				s.mu.Lock()
				s.stats.Damaged = true
				s.mu.Unlock()
				log.Error("the file of the records is damaged: stop the host, keep the file, and replace it by a backup; until then matches go on, but some records can't be read", "damage", r.damage)
			case !shown.IsZero():
				log.Info("the records are not damaged")
			}
			return
		case <-ticker.C:
		}
		// The check holds a snapshot, so that the log can't be used again; see backups.
		if info, err := os.Stat(d.path + "-wal"); err == nil && info.Size() > logLimit && ctx.Err() == nil {
			cancel()
			log.Info("stopped checking the records for damage, because many matches are being recorded; a backup checks them too")
		}
		if now := time.Now(); shown.IsZero() || now.Sub(shown) >= checkProgress {
			shown = now
			log.Info("checking the records for damage", "seconds", now.Sub(begun).Round(time.Second).Seconds())
		}
	}
}

// damage reads the whole file, and returns the first damage, or an empty string.
func (d sqliteFile) damage(ctx context.Context) (string, error) {
	db, err := d.connect(1, true)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return quickCheck(ctx, db)
}

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
