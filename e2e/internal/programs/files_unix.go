//go:build unix

package programs

import (
	"syscall"
	"testing"
)

// NeedFiles skips a test if the system does not allow a process n open files.
func NeedFiles(t testing.TB, n int) {
	t.Helper()
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	if uint64(files.Max) < uint64(n) {
		t.Skipf("the test needs %d open files, and this system allows a process %d: raise it with ulimit -n", n, files.Max)
	}
}
