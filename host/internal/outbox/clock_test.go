package outbox

import (
	"testing"
	"time"

	"colosseum/internal/testclock"
)

// The times of pings are those of Budget.clock.
func TestSilenceOfAClientIsRightWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		now := time.Now()
		b := Budget{started: testclock.Shift(now.Add(-time.Second), by)}
		if got := time.Duration(b.clock(now)); got != time.Second {
			t.Errorf("clock set by %v: got %v, want 1s", -by, got)
		}
	}
}
