package store

import (
	"time"

	"colosseum/host/internal/base/histogram"
)

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

// Stats returns the counters.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.stats
	c.Waiting, c.Fault = len(s.queue)+s.kept, s.fault
	return c
}

// count counts a commit.
func (s *Store) count(batch []entry, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.stats.Failed++
		return
	}
	s.stats.Commits.Add(took)
	for _, e := range batch {
		if e.Ended && e.Err == nil {
			s.stats.Records++
		}
	}
}
