package web

import (
	"context"

	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/cluster/relay"
	"colosseum/protocol"
)

// spectate handles a SpectateJoin.
func (s *session) spectate(ctx context.Context, c call) error {
	var r protocol.MatchID
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	if s.shared.cluster != nil && !s.byRelay && s.watchElsewhere(ctx, r.ID) {
		return nil
	}
	if err := s.shared.lobby.Spectate(s, r.ID); err != nil {
		return s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
	return nil
}

// leaveSpectators handles a SpectateLeave.
func (s *session) leaveSpectators(c call) error {
	s.unspectate(c.id)
	s.become(watching, idle, "")
	return s.answerWith(protocol.NameSpectateLeaved, nil)
}

// leftSpectators handles a SpectateLeave that the client sent just as its match ended: it
// expects the answer.
func (s *session) leftSpectators(context.Context, call) error {
	return s.answerWith(protocol.NameSpectateLeaved, nil)
}

// countSpectators handles the number of spectators that another host has for a match.
func (s *session) countSpectators(c call) error {
	var r relay.Spectators
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	s.shared.lobby.CountAs(s, c.id, min(max(r.Count, 0), maxSpectators))
	return nil
}

// maxSpectators bounds the number of spectators that another host reports.
const maxSpectators = 10_000_000

// watchElsewhere makes the session a spectator of a match of another host, or refuses it.
// It reports false if no other host has the match; then this one must answer.
func (s *session) watchElsewhere(ctx context.Context, id string) (done bool) {
	host, err := s.owner(ctx, id)
	if err != nil {
		_ = s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
		return true
	}
	if host == "" {
		return false
	}
	m := s.shared.hosts.Mirror(id)
	s.setMirror(m)
	if err := m.Join(ctx, s); err != nil {
		s.setMirror(nil)
		_ = s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
	return true
}

func (s *session) setMirror(m *forward.Mirror) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mirror = m
}

// unspectate makes the session stop watching a match, on any host.
func (s *session) unspectate(id string) {
	s.mu.Lock()
	m := s.mirror
	s.mirror = nil
	s.mu.Unlock()
	if m != nil {
		m.Leave(s)
	} else {
		s.shared.lobby.Unspectate(s, id)
	}
	s.out.Unfollow("")
}
