package web

import (
	"net"
	"net/http"
	"net/netip"
	"sync"

	"colosseum/host/internal/limit"
)

// gate counts connections that are not sessions: those of HTTP, and those that
// have not sent a request yet.
type gate struct {
	mu         sync.Mutex // guards the fields below
	open       map[net.Conn]netip.Prefix
	perAddress map[netip.Prefix]int // without exempt addresses
}

// ConnState is the value for http.Server.ConnState. It closes a connection beyond
// a limit before reading from it.
func (s *Server) ConnState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if refused := s.enter(conn); refused != "" {
			s.count(refused)
			_ = conn.Close()
		}
	case http.StateHijacked, http.StateClosed:
		s.gate.leave(conn)
	}
}

// enter counts a connection, or returns the limit that refuses it.
func (s *Server) enter(conn net.Conn) (refused string) {
	s.mu.Lock()
	sessions := len(s.sessions)
	s.mu.Unlock()
	var key netip.Prefix
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	limited := err == nil && s.limits.Address.Connections > 0 && !s.trusted(host)
	if limited {
		key, limited = s.addresses.Key(host)
	}
	g := &s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case s.limits.Files > 0 && sessions+len(g.open) >= s.limits.Files:
		return limit.Files
	case limited && g.perAddress[key] >= s.limits.Address.Connections:
		return limit.Unshaken
	}
	g.open[conn] = key
	if limited {
		g.perAddress[key]++
	}
	return ""
}

func (g *gate) leave(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key, counted := g.open[conn]
	if !counted {
		return // it was refused, or is a session
	}
	delete(g.open, conn)
	if g.perAddress[key]--; g.perAddress[key] <= 0 {
		delete(g.perAddress, key)
	}
}
