package web

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// gate counts connections that are no sessions: those that have not asked for
// a WebSocket yet, or never will, and those that read pages.
type gate struct {
	mu   sync.Mutex // guards the fields below
	open map[net.Conn]netip.Prefix
	each map[netip.Prefix]int // by address; those without limits are not there
}

// ConnState is for http.Server, which calls it when a connection has come, was
// taken over by a session, or has ended. A connection too many is closed
// before a byte of it is read.
func (s *Server) ConnState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if limit := s.enter(conn); limit != "" {
			s.limit(limit)
			_ = conn.Close()
		}
	case http.StateHijacked, http.StateClosed:
		s.gate.leave(conn)
	}
}

// enter counts a connection, or returns the limit that it meets.
func (s *Server) enter(conn net.Conn) (limit string) {
	s.mu.Lock()
	sessions := len(s.sessions)
	s.mu.Unlock()
	var key netip.Prefix
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	limited := err == nil && s.limits.Address.Connections > 0 && !s.trusted(host)
	if limited {
		key, limited = s.visitors.keyOf(host)
	}
	g := &s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case s.limits.Files > 0 && sessions+len(g.open) >= s.limits.Files:
		return limitFiles
	case limited && g.each[key] >= s.limits.Address.Connections:
		return limitUnshaken
	}
	g.open[conn] = key
	if limited {
		g.each[key]++
	}
	return ""
}

func (g *gate) leave(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key, counted := g.open[conn]
	if !counted {
		return // it was refused, or a session has it
	}
	delete(g.open, conn)
	if g.each[key]--; g.each[key] <= 0 {
		delete(g.each, key)
	}
}
