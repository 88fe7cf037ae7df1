//go:build unix

package filelock

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A child process has a copy of each open file from fork to exec.
func TestReleaseEndsTheLockOfCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Try(f); err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	if err := Release(f); err != nil {
		t.Fatal(err)
	}
	next, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if err := Try(next); err != nil {
		t.Errorf("got %v while a copy of the released file is open, want no error", err)
	}
}
