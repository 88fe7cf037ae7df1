// Package protocol is what a client and a host say to each other on a
// WebSocket: the protocol of Code Colosseum, version 2 (and 1). The document
// docs/protocol.md describes the order of messages.
//
// A message is a JSON object with one key, its name, whose value holds its
// fields: {"GameList":{}}. A message without fields may also be the bare
// string "GameList".
package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The handshake's values. A host accepts versions OldestVersion to Version.
const (
	Magic         = "coco"
	Version       = 2
	OldestVersion = 1
)

// MaxMessage is the most bytes that a host takes in one message of a client.
const MaxMessage = 64 << 10

// Close codes of WebSocket, besides the standard ones.
const (
	CloseProtocol = 4000 // the client broke the protocol; do not come back unchanged
	CloseTooSlow  = 4001 // the client does not read what is written for it
	CloseLimit    = 4002 // a limit was reached; try again later
	CloseShutdown = 4003 // the host stops; try again later
)

// Names of messages. Some are both a request and its reply.
const (
	NameHandshake         = "Handshake"
	NameGameList          = "GameList"
	NameGameDescription   = "GameDescription"
	NameGameNew           = "GameNew"
	NameLobbyList         = "LobbyList"
	NameLobbySubscribe    = "LobbySubscribe"
	NameLobbySubscribed   = "LobbySubscribed"
	NameLobbyUnsubscribe  = "LobbyUnsubscribe"
	NameLobbyUnsubscribed = "LobbyUnsubscribed"
	NameLobbyNew          = "LobbyNew"
	NameLobbyUpdate       = "LobbyUpdate"
	NameLobbyDelete       = "LobbyDelete"
	NameLobbyJoinMatch    = "LobbyJoinMatch"
	NameLobbyJoinedMatch  = "LobbyJoinedMatch"
	NameLobbyLeaveMatch   = "LobbyLeaveMatch"
	NameLobbyLeavedMatch  = "LobbyLeavedMatch"
	NameMatchStarted      = "MatchStarted"
	NameMatchEnded        = "MatchEnded"
	NameSpectateJoin      = "SpectateJoin"
	NameSpectateJoined    = "SpectateJoined"
	NameSpectateStarted   = "SpectateStarted"
	NameSpectateSynced    = "SpectateSynced"
	NameSpectateEnded     = "SpectateEnded"
	NameSpectateLeave     = "SpectateLeave"
	NameSpectateLeaved    = "SpectateLeaved"
	NameHistoryMatchList  = "HistoryMatchList"
	NameHistoryMatch      = "HistoryMatch"
)

// Handshake is the first message each way.
type Handshake struct {
	Magic   string `json:"magic"`
	Version int    `json:"version"`
}

// GameListReply is the reply to GameList in version 2.
type GameListReply struct {
	Games []GameInfo `json:"games"`
}

// GameListReplyV1 is the reply to GameList in version 1.
type GameListReplyV1 struct {
	Games []string `json:"games"`
}

// GameInfo is a game in a list.
type GameInfo struct {
	Name string             `json:"name"`
	Args map[string]ArgInfo `json:"args"`

	Title       string `json:"title,omitempty"`       // for people
	Unavailable string `json:"unavailable,omitempty"` // why it can't be played now
}

// ArgInfo is one parameter of a game.
type ArgInfo struct {
	Description string `json:"description"`
	Regex       string `json:"regex"`
}

// GameDescription asks for the description of a game.
type GameDescription struct {
	Name string `json:"name"`
}

// GameDescriptionReply holds Markdown; nil: there is no such game.
type GameDescriptionReply struct {
	Description *string `json:"description"`
}

// GameNew asks for a new match.
type GameNew struct {
	Name         string            `json:"name"`
	Game         string            `json:"game"`
	Params       GameParams        `json:"params"`
	Args         map[string]string `json:"args"`
	Password     *string           `json:"password"`
	Verification *string           `json:"verification"`
}

// GameParams are the choices that every game has; nil leaves one to the game.
type GameParams struct {
	Players *int     `json:"players"`
	Bots    int      `json:"bots"`
	Timeout *float64 `json:"timeout"` // seconds
}

// GameNewReply holds the ID of the new match.
type GameNewReply struct {
	ID Result[string] `json:"id"`
}

// MatchInfo is a match in the lobby.
type MatchInfo struct {
	Players    int               `json:"players"`
	Bots       int               `json:"bots"`
	Timeout    float64           `json:"timeout"` // seconds
	Args       map[string]string `json:"args"`    // as given by the creator
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Game       string            `json:"game"`
	Running    bool              `json:"running"`
	Time       int64             `json:"time"`      // Unix seconds: the start if running, else the expiry
	Connected  []string          `json:"connected"` // names of the players who are no bots
	Spectators int               `json:"spectators"`
	Password   bool              `json:"password"`
	Verified   bool              `json:"verified"`
}

// LobbyListReply is the whole lobby.
type LobbyListReply struct {
	Info []MatchInfo `json:"info"`
}

// LobbySubscribedReply is the lobby at the time of the subscription.
type LobbySubscribedReply struct {
	Seed []MatchInfo `json:"seed"`
}

// LobbyEvent is a LobbyNew or a LobbyUpdate.
type LobbyEvent struct {
	Info MatchInfo `json:"info"`
}

// MatchID names a match: a SpectateJoin or HistoryMatch.
type MatchID struct {
	ID string `json:"id"`
}

// LobbyDelete says that a match is not in the lobby any more.
type LobbyDelete struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"` // why one that waited ended before its time
}

// LobbyJoinMatch asks for a seat in a waiting match.
type LobbyJoinMatch struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Password *string `json:"password"`
}

// JoinedReply is a LobbyJoinedMatch or a SpectateJoined.
type JoinedReply struct {
	Info Result[MatchInfo] `json:"info"`
}

// EndedReply is a MatchEnded or a SpectateEnded. Older servers send no result.
type EndedReply struct {
	Result *MatchResult `json:"result,omitempty"`
}

// MatchResult is how a match ended.
type MatchResult struct {
	Players []PlayerResult `json:"players"` // by seat
	Reason  string         `json:"reason"`
	Aborted bool           `json:"aborted,omitempty"` // by a fault of the game or of the host
}

// PlayerResult is how a match ended for one seat.
type PlayerResult struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
	Rank  int     `json:"rank"`  // from 1; equal seats share one; 0 when aborted
	Ended string  `json:"ended"` // EndedFinished, EndedAborted, or Forfeit and a reason
}

// Values of PlayerResult.Ended.
const (
	EndedFinished  = "finished"
	EndedAborted   = "aborted"
	Forfeit        = "forfeit: "
	ForfeitIllegal = Forfeit + "illegal"
	ForfeitTimeout = Forfeit + "timeout"
)

// Result is a value or a refusal.
type Result[T any] struct {
	Ok  *T      `json:"Ok,omitempty"`
	Err *string `json:"Err,omitempty"`
}

// Ok is a result that holds a value.
func Ok[T any](v T) Result[T] { return Result[T]{Ok: &v} }

// Refused is a result that holds a refusal.
func Refused[T any](err error) Result[T] {
	text := err.Error()
	return Result[T]{Err: &text}
}

// Get returns the value, or the refusal as an error.
func (r Result[T]) Get() (T, error) {
	switch {
	case r.Ok != nil:
		return *r.Ok, nil
	case r.Err != nil:
		var zero T
		return zero, errors.New(*r.Err)
	default:
		var zero T
		return zero, errors.New("the server sent neither Ok nor Err")
	}
}

// Encode returns a message; a nil body makes {"name":{}}.
func Encode(name string, body any) []byte {
	if body == nil {
		return []byte(`{"` + name + `":{}}`)
	}
	fields, err := json.Marshal(body)
	if err != nil {
		panic("protocol: cannot encode " + name + ": " + err.Error()) // every type above can be
	}
	msg := make([]byte, 0, len(name)+len(fields)+5)
	msg = append(append(append(msg, `{"`...), name...), `":`...)
	return append(append(msg, fields...), '}')
}

// Split returns the name of a message and its fields, which are {} for a bare
// string. Its error says what is wrong with the message.
func Split(msg []byte) (name string, body json.RawMessage, err error) {
	msg = bytes.TrimSpace(msg)
	if len(msg) > 0 && msg[0] == '"' {
		if err := json.Unmarshal(msg, &name); err != nil {
			return "", nil, fmt.Errorf("not a message: %w", fault(err))
		}
		return name, json.RawMessage("{}"), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(msg, &fields); err != nil {
		return "", nil, fmt.Errorf("not a message: %w", fault(err))
	}
	if len(fields) != 1 {
		return "", nil, fmt.Errorf("not a message: %d keys instead of one", len(fields))
	}
	for name, body = range fields {
	}
	return name, body, nil
}

// Decode fills v with the fields of a message.
func Decode(name string, body json.RawMessage, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w", name, fault(err))
	}
	return nil
}

// fault says what is wrong with a JSON text, for whoever wrote it.
func fault(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("it is %s, not an object", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s can't take %s", kind.Field, article(kind.Value))
	default:
		return errors.New("it is no JSON")
	}
}

// article names a JSON value; json calls it by its type, a number perhaps with
// its digits.
func article(value string) string {
	word, _, _ := strings.Cut(value, " ")
	switch word {
	case "array", "object":
		return "an " + word
	case "bool":
		return "true or false"
	}
	return "a " + word
}
