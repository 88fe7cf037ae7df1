//go:build unix && !linux

package engine

import "syscall"

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// lowerPriority does nothing.
func lowerPriority(int) {}

// cpuTicks is for Linux only.
func cpuTicks(int) (ticks uint64, known bool) { return 0, false }

// threads is for Linux only.
func threads(int) int { return 0 }
