package web

import (
	"context"
	"errors"
	"fmt"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// findMatch handles a LobbyFindMatch. If it is not refused, Joined has replied.
func (s *session) findMatch(ctx context.Context, c call) error {
	var r protocol.LobbyFindMatch
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	t, err := s.newSeat(ctx, r.Name, r.Resume, r.Ticket)
	if err == nil {
		client := s.client()
		client.AllowNew = s.allowMatch
		client.Hints = hints(t, r.Hints)
		err = s.shared.desk.Find(ctx, t, client, r)
	}
	return s.joined(r.Resume, err)
}

// join handles a LobbyJoinMatch. If it is not refused, Joined has replied.
func (s *session) join(ctx context.Context, c call) error {
	var r protocol.LobbyJoinMatch
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	t, err := s.newSeat(ctx, r.Name, r.Resume, r.Ticket)
	if err == nil {
		client := s.client()
		client.Hints = hints(t, r.Hints)
		if r.Branch {
			client.Sent = t.Sent
		}
		err = s.shared.lobby.Join(t, client, r)
	}
	return s.joined(r.Resume, err)
}

// hints returns lobby.Client.Hints.
func hints(t *seat.Seat, wanted bool) func(protocol.MatchQuestion) {
	if !wanted {
		return nil
	}
	return t.Question
}

// newSeat returns a seat for a player that can have the name.
func (s *session) newSeat(ctx context.Context, name string, resume bool, ticket string) (*seat.Seat, error) {
	if err := s.allowName(ctx, name); err != nil {
		return nil, err
	}
	return s.shared.seats.New(s.forSeats, s.player, resume, ticket)
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

// leaveMatch handles a LobbyLeaveMatch.
func (s *session) leaveMatch(c call) error {
	if s.shared.lobby.Leave(c.seat, c.seat.ID()) {
		s.mu.Lock()
		s.state, s.seat = idle, nil
		s.mu.Unlock()
		c.seat.Forget()
		return s.answerWith(protocol.NameLobbyLeavedMatch, nil)
	}
	// The match has just started or expired. After a start, text is ignored;
	// otherwise the client expects the answer.
	if s.become(idle, idle, "") {
		return s.answerWith(protocol.NameLobbyLeavedMatch, nil)
	}
	return nil
}

// leftMatch handles a LobbyLeaveMatch that the client sent just as its match ended: it
// expects the answer.
func (s *session) leftMatch(context.Context, call) error {
	return s.answerWith(protocol.NameLobbyLeavedMatch, nil)
}

// received handles a MatchReceived.
func (s *session) received(c call) error {
	var r protocol.MatchReceived
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	c.seat.Received(r.Bytes)
	return nil
}

// ignore handles a message that comes too late.
func (s *session) ignore(call) error { return nil }

// resume handles a MatchResume. If it is not refused, the seat has replied.
func (s *session) resume(ctx context.Context, c call) error {
	var r protocol.MatchResume
	if err := decode(c.name, c.body, &r); err != nil {
		return err
	}
	t, err := s.shared.seats.Find(s.from.Key(), r.Ticket)
	if err == nil {
		err = t.Resume(s.forSeats, s.player, r.Received)
	}
	if err == seat.ErrTicket {
		err = s.whyOver(ctx, r.ID)
	}
	if err != nil {
		s.shared.count(limit.Tickets)
		return s.answerWith(protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	}
	return nil
}

// whyOver returns why the ticket of a match is no longer valid: how the match ended, as far
// as it is recorded. The error is for the client.
func (s *session) whyOver(ctx context.Context, id string) error {
	if !lobby.ValidID(id) {
		return seat.ErrTicket
	}
	rec, err := s.shared.record(ctx, id)
	switch {
	case err != nil || rec.State == record.Running:
		return seat.ErrTicket
	case rec.State == record.Aborted:
		return fmt.Errorf("match %s was aborted: %s", id, rec.Reason)
	case rec.Reason == "":
		return fmt.Errorf("match %s has ended", id)
	default:
		return fmt.Errorf("match %s has ended: %s", id, rec.Reason)
	}
}
