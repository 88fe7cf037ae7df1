package web

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"colosseum/host/internal/base/limit"
)

// gate counts connections that are not sessions: those of HTTP, and those that
// have not sent a request yet.
type gate struct {
	mu         sync.Mutex // guards the fields below
	open       map[net.Conn]*visitor
	waiting    list.List                  // of the net.Conn that wait for a request, the longest first
	perAddress map[netip.Prefix]*visitors // without exempt addresses
	hosts      map[netip.Prefix]struct{}  // of the cluster; they can have any number of connections
}

// visitors are the connections of an address in a gate.
type visitors struct {
	open    int
	waiting list.List // those of them in gate.waiting, in the same order
}

// visitor is a connection in a gate.
type visitor struct {
	address  *visitors // nil: it has no limits
	key      netip.Prefix
	all, own *list.Element // in the two lists of waiting connections; nil: it has sent a whole request
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// ConnContext is the value for http.Server.ConnContext.
func (s *Server) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// ConnState is the value for http.Server.ConnState. It closes a connection beyond
// a limit before reading from it.
func (s *Server) ConnState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if beyond, closed := s.enter(conn); beyond != "" {
			s.count(beyond)
			_ = closed.Close()
		}
	case http.StateIdle:
		s.gate.wait(conn)
	case http.StateHijacked, http.StateClosed:
		s.gate.leave(conn)
	}
}

// enter counts a connection. If it exceeds a limit, enter returns the limit and the connection
// to close: the one that has waited longest for a request, of the same address if the limit is
// the address's, so that somebody who opens connections and sends nothing locks nobody out. If
// none waits, it is the new one.
func (s *Server) enter(conn net.Conn) (beyond string, closed net.Conn) {
	s.mu.Lock()
	sessions := len(s.sessions)
	s.mu.Unlock()
	var key netip.Prefix
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	relays := s.hosts.Relays() // are open files too
	limited := err == nil && s.limits.Address.Connections > 0 && !s.trusted(host)
	if limited {
		key, limited = s.addresses.Key(host)
	}
	g := &s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	v := &visitor{}
	if limited {
		v.key, v.address = key, g.perAddress[key]
		if v.address == nil {
			v.address = &visitors{}
		}
		if v.address.open >= s.limits.Address.Connections && !g.trustsLocked(key) {
			beyond = limit.Unshaken
			if closed = g.removeLongestLocked(&v.address.waiting); closed == nil {
				return beyond, conn
			}
		}
	}
	if closed == nil && s.limits.Files > 0 && sessions+relays+len(g.open) >= s.limits.Files {
		beyond = limit.Files
		if closed = g.removeLongestLocked(&g.waiting); closed == nil {
			return beyond, conn
		}
	}
	g.open[conn] = v
	if limited {
		v.address.open++
		g.perAddress[key] = v.address
	}
	g.waitLocked(conn, v)
	return beyond, closed
}

// removeLongestLocked returns the connection that has waited longest, for the caller to close
// without the lock, or nil.
func (g *gate) removeLongestLocked(waiting *list.List) net.Conn {
	first := waiting.Front()
	if first == nil {
		return nil
	}
	conn := first.Value.(net.Conn)
	g.leaveLocked(conn)
	return conn
}

// wait notes that a connection waits for its next request.
func (g *gate) wait(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.open[conn]; v != nil && v.all == nil {
		g.waitLocked(conn, v)
	}
}

func (g *gate) waitLocked(conn net.Conn, v *visitor) {
	v.all = g.waiting.PushBack(conn)
	if v.address != nil {
		v.own = v.address.waiting.PushBack(conn)
	}
}

// requested notes that a connection has sent a whole request. One with a body can still be
// incomplete.
func (g *gate) requested(r *http.Request) {
	if r.ContentLength != 0 {
		return
	}
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.open[conn]; v != nil {
		g.stopWaitingLocked(v)
	}
}

func (g *gate) stopWaitingLocked(v *visitor) {
	if v.all != nil {
		g.waiting.Remove(v.all)
	}
	if v.own != nil {
		v.address.waiting.Remove(v.own)
	}
	v.all, v.own = nil, nil
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
	g.leaveLocked(conn)
}

func (g *gate) leaveLocked(conn net.Conn) {
	v := g.open[conn]
	if v == nil {
		return // it was refused or closed, or is a session
	}
	delete(g.open, conn)
	g.stopWaitingLocked(v)
	if v.address == nil {
		return
	}
	if v.address.open--; v.address.open == 0 {
		delete(g.perAddress, v.key)
	}
}
