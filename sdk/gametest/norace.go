//go:build !race

package gametest

// Race tells whether the tests run under the race detector.
const Race = false
