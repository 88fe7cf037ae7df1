//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// SyncFolder writes the names in a folder to the disk. It ignores file systems
// that do not support that.
func SyncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
