//go:build !linux

package program

import "os"

// peakMemory returns 0: it is not known.
func peakMemory(*os.ProcessState) int64 { return 0 }
