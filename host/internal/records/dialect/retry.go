package dialect

import (
	"context"
	"time"
)

const (
	// BusyTimeout is how long a change waits while others hold its locks, such as the
	// sqlite3 shell.
	BusyTimeout = 5 * time.Second
	// busyPause is the time between two attempts to change what others have locked. Each
	// attempt waits for the lock, too.
	busyPause = 50 * time.Millisecond
)

// Again calls f, and again until the timeout while retry reports true for its error.
func Again(ctx context.Context, timeout time.Duration, retry func(error) bool, f func() error) error {
	begun := time.Now()
	err := f()
	for err != nil && retry(err) && time.Since(begun) < timeout {
		if err = Pause(ctx, busyPause); err == nil {
			err = f()
		}
	}
	return err
}

// Pause waits for some time, or returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
