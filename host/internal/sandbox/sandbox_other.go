//go:build !linux

package sandbox

const launcherPath = ""

// Supported returns what this system offers.
func Supported() Support { return Support{} }

func newGroup(Policy) *Group { return nil }

// Kill does nothing.
func (*Group) Kill() {}

// Close does nothing.
func (*Group) Close() {}

// Measure returns an empty Usage.
func Measure(int, bool) Usage { return Usage{} }

// Deleted returns 0.
func Deleted(int) int64 { return 0 }

// HideMemory does nothing.
func HideMemory() {}
