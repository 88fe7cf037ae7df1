package web

import (
	"context"

	"colosseum/protocol"
)

// gameList handles a GameList.
func (s *session) gameList(context.Context, call) error {
	list := s.shared.answers.ofGames().list
	if s.version == 1 {
		list = s.shared.answers.ofGames().listV1
	}
	return s.answerRead(list)
}

// gameDescription handles a GameDescription.
func (s *session) gameDescription(_ context.Context, c call) error {
	var r protocol.GameDescription
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	if d, ok := s.shared.answers.ofGames().descriptions[r.Name]; ok {
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
	if r.Branch != nil {
		return s.branch(ctx, r)
	}
	if r.Rematch != "" {
		return s.rematch(ctx, r)
	}
	if len(r.Opponents) > 0 {
		return s.shared.desk.Challenge(ctx, s.client(), r)
	}
	id, err := s.shared.lobby.Create(ctx, s.client(), r)
	if err == nil && s.shared.cluster != nil {
		s.shared.cluster.Published(ctx, id)
	}
	return id, err
}
