package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"colosseum/protocol"
)

// busyTimeout limits all attempts of UntilNotBusy, and busyDelay is the longest time
// between two of them.
const (
	busyTimeout = time.Minute
	busyDelay   = 8 * time.Second
	// maxRetryAfter is the longest time in seconds after which a server can ask to try again.
	maxRetryAfter = 30
)

// UntilNotBusy calls ask until the server does not refuse it for a while: it closes the
// connection at a limit, or answers that a later request can succeed, for example because too
// many clients ask at once. It calls waiting, which can be nil, before the second time.
func UntilNotBusy(ctx context.Context, waiting func(error), ask func() error) error {
	began := time.Now()
	for delay := time.Second / 2; ; delay = min(2*delay, busyDelay) {
		err := ask()
		if !busy(err) || time.Since(began)+delay > busyTimeout {
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

// busy reports whether the server refuses a request for a short time.
func busy(err error) bool {
	status, ok := errors.AsType[*StatusError](err)
	return CloseCode(err) == protocol.CloseLimit || ok && status.again
}

// soon reports whether an answer asks to try again within maxRetryAfter. Refusals at a quota,
// which name no time or a longer one, are final.
func soon(reply *http.Response) bool {
	if reply.StatusCode != http.StatusTooManyRequests && reply.StatusCode != http.StatusServiceUnavailable {
		return false
	}
	seconds, err := strconv.Atoi(reply.Header.Get("Retry-After"))
	return err == nil && seconds >= 0 && seconds <= maxRetryAfter
}
