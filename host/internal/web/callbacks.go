package web

import (
	"time"

	"colosseum/host/internal/match"
	"colosseum/protocol"
)

// The lobby and matches call the methods below. None of them blocks.

// Send implements match.Player.
func (s *session) Send(b []byte) { s.out.Send(b) }

// Written implements match.Player.
func (s *session) Written() (since time.Time, done bool) { return s.out.Written() }

// Lag implements match.Player.
func (s *session) Lag() time.Duration { return 0 }

// Probe implements match.Player.
func (s *session) Probe() {}

// Away implements match.Player.
func (s *session) Away(string, time.Time) {}

// Unread implements match.Player.
func (s *session) Unread(before time.Time) bool {
	return s.arrivals != nil && s.arrivals.Unread(before)
}

// Cut implements match.Player.
func (s *session) Cut() { s.out.CloseTooSlow() }

// Ended implements match.Player.
func (s *session) Ended(r protocol.MatchResult) {
	message := protocol.Encode(protocol.NameMatchEnded, protocol.EndedReply{Result: &r})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.match = nil
	s.releaseLocked(message)
}

// Feed implements lobby.Subscriber.
func (s *session) Feed(message []byte) { s.out.Push(message) }

// Update implements lobby.Player and lobby.Spectator.
func (s *session) Update(message []byte) { s.out.Push(message) }

// Joined implements lobby.Player.
func (s *session) Joined(info protocol.MatchInfo) {
	s.become(idle, joined, info.ID)
	_ = s.answerWith(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info)})
}

// Started implements lobby.Player.
func (s *session) Started(m *match.Match, seat int) {
	s.mu.Lock()
	s.state, s.match, s.seat = playing, m, seat
	s.matches++
	s.mu.Unlock()
	s.out.Push(protocol.Encode(protocol.NameMatchStarted, nil))
}

// Watching implements lobby.Spectator.
func (s *session) Watching(info protocol.MatchInfo, stream *match.Stream) {
	s.become(idle, watching, info.ID)
	_ = s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info)})
	if stream != nil {
		s.charge(stream.Len())
		s.Playing(stream)
	}
}

// Playing implements lobby.Spectator.
func (s *session) Playing(stream *match.Stream) {
	s.mu.Lock()
	id := s.id
	s.mu.Unlock()
	s.out.Push(protocol.Encode(protocol.NameSpectateStarted, nil))
	s.out.Follow(stream, func(r protocol.MatchResult) { s.streamEnded(id, r) })
}

func (s *session) streamEnded(id string, r protocol.MatchResult) {
	message := protocol.Encode(protocol.NameSpectateEnded, protocol.EndedReply{Result: &r})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == watching && s.id == id { // otherwise the client has left
		s.releaseLocked(message)
	}
}

// Expired implements lobby.Player and lobby.Spectator.
func (s *session) Expired(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: reason}))
}

// releaseLocked makes the session idle and sends the message about it. The lock
// ensures that the answer to the client's next request comes later.
func (s *session) releaseLocked(message []byte) {
	s.state, s.id = idle, ""
	s.out.Push(message)
}
