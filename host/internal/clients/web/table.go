package web

import (
	"colosseum/host/internal/cluster/relay"
	"colosseum/protocol"
)

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
	{name: protocol.NameLobbyMatch, in: idle, points: 1, answer: (*session).lobbyMatch, question: (*session).questionOfMatch},
	{name: protocol.NameLobbySubscribe, in: idle, points: 1, answer: (*session).subscribe},
	{name: protocol.NameLobbyUnsubscribe, in: subscribed, handle: (*session).unsubscribe},

	{name: protocol.NameServe, in: idle | offered, points: 1, answer: (*session).serve, host: (*session).leader},    // looks at all free players
	{name: protocol.NameLobbyFindMatch, in: idle, points: 2, answer: (*session).findMatch, host: (*session).leader}, // asks the game, also if it is refused

	{name: protocol.NameLobbyJoinMatch, in: idle, answer: (*session).join, host: (*session).hostOfJoin, question: (*session).questionOfMatch},
	{name: protocol.NameLobbyLeaveMatch, in: joined, handle: (*session).leaveMatch},
	{name: protocol.NameLobbyLeaveMatch, in: idle, answer: (*session).leftMatch},
	{name: protocol.NameMatchReceived, in: playing, handle: (*session).received},
	{name: protocol.NameMatchReceived, in: idle, handle: (*session).ignore}, // the match has just ended
	{name: protocol.NameMatchNote, in: playing, handle: (*session).note},
	{name: protocol.NameMatchHint, in: playing, handle: (*session).hint},
	{name: protocol.NameMatchHint, in: idle, handle: (*session).ignore},
	{name: protocol.NameMatchNote, in: idle, handle: (*session).ignore},
	{name: protocol.NameMatchResume, in: idle, answer: (*session).resume, host: (*session).hostOfSeat, question: (*session).questionOfSeat},

	{name: protocol.NameSpectateJoin, in: idle, points: 1, answer: (*session).spectate, question: (*session).questionOfMatch},
	{name: protocol.NameSpectateLeave, in: watching, handle: (*session).leaveSpectators},
	{name: protocol.NameSpectateLeave, in: idle, answer: (*session).leftSpectators},
	{name: protocol.NameSpectateMatches, in: idle | watchingMany, points: 1, answer: (*session).spectateMatches, question: (*session).questionOfMatches},
	{name: relay.NameSpectators, in: watching, mirror: true, handle: (*session).countSpectators},
	{name: relay.NameSpectators, in: idle, mirror: true, handle: (*session).ignore}, // the match has just ended

	{name: protocol.NameHistoryMatchList, in: idle, since: 2, points: 2, answer: (*session).historyList},
	{name: protocol.NameHistoryMatch, in: idle, since: 2, points: historyPoints, answer: (*session).historyMatch},
}
