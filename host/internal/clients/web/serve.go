package web

import (
	"context"
	"errors"

	"colosseum/protocol"
)

var errAnonymous = errors.New("only registered players can serve: coco register NAME")

// serve handles a Serve. If it is not refused, Serving has replied.
func (s *session) serve(_ context.Context, c call) error {
	var r protocol.Serve
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	err := errAnonymous
	if s.player != "" {
		err = s.shared.desk.Serve(s, s.player, r)
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
