package sandbox

import "time"

// Limits on a confined process that the system enforces only with a control group.
const (
	MaxThreads    = 1000                   // of the process; of its group if it can start others
	WatchInterval = 500 * time.Millisecond // how often to check them and its memory
)

// Usage is what a confined process uses of what the system limits only in a control
// group. What is not known is 0.
type Usage struct {
	Processes, Threads int
	// Memory is what the process has for itself: pages in memory and swap, and their
	// tables. RLIMIT_DATA does not count pages that it has made read-only, nor a stack
	// that it has moved, nor tables.
	Memory int64
	// Together is the memory of all processes of a group.
	Together int64
}

// Excess is how much more memory than [Policy.Memory] a process can use: for its stack
// and what the kernel needs.
const Excess = maxStack + overhead

// Limits on what the kernel and stacks need, in bytes.
const (
	maxStack = 64 << 20 // the first thread's stack, which the limit on data does not count
	overhead = 64 << 20 // for the kernel and for files that are mapped, in addition to Policy.Memory
)
