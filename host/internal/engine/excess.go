package engine

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"colosseum/host/internal/sandbox"
)

// maxEntries is how many files and folders a child's private folder can hold.
const maxEntries = 1000

// excess returns the limit that a child exceeds, or nil. Temporary is how many bytes
// its files in its private folder can have together.
func excess(pid int, private string, temporary int64) error {
	if n := sandbox.Threads(pid, false); n > sandbox.MaxThreads {
		return fmt.Errorf("it has %d threads, more than %d", n, sandbox.MaxThreads)
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
