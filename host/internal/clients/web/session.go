package web

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"colosseum/host/internal/base/arrival"
	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/clients/inbox"
	"colosseum/host/internal/clients/outbox"
	"colosseum/host/internal/clients/seat"
	"colosseum/host/internal/contests/players"
)

// state is what a session is doing. It decides which messages its client is
// allowed to send: see requests. Each is a bit of its own.
type state int

const (
	shaking    state = 1 << iota // before the handshake
	idle                         // requests are answered
	subscribed                   // the lobby's changes are sent
	joined                       // in a waiting match
	playing
	watching     // a waiting or running match
	watchingMany // see boards
	offered      // its player, for matches
	relayed      // to the host that answers its requests
)

// session is one client's connection. Its goroutine, run, reads; other
// goroutines write through its outbox.
type session struct {
	shared   *shared
	conn     net.Conn
	in       *inbox.Inbox
	out      *outbox.Outbox
	number   uint64 // for the log
	address  string
	player   string // registered; empty: none; set by the handshake
	from     *limit.Address
	arrivals *arrival.Reader // nil: arrival times of bytes are not known

	byRelay   bool // another host has relayed it; it is not relayed again
	forMirror bool // it is for the spectators of another host

	// For run's goroutine alone.
	version int
	trace   string     // the parent of the spans of the first request, if byRelay
	cookie  string     // until the handshake
	played  *seat.Seat // of the last bytes
	partial []byte     // the incomplete line of that seat
	maxLine int        // bytes of a line of that seat
	left    bool       // the client has closed the connection on purpose, or has broken the protocol

	forSeats *seat.Conn
	hinting  atomic.Bool // a hint is looked for

	mu    sync.Mutex // guards the fields below; the outbox's mutex can be taken while it is held
	state state
	id    string     // of the match, when watching
	seat  *seat.Seat // when joined or playing
	ended *seat.Seat // the client might not have received the end of its match; nil: none

	upstream *forward.Relay  // when relayed, and afterwards until the client's next request; can be nil
	mirror   *forward.Mirror // when watching a match of another host

	boards map[string]*board // by ID, when watching many matches

	loggedIn *players.Login // with the token of its player; nil: it has none
}

// log returns the log with what it says about the client. It is made when it is needed, because
// few sessions of many need it.
func (s *session) log() *slog.Logger {
	return s.shared.log.With("client", s.address, "session", s.number)
}

// become changes the state if it is still from, and reports whether it was.
func (s *session) become(from, to state, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != from {
		return false
	}
	s.state, s.id = to, id
	return true
}
