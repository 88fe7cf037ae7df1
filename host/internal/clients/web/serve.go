package web

import (
	"context"
	"encoding/json"
	"errors"

	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/serving"
	"colosseum/protocol"
)

// Desk pairs players as sessions use it: a *serving.Desk.
type Desk interface {
	Serve(c serving.Conn, player string, r protocol.Serve) error
	Leave(c serving.Conn, player string)
	Find(ctx context.Context, p lobby.Player, c lobby.Client, r protocol.LobbyFindMatch) error
	Challenge(ctx context.Context, c lobby.Client, r protocol.GameNew) (id string, err error)
}

var errAnonymous = errors.New("only registered players can serve: coco register NAME")

// serve handles a Serve. If it is not refused, Serving has replied.
func (s *session) serve(body json.RawMessage) error {
	var r protocol.Serve
	if err := decode(protocol.NameServe, body, &r); err != nil {
		return err
	}
	err := errAnonymous
	if s.player != "" {
		err = s.server.desk.Serve(s, s.player, r)
	}
	if err != nil {
		return s.answerWith(protocol.NameServing, protocol.ServingReply{Player: protocol.Refused[string](err)})
	}
	return nil
}

// Serving implements serving.Conn.
func (s *session) Serving(player string, replaced []string) {
	s.become(idle, offered, "")
	_ = s.answerWith(protocol.NameServing, protocol.ServingReply{Player: protocol.Ok(player), Replaced: replaced})
}

// Assign implements serving.Conn.
func (s *session) Assign(m protocol.ServeMatch) {
	s.out.Push(protocol.Encode(protocol.NameServeMatch, m))
}

// Replaced implements serving.Conn.
func (s *session) Replaced() {
	s.out.Close(protocol.CloseReplaced, "the player serves on another connection")
}

// Stopped implements serving.Conn.
func (s *session) Stopped() {
	s.out.Close(protocol.CloseShutdown, "the host that pairs the players changes: connect again")
}

// find handles a LobbyFindMatch. If it is not refused, Joined has replied.
func (s *session) find(ctx context.Context, body json.RawMessage) error {
	var r protocol.LobbyFindMatch
	if err := decode(protocol.NameLobbyFindMatch, body, &r); err != nil {
		return err
	}
	err := s.allowName(ctx, r.Name)
	if err == nil {
		var t *seat
		if t, err = newSeat(s, r.Resume, r.Ticket); err == nil {
			c := s.client()
			c.AllowNew = s.allowMatch
			err = s.server.desk.Find(ctx, t, c, r)
		}
	}
	return s.joined(r.Resume, err)
}

// joined answers a join that was refused; without an error, Joined has replied. A refusal
// would be final for a client that can resume, also where the host only cannot begin
// matches now, so that one has to connect again.
func (s *session) joined(resume bool, err error) error {
	switch {
	case err == nil:
		return nil
	case resume && errors.Is(err, lobby.ErrRecords):
		s.out.Close(protocol.CloseShutdown, "the host cannot write its records now: connect again")
		return nil
	default:
		return s.answerWith(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
}

// lobbyMatch handles a LobbyMatch.
func (s *session) lobbyMatch(body json.RawMessage) error {
	var r protocol.MatchID
	if err := decode(protocol.NameLobbyMatch, body, &r); err != nil {
		return err
	}
	info, err := s.server.lobby.Match(r.ID)
	if err != nil && s.mightExist(r.ID) {
		err = errUnlisted
	}
	if err != nil {
		return s.answerWith(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
	return s.answerWith(protocol.NameLobbyMatch, protocol.LobbyMatchReply{Info: protocol.Ok(info)})
}
