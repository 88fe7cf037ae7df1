package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks a file without waiting. The lock ends with Release, or when the process ends in
// any way. Child processes do not inherit it, because Go passes no other handles on. Other
// processes can still read and write the file.
func Try(f *os.File) error {
	at := farBehind
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return ErrLocked
	}
	return err
}

// Release ends the lock and closes the file. Windows would end the lock of a file that is
// closed, but at a time of its choice.
func Release(f *os.File) error {
	at := farBehind
	return errors.Join(windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at), f.Close())
}

// farBehind is the locked byte: far behind the end of the file, because on Windows no other
// process can read or write locked bytes.
var farBehind = windows.Overlapped{OffsetHigh: 1 << 30}
