//go:build race

package race

// On reports whether the detector is on.
const On = true
