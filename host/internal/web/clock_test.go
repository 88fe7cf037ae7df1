package web

import (
	"testing"
	"time"

	"colosseum/internal/testclock"
)

// The times of pings are those of load.clock.
func TestSilenceOfAClientIsRightWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		now := time.Now()
		l := load{epoch: testclock.Shift(now.Add(-time.Second), by)}
		if got := time.Duration(l.clock(now)); got != time.Second {
			t.Errorf("clock set by %v: got %v, want 1s", -by, got)
		}
	}
}
