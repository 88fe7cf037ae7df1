package web

import (
	"context"

	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/cluster/relay"
)

// relay sends a request to another host, and returns when the client has the reply or is
// being disconnected. With an error, the other host has not received the request.
func (s *session) relay(ctx context.Context, host, name string, message []byte) (err error) {
	ctx, span := s.shared.tracer.Start(ctx, trace.Client, "relay")
	span.Text("to", host)
	defer func() { span.End(err) }()
	u, err := s.shared.hosts.Dial(ctx, host, name, forward.Client{
		Client:  relay.Client{Address: s.address, Player: s.player, Version: s.version},
		Session: s, Lock: &s.mu, Out: s.out, Log: s.log(),
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.state, s.upstream = relayed, u
	s.mu.Unlock()
	if s.out.Closing() { // the server closes, and might not have seen this relay
		u.Cut()
	}
	if err := u.Ask(message); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.IdleLocked(nil)
		s.UnrelayedLocked()
		return err
	}
	return nil
}

// IdleLocked implements forward.Session.
func (s *session) IdleLocked(message []byte) {
	s.state = idle
	if message != nil {
		s.out.Push(message)
	}
}

// UnrelayedLocked implements forward.Session.
func (s *session) UnrelayedLocked() { s.upstream = nil }

// relaying returns the relay of the session, or nil. It is active while the client's
// messages go to the other host.
func (s *session) relaying() (u *forward.Relay, active bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.upstream, s.upstream != nil && s.state == relayed
}
