package web

import (
	"context"
	"slices"

	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/play/match"
	"colosseum/protocol"
)

// board is one of the matches that a session watches together. It is their lobby.Spectator:
// what it sends is that of a session that watches one match, with the ID.
type board struct {
	session *session
	id      string
	mirror  *forward.Mirror // of a match of another host; nil: it is of this one; for the goroutine of the requests
}

// spectateMatches handles a SpectateMatches. Matches that the session watches already go on.
func (s *session) spectateMatches(ctx context.Context, c call) error {
	var r protocol.SpectateMatches
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	if len(r.IDs) > protocol.MaxSpectated {
		return breach("%s has %d matches, and at most %d can be watched together", c.name, len(r.IDs), protocol.MaxSpectated)
	}
	s.keepBoards(r.IDs)
	fresh := s.addBoards(r.IDs)
	if err := s.takePoints(max(0, len(fresh)-1)); err != nil {
		return err
	}
	for _, b := range fresh {
		if err := b.join(ctx); err != nil {
			s.removeBoard(b, protocol.Encode(protocol.NameSpectateJoined, protocol.JoinedReply{ID: b.id, Info: protocol.Refused[protocol.MatchInfo](err)}))
		}
	}
	return s.answerWith(protocol.NameSpectateMatches, protocol.SpectateMatches{IDs: s.watched(r.IDs)})
}

// keepBoards stops watching all other matches than these.
func (s *session) keepBoards(ids []string) {
	var left []*board
	s.mu.Lock()
	for id, b := range s.boards {
		if !slices.Contains(ids, id) {
			left = append(left, b)
			delete(s.boards, id)
		}
	}
	s.mu.Unlock()
	for _, b := range left {
		if b.mirror != nil {
			b.mirror.Leave(b)
		} else {
			s.shared.lobby.Unspectate(b, b.id)
		}
		s.out.Unfollow(b.id)
	}
}

// addBoards returns new boards for the matches that have none. Without any match, the
// session is idle.
func (s *session) addBoards(ids []string) (fresh []*board) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ids) == 0 {
		s.state, s.boards = idle, nil
		return nil
	}
	if s.boards == nil {
		s.boards = map[string]*board{}
	}
	s.state = watchingMany
	for _, id := range ids {
		if s.boards[id] == nil {
			b := &board{session: s, id: id}
			s.boards[id] = b
			fresh = append(fresh, b)
		}
	}
	return fresh
}

// watched returns those of the matches that the session watches, each once.
func (s *session) watched(ids []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	watched := []string{}
	for _, id := range ids {
		if s.boards[id] != nil && !slices.Contains(watched, id) {
			watched = append(watched, id)
		}
	}
	return watched
}

// removeBoard removes a board, and sends the message about it, unless the client has left
// the match. The lock ensures that a later board of the match sends its messages later.
func (s *session) removeBoard(b *board, message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boards[b.id] == b {
		delete(s.boards, b.id)
		s.out.Push(message)
	}
}

// join makes the board watch its match, on any host. The error is for the client.
func (b *board) join(ctx context.Context) error {
	s := b.session
	host, err := s.owner(ctx, b.id)
	if err != nil {
		return err
	}
	if host == "" {
		return s.shared.lobby.Spectate(b, b.id)
	}
	b.mirror = s.shared.hosts.Mirror(b.id)
	return b.mirror.Join(ctx, b)
}

// Watching implements lobby.Spectator.
func (b *board) Watching(info protocol.MatchInfo, stream *match.Stream) {
	_ = b.session.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{ID: b.id, Info: protocol.Ok(info)})
	if stream != nil {
		b.session.charge(stream.Len())
		b.Playing(stream)
	}
}

// Update implements lobby.Spectator.
func (b *board) Update(message []byte) { b.session.out.Push(message) }

// Playing implements lobby.Spectator.
func (b *board) Playing(stream *match.Stream) {
	b.session.out.Push(protocol.Encode(protocol.NameSpectateStarted, protocol.MatchID{ID: b.id}))
	b.session.out.Follow(b.id, stream, func(r protocol.MatchResult) {
		b.session.removeBoard(b, protocol.Encode(protocol.NameSpectateEnded, protocol.EndedReply{ID: b.id, Result: &r}))
	})
}

// Expired implements lobby.Spectator.
func (b *board) Expired(id, reason string) {
	b.session.removeBoard(b, protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: reason}))
}
