package web

import (
	"context"

	"colosseum/protocol"
)

// lobbyList handles a LobbyList.
func (s *session) lobbyList(context.Context, call) error {
	return s.answerRead(s.shared.answers.ofLobby())
}

// lobbyMatch handles a LobbyMatch.
func (s *session) lobbyMatch(ctx context.Context, c call) error {
	var r protocol.MatchID
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	info, err := s.shared.lobby.Match(r.ID)
	if err != nil {
		// A client can know a match a moment before its listing arrives here.
		if host, asking := s.owner(ctx, r.ID); asking != nil {
			err = asking
		} else if host != "" {
			info, err = s.shared.lobby.Match(r.ID)
		}
	}
	if err != nil {
		return s.answerWith(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
	return s.answerWith(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Ok(info)})
}

// subscribe handles a LobbySubscribe.
func (s *session) subscribe(context.Context, call) error {
	s.become(idle, subscribed, "")
	s.shared.lobby.Subscribe(s, func() uint64 {
		seed := s.shared.answers.lobbySeed()
		_ = s.answerRead(seed.message)
		return seed.generation
	})
	return nil
}

// unsubscribe handles a LobbyUnsubscribe.
func (s *session) unsubscribe(call) error {
	s.shared.lobby.Unsubscribe(s)
	s.become(subscribed, idle, "")
	return s.answerWith(protocol.NameLobbyUnsubscribed, nil)
}
