package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"colosseum/host/internal/contests/players"
	"colosseum/protocol"
)

// handshake handles the first message.
func (s *session) handshake(c call) error {
	var h protocol.Handshake
	if err := decode(c.name, c.body, &h); err != nil {
		return err
	}
	ours := protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}
	known := h.Magic == protocol.Magic && h.Version >= protocol.OldestVersion && h.Version <= protocol.Version
	var refused error
	if known {
		refused = s.login(h.Token)
		ours.Version, ours.Player, ours.Features = h.Version, s.player, s.shared.features
		s.version = h.Version
		s.become(shaking, idle, "")
	}
	_ = s.answerWith(c.name, ours)
	if !known {
		return breach("this server speaks %q, versions %d to %d", protocol.Magic, protocol.OldestVersion, protocol.Version)
	}
	return refused
}

// login finds the player of the client: that of the token in its handshake, or that
// of its browser's cookie. A wrong cookie is ignored, because the pages must work
// without a login.
func (s *session) login(token string) error {
	cookie := s.cookie
	s.cookie = ""
	if token == "" && cookie == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	player, err := s.shared.players.Authenticate(ctx, s.from.Key(), cmp.Or(token, cookie), players.Play)
	if s.player = player; err == nil {
		s.mu.Lock()
		s.loggedIn = new(players.LoginOf(cmp.Or(token, cookie)))
		s.mu.Unlock()
	}
	switch {
	case err == nil || token == "":
		return nil
	case errors.Is(err, players.ErrToken):
		return errToken
	case errors.Is(err, players.ErrScope):
		return protocolError{code: protocol.CloseToken, text: err.Error()}
	default:
		return protocolError{code: protocol.CloseLimit, text: err.Error()}
	}
}

// register handles a PlayerRegister.
func (s *session) register(ctx context.Context, c call) error {
	var r protocol.PlayerRegister
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	token, err := s.shared.players.Register(ctx, s.from.Key(), r.Name, r.Invite)
	if err != nil {
		return s.answerWith(c.name, protocol.PlayerRegisterReply{Token: protocol.Refused[string](err)})
	}
	return s.answerWith(c.name, protocol.PlayerRegisterReply{Token: protocol.Ok(token)})
}

// allowName returns an error for the client if a name belongs to another player.
func (s *session) allowName(ctx context.Context, name string) error {
	owner, err := s.shared.players.Owner(ctx, name)
	own := s.player
	if err == nil && owner != "" && owner != own && own != "" { // it can have another name since it has connected
		own, err = s.shared.players.Owner(ctx, own)
	}
	switch {
	case err != nil:
		return err
	case owner != "" && owner != own:
		return fmt.Errorf("the name %q belongs to a registered player: log in as that player (coco login), or use another name", name)
	}
	return nil
}
