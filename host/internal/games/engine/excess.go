package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"colosseum/host/internal/games/sandbox"
)

// maxEntries is how many files and folders a child's private folder can hold.
const maxEntries = 1000

// excess returns the limit of a policy that a child exceeds, or nil.
func excess(pid int, p sandbox.Policy) error {
	switch used := sandbox.Measure(pid, p.Processes); {
	case used.Threads > sandbox.MaxThreads:
		return fmt.Errorf("it has %d threads, more than %d", used.Threads, sandbox.MaxThreads)
	case p.Memory > 0 && used.Memory > p.Memory+sandbox.Excess:
		return fmt.Errorf("it uses %d MiB of memory, more than %d", used.Memory>>20, p.Memory>>20)
	}
	private, temporary := p.Write, p.FileBytes
	entries, size := 0, int64(0)
	if temporary > 0 && temporary < math.MaxInt64 {
		size = sandbox.Deleted(pid, p.Processes)
	}
	err := filepath.WalkDir(private, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it has just been removed
		}
		if err != nil {
			return err // it would hide files: folders nested too deeply, or without the right to read them
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
	case err != nil:
		return fmt.Errorf("its private folder can't be read: %w", errors.Unwrap(err)) // without its path, which can be long
	case entries > maxEntries:
		return fmt.Errorf("it has more than %d files in its private folder", maxEntries)
	case size > temporary:
		return fmt.Errorf("its files in its private folder have more than %d bytes", temporary)
	}
	return nil
}
