package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"colosseum/internal/filelock"
)

// Lock makes this process the owner of a file of records, like a host, until release is
// called. The file itself is not opened.
func Lock(path string) (release func(), err error) {
	f, err := lock(At(path).path + ".lock")
	if err != nil {
		return nil, err
	}
	return func() { _ = filelock.Release(f) }, nil
}

// lock takes the lock that makes this process the owner of a record, until
// filelock.Release of the returned file or the end of the process. It is on a file of
// its own, because closing any descriptor of the database file would drop SQLite's
// locks. The lock file is never removed: otherwise two processes could each lock a
// file of that name.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the folder must exist and be writable: %w", err)
	}
	if err := filelock.Try(f); err != nil {
		defer f.Close()
		if !errors.Is(err, filelock.ErrLocked) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		owner, _ := io.ReadAll(io.LimitReader(f, 20))
		return nil, fmt.Errorf("another host (process %s) is using it; stop that one or give this one a file of its own",
			strings.TrimSpace(string(owner)))
	}
	// The process ID is only for the message above, so failing to write it is
	// harmless.
	if f.Truncate(0) == nil {
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

// createPrivate creates the database file, if it does not exist, readable by its
// owner alone. SQLite itself would make it readable by all users; the files that
// it adds get the same mode. An existing file is not opened, because closing it
// could drop SQLite's locks.
func createPrivate(path string) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = f.Close()
	} // otherwise opening the database fails with a better error
}
