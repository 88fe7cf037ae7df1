//go:build !linux

package program

// coreNumbers returns none: they are not known.
func coreNumbers() []int { return nil }

// pinned calls start.
func (c *Core) pinned(start func() error) error { return start() }

// awaitExit returns at once: the CPU time of a process is not known here.
func awaitExit(int) {}
