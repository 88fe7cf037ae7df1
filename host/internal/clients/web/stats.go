package web

import (
	"maps"

	"colosseum/host/internal/base/limit"
)

// Stats is a snapshot of the server's counters.
type Stats struct {
	Connections int               // now
	Accepted    uint64            // connections that asked for a WebSocket
	Read        uint64            // bytes of clients' messages
	Written     uint64            // bytes of messages to clients
	Relays      int               // connections to other hosts, now
	FromHosts   int               // connections that other hosts relay, now
	Backlog     int64             // bytes that wait for slow clients, now
	Limited     map[string]uint64 // refused requests and closed connections, by limit
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	out := s.budget.Stats()
	s.countMu.Lock()
	limited := maps.Clone(s.limited)
	s.countMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	fromHosts := 0
	if s.cluster != nil {
		for sess := range s.sessions {
			if sess.byRelay {
				fromHosts++
			}
		}
	}
	stats := Stats{
		Relays: s.hosts.Relays(), FromHosts: fromHosts,
		Connections: len(s.sessions), Accepted: s.accepted.Load(),
		Read: s.read.Load(), Written: out.Written, Backlog: out.Backlog, Limited: limited,
	}
	if out.TooSlow > 0 {
		stats.Limited[limit.SlowClient] = out.TooSlow
	}
	if n := s.limits.Names; n != nil {
		if refused := n.Refused(); refused > 0 {
			stats.Limited[limit.Name] = refused
		}
	}
	return stats
}

// Addresses returns the limits of addresses, which hosts of a cluster share.
func (s *Server) Addresses() *limit.Addresses { return s.addresses }
