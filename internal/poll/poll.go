// Package poll waits in tests for a condition that sends no event.
package poll

import (
	"testing"
	"time"
)

// Until returns when ok returns true. It has no timeout, because a slow machine is
// not a fault: go test's timeout ends it, and the test's log has the condition.
func Until(t testing.TB, condition string, ok func() bool) {
	t.Helper()
	t.Logf("waiting until %s", condition)
	for wait := time.Millisecond; !ok(); wait = min(2*wait, 32*time.Millisecond) {
		time.Sleep(wait)
	}
}
