//go:build !linux

package store

// lowerPriority does nothing: only Linux has priorities of threads.
func lowerPriority() {}
