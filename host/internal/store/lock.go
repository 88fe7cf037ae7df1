package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lock takes the file that says which process owns a record, and gives it
// back when the file it returns is closed. It is a flock on a file of its own:
// the kernel lets go of it however the process ends, so no stale lock is ever
// left, and a program the host starts does not inherit it (Go opens files
// close-on-exec). It is not the database file itself because closing any
// descriptor of that file would drop SQLite's own locks. The file stays
// behind on purpose: to remove it would let two processes each lock their own.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the folder must exist and be writable: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		owner, _ := io.ReadAll(io.LimitReader(f, 20))
		return nil, fmt.Errorf("another host (process %s) is using it; stop that one or give this one a file of its own",
			strings.TrimSpace(string(owner)))
	}
	// The number is only for the text above, so a failure to write it is no
	// reason to refuse to start.
	if f.Truncate(0) == nil {
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

// private makes the file of a record, when there is none, for its owner alone:
// SQLite would let everybody read it. What SQLite puts beside it gets the same
// mode. A file that is there is not opened, since closing it again could drop
// SQLite's own locks.
func private(path string) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = f.Close()
	} // else SQLite says what is wrong
}
