//go:build !amd64 && !arm64

package sandbox

import "unsafe"

// launcher returns nil: there is no small launcher for this architecture.
func launcher() (code unsafe.Pointer) { return nil }
