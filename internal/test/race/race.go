// Package race is about tests with the race detector.
package race

import "testing"

// Libraries are the flags that keep the detector out of the libraries that compute most, as
// in .ci/run. SQLite would take five times as long.
var Libraries = []string{"-gcflags=modernc.org/...=-race=false", "-gcflags=github.com/traefik/yaegi/...=-race=false"}

// Skip skips a test when the detector is on. The reason says why it would find nothing.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if On {
		t.Skipf("not with the race detector: %s", reason)
	}
}
