package server

import (
	"context"
	"regexp"
	"time"
)

// PrepareLimit is how long AskPrepared waits for a game.
const PrepareLimit = 15 * time.Minute

// How often AskPrepared asks again.
const (
	firstAsk = 500 * time.Millisecond
	lastAsk  = 5 * time.Second
)

// preparing matches the refusals of a host that compiles or starts the game, or loads its
// games. Their texts are part of the protocol.
var preparing = regexp.MustCompile(`^(?:the game \S+ is unavailable|Game not found yet): (.+), try again in a (?:minute|moment)$`)

// AskPrepared calls ask until it returns an error other than that the host prepares the
// game, for at most PrepareLimit. Waits is called with what the host does, each time that
// it changes.
func AskPrepared(ctx context.Context, ask func() error, waits func(reason string)) error {
	limit, cancel := context.WithTimeout(ctx, PrepareLimit)
	defer cancel()
	last := ""
	for delay := firstAsk; ; delay = min(2*delay, lastAsk) {
		err := ask()
		if err == nil {
			return nil
		}
		m := preparing.FindStringSubmatch(err.Error())
		if m == nil {
			return err
		}
		if m[1] != last {
			last = m[1]
			waits(last)
		}
		select {
		case <-time.After(delay):
		case <-limit.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
	}
}
