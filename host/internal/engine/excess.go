package engine

import (
	"fmt"
	"io/fs"
	"path/filepath"
)

// Limits on a child that the system enforces only in part: with a control group it
// also limits threads.
const (
	maxThreads = 1000
	maxEntries = 1000 // files and folders in the child's private folder
)

// excess returns the limit that a child exceeds, or nil. Temporary is how many bytes
// its files in its private folder can have together.
func excess(pid int, private string, temporary int64) error {
	if n := threads(pid); n > maxThreads {
		return fmt.Errorf("it has %d threads, more than %d", n, maxThreads)
	}
	entries, size := 0, int64(0)
	_ = filepath.WalkDir(private, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it has just been removed, or the game has made it unreadable
		}
		entries++
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		if entries > maxEntries || size > temporary {
			return fs.SkipAll
		}
		return nil
	})
	switch {
	case entries > maxEntries:
		return fmt.Errorf("it has more than %d files in its private folder", maxEntries)
	case size > temporary:
		return fmt.Errorf("its files in its private folder have more than %d bytes", temporary)
	}
	return nil
}
