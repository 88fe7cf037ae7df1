package web

import (
	"context"
	"errors"
	"fmt"

	"colosseum/host/internal/players"
	"colosseum/protocol"
)

// Players are the registered players. The address limits wrong guesses; the errors
// are for the client.
type Players interface {
	// Authenticate returns the player with a token.
	Authenticate(ctx context.Context, address, token string) (player string, err error)
	// Register adds a player and returns its token.
	Register(ctx context.Context, address, name, invite string) (token string, err error)
	// Owner returns the player that has a name, in any case, or "".
	Owner(ctx context.Context, name string) (player string, err error)
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
	if token == "" {
		s.player, _ = s.server.players.Authenticate(ctx, s.from.Key(), cookie)
		return nil
	}
	player, err := s.server.players.Authenticate(ctx, s.from.Key(), token)
	s.player = player
	switch {
	case err == nil:
		return nil
	case errors.Is(err, players.ErrToken):
		return errToken
	default:
		return protocolError{code: protocol.CloseLimit, text: err.Error()}
	}
}

// allowName returns an error for the client if a name belongs to another player.
func (s *session) allowName(ctx context.Context, name string) error {
	owner, err := s.server.players.Owner(ctx, name)
	switch {
	case err != nil:
		return err
	case owner != "" && owner != s.player:
		return fmt.Errorf("the name %q belongs to a registered player: log in as that player (coco login), or use another name", name)
	}
	return nil
}

// forgetEnded forgets the seat of the client's last match: its next request shows that
// it has received the end.
func (s *session) forgetEnded() {
	s.mu.Lock()
	t, u := s.ended, s.upstream
	s.ended, s.upstream = nil, nil
	s.mu.Unlock()
	if u != nil {
		u.leave()
	}
	if t != nil {
		t.forget()
	}
}
