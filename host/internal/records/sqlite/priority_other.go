//go:build !linux

package sqlite

// lowerPriority does nothing: only Linux has priorities of threads.
func lowerPriority() {}
