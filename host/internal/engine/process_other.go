//go:build unix && !linux

package engine

import "syscall"

// limitMemory does nothing: only Linux lets a parent limit a running child.
// The soft limit in the child's environment remains.
func limitMemory(int, int64) error { return nil }

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// lowerPriority does nothing.
func lowerPriority(int) {}

// cpuTicks is for Linux only.
func cpuTicks(int) (ticks uint64, known bool) { return 0, false }
