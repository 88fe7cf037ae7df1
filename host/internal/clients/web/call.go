package web

import (
	"context"
	"encoding/json"

	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// request is a message that a client can send in some states of its session.
type request struct {
	name   string
	in     state // all states in which it is allowed
	since  int   // the version of the protocol that has it; 0: all have
	mirror bool  // only another host sends it, for its spectators
	points int   // see takePoints

	// One of them handles the request: handle at once, and answer with a timeout and a
	// span, after the client has read the last replies.
	handle func(s *session, c call) error
	answer func(s *session, ctx context.Context, c call) error

	// For a host of a cluster; both can be nil.
	host     func(s *session, ctx context.Context, c call) (string, error) // that must answer; "": this one
	question func(s *session, c call) (points int)                         // the cost of asking other hosts, beyond points
}

// call is a message of a client, and what its session did when it came.
type call struct {
	name    string
	body    json.RawMessage
	message []byte // all of it
	state   state
	id      string
	seat    *seat.Seat
}

func decode(name string, body json.RawMessage, v any) error {
	if err := protocol.Decode(name, body, v); err != nil {
		return breach("%v", err)
	}
	return nil
}

// answerWith queues the answer to a request. It returns nil.
func (s *session) answerWith(name string, v any) error {
	s.out.Reply(protocol.Encode(name, v), false)
	return nil
}

// answerRead queues an encoded answer to a request that reads. It returns nil.
func (s *session) answerRead(message []byte) error {
	s.charge(len(message))
	s.out.Reply(message, false)
	return nil
}

// client returns the session's client as the lobby knows it.
func (s *session) client() lobby.Client {
	return lobby.Client{Address: s.from.Key(), Player: s.player}
}
