package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"colosseum/host/internal/records/dialect"
	"colosseum/host/internal/records/postgres"
)

// Keys of advisory locks of hosts. They are those of one database; package postgres has more.
const (
	lockLead  int64 = 0x434f4c4f0003 // of the leader
	lockNATS  int64 = 0x434f4c4f0005 // shared: of each host with NATS; exclusive: of the one that stands in for all without it
	lockAlone int64 = 0x434f4c4f0004 // exclusive: of a host that is alone; shared: of each other host
	lockHost  int32 = 0x434f4c4f     // with a hash of the name: of a host with a name
)

const (
	// nameTimeout is how long a start waits until the server has noticed that the process
	// before is dead.
	nameTimeout = 10 * time.Second
	// namePause is the time between two attempts.
	namePause = 200 * time.Millisecond
	// lostPause is the same for locks that were lost while the host runs.
	lostPause = time.Second
)

var errOther = errors.New("another host uses these records: hosts that share them need names (the settings of cluster), and different ones")

// nameLock are the locks of a host, its name above all. They only prevent mistakes, and can
// be missing for some seconds after the server was restarted.
type nameLock struct {
	take    func(context.Context) (*postgres.Session, error)
	log     *slog.Logger
	held    atomic.Bool // as far as the host knows
	release func()
}

// lockName takes the locks of a host, for which it waits, and keeps them until release.
func lockName(ctx context.Context, d *postgres.Server, host string, wait time.Duration, log *slog.Logger) (*nameLock, error) {
	text, args := nameLocks(host)
	l := &nameLock{log: log, take: func(ctx context.Context) (*postgres.Session, error) { return d.Hold(ctx, text, args) }}
	session, err := l.take(ctx)
	for begun := time.Now(); session == nil; session, err = l.take(ctx) {
		if err == nil && time.Since(begun) > wait {
			err = errOther
		}
		if err == nil {
			err = dialect.Pause(ctx, namePause)
		}
		if err != nil {
			return nil, err
		}
	}
	l.held.Store(true)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keeper sync.WaitGroup
	keeper.Go(func() { l.keep(keeping, session) }) // ends with stop
	l.release = func() {
		stop()
		keeper.Wait()
	}
	return l, nil
}

// nameLocks returns the SQL that takes the locks of a host, and reports whether it has
// them.
func nameLocks(host string) (text string, args []any) {
	if host == "" {
		return `SELECT pg_try_advisory_lock($1)`, []any{lockAlone}
	}
	return `SELECT pg_try_advisory_lock_shared($1) AND pg_try_advisory_lock($2, hashtext($3))`, []any{lockAlone, lockHost, host}
}

// keep takes the locks again after their connection was lost, until ctx ends.
func (l *nameLock) keep(ctx context.Context, session *postgres.Session) {
	for {
		select {
		case <-session.Lost():
		case <-ctx.Done():
			l.held.Store(false)
			session.Close()
			return
		}
		l.held.Store(false)
		session.Close()
		warned := false
		for next := (*postgres.Session)(nil); next == nil; {
			if dialect.Pause(ctx, lostPause) != nil {
				return
			}
			var err error
			if next, err = l.take(ctx); next != nil {
				session = next
				l.held.Store(true)
			} else if err == nil && !warned {
				warned = true
				l.log.Error("another host uses these records under the name of this one", "error", errOther)
			}
		}
	}
}
