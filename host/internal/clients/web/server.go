// Package web serves clients: each connection is a session that speaks the
// protocol of Code Colosseum (docs/protocol.md) over a WebSocket.
package web

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/contests/players"
	"colosseum/protocol"
)

// Server handles all requests of clients.
type Server struct {
	*shared
	proxies  []netip.Prefix
	upgrader websocket.Upgrader
	gate     gate
	foreign  *rate.Limiter // limits log lines about pages of other hosts
	wait     sync.WaitGroup

	mu        sync.Mutex // guards the fields below
	sessions  map[*session]struct{}
	followers int // see Follow
	closed    bool
}

// bufferSize is small, since messages are short and most connections idle. The library
// takes a buffer for writing only from a pool, and never needs one: see frames.write.
const bufferSize = 512

// New returns a server, which must be closed. It trusts X-Forwarded-For only from
// the given proxies.
func New(parts Parts, limits Limits, proxies []netip.Prefix, log *slog.Logger) *Server {
	s := &Server{
		shared: newShared(parts, limits, log), proxies: proxies,
		upgrader: websocket.Upgrader{
			ReadBufferSize: bufferSize, WriteBufferSize: 2 * bufferSize, WriteBufferPool: &sync.Pool{},
			HandshakeTimeout: limits.Handshake,
		},
		gate:     gate{open: map[net.Conn]*visitor{}, perAddress: map[netip.Prefix]*visitors{}, hosts: map[netip.Prefix]struct{}{}},
		foreign:  rate.NewLimiter(rate.Every(foreignInterval), foreignBurst),
		sessions: map[*session]struct{}{},
	}
	s.upgrader.CheckOrigin, s.upgrader.Error = s.allowsOrigin, s.refuseUpgrade
	s.budget = outbox.NewBudget(limits.Backlogs, s.closeSlowest)
	return s
}

// Or serves requests for a WebSocket, on any path, and passes all others to
// pages.
func (s *Server) Or(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.gate.requested(r)
		if websocket.IsWebSocketUpgrade(r) || s.forRelay(r) {
			s.ServeHTTP(w, r)
		} else {
			pages.ServeHTTP(w, r)
		}
	})
}

// forRelay reports whether a request has the path of the other hosts of the cluster.
func (s *Server) forRelay(r *http.Request) bool { return s.cluster != nil && r.URL.Path == relay.Path }

// ServeHTTP upgrades a request on any path to a WebSocket.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.forRelay(r) {
		s.serveRelay(w, r)
		return
	}
	h := &hijacker{ResponseWriter: w}
	conn, err := s.upgrader.Upgrade(h, r, nil)
	if err != nil {
		s.Pay(r, 1) // Upgrade has answered; this delays the next requests
		return
	}
	sess := newSession(s.shared, conn, h.frames, s.address(r))
	// A page of another port or subdomain can be in the setting origins. Browsers send
	// it the cookie too, but it must not play in its visitor's name.
	if c, err := r.Cookie(players.Cookie); err == nil && ownPage(r) {
		sess.cookie = c.Value
	}
	s.start(sess)
}

// start starts the goroutine of a session, or refuses the session.
func (s *Server) start(sess *session) {
	if code, reason := s.add(sess); code != 0 {
		sess.out.Close(code, reason)
		sess.out.WaitForEnd()
		sess.out.Stop()
		_ = sess.conn.Close()
		return
	}
	// Not on this goroutine of net/http, which would keep its buffers.
	go func() { // ends with the connection
		defer s.wait.Done()
		sess.run()
		s.leave(sess)
	}()
}

// Close closes all sessions and returns when they have ended.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for sess := range s.sessions {
		sess.out.Close(protocol.CloseShutdown, "the server is shutting down")
	}
	s.mu.Unlock()
	s.hosts.Stop()
	for _, sess := range s.all() {
		if u, _ := sess.relaying(); u != nil {
			u.Cut()
		}
	}
	s.wait.Wait()
	s.hosts.Wait()
	s.seats.Close()
	s.workers.Close()
}

// add adds a session, or returns the close code and the reason to refuse it.
func (s *Server) add(sess *session) (code int, reason string) {
	var from *limit.Address
	var refused string
	if sess.byRelay {
		from = s.addresses.Hold(sess.address)
	} else {
		from, refused = s.addresses.Connect(sess.address)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		code, reason = protocol.CloseShutdown, "the server is shutting down"
	case refused == limit.AddressConnections:
		code, reason = protocol.CloseLimit, "too many connections from your address: try again later"
	case refused == limit.Handshakes:
		code, reason = protocol.CloseLimit, "too many new connections from your address: try again later"
	case len(s.sessions)+s.followers >= s.limits.Connections:
		code, reason, refused = protocol.CloseLimit, "too many connections: try again later", limit.Connections
	}
	if code != 0 {
		if refused != "" {
			s.count(refused)
		}
		s.disconnect(sess, from)
		return code, reason
	}
	sess.from = from
	s.sessions[sess] = struct{}{}
	s.wait.Add(1)
	return 0, ""
}

// leave removes a session that has ended.
func (s *Server) leave(sess *session) {
	s.disconnect(sess, sess.from)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, sess)
}

// all returns all sessions.
func (s *Server) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*session, 0, len(s.sessions))
	for sess := range s.sessions {
		list = append(list, sess)
	}
	return list
}

// disconnect ends what add has counted for the client's address.
func (s *Server) disconnect(sess *session, from *limit.Address) {
	if sess.byRelay {
		s.addresses.Release(from)
	} else {
		s.addresses.Disconnect(from)
	}
}

// closeSlowest closes the clients with the largest backlogs until the others use
// at most three quarters of the budget.
func (s *Server) closeSlowest() {
	type client struct {
		out     *outbox.Outbox
		backlog int
	}
	var list []client
	s.mu.Lock()
	for sess := range s.sessions {
		list = append(list, client{out: sess.out})
	}
	s.mu.Unlock()
	for i := range list {
		list[i].backlog = list[i].out.Backlog()
	}
	slices.SortFunc(list, func(a, b client) int { return b.backlog - a.backlog })
	for _, c := range list {
		if c.backlog == 0 || s.budget.Stats().Backlog <= s.limits.Backlogs*3/4 {
			return
		}
		s.count(limit.Backlogs)
		c.out.DiscardAndClose(protocol.CloseLimit, "too much waits for slow clients, and most of it for you")
	}
}

// address returns the client's address, for logs and limits.
func (s *Server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr // a Unix socket
	}
	if !s.trusted(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		host = hop
		if !s.trusted(hop) {
			break
		}
	}
	return host
}

func (s *Server) trusted(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}
