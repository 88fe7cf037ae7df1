package lobby

import (
	"testing"
	"time"

	"colosseum/internal/test/wallclock"
)

func TestMatchDoesNotExpireWhenTheClockIsSet(t *testing.T) {
	l := newTestLobby(10)
	defer l.shut()
	e := l.entries[l.create(t, nil)]
	expires := e.expires
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		e.expires = wallclock.Shift(expires, by)
		l.expire(e)
		if n := len(l.List()); n != 1 {
			t.Errorf("clock set by %v: got %d matches, want 1", -by, n)
		}
	}
}
