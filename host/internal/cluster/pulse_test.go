package cluster

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatWaitedDuringAFreezeDoesNotBlameTheClocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &Cluster{log: slog.New(slog.DiscardHandler)}
		for range 60 { // it runs, and looks every second
			if got := c.Frozen(); got != 0 {
				t.Fatalf("got a freeze of %v, want none", got)
			}
			time.Sleep(time.Second)
		}
		ago := func(age time.Duration) error { return c.checkAge(time.Now().Add(-age), maxAge) }
		if got := ago(31 * time.Second); got != errOld {
			t.Errorf("31 s old without a freeze: got %v, want %v", got, errOld)
		}
		time.Sleep(40 * time.Second)
		for range 2 { // more than one message waits
			for age, want := range map[time.Duration]error{0: nil, 29 * time.Second: nil, 41 * time.Second: errWaited, 72 * time.Second: errOld} {
				if got := ago(age); got != want {
					t.Errorf("%v old after a freeze: got %v, want %v", age, got, want)
				}
			}
			time.Sleep(time.Second)
		}
		for range 30 {
			time.Sleep(time.Second)
			c.Frozen()
		}
		if got := ago(41 * time.Second); got != errOld {
			t.Errorf("41 s old some time after a freeze: got %v, want %v", got, errOld)
		}
	})
}
