package web

import (
	"context"
	"slices"
	"strings"

	"colosseum/host/internal/base/trace"
	"colosseum/internal/spelling"
	"colosseum/protocol"
)

// request handles one text message of the client.
func (s *session) request(message []byte) error {
	s.mu.Lock()
	c := call{message: message, state: s.state, id: s.id, seat: s.seat}
	u := s.upstream
	s.mu.Unlock()
	if c.state == relayed {
		if u == nil || u.Text(message) {
			return nil // without a relay, the client is being disconnected
		}
		return s.request(message) // the relay has just ended
	}
	if c.state == playing && !c.seat.Resumable() {
		return nil
	}
	var err error
	if c.name, c.body, err = protocol.Split(message); err != nil {
		return breach("%v", err)
	}
	r := s.find(c.state, c.name)
	switch {
	case r != nil && r.handle != nil:
		return r.handle(s, c)
	case c.state == shaking:
		_ = s.answerWith(protocol.NameHandshake, protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version})
		return breach("the first message must be a Handshake")
	case c.state == playing:
		return nil
	case c.state == idle:
		s.forgetEnded()
	case r == nil:
		return s.notAllowed(c.name)
	}
	return s.answer(r, c)
}

// find returns the request of a name that is allowed in a state, or nil.
func (s *session) find(state state, name string) *request {
	for i := range requests {
		if r := &requests[i]; r.in&state != 0 && r.name == name && (s.forMirror || !r.mirror) {
			return r
		}
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
		u.End(true)
	}
	if t != nil {
		t.Forget()
	}
}

// answer handles a request that takes time: it costs points, has a timeout, and a span. r
// is nil for a request that does not exist.
func (s *session) answer(r *request, c call) (err error) {
	s.out.WaitForReplies() // before requestTimeout begins
	if r != nil {
		if err := s.takePoints(r.points); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	ctx, span := s.shared.tracer.Start(s.shared.tracer.Continue(ctx, s.trace), trace.Server, c.name)
	s.trace = ""
	defer func() { span.End(err) }()
	if r == nil || s.version < r.since {
		span.Rename("unknown") // a client could write anything
		return s.notAllowed(c.name)
	}
	if s.shared.cluster != nil && !s.byRelay {
		if err := s.payForQuestion(r, c); err != nil {
			return err
		}
		if s.elsewhere(ctx, r, c) {
			return nil
		}
	}
	return r.answer(s, ctx, c)
}

// notAllowed refuses a message that the client's state does not allow, or that does not
// exist.
func (s *session) notAllowed(name string) error {
	switch {
	case slices.Contains(protocol.Requests(), name):
		if s.version < 2 && strings.HasPrefix(name, protocol.NameHistoryMatch) {
			return breach("%s needs version 2 of the protocol: the handshake named %d", name, s.version)
		}
	case !slices.Contains(protocol.Replies(), name):
		text := "unknown request " + printableName(name)
		if near := spelling.Nearest(name, protocol.Requests()); near != "" {
			text += ": did you mean " + near + "?"
		}
		return breach("%s", text)
	}
	return breach("%s is not allowed now", name)
}

// printableName shortens a client's text for a close frame, which has at most 125
// bytes, and makes it printable.
func printableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
	if len(name) > 32 {
		name = name[:32] + "..."
	}
	return name
}
