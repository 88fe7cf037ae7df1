// Package long marks the deep tests, which run only with COLOSSEUM_LONG=1, as in .ci/run.
package long

import (
	"os"
	"testing"
)

// Run reports whether tests run at full depth.
func Run() bool { return os.Getenv("COLOSSEUM_LONG") != "" }

// Number returns how often a test does something: short times, or deep times at full depth.
func Number(short, deep int) int {
	if Run() {
		return deep
	}
	return short
}

// Only skips a test that belongs to the deep ones. The reason says what it does that the
// short run leaves out.
func Only(t testing.TB, reason string) {
	t.Helper()
	if !Run() {
		t.Skipf("only with COLOSSEUM_LONG=1: %s", reason)
	}
}
