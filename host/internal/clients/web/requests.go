package web

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
	"colosseum/internal/spelling"
	"colosseum/protocol"
)

// requestTimeout bounds the time to answer one request.
const requestTimeout = 10 * time.Second

// request handles one text message of the client.
func (s *session) request(message []byte) error {
	s.mu.Lock()
	state, id, t, u := s.state, s.id, s.seat, s.upstream
	s.mu.Unlock()
	if state == relayed {
		if s.forward(u, message) {
			return nil
		}
		return s.request(message) // the relay has just ended
	}
	if state == playing && t.ticket == "" {
		return nil
	}
	name, body, err := protocol.Split(message)
	if err != nil {
		return breach("%v", err)
	}
	switch state {
	case playing:
		if name == protocol.NameMatchReceived {
			var r protocol.MatchReceived
			if err := decode(name, body, &r); err != nil {
				return err
			}
			t.received(r.Bytes)
		}
		return nil
	case shaking:
		return s.handshake(name, body)
	case idle:
		if name == protocol.NameMatchReceived {
			return nil // the match has just ended
		}
		if name == relay.NameSpectators && s.forMirror {
			return nil // the match has just ended
		}
		s.forgetEnded()
		return s.answer(name, body, message)
	case subscribed:
		if name == protocol.NameLobbyUnsubscribe {
			s.server.lobby.Unsubscribe(s)
			s.become(subscribed, idle, "")
			return s.answerWith(protocol.NameLobbyUnsubscribed, nil)
		}
	case joined:
		if name == protocol.NameLobbyLeaveMatch {
			if s.server.lobby.Leave(t, t.id()) {
				s.take(nil, idle)
				t.forget()
				return s.answerWith(protocol.NameLobbyLeavedMatch, nil)
			}
			// The match has just started or expired. After a start, text is ignored;
			// otherwise the client expects the answer.
			if s.become(idle, idle, "") {
				return s.answerWith(protocol.NameLobbyLeavedMatch, nil)
			}
			return nil
		}
	case watching:
		if name == protocol.NameSpectateLeave {
			s.unspectate(id)
			s.become(watching, idle, "")
			return s.answerWith(protocol.NameSpectateLeaved, nil)
		}
		if name == relay.NameSpectators && s.forMirror {
			return s.countSpectators(id, body)
		}
	case offered:
		if name == protocol.NameServe {
			return s.answer(name, body, message)
		}
	}
	return s.notAllowed(name)
}

// handshake handles the first message.
func (s *session) handshake(name string, body json.RawMessage) error {
	var h protocol.Handshake
	ours := protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}
	if name != protocol.NameHandshake {
		_ = s.answerWith(protocol.NameHandshake, ours)
		return breach("the first message must be a Handshake")
	}
	if err := decode(name, body, &h); err != nil {
		return err
	}
	known := h.Magic == protocol.Magic && h.Version >= protocol.OldestVersion && h.Version <= protocol.Version
	var refused error
	if known {
		refused = s.login(h.Token)
		ours.Version, ours.Player, ours.Features = h.Version, s.player, s.server.features
		s.version = h.Version
		s.become(shaking, idle, "")
	}
	s.answerWith(protocol.NameHandshake, ours)
	if !known {
		return breach("this server speaks %q, versions %d to %d", protocol.Magic, protocol.OldestVersion, protocol.Version)
	}
	return refused
}

// countSpectators handles the number of spectators that another host has for a match.
func (s *session) countSpectators(id string, body json.RawMessage) error {
	var r relay.Spectators
	if err := decode(relay.NameSpectators, body, &r); err != nil {
		return err
	}
	s.server.lobby.CountAs(s, id, min(max(r.Count, 0), maxSpectators))
	return nil
}

// maxSpectators bounds the number of spectators that another host reports.
const maxSpectators = 10_000_000

// answer handles a request in the idle state.
func (s *session) answer(name string, body json.RawMessage, message []byte) (err error) {
	s.out.WaitForReplies() // before requestTimeout begins
	if err := s.takePoints(points[name]); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	ctx, span := s.server.tracer.Start(s.server.tracer.Continue(ctx, s.trace), trace.Server, name)
	s.trace = ""
	defer func() { span.End(err) }()
	if s.server.cluster != nil && !s.byRelay {
		if err := s.payForQuestion(name, body); err != nil {
			return err
		}
		if s.elsewhere(ctx, name, body, message) {
			return nil
		}
	}
	switch name {
	case protocol.NameGameList:
		list := s.server.gameAnswers().list
		if s.version == 1 {
			list = s.server.gameAnswers().listV1
		}
		return s.answerRead(list)
	case protocol.NameGameDescription:
		var r protocol.GameDescription
		if err := decode(name, body, &r); err != nil {
			return err
		}
		if d, ok := s.server.gameAnswers().descriptions[r.Name]; ok {
			return s.answerRead(d)
		}
		return s.answerWith(name, protocol.GameDescriptionReply{})
	case protocol.NameGameNew:
		var r protocol.GameNew
		if err := decode(name, body, &r); err != nil {
			return err
		}
		id, err := s.create(ctx, r)
		if err != nil {
			return s.answerWith(name, protocol.GameNewReply{ID: protocol.Refused[string](err)})
		}
		return s.answerWith(name, protocol.GameNewReply{ID: protocol.Ok(id)})
	case protocol.NameLobbyList:
		return s.answerRead(s.server.lobbyList())
	case protocol.NameLobbyMatch:
		return s.lobbyMatch(body)
	case protocol.NameLobbyFindMatch:
		return s.find(ctx, body)
	case protocol.NameServe:
		return s.serve(body)
	case protocol.NameLobbySubscribe:
		s.become(idle, subscribed, "")
		s.server.lobby.Subscribe(s, func() uint64 {
			seed := s.server.lobbySeed()
			_ = s.answerRead(seed.message)
			return seed.generation
		})
		return nil
	case protocol.NameLobbyJoinMatch:
		var r protocol.LobbyJoinMatch
		if err := decode(name, body, &r); err != nil {
			return err
		}
		err := s.allowName(ctx, r.Name)
		if err == nil {
			var t *seat
			if t, err = newSeat(s, r.Resume, r.Ticket); err == nil {
				err = s.server.lobby.Join(t, s.client(), r)
			}
		}
		return s.joined(r.Resume, err)
	case protocol.NameMatchResume:
		var r protocol.MatchResume
		if err := decode(name, body, &r); err != nil {
			return err
		}
		t, err := s.server.tickets.find(s.from.Key(), r.Ticket)
		if err == nil {
			err = t.resume(s, r.Received)
		}
		if err == errTicket {
			err = s.whyOver(ctx, r.ID)
		}
		if err != nil {
			s.server.count(limit.Tickets)
			return s.answerWith(protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
		}
		return nil
	case protocol.NamePlayerRegister:
		var r protocol.PlayerRegister
		if err := decode(name, body, &r); err != nil {
			return err
		}
		token, err := s.server.players.Register(ctx, s.from.Key(), r.Name, r.Invite)
		if err != nil {
			return s.answerWith(name, protocol.PlayerRegisterReply{Token: protocol.Refused[string](err)})
		}
		return s.answerWith(name, protocol.PlayerRegisterReply{Token: protocol.Ok(token)})
	case protocol.NameSpectateJoin:
		var r protocol.MatchID
		if err := decode(name, body, &r); err != nil {
			return err
		}
		if err := s.server.lobby.Spectate(s, r.ID); err != nil {
			return s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
		}
		return nil
	// The client left just as its match ended, and expects the answer.
	case protocol.NameLobbyLeaveMatch:
		return s.answerWith(protocol.NameLobbyLeavedMatch, nil)
	case protocol.NameSpectateLeave:
		return s.answerWith(protocol.NameSpectateLeaved, nil)
	case protocol.NameHistoryMatchList:
		if s.version >= 2 {
			return s.answerHistoryList(ctx)
		}
	case protocol.NameHistoryMatch:
		if s.version < 2 {
			break
		}
		var r protocol.MatchID
		if err := decode(name, body, &r); err != nil {
			return err
		}
		reply, err := s.historyOf(ctx, r.ID)
		if err == nil {
			s.out.Reply(reply, true)
		}
		return err
	}
	span.Rename("unknown") // a client could write anything
	return s.notAllowed(name)
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

// allowMatch returns an error if the client's address has created too many matches.
func (s *session) allowMatch() error {
	if !s.from.AllowMatch() {
		s.server.count(limit.NewMatches)
		return errTooManyNewMatches
	}
	return nil
}

func (s *session) answerHistoryList(ctx context.Context) error {
	list, err := s.server.historyList(ctx)
	switch {
	case errors.Is(err, errTooManyWait):
		return err // the protocol has no refusal of this request
	case errors.Is(err, context.DeadlineExceeded):
		return errTooManyWait
	case err != nil:
		s.log.Error("could not read the history", "error", err)
		return s.answerWith(protocol.NameHistoryMatchList, []string{})
	default:
		return s.answerRead(list)
	}
}

// historyOf returns the encoded history of an ended match, or why there is none. The
// error closes the connection: the protocol has no word for a host that is busy.
func (s *session) historyOf(ctx context.Context, id string) ([]byte, error) {
	if !lobby.ValidID(id) {
		return protocol.EncodeHistoryError(protocol.HistoryInvalidID), nil
	}
	done, err := s.server.work(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	rec, err := s.server.history.Get(ctx, id)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errTooManyWait
	case errors.Is(err, store.ErrNotFound) || err == nil && rec.State == record.Running:
		return protocol.EncodeHistoryError(protocol.HistoryNotFound), nil
	case err != nil:
		s.log.Error("could not read a record", "match", id, "error", err)
		return protocol.EncodeHistoryError(protocol.HistoryUnreadable), nil
	}
	h := &protocol.History{ID: rec.ID, Game: rec.Game, Args: rec.Args, Stream: rec.Stream}
	for _, seat := range rec.Seats {
		if seat.Bot {
			h.Bots++
		} else {
			h.Players = append(h.Players, seat.Name)
		}
	}
	message := protocol.EncodeHistory(h)
	s.charge(len(message))
	return message, nil
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
