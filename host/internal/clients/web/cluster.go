package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/clients/forward"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/play/lobby"
	"colosseum/protocol"
)

// Cluster is the cluster as sessions use it. In all results, the host "" is this one.
type Cluster interface {
	// Place chooses the host of a new match of a game.
	Place(game string) (host string)
	// Owner returns the host of a match; "" also if no host has it.
	Owner(ctx context.Context, id string) (host string)
	// Complete reports whether Owner knows the matches of all hosts. It does not for some
	// seconds after a start, and after a break of the connection to NATS.
	Complete() bool
	// Leader returns the host that pairs the players that serve, if there is one now.
	Leader() (host string, ok bool)
	// Holder returns the host that has a seat with the ticket of a hash, if one has it.
	// With an error, one might have it.
	Holder(ctx context.Context, hash [sha256.Size]byte) (host string, ok bool, err error)
	// Published waits until the other hosts can know a match of this host.
	Published(ctx context.Context, id string)
	// Dial opens a relay to another host.
	Dial(ctx context.Context, host string, c relay.Client) (*websocket.Conn, error)
	// Verify returns the client of another host's request for a relay.
	Verify(r *http.Request) (relay.Client, error)
}

// Errors of requests that another host must answer, for the client.
var (
	errUnlisted = errors.New("the matches of other hosts are not known now: try again")
	errNoLeader = errors.New("no host pairs players now: try again")
)

// serveRelay accepts a relay of another host. It counts neither as a connection nor as
// a new connection of its client's address, because the other host has counted the
// client's connection and its bytes. Its address has all other limits, on each host.
func (s *Server) serveRelay(w http.ResponseWriter, r *http.Request) {
	client, err := s.cluster.Verify(r)
	if err == nil && (client.Version < protocol.OldestVersion || client.Version > protocol.Version) {
		err = fmt.Errorf("it is for version %d of the protocol", client.Version)
	}
	if err != nil {
		if s.foreign.Allow() {
			s.log.Warn("refused a relay", "reason", err, "client", s.address(r))
		}
		w.WriteHeader(http.StatusForbidden)
		s.Pay(r, 1)
		return
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		if key, limited := s.addresses.Key(host); limited {
			s.gate.trust(key)
		}
	}
	h := &hijacker{ResponseWriter: w}
	upgrader := s.upgrader
	upgrader.CheckOrigin = func(*http.Request) bool { return true }
	conn, err := upgrader.Upgrade(h, r, nil)
	if err != nil {
		return
	}
	sess := newSession(s, conn, h.frames, client.Address)
	sess.byRelay, sess.forMirror, sess.trace = true, client.Spectators, client.Trace
	sess.version, sess.player, sess.state = client.Version, client.Player, idle
	s.start(sess)
}

// elsewhere relays a request that another host must answer, or refuses it if that fails.
// It reports false if this host must answer.
func (s *session) elsewhere(ctx context.Context, r *request, c call) (done bool) {
	if r.host == nil {
		return false
	}
	host, err := r.host(s, ctx, c)
	if err == nil && host != "" {
		if err = s.relay(ctx, host, c.name, c.message); err != nil {
			s.log.Warn("could not relay a request", "host", host, "request", c.name, "error", err)
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
	if r.Rematch != "" {
		if _, ok := s.server.lobby.FindRematch(r.Rematch); ok {
			return "", nil
		}
	}
	return s.server.cluster.Place(r.Game), nil
}

func (s *session) questionOfNew(c call) (points int) {
	var r protocol.GameNew
	if protocol.Decode(c.name, c.body, &r) == nil && r.Rematch != "" {
		return 1
	}
	return 0
}

func (s *session) leader(context.Context, call) (host string, err error) {
	host, ok := s.server.cluster.Leader()
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
	host = s.server.cluster.Owner(ctx, r.ID)
	if host == "" && s.mightExist(r.ID) {
		return "", errUnlisted
	}
	return host, nil
}

func (s *session) questionOfJoin(c call) (points int) {
	var r protocol.LobbyJoinMatch
	if protocol.Decode(c.name, c.body, &r) == nil && !s.server.lobby.Lists(r.ID) {
		return questionPoints
	}
	return 0
}

func (s *session) hostOfSeat(ctx context.Context, c call) (host string, err error) {
	var r protocol.MatchResume
	if protocol.Decode(c.name, c.body, &r) != nil || !protocol.ValidTicket(r.Ticket) || s.server.seats.Used(r.Ticket) {
		return "", nil
	}
	host, ok, err := s.server.cluster.Holder(ctx, sha256.Sum256([]byte(r.Ticket)))
	if err != nil || !ok {
		return "", err
	}
	return host, nil
}

func (s *session) questionOfSeat(c call) (points int) {
	var r protocol.MatchResume
	if protocol.Decode(c.name, c.body, &r) == nil && s.server.seats.Spent(s.from.Key()) && !s.server.seats.Used(r.Ticket) {
		return questionPoints
	}
	return 0
}

// mightExist reports whether a match that is not listed here might exist on another host,
// whose listings this one does not have now.
func (s *session) mightExist(id string) bool {
	return s.server.cluster != nil && !s.byRelay && lobby.ValidID(id) && !s.server.cluster.Complete() && !s.server.lobby.Lists(id)
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

// HasTicket reports whether a seat of this host can be resumed with the ticket of a hash.
func (s *Server) HasTicket(hash [sha256.Size]byte) bool { return s.seats.Holds(hash) }

// Holds reports whether a ticket, given its hash, is that of a seat in a match of this host.
func (s *Server) Holds(id string, hash [sha256.Size]byte) bool { return s.seats.HoldsIn(id, hash) }

// Drain closes, with 4003, the connections of clients that can use another host: all
// except those of players in running matches of this host, those of players without
// resume in matches of other hosts, and those of other hosts for spectators. It does
// not wait until they have ended.
func (s *Server) Drain() {
	for _, sess := range s.all() {
		if sess.canMove() {
			sess.out.Close(protocol.CloseShutdown, "the host is stopping: connect again")
		}
	}
}

// canMove reports whether the client can continue on another host.
func (s *session) canMove() bool {
	s.mu.Lock()
	state, u := s.state, s.upstream
	s.mu.Unlock()
	switch state {
	case shaking, playing:
		return false
	case relayed:
		return u != nil && u.CanMove()
	default:
		return !s.forMirror
	}
}

// BreakRelays ends the relays to a host that is dead, also those of mirrors. Clients that
// play there connect again. The system keeps the connections to a host that hangs.
func (s *Server) BreakRelays(host string) {
	s.hosts.Break(host)
	for _, sess := range s.all() {
		if u, _ := sess.relaying(); u != nil && u.Host() == host {
			u.Cut()
		}
	}
}

// Relays returns how many clients of this host play on another one, and cannot resume
// elsewhere.
func (s *Server) Relays() int {
	n := 0
	for _, sess := range s.all() {
		if u, active := sess.relaying(); active && u.Playing() && !u.CanMove() {
			n++
		}
	}
	return n
}

// AwaitRelays waits until no client of this host plays on another one without being able
// to resume, or ctx ends.
func (s *Server) AwaitRelays(ctx context.Context) {
	for s.cluster != nil && s.Relays() > 0 {
		select {
		case <-time.After(relaysEvery):
		case <-ctx.Done():
			return
		}
	}
}

// relaysEvery is the time between two counts by AwaitRelays.
const relaysEvery = 100 * time.Millisecond
