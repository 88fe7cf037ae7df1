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

// HideMemory does nothing.
func HideMemory() {}
