package command

import (
	"context"
	"math/rand/v2"
	"time"

	"colosseum/coco/internal/server"
	"colosseum/protocol"
)

// busyTimeout limits all attempts of untilNotBusy, and busyDelay is the longest time
// between two of them.
const (
	busyTimeout = time.Minute
	busyDelay   = 8 * time.Second
)

// untilNotBusy calls ask until the server does not close the connection at a limit, for
// example because too many clients ask at once. It calls waiting before the second time.
func untilNotBusy(ctx context.Context, waiting func(error), ask func() error) error {
	began := time.Now()
	for delay := time.Second / 2; ; delay = min(2*delay, busyDelay) {
		err := ask()
		if server.CloseCode(err) != protocol.CloseLimit || time.Since(began)+delay > busyTimeout {
			return err
		}
		if waiting != nil {
			waiting(err)
			waiting = nil
		}
		pause := time.NewTimer(delay/2 + time.Duration(rand.Float64()*float64(delay/2)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
	}
}
