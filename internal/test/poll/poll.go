// Package poll waits in tests, and ends each wait.
package poll

import (
	"sync"
	"testing"
	"time"
)

// Limit is how long a wait takes at most. It is far more than any wait needs on a busy
// machine, and less than go test's own limit, which does not say what a test waited for.
const Limit = 3 * time.Minute

// Until returns when ok returns true. When that takes longer than [Limit], the test fails
// with the condition, and with what the functions in seen return.
func Until(t testing.TB, condition string, ok func() bool, seen ...func() any) {
	t.Helper()
	begun := time.Now()
	for wait := time.Millisecond; !ok(); wait = min(2*wait, 32*time.Millisecond) {
		if time.Since(begun) > Limit {
			fail(t, condition, seen)
		}
		time.Sleep(wait)
	}
}

// Receive returns what comes from a channel, or the zero value when it is closed. When that
// takes longer than [Limit], the test fails with what it waited for.
func Receive[T any](t testing.TB, what string, from <-chan T, seen ...func() any) (value T) {
	t.Helper()
	limit := time.NewTimer(Limit)
	defer limit.Stop()
	select {
	case value = <-from:
	case <-limit.C:
		fail(t, what, seen)
	}
	return value
}

// On returns when ok returns true, which it asks each time changed is signalled. The caller
// holds changed.L, which ok and seen need. When that takes longer than [Limit], the test
// fails with the condition, and with what the functions in seen return.
func On(t testing.TB, changed *sync.Cond, condition string, ok func() bool, seen ...func() any) {
	t.Helper()
	late := false
	limit := time.AfterFunc(Limit, func() {
		changed.L.Lock()
		defer changed.L.Unlock()
		late = true
		changed.Broadcast()
	})
	defer limit.Stop()
	for !ok() {
		if late {
			fail(t, condition, seen)
		}
		changed.Wait()
	}
}

func fail(t testing.TB, condition string, seen []func() any) {
	t.Helper()
	for _, look := range seen {
		t.Logf("seen: %v", look())
	}
	t.Fatalf("waited %v until %s", Limit, condition)
}
