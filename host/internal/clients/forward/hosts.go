// Package forward serves clients whose match is on another host of the cluster. A relay
// passes the messages of one client on. A mirror is a copy of a match for all its
// spectators on this host.
package forward

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/match"
	"colosseum/host/internal/records/record"
)

// Cluster is the cluster as relays and mirrors use it.
type Cluster interface {
	// Owner returns the host of a match; "" also if no host has it. With an error, another
	// host might have it.
	Owner(ctx context.Context, id string) (host string, err error)
	// Dial opens a relay to another host.
	Dial(ctx context.Context, host string, c relay.Client) (*websocket.Conn, error)
}

// Lobby is the lobby as mirrors use it.
type Lobby interface {
	// Elsewhere returns the match of another host that is listed.
	Elsewhere(id string) (lobby.Listing, bool)
	// Streams counts the streams of all matches together.
	Streams() *match.Total
}

// Parts are what relays and mirrors use.
type Parts struct {
	Cluster Cluster // nil: this host is alone, and opens no relay
	Lobby   Lobby
	Record  func(ctx context.Context, id string) (*record.Match, error) // reads the record of a match
	Timeout time.Duration                                               // of a request
	Resume  time.Duration                                               // see seat.Limits
	Log     *slog.Logger
}

// Hosts are the other hosts, as clients of this one use them.
type Hosts struct {
	cluster Cluster
	lobby   Lobby
	record  func(ctx context.Context, id string) (*record.Match, error)
	timeout time.Duration
	resume  time.Duration
	log     *slog.Logger
	relays  atomic.Int64 // now, with those of mirrors
	mirrors mirrors
	ctx     context.Context // of mirrors
	stop    context.CancelFunc
	wait    sync.WaitGroup
}

// New returns the other hosts, which must be stopped.
func New(p Parts) *Hosts {
	h := &Hosts{
		cluster: p.Cluster, lobby: p.Lobby, record: p.Record, timeout: p.Timeout, resume: p.Resume, log: p.Log,
		mirrors: mirrors{byID: map[string]*Mirror{}},
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// ErrUnreachable is for a client whose request another host must answer.
var ErrUnreachable = errors.New("the host of this match cannot be reached now: try again")

// Reconnect is the reason for closing a connection whose client must try again, because
// a refusal would be final for it.
const Reconnect = "the host of the match cannot be reached: connect again"

// replyTimeout is the timeout for the reply to the request for which a relay was opened.
func (h *Hosts) replyTimeout() time.Duration { return h.timeout + 5*time.Second }

// Relays returns the number of connections to other hosts.
func (h *Hosts) Relays() int { return int(h.relays.Load()) }

// Break ends the relays of mirrors to a host that is dead.
func (h *Hosts) Break(host string) {
	for _, m := range h.mirrors.all() {
		m.breakRelay(host)
	}
}

// Stop ends the mirrors. It does not wait until they have ended.
func (h *Hosts) Stop() { h.stop() }

// Wait waits until all mirrors and relays have ended. Nobody can open another one.
func (h *Hosts) Wait() { h.wait.Wait() }
