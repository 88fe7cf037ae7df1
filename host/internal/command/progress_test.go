package command

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressIsShownFromTimeToTimeWithoutATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		now := time.Now()
		p := &progress{w: &out, things: "matches", begin: now, shown: now, first: true}
		for i := range 100 {
			p.show(1000+i, 1600, func() string { return "alice\x1b leads" })
			time.Sleep(100 * time.Millisecond)
		}
		want := "1050 of 1600 matches, 10.0 a second, 55s left; alice\\x1b leads\n"
		if got := out.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestFiguresOfProgressAreShort(t *testing.T) {
	for rate, want := range map[float64]string{0.123: "0.12", 12.34: "12.3", 1234.5: "1234"} {
		if got := rounded(rate); got != want {
			t.Errorf("rounded(%v) returned %s, want %s", rate, got, want)
		}
	}
	for d, want := range map[time.Duration]time.Duration{
		1500 * time.Millisecond: 2 * time.Second, 83 * time.Second: 80 * time.Second, 90*time.Minute + 20*time.Second: 90 * time.Minute,
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) returned %v, want %v", d, got, want)
		}
	}
}
