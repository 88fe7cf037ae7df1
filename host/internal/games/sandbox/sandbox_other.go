//go:build !linux

package sandbox

import (
	"os/exec"
	"time"
)

// Supported returns what this system offers.
func Supported() Support { return Support{} }

func newGroup(Policy) *Group { return nil }

func launch(_ *exec.Cmd, _ Level, _ Policy, _ *Group, start func() error) error { return start() }

// Account calls start.
func Account(_ *exec.Cmd, start func() error) (*Group, error) { return nil, start() }

// Freeze returns false.
func (*Group) Freeze() bool { return false }

// Thaw does nothing.
func (*Group) Thaw() {}

// CPU is for Linux only.
func (*Group) CPU() (used time.Duration, known bool) { return 0, false }

// Kill does nothing.
func (*Group) Kill() {}

// Yield does nothing.
func (*Group) Yield() {}

// Close does nothing.
func (*Group) Close() {}

// Measure returns an empty Usage: it is not known.
func Measure(int, bool) Usage { return Usage{} }

// Deleted returns 0: it is not known.
func Deleted(int, bool) int64 { return 0 }

// Ended returns true: it is not known.
func Ended(int) bool { return true }

// CPUTicks is for Linux only.
func CPUTicks(int) (ticks uint64, known bool) { return 0, false }

// HideMemory does nothing.
func HideMemory() {}
