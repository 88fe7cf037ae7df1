package source

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestCommandIsJudgedByItsProgressAndNotByTheClock(t *testing.T) {
	const limit = 2 * time.Minute
	for _, test := range []struct {
		name string
		work func(after time.Duration) work
		ends time.Duration // by itself
		took time.Duration
		want error
	}{
		{"slow, on a busy machine", func(d time.Duration) work { return work{cpu: d / 100} }, 3 * time.Hour, 3 * time.Hour, nil},
		{"output alone, on a system that does not tell the CPU time", func(d time.Duration) work { return work{output: int64(d / time.Minute)} }, time.Hour, time.Hour, nil},
		{"it hangs", func(time.Duration) work { return work{cpu: time.Second, output: 10} }, time.Hour, limit, errStalled},
		{"it waits, and looks around at times", func(d time.Duration) work { return work{cpu: d / 1000} }, time.Hour, limit, errStalled},
		{"it hangs at last", func(d time.Duration) work { return work{cpu: min(d, time.Hour)} }, 3 * time.Hour, time.Hour + limit, errStalled},
		{"it works for ever", func(d time.Duration) work { return work{cpu: 2 * d} }, 24 * time.Hour, time.Hour, errEndless},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, done := time.Now(), make(chan struct{})
				timer := time.AfterFunc(test.ends, func() { close(done) })
				defer timer.Stop()
				err := supervise(done, limit, func() work { return test.work(time.Since(begin)) })
				took := time.Since(begin)
				if !errors.Is(err, test.want) || took < test.took || took > test.took+limit/10 {
					t.Errorf("got %v after %v, want %v after about %v", err, took, test.want, test.took)
				}
			})
		})
	}
}
