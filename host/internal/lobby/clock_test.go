package lobby

import (
	"testing"
	"time"

	"colosseum/internal/testclock"
)

func TestMatchDoesNotExpireWhenTheClockIsSet(t *testing.T) {
	h := newHouse(10)
	defer h.shut()
	e := h.entries[h.open(t, nil)]
	expires := e.expires
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		e.expires = testclock.Shift(expires, by)
		h.expire(e)
		if n := len(h.List()); n != 1 {
			t.Errorf("clock set by %v: got %d matches, want 1", -by, n)
		}
	}
}
