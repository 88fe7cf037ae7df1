//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file without waiting. The lock ends with Release, or when the process ends in
// any way. Child processes do not inherit it, because Go opens files close-on-exec. Other
// processes can still read and write the file.
func Try(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

// Release ends the lock and closes the file. Closing alone would not end it while a child
// process is being started: until exec, the child has a copy of each open file.
func Release(f *os.File) error {
	return errors.Join(flock(f, syscall.LOCK_UN), f.Close())
}

// flock makes the system call, and repeats it when a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
