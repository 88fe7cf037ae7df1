//go:build unix

package filelock

import (
	"os"
	"syscall"
)

// Try locks a file without waiting. The lock ends when the file is closed or the
// process ends in any way. Child processes do not inherit it, because Go opens files
// close-on-exec. Other processes can still read and write the file.
func Try(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}
