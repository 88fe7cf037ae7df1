package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"colosseum/host/internal/records/dialect"
)

const (
	// watchEvery is the time between two looks at the connection of a session.
	watchEvery = time.Second
	// watchTimeout is how long the server can take to answer.
	watchTimeout = 3 * time.Second
)

// releaseFrozen has PostgreSQL 14 and newer end a session that did not look for some
// time. The system keeps the connection of a process that hangs, and nobody else could
// have its locks, above all the leadership.
const releaseFrozen = `SELECT set_config('idle_session_timeout', '10s', FALSE) WHERE current_setting('server_version_num')::int >= 140000`

// Session is a connection to PostgreSQL that holds advisory locks.
type Session struct {
	lost  chan struct{}
	close func()
}

// Lost is closed when the connection has broken, and after Close.
func (s *Session) Lost() <-chan struct{} { return s.lost }

// Close releases the locks. It can be called several times.
func (s *Session) Close() { s.close() }

// Hold takes locks with a text that reports whether it has them; nil: others have them.
func (d *Server) Hold(ctx context.Context, text string, args []any) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, d.config.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, releaseFrozen); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	var has bool
	if err := conn.QueryRow(ctx, text, args...).Scan(&has); err != nil || !has {
		_ = conn.Close(ctx) // releases what it has taken
		return nil, err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Session{lost: make(chan struct{})}
	go func() { // ends with stop, or when the connection breaks
		defer close(s.lost)
		for dialect.Pause(watching, watchEvery) == nil {
			ctx, cancel := context.WithTimeout(watching, watchTimeout)
			_, err := conn.Exec(ctx, "SELECT 1")
			cancel()
			if err != nil {
				break
			}
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(watching), watchTimeout)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	s.close = sync.OnceFunc(func() {
		stop()
		<-s.lost
	})
	return s, nil
}
