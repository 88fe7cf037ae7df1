package programs

import "testing"

// NeedFiles skips a test if the system does not allow a process n open files.
func NeedFiles(t testing.TB, n int) {
	t.Helper()
	if most := Files(t); most < n {
		t.Skipf("the test needs %d open files, and this system allows a process %d: raise it with ulimit -n", n, most)
	}
}
