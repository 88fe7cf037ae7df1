package server

import (
	"testing"
	"time"

	"colosseum/internal/test/wallclock"
)

func TestElapsedTimeIncludesThatOfASuspendedComputer(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name string
		to   time.Time
		want time.Duration
	}{
		{"running", now.Add(5 * time.Second), 5 * time.Second},
		{"suspended for 20 s", wallclock.Shift(now.Add(time.Second), 20*time.Second), 21 * time.Second},
		{"wall clock set back", wallclock.Shift(now.Add(5*time.Second), -time.Hour), 5 * time.Second},
	} {
		if got := elapsed(now, tt.to); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
