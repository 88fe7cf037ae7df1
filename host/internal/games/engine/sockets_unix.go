//go:build unix

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

// maxFolderPath is how many bytes the path of a folder for a socket can have. On
// macOS a socket's path has at most 104 bytes with its final 0 (Linux: 108), and
// go-plugin adds two names to the folder's.
const maxFolderPath = 104 - 1 - len("/plugin-dir4294967295/plugin4294967295")

const socketPrefix = "colosseum-game-" // of a folder's name, for os.MkdirTemp
var socketName = regexp.MustCompile(`^` + socketPrefix + `[0-9]+$`)

// sockets is a private folder for the socket of one child. It is locked while it
// is in use. The system releases a lock however a process ends, so a folder that is
// not locked was left by a killed process, and Sweep removes it. (Programs that
// clean up temporary files skip locked folders too.)
type sockets struct {
	path string
	lock *os.File // nil: the file system has no locks, so Sweep skips the folder
}

// parents returns the folders in which makeSockets tries to create one. /tmp is
// used if the path of TMPDIR is too long.
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
			} // else another process removed it before it was locked
		}
	}
	return nil, fmt.Errorf("the path %s is too long for the folder of a socket: set TMPDIR to a shorter one", os.TempDir())
}

// remove removes the folder with its contents.
func (s *sockets) remove() {
	_ = os.RemoveAll(s.path)
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// Sweep removes the socket folders that killed processes of this user left, and
// returns their number. It skips folders that are in use, belong to other users or
// can't be removed, and all other files.
func Sweep() (removed int) {
	for _, parent := range parents() {
		entries, _ := os.ReadDir(parent) // those that can be read
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

// lockFolder locks a folder until the returned file is closed. It fails for a link
// and for a folder of another user. The error is os.ErrNotExist if the folder was
// removed before it could be locked.
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

// flock makes the system call, and repeats it when a signal interrupts it.
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
