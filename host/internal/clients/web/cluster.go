package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"time"

	"colosseum/protocol"
)

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
			s.log.Warn("refused a relay", "reason", err, "client", s.address(r))
		}
		w.WriteHeader(http.StatusForbidden)
		s.Pay(r, 1)
		return
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		if key, limited := s.addresses.Key(host); limited {
			s.gate.trust(key)
		}
	}
	h := &hijacker{ResponseWriter: w}
	upgrader := s.upgrader
	upgrader.CheckOrigin = func(*http.Request) bool { return true }
	conn, err := upgrader.Upgrade(h, r, nil)
	if err != nil {
		return
	}
	sess := newSession(s.shared, conn, h.frames, client.Address)
	sess.byRelay, sess.forMirror, sess.trace = true, client.Spectators, client.Trace
	sess.version, sess.player, sess.state = client.Version, client.Player, idle
	s.start(sess)
}

// HasTicket reports whether a seat of this host can be resumed with the ticket of a hash.
func (s *Server) HasTicket(hash [sha256.Size]byte) bool { return s.seats.Holds(hash) }

// Holds reports whether a ticket, given its hash, is that of a seat in a match of this host.
func (s *Server) Holds(id string, hash [sha256.Size]byte) bool { return s.seats.HoldsIn(id, hash) }

// Drain closes, with 4003, the connections of clients that can use another host: all
// except those of players in running matches of this host, those of players without
// resume in matches of other hosts, and those of other hosts for spectators. It does
// not wait until they have ended.
func (s *Server) Drain() {
	for _, sess := range s.all() {
		if sess.canMove() {
			sess.out.Close(protocol.CloseShutdown, "the host is stopping: connect again")
		}
	}
}

// canMove reports whether the client can continue on another host.
func (s *session) canMove() bool {
	s.mu.Lock()
	state, u := s.state, s.upstream
	s.mu.Unlock()
	switch state {
	case shaking, playing:
		return false
	case relayed:
		return u != nil && u.CanMove()
	default:
		return !s.forMirror
	}
}

// BreakRelays ends the relays to a host that is dead, also those of mirrors. Clients that
// play there connect again. The system keeps the connections to a host that hangs.
func (s *Server) BreakRelays(host string) {
	s.hosts.Break(host)
	for _, sess := range s.all() {
		if u, _ := sess.relaying(); u != nil && u.Host() == host {
			u.Cut()
		}
	}
}

// Relays returns how many clients of this host play on another one, and cannot resume
// elsewhere.
func (s *Server) Relays() int {
	n := 0
	for _, sess := range s.all() {
		if u, active := sess.relaying(); active && u.Playing() && !u.CanMove() {
			n++
		}
	}
	return n
}

// AwaitRelays waits until no client of this host plays on another one without being able
// to resume, or ctx ends.
func (s *Server) AwaitRelays(ctx context.Context) {
	for s.cluster != nil && s.Relays() > 0 {
		select {
		case <-time.After(relaysEvery):
		case <-ctx.Done():
			return
		}
	}
}

// relaysEvery is the time between two counts by AwaitRelays.
const relaysEvery = 100 * time.Millisecond
