// Package gate limits the connections of an HTTP server that are not sessions: those of
// HTTP, and those that have not sent a request yet.
package gate

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"colosseum/host/internal/base/limit"
)

// Limits are what a gate needs to know.
type Limits struct {
	PerAddress int // connections of one address; 0: no limit
	Files      int // connections of all kinds, since each is an open file; 0: no limit
	// Key returns the network that counts as one address, and whether limits apply to it.
	Key func(host string) (key netip.Prefix, limited bool)
	// Others returns the number of open connections that the gate does not know. It is
	// called without the gate's lock.
	Others func() int
	// Refused is called for each connection that is closed beyond a limit.
	Refused func(limit string)
}

// Gate counts connections. Its methods can be called from any goroutine.
type Gate struct {
	limits Limits

	mu         sync.Mutex // guards the fields below
	open       map[net.Conn]*visitor
	waiting    list.List                  // of the net.Conn that wait for a request, the longest first
	perAddress map[netip.Prefix]*visitors // without exempt addresses
	hosts      map[netip.Prefix]struct{}  // of the cluster; they can have any number of connections
}

// visitors are the connections of an address in a gate.
type visitors struct {
	open    int
	waiting list.List // those of them in Gate.waiting, in the same order
}

// visitor is a connection in a gate.
type visitor struct {
	address  *visitors // nil: it has no limits
	key      netip.Prefix
	all, own *list.Element // in the two lists of waiting connections; nil: it has sent a whole request
}

// New returns a gate without connections.
func New(limits Limits) *Gate {
	return &Gate{limits: limits, open: map[net.Conn]*visitor{}, perAddress: map[netip.Prefix]*visitors{}, hosts: map[netip.Prefix]struct{}{}}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// ConnContext is the value for http.Server.ConnContext.
func (g *Gate) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// ConnState is the value for http.Server.ConnState. It closes a connection beyond
// a limit before the server reads from it.
func (g *Gate) ConnState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if beyond, closed := g.enter(conn); beyond != "" {
			g.limits.Refused(beyond)
			_ = closed.Close()
		}
	case http.StateIdle:
		g.wait(conn)
	case http.StateHijacked, http.StateClosed:
		g.leave(conn)
	}
}

// enter counts a connection. If it exceeds a limit, enter returns the limit and the connection
// to close: the one that has waited longest for a request, of the same address if the limit is
// the address's, so that somebody who opens connections and sends nothing locks nobody out. If
// none waits, it is the new one.
func (g *Gate) enter(conn net.Conn) (beyond string, closed net.Conn) {
	others := g.limits.Others()
	key, limited := g.key(conn.RemoteAddr().String())
	limited = limited && g.limits.PerAddress > 0
	g.mu.Lock()
	defer g.mu.Unlock()
	v := &visitor{}
	if limited {
		v.key, v.address = key, g.perAddress[key]
		if v.address == nil {
			v.address = &visitors{}
		}
		if v.address.open >= g.limits.PerAddress && !g.trustsLocked(key) {
			beyond = limit.Unshaken
			if closed = g.removeLongestLocked(&v.address.waiting); closed == nil {
				return beyond, conn
			}
		}
	}
	if closed == nil && g.limits.Files > 0 && others+len(g.open) >= g.limits.Files {
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

// key returns the network of a connection's address, and whether limits apply to it.
func (g *Gate) key(remote string) (key netip.Prefix, limited bool) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return key, false // a Unix socket
	}
	return g.limits.Key(host)
}

// removeLongestLocked returns the connection that has waited longest, for the caller to close
// without the lock, or nil.
func (g *Gate) removeLongestLocked(waiting *list.List) net.Conn {
	first := waiting.Front()
	if first == nil {
		return nil
	}
	conn := first.Value.(net.Conn)
	g.leaveLocked(conn)
	return conn
}

// wait notes that a connection waits for its next request.
func (g *Gate) wait(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.open[conn]; v != nil && v.all == nil {
		g.waitLocked(conn, v)
	}
}

func (g *Gate) waitLocked(conn net.Conn, v *visitor) {
	v.all = g.waiting.PushBack(conn)
	if v.address != nil {
		v.own = v.address.waiting.PushBack(conn)
	}
}

// Requested notes that a connection has sent a whole request. One with a body can still be
// incomplete.
func (g *Gate) Requested(r *http.Request) {
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

func (g *Gate) stopWaitingLocked(v *visitor) {
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

// Trust lifts the limit on connections for the address of a host of the cluster, which
// has made the request, because it opens a relay for each of its clients. Until its first
// relay is accepted, the limit applies; a host opens only a few relays at the same time.
func (g *Gate) Trust(r *http.Request) {
	key, limited := g.key(r.RemoteAddr)
	if !limited {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.hosts) >= maxHosts {
		clear(g.hosts)
	}
	g.hosts[key] = struct{}{}
}

func (g *Gate) trustsLocked(key netip.Prefix) bool {
	_, ok := g.hosts[key]
	return ok
}

func (g *Gate) leave(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaveLocked(conn)
}

func (g *Gate) leaveLocked(conn net.Conn) {
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
