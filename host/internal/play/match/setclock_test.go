package match

import (
	"testing"
	"time"

	"colosseum/internal/test/wallclock"
	"colosseum/sdk/driver"
)

func TestRecordHasTheRightDurationWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		b := newTestMatch(t, 1, 0)
		b.started = wallclock.Shift(time.Now().Add(-9*time.Second), by)
		b.record.Started = b.started
		b.Match.endLocked(driver.Aborted(1, ""))
		b.finish()
		r := b.recorder.record
		if got := r.Ended.Round(0).Sub(r.Started.Round(0)); got < 9*time.Second || got > 30*time.Minute {
			t.Errorf("clock set by %v: got a record of %v, want 9s", -by, got)
		}
	}
}
