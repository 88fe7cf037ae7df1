package sandbox

import "time"

// Limits on a confined process that the system enforces only with a control group.
const (
	MaxThreads    = 1000                   // of the process; of its group if it can start others
	WatchInterval = 500 * time.Millisecond // how often to check them
)
