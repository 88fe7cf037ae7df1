package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// The path of a socket fits into 104 bytes with its final 0 on some systems
// (macOS; Linux takes 108), and go-plugin adds two names to that of our folder.
const maxFolderPath = 104 - 1 - len("/plugin-dir4294967295/plugin4294967295")

// The name of a folder for a socket, as os.MkdirTemp takes it, and as it comes
// out.
const socketPrefix = "colosseum-game-"

var socketName = regexp.MustCompile(`^` + socketPrefix + `[0-9]+$`)

// sockets is a private folder for the socket of one child. It is locked as
// long as it is in use. The system lets go of a lock however a process ends, so
// what is not locked is of a process that was killed, and Sweep removes it.
// (Cleaners of temporary files leave locked folders alone, too.)
type sockets struct {
	path string
	lock *os.File // nil: the file system knows no locks, so nobody sweeps it
}

// parents are where folders for sockets are made. When the usual place has too
// long a name, as a child could not tell, it is /tmp.
func parents() []string { return slices.Compact([]string{filepath.Clean(os.TempDir()), "/tmp"}) }

func makeSockets() (*sockets, error) {
	for _, parent := range parents() {
		for {
			path, err := os.MkdirTemp(parent, socketPrefix)
			if err != nil {
				return nil, err
			}
			if len(path) > maxFolderPath {
				_ = os.Remove(path)
				break
			}
			lock, err := lockFolder(path, syscall.LOCK_EX)
			switch {
			case err == nil || errors.Is(err, errNoLocks):
				return &sockets{path, lock}, nil
			case !errors.Is(err, os.ErrNotExist):
				_ = os.Remove(path)
				return nil, err
			} // else another process swept it away before we had locked it
		}
	}
	return nil, fmt.Errorf("%s is too long a name for the folder of a socket: set TMPDIR to a shorter one", os.TempDir())
}

// remove removes the folder with all that is in it.
func (s *sockets) remove() {
	_ = os.RemoveAll(s.path)
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// Sweep removes the folders that killed processes of this user have left, and
// returns their number. It is for the start of a process; what is in use, of
// other users, or not ours is left alone, and so is what can't be removed.
func Sweep() (removed int) {
	for _, parent := range parents() {
		entries, _ := os.ReadDir(parent) // what could be read of it
		for _, e := range entries {
			if !e.IsDir() || !socketName.MatchString(e.Name()) {
				continue
			}
			path := filepath.Join(parent, e.Name())
			lock, err := lockFolder(path, syscall.LOCK_EX|syscall.LOCK_NB)
			if err != nil {
				continue
			}
			if os.RemoveAll(path) == nil {
				removed++
			}
			_ = lock.Close()
		}
	}
	return removed
}

// errNoLocks is the error of lockFolder on a file system without locks.
var errNoLocks = errors.New("the file system can't lock folders")

// lockFolder locks a folder of our own, which is no link, until the file that
// it returns is closed. The error is os.ErrNotExist when the folder was removed
// meanwhile.
func lockFolder(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	err = flock(f, how)
	var info os.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err == nil && info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) {
		err = os.ErrPermission
	}
	if err == nil {
		now, gone := os.Lstat(path)
		if gone != nil {
			err = gone
		} else if !os.SameFile(info, now) {
			err = os.ErrNotExist
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

// flock is the system call, once more when a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case syscall.EINTR:
		case nil, syscall.EWOULDBLOCK:
			return err
		default:
			return fmt.Errorf("%w: %w", errNoLocks, err)
		}
	}
}
