package engine

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the data segment of a process: heap, stacks and private
// mappings. An allocation beyond it fails, and a Go program then ends.
// (The limit on address space is of no use: the Go runtime reserves far more
// than it touches.)
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
