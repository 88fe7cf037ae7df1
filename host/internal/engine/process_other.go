//go:build unix && !linux

package engine

// limitMemory does nothing: only Linux lets a parent limit a running child.
// The soft limit in the child's environment remains.
func limitMemory(int, int64) error { return nil }

// lowerPriority does nothing.
func lowerPriority(int) {}

// cpuTicks is for Linux only.
func cpuTicks(int) (ticks uint64, known bool) { return 0, false }
