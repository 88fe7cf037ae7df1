package filelock

import (
	"os"

	"golang.org/x/sys/windows"
)

// Try locks a file without waiting. The lock ends when the file is closed or the
// process ends in any way. Child processes do not inherit it, because Go passes no
// other handles on. Other processes can still read and write the file.
func Try(f *os.File) error {
	// On Windows no other process can read or write locked bytes, so the locked byte is
	// far behind the end of the file.
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return ErrLocked
	}
	return err
}
