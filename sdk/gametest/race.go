//go:build race

package gametest

// Race tells whether the tests run under the race detector, which makes a search
// ten to twenty times slower.
const Race = true
