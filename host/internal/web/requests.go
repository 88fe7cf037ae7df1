package web

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"colosseum/host/internal/catalog"
	"colosseum/host/internal/lobby"
	"colosseum/host/internal/match"
	"colosseum/host/internal/store"
	"colosseum/protocol"
)

// requestTimeout bounds what one request may take.
const requestTimeout = 10 * time.Second

// historyLimit is the most IDs that a list of the history holds.
const historyLimit = 10000

// request answers one text message of the client.
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
			// It began or expired in this moment. When it began, text is
			// ignored; else the client waits for the answer.
			if s.become(idle, idle, "") {
				s.answerWith(protocol.NameLobbyLeavedMatch, nil)
			}
			return nil
		}
	case watching:
		if name == protocol.NameSpectateLeave {
			s.server.lobby.Unspectate(s, id)
			s.unfollow()
			s.become(watching, idle, "")
			s.answerWith(protocol.NameSpectateLeaved, nil)
			return nil
		}
	}
	return breach("%s is not allowed now", printableName(name))
}

// handshake takes the first message.
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
	s.settle() // that may take longer than a request, and so may what follows
	if err := s.read(name); err != nil {
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
		s.replyAll(list)
		return nil
	case protocol.NameGameDescription:
		var r protocol.GameDescription
		if err := decode(&r); err != nil {
			return err
		}
		if d, ok := s.server.gameAnswers().descriptions[r.Name]; ok {
			s.replyAll(d)
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
		s.replyAll(s.server.lobbyAnswers().list)
		return nil
	case protocol.NameLobbySubscribe:
		s.become(idle, subscribed, "")
		s.server.lobby.Subscribe(s, func() uint64 {
			a := s.server.lobbyAnswers()
			s.replyAll(a.seed)
			return a.generation
		})
		return nil
	case protocol.NameLobbyJoinMatch:
		var r protocol.LobbyJoinMatch
		if err := decode(&r); err != nil {
			return err
		}
		if err := s.server.lobby.Join(s, s.from(), r); err != nil {
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
	// The client left while the other side ended: it still waits for the answer.
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
func (s *session) answerWith(name string, v any) { s.reply(protocol.Encode(name, v), false) }

// replyAll queues an answer that is the same for all: nobody may change it.
func (s *session) replyAll(message []byte) {
	s.charge(len(message))
	s.reply(message, false)
}

func gameListV1(offers []*catalog.Offer) protocol.GameListReplyV1 {
	list := protocol.GameListReplyV1{Games: []string{}}
	for _, o := range offers {
		list.Games = append(list.Games, o.Name)
	}
	return list
}

func gameList(offers []*catalog.Offer) protocol.GameListReply {
	list := protocol.GameListReply{Games: []protocol.GameInfo{}}
	for _, o := range offers {
		info := protocol.GameInfo{Name: o.Name, Args: map[string]protocol.ArgInfo{}, Title: o.Title, Unavailable: o.Unavailable}
		for _, p := range o.Params {
			info.Args[p.Name] = protocol.ArgInfo{
				Description: p.Description + ": " + p.Range() + " (default " + p.Default + ")", Regex: p.Regex(),
			}
		}
		list.Games = append(list.Games, info)
	}
	return list
}

var errTooManyReaders = protocolError{protocol.CloseLimit, "too many requests at once: try again later"}

var errBusy = protocolError{protocol.CloseLimit, "too many requests wait: try again later"}

var errTooManyMatches = errors.New("too many new matches from your address: try again in a minute")

// create opens a match, when the client's address may.
func (s *session) create(ctx context.Context, r protocol.GameNew) (string, error) {
	if s.visitor != nil && !s.visitor.matches.Allow() {
		s.server.limit(limitNewMatches)
		return "", errTooManyMatches
	}
	return s.server.lobby.Create(ctx, s.from(), r)
}

// from is the client's address for the limits of the lobby; empty: none apply.
func (s *session) from() string {
	if s.visitor == nil {
		return ""
	}
	return s.visitor.key
}

// past answers requests about matches that have ended.
func (s *session) past(ctx context.Context, name string, body json.RawMessage) error {
	if name == protocol.NameHistoryMatchList {
		list, err := s.server.historyList(ctx)
		switch {
		case errors.Is(err, errBusy):
			return errBusy // the protocol has no refusal of this request
		case err != nil:
			s.log.Error("the history can't be read", "error", err)
			s.answerWith(name, []string{})
		default:
			s.replyAll(list)
		}
		return nil
	}
	var r protocol.MatchID
	if err := protocol.Decode(name, body, &r); err != nil {
		return breach("%v", err)
	}
	if !lobby.ValidID(r.ID) {
		s.reply(protocol.EncodeHistoryError(protocol.HistoryInvalidID), true)
		return nil
	}
	done, ok := s.server.Work(ctx)
	if !ok {
		s.reply(protocol.EncodeHistoryError(protocol.HistoryUnreadable), true)
		return nil
	}
	defer done()
	rec, err := s.server.history.Get(ctx, r.ID)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && rec.State == store.Running:
		s.reply(protocol.EncodeHistoryError(protocol.HistoryNotFound), true)
	case err != nil:
		s.log.Error("a record can't be read", "match", r.ID, "error", err)
		s.reply(protocol.EncodeHistoryError(protocol.HistoryUnreadable), true)
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
		s.reply(message, true)
	}
	return nil
}

// What follows is called by the lobby and by matches. Nothing blocks.

// Feed implements lobby.Subscriber.
func (s *session) Feed(message []byte) { s.push(message) }

// Update implements lobby.Player and lobby.Spectator.
func (s *session) Update(message []byte) { s.push(message) }

// Joined implements lobby.Player.
func (s *session) Joined(info protocol.MatchInfo) {
	s.become(idle, joined, info.ID)
	s.answerWith(protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(info)})
}

// Started implements lobby.Player.
func (s *session) Started(m *match.Match, seat int) {
	s.mu.Lock()
	s.state, s.match, s.seat = playing, m, seat
	s.matches++
	s.mu.Unlock()
	s.push(protocol.Encode(protocol.NameMatchStarted, nil))
}

// Unread implements match.Player.
func (s *session) Unread(before time.Time) bool {
	return s.arrivals != nil && s.arrivals.Unread(before)
}

// Cut implements match.Player.
func (s *session) Cut() { s.close(protocol.CloseTooSlow, tooSlow) }

// Ended implements match.Player.
func (s *session) Ended(r protocol.MatchResult) {
	message := protocol.Encode(protocol.NameMatchEnded, protocol.EndedReply{Result: &r})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.match = nil
	s.release(message)
}

// Watching implements lobby.Spectator.
func (s *session) Watching(info protocol.MatchInfo, stream *match.Stream) {
	s.become(idle, watching, info.ID)
	s.answerWith(protocol.NameSpectateJoined, protocol.JoinedReply{Info: protocol.Ok(info)})
	if stream != nil {
		s.charge(stream.Len())
		s.Playing(stream)
	}
}

// Playing implements lobby.Spectator.
func (s *session) Playing(stream *match.Stream) {
	s.mu.Lock()
	id := s.id
	s.mu.Unlock()
	s.push(protocol.Encode(protocol.NameSpectateStarted, nil))
	s.watch(stream, func(r protocol.MatchResult) {
		message := protocol.Encode(protocol.NameSpectateEnded, protocol.EndedReply{Result: &r})
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.state == watching && s.id == id { // the client may have left
			s.release(message)
		}
	})
}

// Expired implements lobby.Player and lobby.Spectator.
func (s *session) Expired(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(protocol.Encode(protocol.NameLobbyDelete, protocol.LobbyDelete{ID: id, Reason: reason}))
}

// release brings the client back to where it may ask for anything, and says
// why. That is queued before the answer to whatever it asks next. Called with
// mu held.
func (s *session) release(message []byte) {
	s.state, s.id = idle, ""
	s.push(message)
}

// printableName keeps what a stranger sent out of close frames, which hold at
// most 125 bytes.
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
