package web

import (
	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

// The lobby, matches and seats call the methods below. None of them blocks.

// Feed implements lobby.Subscriber.
func (s *session) Feed(message []byte) { s.out.Push(message) }

// Update implements lobby.Spectator.
func (s *session) Update(message []byte) { s.out.Push(message) }

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
	s.out.Follow("", stream, func(r protocol.MatchResult) { s.streamEnded(id, r) })
}

func (s *session) streamEnded(id string, r protocol.MatchResult) {
	message := protocol.Encode(protocol.NameSpectateEnded, protocol.EndedReply{Result: &r})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == watching && s.id == id { // otherwise the client has left
		s.releaseLocked(message)
	}
}

// Expired implements lobby.Spectator.
func (s *session) Expired(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: reason}))
}

// releaseLocked makes the session idle and sends the message about it. The lock
// ensures that the answer to the client's next request comes later.
func (s *session) releaseLocked(message []byte) {
	s.state, s.id, s.mirror = idle, "", nil
	s.out.Push(message)
}

// Take implements seat.Session.
func (s *session) Take(t *seat.Seat, running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.seat = joined, t
	if running {
		s.state = playing
	}
}

// Release implements seat.Session.
func (s *session) Release(t *seat.Seat, message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seat != t {
		return
	}
	s.seat = nil
	if t.Resumable() {
		s.ended = t
	}
	s.releaseLocked(message)
}

// Replace implements seat.Session.
func (s *session) Replace(t *seat.Seat) {
	s.mu.Lock()
	has := s.seat == t || s.ended == t
	if has {
		s.state, s.seat, s.ended = idle, nil, nil
	}
	s.mu.Unlock()
	if !has {
		return // it has another seat now
	}
	s.out.DiscardAndClose(protocol.CloseReplaced, "another connection has taken over the seat")
}

// showLag shows the lag in the lobby if the client has a seat in a waiting match.
func (s *session) showLag() {
	s.mu.Lock()
	state, t := s.state, s.seat
	s.mu.Unlock()
	if state == joined {
		s.shared.lobby.Measured(t, t.ID())
	}
}
