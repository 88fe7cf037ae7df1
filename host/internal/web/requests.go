package web

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"colosseum/host/internal/limit"
	"colosseum/host/internal/lobby"
	"colosseum/host/internal/store"
	"colosseum/protocol"
)

// requestTimeout bounds the time to answer one request.
const requestTimeout = 10 * time.Second

// request handles one text message of the client.
func (s *session) request(message []byte) error {
	s.mu.Lock()
	state, id := s.state, s.id
	s.mu.Unlock()
	if state == playing {
		return nil
	}
	name, body, err := protocol.Split(message)
	if err != nil {
		return breach("%v", err)
	}
	switch state {
	case shaking:
		return s.handshake(name, body)
	case idle:
		return s.answer(name, body)
	case subscribed:
		if name == protocol.NameLobbyUnsubscribe {
			s.server.lobby.Unsubscribe(s)
			s.become(subscribed, idle, "")
			s.answerWith(protocol.NameLobbyUnsubscribed, nil)
			return nil
		}
	case joined:
		if name == protocol.NameLobbyLeaveMatch {
			if s.server.lobby.Leave(s, id) {
				s.become(joined, idle, "")
				s.answerWith(protocol.NameLobbyLeavedMatch, nil)
				return nil
			}
			// It has just started or expired. After a start, text is ignored;
			// otherwise the client expects the answer.
			if s.become(idle, idle, "") {
				s.answerWith(protocol.NameLobbyLeavedMatch, nil)
			}
			return nil
		}
	case watching:
		if name == protocol.NameSpectateLeave {
			s.server.lobby.Unspectate(s, id)
			s.out.Unfollow()
			s.become(watching, idle, "")
			s.answerWith(protocol.NameSpectateLeaved, nil)
			return nil
		}
	}
	return breach("%s is not allowed now", printableName(name))
}

// handshake handles the first message.
func (s *session) handshake(name string, body json.RawMessage) error {
	var h protocol.Handshake
	ours := protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version}
	if name != protocol.NameHandshake {
		s.answerWith(protocol.NameHandshake, ours)
		return breach("the first message must be a Handshake")
	}
	if err := protocol.Decode(name, body, &h); err != nil {
		return breach("%v", err)
	}
	known := h.Magic == protocol.Magic && h.Version >= protocol.OldestVersion && h.Version <= protocol.Version
	if known {
		ours.Version = h.Version
		s.version = h.Version
		s.become(shaking, idle, "")
	}
	s.answerWith(protocol.NameHandshake, ours)
	if !known {
		return breach("this server speaks %q, versions %d to %d", protocol.Magic, protocol.OldestVersion, protocol.Version)
	}
	return nil
}

// answer handles a request in the idle state.
func (s *session) answer(name string, body json.RawMessage) error {
	s.out.WaitForReplies() // before requestTimeout begins
	if err := s.takePoints(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	reply := func(v any) error {
		s.answerWith(name, v)
		return nil
	}
	decode := func(v any) error {
		if err := protocol.Decode(name, body, v); err != nil {
			return breach("%v", err)
		}
		return nil
	}
	switch name {
	case protocol.NameGameList:
		list := s.server.gameAnswers().list
		if s.version == 1 {
			list = s.server.gameAnswers().listV1
		}
		s.answerRead(list)
		return nil
	case protocol.NameGameDescription:
		var r protocol.GameDescription
		if err := decode(&r); err != nil {
			return err
		}
		if d, ok := s.server.gameAnswers().descriptions[r.Name]; ok {
			s.answerRead(d)
			return nil
		}
		return reply(protocol.GameDescriptionReply{})
	case protocol.NameGameNew:
		var r protocol.GameNew
		if err := decode(&r); err != nil {
			return err
		}
		id, err := s.create(ctx, r)
		if err != nil {
			return reply(protocol.GameNewReply{ID: protocol.Refused[string](err)})
		}
		return reply(protocol.GameNewReply{ID: protocol.Ok(id)})
	case protocol.NameLobbyList:
		s.answerRead(s.server.lobbyAnswers().list)
		return nil
	case protocol.NameLobbySubscribe:
		s.become(idle, subscribed, "")
		s.server.lobby.Subscribe(s, func() uint64 {
			a := s.server.lobbyAnswers()
			s.answerRead(a.seed)
			return a.generation
		})
		return nil
	case protocol.NameLobbyJoinMatch:
		var r protocol.LobbyJoinMatch
		if err := decode(&r); err != nil {
			return err
		}
		if err := s.server.lobby.Join(s, s.from.Key(), r); err != nil {
			s.answerWith(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
		}
		return nil
	case protocol.NameSpectateJoin:
		var r protocol.MatchID
		if err := decode(&r); err != nil {
			return err
		}
		if err := s.server.lobby.Spectate(s, r.ID); err != nil {
			s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](err)})
		}
		return nil
	// The client left just when its match ended, and expects the answer.
	case protocol.NameLobbyLeaveMatch:
		s.answerWith(protocol.NameLobbyLeavedMatch, nil)
		return nil
	case protocol.NameSpectateLeave:
		s.answerWith(protocol.NameSpectateLeaved, nil)
		return nil
	case protocol.NameHistoryMatchList, protocol.NameHistoryMatch:
		if s.version >= 2 {
			return s.past(ctx, name, body)
		}
	}
	return breach("%s is not allowed now", printableName(name))
}

// answerWith queues the answer to a request.
func (s *session) answerWith(name string, v any) { s.out.Reply(protocol.Encode(name, v), false) }

// answerRead queues an encoded answer to a request that reads.
func (s *session) answerRead(message []byte) {
	s.charge(len(message))
	s.out.Reply(message, false)
}

// create creates a match, unless the client's address has created too many.
func (s *session) create(ctx context.Context, r protocol.GameNew) (string, error) {
	if !s.from.AllowMatch() {
		s.server.count(limit.NewMatches)
		return "", errTooManyNewMatches
	}
	return s.server.lobby.Create(ctx, s.from.Key(), r)
}

// past answers requests about ended matches.
func (s *session) past(ctx context.Context, name string, body json.RawMessage) error {
	if name == protocol.NameHistoryMatchList {
		list, err := s.server.historyList(ctx)
		switch {
		case errors.Is(err, errTooManyWait):
			return err // the protocol has no refusal of this request
		case err != nil:
			s.log.Error("could not read the history", "error", err)
			s.answerWith(name, []string{})
		default:
			s.answerRead(list)
		}
		return nil
	}
	var r protocol.MatchID
	if err := protocol.Decode(name, body, &r); err != nil {
		return breach("%v", err)
	}
	if !lobby.ValidID(r.ID) {
		s.out.Reply(protocol.EncodeHistoryError(protocol.HistoryInvalidID), true)
		return nil
	}
	done, ok := s.server.Work(ctx)
	if !ok {
		s.out.Reply(protocol.EncodeHistoryError(protocol.HistoryUnreadable), true)
		return nil
	}
	defer done()
	rec, err := s.server.history.Get(ctx, r.ID)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && rec.State == store.Running:
		s.out.Reply(protocol.EncodeHistoryError(protocol.HistoryNotFound), true)
	case err != nil:
		s.log.Error("could not read a record", "match", r.ID, "error", err)
		s.out.Reply(protocol.EncodeHistoryError(protocol.HistoryUnreadable), true)
	default:
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
		s.out.Reply(message, true)
	}
	return nil
}

// printableName makes a client's text short and printable for a close frame,
// which has at most 125 bytes.
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
