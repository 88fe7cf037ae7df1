package sdk_test

import (
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/sdk"
	"colosseum/sdk/driver"
)

// loop can be ended by its test.
type loop struct{ end atomic.Bool }

//go:noinline
func (l *loop) spin() int {
	n := 0
	for !l.end.Load() {
		n++
	}
	return n
}

func TestCompiledRefereeThatDoesNotEndIsReportedWithItsLine(t *testing.T) {
	var l loop
	end := make(chan struct{})
	tests := []struct {
		name string
		play func(m *sdk.Match) error
		want string // # stands for lines
	}{
		{"loop", func(m *sdk.Match) error {
			for !l.end.Load() {
			}
			return nil
		}, "watch_test.go:#: the loop in a function literal does not end"},
		{"loop in a method", func(m *sdk.Match) error { l.spin(); return nil },
			"watch_test.go:#: the loop in spin, or in a caller of it, does not end, called by a function literal (watch_test.go:#)"},
		{"after a question", func(m *sdk.Match) error {
			if _, err := m.AskLine(0); err != nil {
				return err
			}
			l.spin()
			return nil
		}, "watch_test.go:#: the loop in spin, or in a caller of it, does not end, called by a function literal (watch_test.go:#)"},
		{"channel", func(m *sdk.Match) error { <-end; return nil }, "watch_test.go:#: a function literal waits without end (chan receive)"},
	}
	lines := regexp.MustCompile(`\.go:\d+( to \d+)?`)
	for _, tt := range tests {
		game := sdk.Game{Name: "test", Play: tt.play}
		d := &stuckDriver{end: make(chan *driver.Result, 1)}
		ended := make(chan struct{})
		go func() { // ends with the test
			defer close(ended)
			driver.Of(&game).Run(&driver.Setup{Settings: driver.Settings{Players: 1, Timeout: 1}, Names: []string{"a"}, Stall: 400 * time.Millisecond}, d)
		}()
		defer func() { <-ended }()
		r := <-d.end
		if got := lines.ReplaceAllString(r.Reason, ".go:#"); !r.Aborted || !r.Stuck || got != "the referee failed: "+tt.want {
			t.Errorf("%s: result %+v, want it aborted and stuck: %s", tt.name, r, tt.want)
		}
	}
	l.end.Store(true)
	close(end)
}

// stuckDriver answers each question, and passes on the result.
type stuckDriver struct{ end chan *driver.Result }

func (d *stuckDriver) Send(frame *driver.Frame) bool {
	if frame.End != nil {
		d.end <- frame.End
	}
	return true
}

func (d *stuckDriver) Wait() ([]driver.Answer, bool) { return []driver.Answer{{Line: "a"}}, true }
func (d *stuckDriver) Pause(time.Duration) bool      { return true }
