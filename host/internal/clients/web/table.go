package web

import (
	"context"
	"encoding/json"

	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/cluster/relay"
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

// requests are all requests. The points are for those that read, search or register; the
// length of the answer adds to them. Other limits bound creating, joining and leaving
// matches.
var requests = []request{
	{name: protocol.NameHandshake, in: shaking, handle: (*session).handshake},
	{name: protocol.NamePlayerRegister, in: idle, points: 5, answer: (*session).register}, // asks the store, as a registration on a page does

	{name: protocol.NameGameList, in: idle, points: 1, answer: (*session).gameList},
	{name: protocol.NameGameDescription, in: idle, points: 1, answer: (*session).gameDescription},
	{name: protocol.NameGameNew, in: idle, answer: (*session).gameNew, host: (*session).hostOfNew, question: (*session).questionOfNew},

	{name: protocol.NameLobbyList, in: idle, points: 1, answer: (*session).lobbyList},
	{name: protocol.NameLobbyMatch, in: idle, points: 1, answer: (*session).lobbyMatch},
	{name: protocol.NameLobbySubscribe, in: idle, points: 1, answer: (*session).subscribe},
	{name: protocol.NameLobbyUnsubscribe, in: subscribed, handle: (*session).unsubscribe},

	{name: protocol.NameServe, in: idle | offered, points: 1, answer: (*session).serve, host: (*session).leader},    // looks at all free players
	{name: protocol.NameLobbyFindMatch, in: idle, points: 2, answer: (*session).findMatch, host: (*session).leader}, // asks the game, also if it is refused

	{name: protocol.NameLobbyJoinMatch, in: idle, answer: (*session).join, host: (*session).hostOfJoin, question: (*session).questionOfJoin},
	{name: protocol.NameLobbyLeaveMatch, in: joined, handle: (*session).leaveMatch},
	{name: protocol.NameLobbyLeaveMatch, in: idle, answer: (*session).leftMatch},
	{name: protocol.NameMatchReceived, in: playing, handle: (*session).received},
	{name: protocol.NameMatchReceived, in: idle, handle: (*session).ignore}, // the match has just ended
	{name: protocol.NameMatchResume, in: idle, answer: (*session).resume, host: (*session).hostOfSeat, question: (*session).questionOfSeat},

	{name: protocol.NameSpectateJoin, in: idle, points: 1, answer: (*session).spectate},
	{name: protocol.NameSpectateLeave, in: watching, handle: (*session).leaveSpectators},
	{name: protocol.NameSpectateLeave, in: idle, answer: (*session).leftSpectators},
	{name: relay.NameSpectators, in: watching, mirror: true, handle: (*session).countSpectators},
	{name: relay.NameSpectators, in: idle, mirror: true, handle: (*session).ignore}, // the match has just ended

	{name: protocol.NameHistoryMatchList, in: idle, since: 2, points: 2, answer: (*session).historyList},
	{name: protocol.NameHistoryMatch, in: idle, since: 2, points: historyPoints, answer: (*session).historyMatch},
}

// historyPoints is the cost of reading a record.
const historyPoints = 2
