package store

import (
	"time"

	"colosseum/host/internal/histogram"
)

// Counts is what the store has counted.
type Counts struct {
	Commits histogram.Durations // those that succeeded
	Failed  uint64              // commits
	Records uint64              // of ended matches that are safe on the disk
	Waiting int                 // rows that wait to be written, now
}

// Counts returns what was counted so far.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	c.Waiting = len(s.queue) + s.kept
	return c
}

// count counts a commit.
func (s *Store) count(batch []entry, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.counts.Failed++
		return
	}
	s.counts.Commits.Add(took)
	for _, e := range batch {
		if e.done != nil {
			s.counts.Records++
		}
	}
}
