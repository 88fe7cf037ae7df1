package web

import (
	"maps"
	"sync/atomic"
	"time"
)

// Counts is what the server has counted.
type Counts struct {
	Connections int               // now
	Accepted    uint64            // connections that asked for a WebSocket
	Read        uint64            // bytes of clients' messages
	Written     uint64            // bytes of messages to clients
	Backlog     int64             // bytes that wait for slow clients, now
	Limited     map[string]uint64 // what was refused or cut, by limit
}

// Counts returns what was counted so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Counts{
		Connections: len(s.sessions), Accepted: s.number.Load(),
		Read: s.read.Load(), Written: s.load.written.Load(), Backlog: s.load.waiting.Load(),
		Limited: maps.Clone(s.limited),
	}
	if slow := s.load.slow.Load(); slow > 0 {
		c.Limited[limitSlow] = slow
	}
	if n := s.limits.Names; n != nil {
		if refused := n.refused.Load(); refused > 0 {
			c.Limited[limitName] = refused
		}
	}
	return c
}

// limit counts that a limit was met.
func (s *Server) limit(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limited[name]++
}

// load is what all writers of a server share.
type load struct {
	written atomic.Uint64 // bytes
	slow    atomic.Uint64 // clients that were cut because they did not read
	waiting atomic.Int64  // bytes that wait for slow clients, in steps of loadGrain for each
	max     int64         // of waiting; 0: no limit
	shed    func()        // called on a goroutine of its own when it is too much
	busy    atomic.Bool   // shed runs
	epoch   time.Time     // of clock
}

// clock is a time in nanoseconds since the server began, of the monotonic
// clock: the wall clock may be set at any time.
func (l *load) clock(t time.Time) int64 { return int64(t.Sub(l.epoch)) }

// loadGrain is the step in which a writer tells how much waits. The few bytes
// that usually wait for a client that reads cost nothing to count.
const loadGrain = 4 << 10

// change adds to what waits.
func (l *load) change(n int) {
	if total := l.waiting.Add(int64(n)); n > 0 && l.max > 0 && total > l.max && l.busy.CompareAndSwap(false, true) {
		go func() { // ends with shed
			defer l.busy.Store(false)
			l.shed()
		}()
	}
}
