// Package web serves clients: each connection is a session that speaks the
// protocol of Code Colosseum (docs/protocol.md) over a WebSocket.
package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/gate"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/contests/players"
	"colosseum/protocol"
)

// Server handles all requests of clients.
type Server struct {
	*shared
	*gate.Gate
	upgrader websocket.Upgrader
	wait     sync.WaitGroup

	mu        sync.Mutex // guards the fields below
	sessions  map[*session]struct{}
	followers int // see Follow
	closed    bool
}

// New returns a server, which must be closed. It trusts X-Forwarded-For only from
// the given proxies.
func New(parts Parts, limits Limits, proxies []netip.Prefix, log *slog.Logger) *Server {
	s := &Server{
		shared:   newShared(parts, limits, proxies, log),
		upgrader: websocket.Upgrader{HandshakeTimeout: limits.Handshake},
		sessions: map[*session]struct{}{},
	}
	s.Gate = gate.New(gate.Limits{PerAddress: limits.Address.Connections, Files: limits.Files, Key: s.networkOf, Others: s.openFiles, Refused: s.count})
	s.upgrader.CheckOrigin, s.upgrader.Error = s.allowsOrigin, s.refuseUpgrade
	s.budget = outbox.NewBudget(limits.Backlogs, s.closeSlowest)
	return s
}

// Or serves requests for a WebSocket, on any path, and passes all others to
// pages.
func (s *Server) Or(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Requested(r)
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
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.Pay(r, 1) // Upgrade has answered; this delays the next requests
		return
	}
	sess := newSession(s.shared, conn.NetConn(), s.proxies.client(r))
	// A page of another port or subdomain can be in the setting origins. Browsers send
	// it the cookie too, but it must not play in its visitor's name.
	if c, err := r.Cookie(players.Cookie); err == nil && ownPage(r) {
		sess.cookie = c.Value
	}
	s.start(sess)
}

// serveRelay accepts a relay of another host. It counts neither as a connection nor as
// a new connection of its client's address, because the other host has counted the
// client's connection and its bytes. Its address has all other limits, on each host.
func (s *Server) serveRelay(w http.ResponseWriter, r *http.Request) {
	client, err := s.cluster.Verify(r)
	if err == nil && (client.Version < protocol.OldestVersion || client.Version > protocol.Version) {
		err = fmt.Errorf("it is for version %d of the protocol", client.Version)
	}
	if err != nil {
		if s.foreign.Allow() {
			s.log.Warn("refused a relay", "reason", err, "client", s.proxies.client(r))
		}
		w.WriteHeader(http.StatusForbidden)
		s.Pay(r, 1)
		return
	}
	s.Trust(r)
	upgrader := s.upgrader
	upgrader.CheckOrigin = func(*http.Request) bool { return true }
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	sess := newSession(s.shared, conn.NetConn(), client.Address)
	sess.byRelay, sess.forMirror, sess.trace = true, client.Spectators, client.Trace
	sess.version, sess.player, sess.state = client.Version, client.Player, idle
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

// Follow counts an HTTP answer that goes on until its client leaves as one of the
// connections of its client, until done is called. The error is for the client.
func (s *Server) Follow(r *http.Request) (done func(), err error) {
	from, refused := s.addresses.Connect(s.proxies.client(r))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		err = errors.New("the host is shutting down")
	case refused != "":
		err = errors.New("too many connections from your address: try again later")
	case len(s.sessions)+s.followers >= s.limits.Connections:
		refused, err = limit.Connections, errors.New("too many connections: try again later")
	}
	if err != nil {
		if refused != "" {
			s.count(refused)
		}
		s.addresses.Disconnect(from)
		return nil, err
	}
	s.followers++
	return func() {
		s.addresses.Disconnect(from)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.followers--
	}, nil
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

// openFiles returns the number of connections that the gate does not know.
func (s *Server) openFiles() int {
	relays := s.hosts.Relays()
	s.mu.Lock()
	defer s.mu.Unlock()
	return relays + len(s.sessions)
}

// networkOf returns the network that counts as one address for the gate, and whether limits
// apply to it.
func (s *Server) networkOf(host string) (key netip.Prefix, limited bool) {
	if s.proxies.trusts(host) {
		return key, false
	}
	return s.addresses.Key(host)
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
