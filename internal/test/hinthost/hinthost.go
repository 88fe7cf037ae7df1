// Package hinthost is a small host for tests of clients that answer questions: its one
// game, rps, is three rounds of roshambo against a bot that plays PAPER.
package hinthost

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"colosseum/protocol"

	"github.com/gorilla/websocket"
)

// Rounds is the number of rounds of a match.
const Rounds = 3

// Moves are the legal answers.
var Moves = []string{"ROCK", "PAPER", "SCISSORS"}

// Host has matches. Set the fields before Start.
type Host struct {
	Features []string // nil: all that the tests need
	Rules    string   // of rps, in Markdown
	Taunt    string   // comes with each move of the bot, as a line
	Tick     bool     // questions end after their time
	Silent   bool     // no question is sent, and the player loses by its time
	Seconds  float64  // for an answer; 0: the timeout of the match

	t  testing.TB
	mu sync.Mutex // guards the fields below, and the matches

	matches []*match
	names   []string // of the messages that came
}

// match is a match with one seat.
type match struct {
	host    *Host
	info    protocol.MatchInfo
	retries int
	ws      *websocket.Conn // of the player; nil: it is away
	name    string
	ticket  string
	started bool
	ended   bool
	stream  []byte
	half    []byte // of a line
	lines   []string
	note    string   // about the next line
	notes   []string // with lines
	round   int
	left    int // retries in this turn
	number  int // of the question
	score   int
	result  *protocol.MatchResult
}

// Start starts the host, and returns its URL.
func (h *Host) Start(t testing.TB) string {
	h.t = t
	if h.Features == nil {
		h.Features = []string{protocol.FeatureResume, protocol.FeatureFind, protocol.FeatureHints, protocol.FeatureRetries, protocol.FeatureServe, protocol.FeatureNotes}
	}
	upgrader := websocket.Upgrader{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		h.session(ws)
	}))
	t.Cleanup(web.Close)
	return "ws" + strings.TrimPrefix(web.URL, "http") + "/"
}

// Create creates a match with a bot.
func (h *Host) Create() (id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.newLocked(protocol.GameNew{Name: "T", Game: "rps"}).info.ID
}

// Waiting creates a match that waits for a player and one that is never there.
func (h *Host) Waiting() (id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.newLocked(protocol.GameNew{Name: "wait", Game: "rps"})
	m.info.Bots = 0
	return m.info.ID
}

// Lines returns the lines of the player of a match, and its name.
func (h *Host) Lines(id string) (lines []string, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.findLocked(id)
	return slices.Clone(m.lines), m.name
}

// EndTick puts the next question of a match, whether the player has answered or not.
func (h *Host) EndTick(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.findLocked(id).askLocked(true)
}

// Notes returns the note of each line of the player of a match; empty: none.
func (h *Host) Notes(id string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.findLocked(id).notes)
}

// Requests returns how many messages of that name came.
func (h *Host) Requests(name string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, other := range h.names {
		if other == name {
			n++
		}
	}
	return n
}

// Break ends the connection of the player of a match.
func (h *Host) Break(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.findLocked(id); m.ws != nil {
		m.ws.UnderlyingConn().Close()
	}
}

// Away reports whether the player of a match has lost its connection, and can come back.
func (h *Host) Away(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.findLocked(id)
	return m.started && !m.ended && m.ws == nil
}

// Ended returns the result of a match, or nil.
func (h *Host) Ended(id string) *protocol.MatchResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.findLocked(id).result
}

func (h *Host) newLocked(r protocol.GameNew) *match {
	m := &match{host: h, retries: r.Params.Retries, info: protocol.MatchInfo{
		ID: fmt.Sprintf("match%08d", len(h.matches)), Name: r.Name, Game: r.Game, Players: 2, Bots: 1, Timeout: 600, Args: map[string]string{}, Connected: []string{},
	}}
	if r.Params.Timeout != nil {
		m.info.Timeout = *r.Params.Timeout
	}
	h.matches = append(h.matches, m)
	return m
}

func (h *Host) findLocked(id string) *match {
	for _, m := range h.matches {
		if m.info.ID == id {
			return m
		}
	}
	return nil
}

func (h *Host) session(ws *websocket.Conn) {
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, m := range h.matches {
			if m.ws == ws {
				m.ws = nil
			}
		}
	}()
	for {
		kind, b, err := ws.ReadMessage()
		if err != nil {
			h.mu.Lock()
			for _, m := range h.matches {
				if m.ws == ws && websocket.IsCloseError(err, websocket.CloseNormalClosure) && m.started && !m.ended {
					m.endLocked("forfeit: disconnected", "left")
				}
			}
			h.mu.Unlock()
			return
		}
		h.mu.Lock()
		if kind == websocket.BinaryMessage {
			for _, m := range h.matches {
				if m.ws == ws {
					m.takeLocked(b)
				}
			}
		} else if name, body, err := protocol.Split(b); err == nil {
			h.names = append(h.names, name)
			h.handleLocked(ws, name, body)
		}
		h.mu.Unlock()
	}
}

func send(ws *websocket.Conn, name string, body any) {
	_ = ws.WriteMessage(websocket.TextMessage, protocol.Encode(name, body))
}

func (h *Host) handleLocked(ws *websocket.Conn, name string, body []byte) {
	switch name {
	case protocol.NameHandshake:
		var r protocol.Handshake
		_ = protocol.Decode(name, body, &r)
		reply := protocol.Handshake{Magic: protocol.Magic, Version: protocol.Version, Features: h.Features}
		if r.Token != "" {
			reply.Player = "registered"
		}
		send(ws, name, reply)
	case protocol.NameGameList:
		send(ws, name, protocol.GameListReply{Games: []protocol.GameInfo{{Name: "rps", Title: "Roshambo", Args: map[string]protocol.ArgInfo{"pace": {Description: "seconds", Regex: "[0-9]+"}}}}})
	case protocol.NameGameDescription:
		var r protocol.GameDescription
		_ = protocol.Decode(name, body, &r)
		reply := protocol.GameDescriptionReply{}
		if r.Name == "rps" {
			reply.Description = &h.Rules
		}
		send(ws, name, reply)
	case protocol.NameGameNew:
		var r protocol.GameNew
		_ = protocol.Decode(name, body, &r)
		if r.Game != "rps" {
			send(ws, name, protocol.GameNewReply{ID: protocol.Refused[string](errors.New("Cannot create game: Game not found"))})
			return
		}
		send(ws, name, protocol.GameNewReply{ID: protocol.Ok(h.newLocked(r).info.ID)})
	case protocol.NameLobbyList:
		reply := protocol.LobbyListReply{Info: []protocol.MatchInfo{}}
		for _, m := range h.matches {
			if !m.ended {
				reply.Info = append(reply.Info, m.info)
			}
		}
		send(ws, name, reply)
	case protocol.NameHistoryMatchList:
		ids := []string{}
		for _, m := range h.matches {
			if m.ended {
				ids = append(ids, m.info.ID)
			}
		}
		send(ws, name, ids)
	case protocol.NameHistoryMatch:
		var r protocol.MatchID
		_ = protocol.Decode(name, body, &r)
		m := h.findLocked(r.ID)
		if m == nil || !m.ended {
			_ = ws.WriteMessage(websocket.BinaryMessage, protocol.EncodeHistoryError(protocol.HistoryNotFound))
			return
		}
		_ = ws.WriteMessage(websocket.BinaryMessage, protocol.EncodeHistory(&protocol.History{ID: r.ID, Game: "rps", Players: []string{m.name}, Bots: 1, Stream: m.stream}))
	case protocol.NameServe:
		var r protocol.Serve
		_ = protocol.Decode(name, body, &r)
		send(ws, protocol.NameServing, protocol.ServingReply{Player: protocol.Ok("registered")})
		if r.Concurrency > 0 {
			m := h.newLocked(protocol.GameNew{Name: "served", Game: r.Games[0]})
			send(ws, protocol.NameServeMatch, protocol.ServeMatch{Info: m.info, Seconds: 15})
		}
	case protocol.NameLobbyJoinMatch:
		var r protocol.LobbyJoinMatch
		_ = protocol.Decode(name, body, &r)
		m := h.findLocked(r.ID)
		if m == nil || m.started {
			send(ws, protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Refused[protocol.MatchInfo](fmt.Errorf("Game %q does not exists", r.ID))})
			return
		}
		m.joinLocked(ws, r)
	case protocol.NameMatchResume:
		var r protocol.MatchResume
		_ = protocol.Decode(name, body, &r)
		i := slices.IndexFunc(h.matches, func(m *match) bool { return m.ticket == r.Ticket && m.started })
		if i < 0 || h.matches[i].ended && r.Received == 0 {
			send(ws, protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Refused[protocol.MatchInfo](fmt.Errorf("match %s has ended", r.ID))})
			return
		}
		h.matches[i].resumeLocked(ws, r.Received)
	case protocol.NameMatchNote:
		var r protocol.MatchNote
		_ = protocol.Decode(name, body, &r)
		for _, m := range h.matches {
			if m.ws == ws {
				m.note = r.Text
			}
		}
	case protocol.NameLobbyLeaveMatch:
		send(ws, protocol.NameLobbyLeavedMatch, nil)
	}
}

func (m *match) joinLocked(ws *websocket.Conn, r protocol.LobbyJoinMatch) {
	if !r.Hints {
		m.host.t.Error("got a join without hints, want one with them")
	}
	m.ws, m.name, m.ticket = ws, r.Name, r.Ticket
	m.info.Connected = []string{r.Name}
	send(ws, protocol.NameLobbyJoinedMatch, protocol.JoinedReply{Info: protocol.Ok(m.info), Ticket: r.Ticket})
	if m.info.Bots == 0 {
		return
	}
	m.started, m.info.Running = true, true
	send(ws, protocol.NameLobbyUpdate, protocol.LobbyEvent{Info: m.info})
	send(ws, protocol.NameMatchStarted, nil)
	m.tellLocked(fmt.Sprintf("%s\nServerBot$0\n%d\n", m.name, Rounds))
	m.left = m.retries
	if m.host.Silent {
		m.endLocked(protocol.ForfeitTimeout, "late")
		return
	}
	m.askLocked(true)
}

func (m *match) resumeLocked(ws *websocket.Conn, received uint64) {
	m.ws, m.half = ws, nil
	send(ws, protocol.NameMatchResumed, protocol.MatchResumedReply{Info: protocol.Ok(m.info), Taken: uint64(len(m.lines)), Started: true})
	if rest := m.stream[received:]; len(rest) > 0 {
		_ = ws.WriteMessage(websocket.BinaryMessage, rest)
	}
	if m.ended {
		send(ws, protocol.NameMatchEnded, protocol.EndedReply{Result: m.result})
		return
	}
	m.askLocked(false)
}

func (m *match) tellLocked(text string) {
	m.stream = append(m.stream, text...)
	if m.ws != nil {
		_ = m.ws.WriteMessage(websocket.BinaryMessage, []byte(text))
	}
}

func (m *match) askLocked(next bool) {
	if next {
		m.number++
	}
	if m.ws != nil {
		seconds := m.host.Seconds
		if seconds == 0 {
			seconds = m.info.Timeout
		}
		send(m.ws, protocol.NameMatchQuestion, protocol.MatchQuestion{Number: m.number, Answers: Moves, Tick: m.host.Tick, Seconds: seconds, Retries: m.left})
	}
}

func (m *match) takeLocked(b []byte) {
	m.half = append(m.half, b...)
	for {
		line, rest, ok := bytes.Cut(m.half, []byte{'\n'})
		if !ok || m.ended {
			return
		}
		m.half = slices.Clone(rest)
		m.lineLocked(string(line))
	}
}

func (m *match) lineLocked(line string) {
	m.lines, m.notes, m.note = append(m.lines, line), append(m.notes, m.note), ""
	switch i := slices.Index(Moves, line); {
	case i < 0 && m.left > 0:
		m.left--
		m.tellLocked(fmt.Sprintf("illegal: %s, try again\n", line))
		m.askLocked(true)
		return
	case i < 0:
		m.endLocked(protocol.ForfeitIllegal, m.name+" forfeits: illegal")
		return
	case line == "SCISSORS":
		m.score++
	}
	m.round++
	text := "PAPER\n"
	if m.host.Taunt != "" {
		text += m.host.Taunt + "\n"
	}
	m.tellLocked(text)
	if m.round == Rounds {
		m.endLocked(protocol.EndedFinished, "")
		return
	}
	m.left = m.retries
	m.askLocked(true)
}

func (m *match) endLocked(ended, reason string) {
	m.ended, m.info.Running = true, false
	own := protocol.PlayerResult{Name: m.name, Score: float64(m.score), Rank: 1, Ended: ended}
	if ended != protocol.EndedFinished {
		own.Rank = 2
	}
	m.result = &protocol.MatchResult{Reason: reason, Players: []protocol.PlayerResult{own, {Name: "ServerBot$0", Rank: 3 - own.Rank, Ended: protocol.EndedFinished}}}
	if m.ws != nil {
		send(m.ws, protocol.NameMatchEnded, protocol.EndedReply{Result: m.result})
	}
}
