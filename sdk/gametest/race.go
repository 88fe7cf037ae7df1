//go:build race

package gametest

// race reports whether the race detector is on. It makes a search ten to twenty
// times slower.
const race = true
