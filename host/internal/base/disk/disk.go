// Package disk writes files that survive a crash or a full disk, and creates
// folders that other users can't enter.
package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile creates or replaces a file, with the given mode whatever the umask.
// After an error or a crash the file is as it was before, or complete; once
// WriteFile has returned nil it is on the disk. The folder must exist.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return SyncFolder(folder)
}

// MakeFolder creates a folder with mode 0700, and missing folders around it with
// 0755. A folder that exists keeps its mode.
func MakeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, os.ErrExist) {
		if info, found := os.Stat(path); found == nil && info.IsDir() {
			return nil // another process was faster
		}
		return &os.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// MakeData is MakeFolder for the data folder of a host. Its error says what to do.
func MakeData(path string) error {
	if err := MakeFolder(path); err != nil {
		return fmt.Errorf("make the data folder: %w: name a folder that you can write to, with --data or the key data of the configuration", err)
	}
	return nil
}
