//go:build amd64 || arm64

package sandbox

import "unsafe"

// launcher returns the address of the code of the small launcher. It does not depend on
// its address, and ends with launcherEnd.
func launcher() (code unsafe.Pointer)
