package store

import (
	"context"
	"fmt"
)

// others is the state of Refresh, for its goroutine alone.
type others struct {
	version int64 // of Contests.Version at the last call of Refresh
	foreign int64 // of the connection that writes
}

// Refresh changes Generation if another process has changed the file since the last
// call. A call takes some microseconds if nothing has changed, and otherwise waits for
// the commit that runs. It must not be called concurrently.
func (s *Store) Refresh(ctx context.Context) error {
	o := &s.others
	version, err := s.contests.Version(ctx)
	if err != nil || version == o.version {
		return err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("look for changes in %s: %w", s.d, s.d.Explain(err))
	}
	defer conn.Close()
	var foreign int64
	ctx, cancel := s.d.Bound(ctx)
	defer cancel()
	if err := conn.QueryRowContext(ctx, s.d.Texts().Foreign).Scan(&foreign); err != nil {
		return fmt.Errorf("look for changes in %s: %w", s.d, s.d.Explain(err))
	}
	if foreign != o.foreign {
		s.generation.Add(1)
	}
	o.version, o.foreign = version, foreign
	return nil
}
