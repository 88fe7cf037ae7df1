package server

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestGameThatIsPreparedIsWaitedFor(t *testing.T) {
	const compiled = "the game roshambo is unavailable: it is being compiled, try again in a minute"
	for _, test := range []struct {
		name  string
		until map[time.Duration]string // answers, by when they begin; empty: yes
		stop  time.Duration            // of the context; 0: none
		waits []string
		want  string
		least time.Duration
		most  time.Duration
	}{
		{"ready", map[time.Duration]string{0: ""}, 0, nil, "", 0, 0},
		{"compiled and started", map[time.Duration]string{0: compiled, time.Minute: "the game roshambo is unavailable: it is starting, try again in a minute", 70 * time.Second: ""}, 0,
			[]string{"it is being compiled", "it is starting"}, "", 70 * time.Second, 75 * time.Second},
		{"the host loads its games", map[time.Duration]string{0: "Game not found yet: the host is still loading its games, try again in a moment", time.Second: "Game not found"}, 0,
			[]string{"the host is still loading its games"}, "Game not found", time.Second, 2 * time.Second},
		{"never ready", map[time.Duration]string{0: compiled}, 0, []string{"it is being compiled"}, compiled, PrepareLimit, PrepareLimit},
		{"refused for another reason", map[time.Duration]string{0: "too many new matches from your address: try again in a minute"}, 0, nil, "too many new matches from your address: try again in a minute", 0, 0},
		{"interrupted", map[time.Duration]string{0: compiled}, time.Minute, []string{"it is being compiled"}, context.DeadlineExceeded.Error(), time.Minute, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, begin := t.Context(), time.Now()
				if test.stop > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.stop)
					defer cancel()
				}
				var waits []string
				err := AskPrepared(ctx, func() error {
					var from time.Duration
					for at := range test.until {
						if at <= time.Since(begin) {
							from = max(from, at)
						}
					}
					if text := test.until[from]; text != "" {
						return errors.New(text)
					}
					return nil
				}, func(reason string) { waits = append(waits, reason) })
				got := ""
				if err != nil {
					got = err.Error()
				}
				if took := time.Since(begin); got != test.want || took < test.least || took > test.most || !slices.Equal(waits, test.waits) {
					t.Errorf("got %q after %v, with the waits %q, want %q after %v to %v, with %q", got, took, waits, test.want, test.least, test.most, test.waits)
				}
			})
		})
	}
}
