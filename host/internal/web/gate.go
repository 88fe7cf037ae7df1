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
	perAddress map[netip.Prefix]int      // without exempt addresses
	hosts      map[netip.Prefix]struct{} // of the cluster; they can have any number of connections
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
	relays := int(s.relays.Load()) // are open files too
	limited := err == nil && s.limits.Address.Connections > 0 && !s.trusted(host)
	if limited {
		key, limited = s.addresses.Key(host)
	}
	g := &s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case s.limits.Files > 0 && sessions+relays+len(g.open) >= s.limits.Files:
		return limit.Files
	case limited && g.perAddress[key] >= s.limits.Address.Connections && !g.trustsLocked(key):
		return limit.Unshaken
	}
	g.open[conn] = key
	if limited {
		g.perAddress[key]++
	}
	return ""
}

// maxHosts bounds the addresses of hosts that are remembered.
const maxHosts = 256

// trust lifts the limit on connections for the address of a host of the cluster, because
// it opens a relay for each of its clients. Until its first relay is accepted, the limit
// applies; a host opens only a few relays at the same time.
func (g *gate) trust(key netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.hosts) >= maxHosts {
		clear(g.hosts)
	}
	g.hosts[key] = struct{}{}
}

func (g *gate) trustsLocked(key netip.Prefix) bool {
	_, ok := g.hosts[key]
	return ok
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
