package store

import (
	"context"
	"time"

	"colosseum/host/internal/records/sqlite"
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
	d, ok := s.d.(sqlite.File)
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
	go func() { // ends with the check, or with ctx
		damage, err := d.Damage(ctx)
		results <- result{damage, err}
	}()
	log, begun, shown := s.log.With("file", d.String()), time.Now(), time.Time{}
	ticker := time.NewTicker(checkTick)
	defer ticker.Stop()
	for {
		select {
		case r := <-results:
			log = log.With("seconds", time.Since(begun).Round(time.Millisecond).Seconds())
			switch {
			case ctx.Err() != nil:
			case r.err != nil:
				log.Error("could not check the records for damage", "error", d.Explain(r.err))
			case r.damage != "":
				s.damaged.Store(true)
				log.Error("the file of the records is damaged: stop the host, keep the file, and replace it by a backup; until then matches go on, but some records can't be read", "damage", r.damage)
			case !shown.IsZero():
				log.Info("the records are not damaged")
			}
			return
		case <-ticker.C:
		}
		// The check holds a snapshot, so that the log can't be used again; see backups.
		if d.LogIsLong() && ctx.Err() == nil {
			cancel()
			log.Info("stopped checking the records for damage, because many matches are being recorded; a backup checks them too")
		}
		if now := time.Now(); shown.IsZero() || now.Sub(shown) >= checkProgress {
			shown = now
			log.Info("checking the records for damage", "seconds", now.Sub(begun).Round(time.Second).Seconds())
		}
	}
}
