package store

import (
	"context"
	"fmt"
)

// Refresh changes Generation if another process has changed the file since the last
// call. A call takes some microseconds if nothing has changed, and otherwise waits for
// the commit that runs. It must not be called concurrently.
func (s *Store) Refresh(ctx context.Context) error {
	version, err := s.contests.Version(ctx)
	if err != nil || version == s.version {
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
	if foreign != s.foreign {
		s.generation.Add(1)
	}
	s.version, s.foreign = version, foreign
	return nil
}
