// Package protocol is the protocol of Code Colosseum between a client and a host on
// a WebSocket, version 2 (and 1). docs/protocol.md describes the order of messages.
//
// A message is a JSON object with one key, the message's name. The value is an object
// with the message's fields: {"GameList":{}}. A message without fields can also be the
// bare string "GameList".
package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Values of the handshake. A host accepts the versions OldestVersion to Version.
const (
	Magic         = "coco"
	Version       = 2
	OldestVersion = 1
)

// MaxMessage is a host's limit for one message of a client, in bytes.
const MaxMessage = 64 << 10

// Close codes of the WebSocket, in addition to the standard ones.
const (
	CloseProtocol = 4000 // the client broke the protocol; connecting again does not help
	CloseTooSlow  = 4001 // the client does not read
	CloseLimit    = 4002 // a limit was reached; try again later
	CloseShutdown = 4003 // the host is shutting down; try again later
	CloseToken    = 4004 // the token in the handshake is not valid; connecting again does not help
	CloseReplaced = 4005 // another connection of the same player or seat has taken over
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

// Names of our own messages. A host sends those that are not replies only to a
// client that has used the same feature.
const (
	NamePlayerRegister  = "PlayerRegister"  // a request and its reply
	NameSpectateMatches = "SpectateMatches" // a request and its reply
	NameLobbyMatch      = "LobbyMatch"      // a request and its reply
	NameLobbyFindMatch  = "LobbyFindMatch"  // answered by LobbyJoinedMatch
	NameMatchResume     = "MatchResume"
	NameMatchResumed    = "MatchResumed"
	NameMatchReceived   = "MatchReceived" // from a player, without a reply
	NamePlayerAway      = "PlayerAway"    // to a player that can resume
	NameServe           = "Serve"
	NameServing         = "Serving"
	NameServeMatch      = "ServeMatch"    // to a client that serves
	NameMatchQuestion   = "MatchQuestion" // to a player that has asked for hints
	NameMatchNote       = "MatchNote"     // from a player that can resume, without a reply
	NameMatchSent       = "MatchSent"     // to a player of a branch
	NameMatchHint       = "MatchHint"     // from a player that can resume, and its reply
)

// Requests returns the names of the messages that clients send.
func Requests() []string {
	return []string{
		NameHandshake, NameGameList, NameGameDescription, NameGameNew, NameLobbyList, NameLobbySubscribe, NameLobbyUnsubscribe,
		NameLobbyJoinMatch, NameLobbyLeaveMatch, NameSpectateJoin, NameSpectateLeave, NameHistoryMatchList, NameHistoryMatch,
		NamePlayerRegister, NameLobbyMatch, NameLobbyFindMatch, NameMatchResume, NameMatchReceived, NameMatchNote, NameMatchHint, NameServe,
		NameSpectateMatches,
	}
}

// Replies returns the names of the messages that only hosts send.
func Replies() []string {
	return []string{
		NameLobbySubscribed, NameLobbyUnsubscribed, NameLobbyNew, NameLobbyUpdate, NameLobbyDelete, NameLobbyJoinedMatch,
		NameLobbyLeavedMatch, NameMatchStarted, NameMatchEnded, NameSpectateJoined, NameSpectateStarted, NameSpectateSynced,
		NameSpectateEnded, NameSpectateLeaved, NameMatchResumed, NamePlayerAway, NameServing, NameServeMatch, NameMatchQuestion, NameMatchSent,
	}
}

// Features are the values of Handshake.Features.
const (
	FeaturePlayers  = "players"  // tokens and PlayerRegister
	FeatureResume   = "resume"   // LobbyJoinMatch.Resume and MatchResume
	FeatureFind     = "find"     // LobbyFindMatch and LobbyMatch
	FeatureServe    = "serve"    // Serve and GameNew.Opponents
	FeatureClock    = "clock"    // GameParams.Clock
	FeatureRematch  = "rematch"  // GameNew.Rematch
	FeatureLevels   = "levels"   // GameParams.Levels
	FeatureHints    = "hints"    // LobbyJoinMatch.Hints and MatchQuestion
	FeatureRetries  = "retries"  // GameParams.Retries
	FeatureNotes    = "notes"    // MatchNote
	FeatureSpectate = "spectate" // SpectateMatches
	FeatureBranch   = "branch"   // GameNew.Branch and MatchSent
	FeatureSeat     = "seat"     // GameParams.Seat
)

// Handshake is the first message each way.
type Handshake struct {
	Magic   string `json:"magic"`
	Version int    `json:"version"`

	Token    string   `json:"token,omitempty"`    // from a client: the secret of its player
	Player   string   `json:"player,omitempty"`   // from a host: the player with that token
	Features []string `json:"features,omitempty"` // from a host: what it can do beyond the original
}

// PlayerRegister requests a new player.
type PlayerRegister struct {
	Name   string `json:"name"`
	Invite string `json:"invite,omitempty"` // the code that a host with registration by invitation needs
}

// PlayerRegisterReply is the reply to PlayerRegister: the new player's token, which
// the host cannot show again.
type PlayerRegisterReply struct {
	Token Result[string] `json:"token"`
}

// GameListReply is the reply to GameList in version 2.
type GameListReply struct {
	Games []GameInfo `json:"games"`
}

// GameListReplyV1 is the reply to GameList in version 1.
type GameListReplyV1 struct {
	Games []string `json:"games"`
}

// GameInfo describes a game in the list of games.
type GameInfo struct {
	Name string             `json:"name"`
	Args map[string]ArgInfo `json:"args"`

	Title       string `json:"title,omitempty"`       // for people
	Unavailable string `json:"unavailable,omitempty"` // why it can't be played now
}

// ArgInfo describes one parameter of a game.
type ArgInfo struct {
	Description string `json:"description"`
	Regex       string `json:"regex"`
}

// GameDescription requests the description of a game.
type GameDescription struct {
	Name string `json:"name"`
}

// GameDescriptionReply is the reply to GameDescription, in Markdown; nil if there is
// no such game.
type GameDescriptionReply struct {
	Description *string `json:"description"`
}

// GameNew requests a new match.
type GameNew struct {
	Name         string            `json:"name"`
	Game         string            `json:"game"`
	Params       GameParams        `json:"params"`
	Args         map[string]string `json:"args"`
	Password     *string           `json:"password"`
	Verification *string           `json:"verification"`
	Opponents    []string          `json:"opponents,omitempty"` // players that are challenged: each must serve, and gets a seat
	Branch       *NewBranch        `json:"branch,omitempty"`    // the match begins with the moves of another one
	Rematch      string            `json:"rematch,omitempty"`   // an ended match: the same participants play again with its settings, each on the seat before its own
}

// NewBranch asks for a match that begins with the moves of another one, with its settings, and
// goes on with the client on one seat and bots on the others. Of GameNew.Params, Levels counts if
// there are any, and Timeout and Clock if there is a timeout; Args are not used.
type NewBranch struct {
	Match  string `json:"match"`            // it has ended; with Ticket it can run
	Seat   int    `json:"seat"`             // of the client
	Line   int    `json:"line"`             // the branch begins at the first question after so many lines of the stream for spectators
	Back   bool   `json:"back,omitempty"`   // instead, it begins before the last answer of the seat
	Name   string `json:"name"`             // under which the client joins, unless it has a registered player
	Ticket string `json:"ticket,omitempty"` // of the client's seat in the match, if it runs: it must be against bots alone, and then it ends
}

// Branch is where a match has left an earlier one.
type Branch struct {
	Match   string `json:"match"`   // the ID of the earlier one
	Line    int    `json:"line"`    // of the spectators' stream there, from which they differ
	Answers int    `json:"answers"` // that both begin with
}

// Clock is the time that each player has for a whole match, in addition to the limit
// for one answer.
type Clock struct {
	Bank      float64 `json:"bank"`      // seconds at the start
	Increment float64 `json:"increment"` // seconds that each turn adds
}

// GameParams are the parameters that all games have; nil is the game's default.
type GameParams struct {
	Players *int     `json:"players"`
	Bots    int      `json:"bots"`
	Timeout *float64 `json:"timeout"` // seconds
	Clock   *Clock   `json:"clock,omitempty"`
	Levels  []string `json:"levels,omitempty"`  // of the first bots; "" and those of the others are the game's parameter bot
	Retries int      `json:"retries,omitempty"` // how often a player may answer again in one turn after an answer that is not legal; 0: never
	Seat    int      `json:"seat,omitempty"`    // of the only player against bots, from 1; 0: seats are drawn by lot
}

// GameNewReply is the reply to GameNew: the ID of the new match.
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
	Connected  []string          `json:"connected"` // names of the players, except bots
	Spectators int               `json:"spectators"`
	Password   bool              `json:"password"`
	Verified   bool              `json:"verified"`

	Clock      *Clock            `json:"clock,omitempty"`
	Identities map[string]string `json:"identities,omitempty"` // the registered player of each name in Connected that has one
	Lag        map[string]int64  `json:"lag_ms,omitempty"`     // by name in Connected: milliseconds to the player and back, if measured
	Reserved   []string          `json:"reserved,omitempty"`   // players that have a seat kept for them and have not joined
	Contest    string            `json:"contest,omitempty"`    // the name of the contest to which the match belongs
	Rematch    string            `json:"rematch,omitempty"`    // the ended match that its players play again
	Branch     *Branch           `json:"branch,omitempty"`     // the match begins with the moves of another one
	Commitment string            `json:"commitment,omitempty"` // to the seed of a running match: hex SHA-256 of 16 bytes of salt and the seed's 8 bytes, big-endian
	Levels     []string          `json:"levels,omitempty"`     // as in GameParams, of ServerBot$0 and so on
	Retries    int               `json:"retries,omitempty"`    // as in GameParams
	Delay      float64           `json:"delay,omitempty"`      // seconds by which spectators see the running match later
}

// LobbyListReply is the reply to LobbyList: all matches in the lobby.
type LobbyListReply struct {
	Info []MatchInfo `json:"info"`
}

// LobbySubscribedReply is the reply to LobbySubscribe: all matches in the lobby at
// that time.
type LobbySubscribedReply struct {
	Seed []MatchInfo `json:"seed"`
}

// LobbyEvent is a LobbyNew or a LobbyUpdate.
type LobbyEvent struct {
	Info MatchInfo `json:"info"`
}

// MatchID is a SpectateJoin or a HistoryMatch. To a client of SpectateMatches it is also a
// SpectateStarted or a SpectateSynced.
type MatchID struct {
	ID string `json:"id"`
}

// MaxSpectated is the number of matches that a client can watch together.
const MaxSpectated = 16

// SpectateMatches requests to watch these matches together from now on, and no others. In
// the reply are those that the client watches.
type SpectateMatches struct {
	IDs []string `json:"ids"`
}

// DidNotJoin ends the reason of a match that was removed because players, which are named
// before it, did not come.
const DidNotJoin = " did not join in time"

// LobbyDelete reports that a match has left the lobby.
type LobbyDelete struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"` // why a waiting match was removed before its expiry
}

// LobbyJoinMatch requests a seat in a waiting match.
type LobbyJoinMatch struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Password *string `json:"password"`
	Resume   bool    `json:"resume,omitempty"` // the client can come back after its connection has broken: it gets a ticket
	Hints    bool    `json:"hints,omitempty"`  // the client wants a MatchQuestion with each question to its seat
	Branch   bool    `json:"branch,omitempty"` // the client understands MatchSent, so it can join a match with MatchInfo.Branch
	Ticket   string  `json:"ticket,omitempty"` // the ticket that the client has chosen, so that it has one even if the reply is lost; empty: the host chooses
}

// Bounds of the answers of a MatchQuestion: their number, and the bytes of all together.
const (
	MaxHints     = 512
	MaxHintBytes = 16 << 10
)

// MatchQuestion is sent to a player that has asked for hints, after the text that the game
// has written and before the player answers. It is no part of the stream of the match.
type MatchQuestion struct {
	Number   int      `json:"number"`             // of the question to this seat, from 1
	Answers  []string `json:"answers"`            // legal ones, without line feeds; empty: the game names none
	More     bool     `json:"more,omitempty"`     // there are more than these
	Examples bool     `json:"examples,omitempty"` // other answers can be legal too
	Tick     bool     `json:"tick,omitempty"`     // it ends after its time, whether the player answers or not
	Seconds  float64  `json:"seconds"`            // for the answer
	Retries  int      `json:"retries,omitempty"`  // how often the player may still answer again in this turn
}

// MatchHint is the reply to a MatchHint without fields, which a player can send while it is
// asked in a match against bots alone: the line that the game finds best.
type MatchHint struct {
	Line Result[string] `json:"line"`
}

// MatchSent is sent to a player of a match that begins with the moves of another one: its seat
// has sent this line there, after the text that the player has received so far. It does not
// count as a line of the client.
type MatchSent struct {
	Line string `json:"line"`
}

// ValidTicket reports whether a client can choose a ticket: it must have 26 to 64
// letters, digits, hyphens and underscores. They must be random, since anyone who
// guesses the ticket can take over the seat.
func ValidTicket(ticket string) bool {
	other := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_'
	}
	return len(ticket) >= 26 && len(ticket) <= 64 && !strings.ContainsFunc(ticket, other)
}

// LobbyMatchReply is the reply to LobbyMatch, a request with the fields of MatchID.
type LobbyMatchReply struct {
	Info Result[MatchInfo] `json:"info"`
}

// LobbyFindMatch requests a seat in a waiting match with these settings that was
// created in the same way, or in a new one if there is none.
type LobbyFindMatch struct {
	New    GameNew `json:"new"` // without passwords and opponents
	Name   string  `json:"name"`
	Resume bool    `json:"resume,omitempty"`
	Hints  bool    `json:"hints,omitempty"`  // as in LobbyJoinMatch
	Ticket string  `json:"ticket,omitempty"` // as in LobbyJoinMatch
}

// JoinedReply is a LobbyJoinedMatch or a SpectateJoined.
type JoinedReply struct {
	ID     string            `json:"id,omitempty"` // to a client of SpectateMatches
	Info   Result[MatchInfo] `json:"info"`
	Ticket string            `json:"ticket,omitempty"` // for MatchResume, if the client joined with Resume
}

// MatchResume requests the seat that the client had on a broken connection.
type MatchResume struct {
	Ticket   string `json:"ticket"`
	Received uint64 `json:"received"` // bytes of the match's stream that the client has

	ID string `json:"id,omitempty"` // of the match, so that a refusal can say how it ended; empty: the client does not ask
}

// MatchResumedReply is the reply to MatchResume. The stream follows from byte
// Received on, and the client sends its lines again from line Taken on.
type MatchResumedReply struct {
	Info    Result[MatchInfo] `json:"info"`
	Taken   uint64            `json:"taken"`   // lines of the client that the host has
	Started bool              `json:"started"` // MatchStarted was sent, on this connection or an earlier one
}

// MatchReceived reports how much of its match's stream a player has received, so that the
// host can forget these bytes.
type MatchReceived struct {
	Bytes uint64 `json:"bytes"`
}

// MatchNote is a text about the next line that the player sends, such as what it has cost to
// find it. The record keeps it with that answer, and shows it after the end of the match.
// It has at most 1024 bytes; the rest is dropped.
type MatchNote struct {
	Text string `json:"text"`
}

// PlayerAway reports that the connection of another player of the match has broken,
// or that the player is back.
type PlayerAway struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // until the seat is lost; 0: the player is back
}

// Serve offers a registered player for matches that the host creates.
type Serve struct {
	Games       []string `json:"games"`
	Concurrency int      `json:"concurrency"`          // matches at the same time
	Challenges  bool     `json:"challenges,omitempty"` // take only challenges, no pairings by the host
}

// ServingReply is the reply to Serve. ServeMatch messages follow until the connection
// ends; a later Serve on it replaces the first. After one with concurrency 0 the host
// assigns no new matches, but one that it was creating can still follow the reply.
type ServingReply struct {
	Player Result[string] `json:"player"`
	// Replaced are the games that the player served on another connection, which the host
	// has ended.
	Replaced []string `json:"replaced,omitempty"`
}

// ServeMatch is a match with a seat for the player that serves. It must join, on
// another connection, within the given time.
type ServeMatch struct {
	Info    MatchInfo `json:"info"`
	Seconds float64   `json:"seconds"`
}

// EndedReply is a MatchEnded or a SpectateEnded. The original server sends no
// result.
type EndedReply struct {
	ID     string       `json:"id,omitempty"` // to a client of SpectateMatches
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

	Team     int    `json:"team,omitempty"`        // from 1; the seats of a team share their rank; 0: the seat plays for itself
	Player   string `json:"player,omitempty"`      // the registered player; empty: none
	Left     *int64 `json:"left_ms,omitempty"`     // milliseconds left in the bank of the clock; nil: the match has no clock
	Lag      int64  `json:"lag_ms,omitempty"`      // milliseconds to the player and back, on average
	Forgiven int64  `json:"forgiven_ms,omitempty"` // milliseconds of lag that were not counted
	Away     int    `json:"away,omitempty"`        // how many times the connection broke
	Missed   int    `json:"missed,omitempty"`      // ticks without an answer
	Dropped  int    `json:"dropped,omitempty"`     // lines that were not the answer to a tick
	Refused  int    `json:"refused,omitempty"`     // answers that were not legal, in a match with retries
	Fault    *Fault `json:"fault,omitempty"`       // how the player lost by its own doing
}

// Drawn reports whether several seats share the first rank without being one team. A
// seat's place is its rank and its team.
func Drawn[S any](seats []S, place func(S) (rank, team int)) bool {
	first, together := 0, -1
	for _, s := range seats {
		rank, team := place(s)
		if rank != 1 {
			continue
		}
		if first++; first > 1 && (team == 0 || team != together) {
			return true
		}
		together = team
	}
	return false
}

// Fault explains a forfeit to its player.
type Fault struct {
	Line  string `json:"line,omitempty"`    // the last line that was refused, shortened
	Asked string `json:"asked,omitempty"`   // the text of the referee before it, shortened
	Late  int64  `json:"late_ms,omitempty"` // milliseconds between the end of the time and the answer, if one came
}

// Values of PlayerResult.Ended. Those of sdk/driver are the same.
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

// Ok returns a result with a value.
func Ok[T any](v T) Result[T] { return Result[T]{Ok: &v} }

// Refused returns a result with a refusal.
func Refused[T any](err error) Result[T] {
	text := err.Error()
	return Result[T]{Err: &text}
}

// Get returns the value, or the refusal as an error.
func (r Result[T]) Get() (v T, err error) {
	switch {
	case r.Ok != nil:
		return *r.Ok, nil
	case r.Err != nil:
		return v, errors.New(*r.Err)
	default:
		return v, errors.New("the server sent neither Ok nor Err")
	}
}

// Encode returns a message. With a nil body it is {"name":{}}.
func Encode(name string, body any) []byte {
	if body == nil {
		return []byte(`{"` + name + `":{}}`)
	}
	fields, err := json.Marshal(body)
	if err != nil {
		panic("protocol: cannot encode " + name + ": " + err.Error()) // all types above can be encoded
	}
	msg := make([]byte, 0, len(name)+len(fields)+5)
	msg = append(append(append(msg, `{"`...), name...), `":`...)
	return append(append(msg, fields...), '}')
}

// Split returns the name of a message and its fields, which are {} for a bare
// string. Its error is a text for the sender.
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

// Decode decodes the fields of a message into v. Its error is a text for the sender.
func Decode(name string, body json.RawMessage, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w", name, fault(err))
	}
	return nil
}

// fault turns an error of encoding/json into a text for the sender.
func fault(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("it is %s, not an object", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s can't take %s", kind.Field, article(kind.Value))
	default:
		return errors.New("it is not JSON")
	}
}

// article returns the type of a JSON value with its article. encoding/json names the
// type, for some numbers with the digits after it.
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
