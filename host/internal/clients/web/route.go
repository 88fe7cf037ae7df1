package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// Errors of requests that another host must answer, for the client.
var (
	errUnlisted = errors.New("the matches of other hosts are not known now: try again")
	errNoLeader = errors.New("no host pairs players now: try again")
)

// elsewhere relays a request that another host must answer, or refuses it if that fails.
// It reports false if this host must answer.
func (s *session) elsewhere(ctx context.Context, r *request, c call) (done bool) {
	if r.host == nil {
		return false
	}
	host, err := r.host(s, ctx, c)
	if err == nil && host != "" {
		if err = s.relay(ctx, host, c.name, c.message); err != nil {
			s.log().Warn("could not relay a request", "host", host, "request", c.name, "error", err)
			err = forward.ErrUnreachable
		}
	}
	if err != nil {
		s.refuseElsewhere(c.name, c.body, err)
	}
	return err != nil || host != ""
}

// questionPoints are the costs of asking other hosts for nothing.
const questionPoints = 5

// payForQuestion takes points for a request that makes this host ask others, as often as
// the client likes: for the ID of no match, or for a ticket after many wrong ones. Finding
// a rematch, which reads the whole list, costs one.
func (s *session) payForQuestion(r *request, c call) error {
	if r.question == nil {
		return nil
	}
	return s.takePoints(r.question(s, c))
}

// The functions below find the host that must answer a request, and what it costs to ask.
// Requests that cannot be decoded are for this host, which refuses them.

func (s *session) hostOfNew(ctx context.Context, c call) (host string, err error) {
	var r protocol.GameNew
	if protocol.Decode(c.name, c.body, &r) != nil {
		return "", nil
	}
	if len(r.Opponents) > 0 {
		return s.leader(ctx, c)
	}
	if r.Branch != nil && r.Branch.Ticket != "" {
		return s.hostOfTicket(ctx, r.Branch.Ticket)
	}
	if r.Rematch != "" {
		if _, ok := s.shared.lobby.FindRematch(r.Rematch); ok {
			return "", nil
		}
	}
	return s.shared.cluster.Place(r.Game), nil
}

func (s *session) questionOfNew(c call) (points int) {
	var r protocol.GameNew
	switch {
	case protocol.Decode(c.name, c.body, &r) != nil:
	case r.Branch != nil && r.Branch.Ticket != "" && !s.shared.seats.Used(r.Branch.Ticket):
		return questionPoints
	case r.Rematch != "":
		return 1
	}
	return 0
}

func (s *session) leader(context.Context, call) (host string, err error) {
	host, ok := s.shared.cluster.Leader()
	if !ok {
		return "", errNoLeader
	}
	return host, nil
}

func (s *session) hostOfJoin(ctx context.Context, c call) (host string, err error) {
	var r protocol.LobbyJoinMatch
	if protocol.Decode(c.name, c.body, &r) != nil {
		return "", nil
	}
	return s.owner(ctx, r.ID)
}

// questionOfMatch is that of requests that have the ID of a match.
func (s *session) questionOfMatch(c call) (points int) {
	var r protocol.MatchID
	if protocol.Decode(c.name, c.body, &r) == nil && !s.shared.lobby.Lists(r.ID) {
		return questionPoints
	}
	return 0
}

// questionOfMatches is that of a request with the IDs of several matches.
func (s *session) questionOfMatches(c call) (points int) {
	var r protocol.SpectateMatches
	if protocol.Decode(c.name, c.body, &r) != nil || len(r.IDs) > protocol.MaxSpectated {
		return 0 // it is refused
	}
	for _, id := range r.IDs {
		if !s.shared.lobby.Lists(id) {
			points += questionPoints
		}
	}
	return points
}

func (s *session) hostOfSeat(ctx context.Context, c call) (host string, err error) {
	var r protocol.MatchResume
	if protocol.Decode(c.name, c.body, &r) != nil {
		return "", nil
	}
	return s.hostOfTicket(ctx, r.Ticket)
}

// hostOfTicket returns the host that has the seat of a ticket; "" if none has it.
func (s *session) hostOfTicket(ctx context.Context, ticket string) (host string, err error) {
	if !protocol.ValidTicket(ticket) || s.shared.seats.Used(ticket) {
		return "", nil
	}
	host, ok, err := s.shared.cluster.Holder(ctx, sha256.Sum256([]byte(ticket)))
	if err != nil || !ok {
		return "", err
	}
	return host, nil
}

func (s *session) questionOfSeat(c call) (points int) {
	var r protocol.MatchResume
	if protocol.Decode(c.name, c.body, &r) == nil && s.shared.seats.Spent(s.from.Key()) && !s.shared.seats.Used(r.Ticket) {
		return questionPoints
	}
	return 0
}

// owner returns the other host of a match; "" if this one must answer. The error is
// errUnlisted if another host might have the match.
func (s *session) owner(ctx context.Context, id string) (host string, err error) {
	if s.shared.cluster == nil || s.byRelay || !lobby.ValidID(id) {
		return "", nil
	}
	host, err = s.shared.cluster.Owner(ctx, id)
	if host == "" && (err != nil || !s.shared.cluster.Complete()) && !s.shared.lobby.Lists(id) {
		return "", errUnlisted
	}
	return host, nil
}

// refuseElsewhere refuses a request that another host should have answered. A refusal of
// MatchResume or Serve, or of a client that can resume, would be final for the client, so
// it has to connect again.
func (s *session) refuseElsewhere(name string, body json.RawMessage, err error) {
	var r struct {
		Resume bool `json:"resume"`
	}
	_ = json.Unmarshal(body, &r) // it was decoded before
	switch {
	case name == protocol.NameGameNew:
		_ = s.answerWith(name, protocol.GameNewReply{ID: protocol.Refused[string](err)})
	case !r.Resume && (name == protocol.NameLobbyJoinMatch || name == protocol.NameLobbyFindMatch):
		_ = s.answerWith(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
	default:
		s.out.Close(protocol.CloseShutdown, forward.Reconnect)
	}
}
