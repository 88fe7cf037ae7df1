//go:build !race

package programs

// Race reports whether the tests and the host run with the race detector.
const Race = false
