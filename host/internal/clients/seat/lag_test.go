package seat

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestLagIsTheAverageOfRecentPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lag{began: time.Now()}
		measure := func(d time.Duration) {
			payload, ok := l.ping()
			if !ok {
				t.Fatal("got no ping, want one")
			}
			if _, ok := l.ping(); ok {
				t.Error("got another ping, want one at a time")
			}
			time.Sleep(d)
			l.pong("unknown", time.Now())
			l.pong(string(payload), time.Now())
		}
		time.Sleep(time.Second)
		for _, step := range []struct{ ping, want time.Duration }{
			{100 * time.Millisecond, 100 * time.Millisecond},
			{500 * time.Millisecond, 200 * time.Millisecond},
			{0, 150 * time.Millisecond},
		} {
			measure(step.ping)
			if got := l.get(); got < step.want-time.Microsecond || got > step.want+time.Microsecond {
				t.Errorf("after a ping of %v: got %v, want %v", step.ping, got, step.want)
			}
		}
		if _, ok := l.ping(); !ok {
			t.Error("got no ping, want one")
		}
		time.Sleep(time.Second)
		if got := l.get(); got != time.Second {
			t.Errorf("got %v, want the age of the ping without an answer, 1 s", got)
		}
	})
}
