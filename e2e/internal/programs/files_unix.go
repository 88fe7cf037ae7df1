//go:build unix

package programs

import (
	"math"
	"syscall"
	"testing"
)

// Files returns how many open files the system allows a process. Go raises the soft
// limit to that.
func Files(t testing.TB) int {
	t.Helper()
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	return int(min(uint64(files.Max), math.MaxInt32))
}
