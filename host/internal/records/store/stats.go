package store

import "colosseum/host/internal/base/histogram"

// Stats are the store's counters.
type Stats struct {
	Commits histogram.Durations // successful commits
	Failed  uint64              // failed commits
	Records uint64              // durable records of ended matches
	Waiting int                 // rows that wait to be written now
	Damaged bool                // Check has found damage
	Fault   string              // why the last commit failed, with SQLite, and what to do; empty: it succeeded
	Removed uint64              // records that Retain has removed
	Used    int64               // bytes in use, at most a minute ago
	Free    int64               // bytes that new records will use, the same
}
