package web

import (
	"context"
	"crypto/sha256"
	"time"

	"colosseum/protocol"
)

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
