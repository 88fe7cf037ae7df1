package server

import (
	"testing"
	"time"
)

func TestRateCountsTheLastHour(t *testing.T) {
	var r rate
	begun := time.Now()
	if got := r.lastHour(7, begun); got != 7 {
		t.Errorf("before the first look: got %d, want all 7", got)
	}
	for minute := range 200 { // two each minute
		now := begun.Add(time.Duration(minute) * time.Minute)
		r.look(uint64(2*minute), now)
		if got, want := r.lastHour(uint64(2*minute), now), min(2*minute, 120); got != want {
			t.Fatalf("after %d minutes: got %d, want %d", minute, got, want)
		}
	}
	if n := len(r.marks); n > 62 {
		t.Errorf("got %d marks, want those of an hour", n)
	}
}
