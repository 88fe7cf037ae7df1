package web

import (
	"context"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// gameList handles a GameList.
func (s *session) gameList(context.Context, call) error {
	list := s.server.gameAnswers().list
	if s.version == 1 {
		list = s.server.gameAnswers().listV1
	}
	return s.answerRead(list)
}

// gameDescription handles a GameDescription.
func (s *session) gameDescription(_ context.Context, c call) error {
	var r protocol.GameDescription
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	if d, ok := s.server.gameAnswers().descriptions[r.Name]; ok {
		return s.answerRead(d)
	}
	return s.answerWith(c.name, protocol.GameDescriptionReply{})
}

// gameNew handles a GameNew.
func (s *session) gameNew(ctx context.Context, c call) error {
	var r protocol.GameNew
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	id, err := s.create(ctx, r)
	if err != nil {
		return s.answerWith(c.name, protocol.GameNewReply{ID: protocol.Refused[string](err)})
	}
	return s.answerWith(c.name, protocol.GameNewReply{ID: protocol.Ok(id)})
}

// create creates a match, unless the client's address has created too many.
func (s *session) create(ctx context.Context, r protocol.GameNew) (string, error) {
	if err := s.allowMatch(); err != nil {
		return "", err
	}
	if r.Rematch != "" {
		return s.rematch(ctx, r)
	}
	if len(r.Opponents) > 0 {
		return s.server.desk.Challenge(ctx, s.client(), r)
	}
	id, err := s.server.lobby.Create(ctx, s.client(), r)
	if err == nil && s.server.cluster != nil {
		s.server.cluster.Published(ctx, id)
	}
	return id, err
}

// client returns the session's client as the lobby knows it.
func (s *session) client() lobby.Client {
	return lobby.Client{Address: s.from.Key(), Player: s.player}
}

// allowMatch returns an error if the client's address has created too many matches.
func (s *session) allowMatch() error {
	if !s.from.AllowMatch() {
		s.server.count(limit.NewMatches)
		return errTooManyNewMatches
	}
	return nil
}
