package web

import (
	"context"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/host/internal/base/limit"
	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/clients/hostname"
	"colosseum/host/internal/cluster/relay"
	"colosseum/host/internal/contests/players"
	"colosseum/host/internal/games/catalog"
	"colosseum/host/internal/play/lobby"
	"colosseum/host/internal/play/serving"
	"colosseum/host/internal/records/record"
	"colosseum/protocol"
)

// Limits bounds connections. 0 means no limit only where a field says so.
type Limits struct {
	Connections int
	Handshake   time.Duration // until the client's first message
	Ping        time.Duration // of silence until a client is pinged
	Backlog     int           // bytes that can wait for a client
	Line        int           // bytes of a player's line
	Resume      time.Duration // how long a seat is kept after its connection has broken; 0: seats end with their connections
	Guesses     int           // wrong tickets a minute of one address; 0: no limit
	Backlogs    int64         // bytes that can wait for all clients together; 0: no limit
	Reads       int           // points of requests that read, a second, of all clients together; 0: no limit
	Files       int           // connections of all kinds, since each is an open file; 0: no limit
	Address     limit.PerAddress
	Origins     []string        // of pages that can connect, in addition to the host's own; "*": all
	Names       *hostname.Names // Stats includes its refusals; can be nil
}

// Games is the catalog as sessions use it.
type Games interface {
	List() []*catalog.Offer
	Generation() uint64 // of List
}

// History is the store as sessions use it.
type History interface {
	Get(ctx context.Context, id string) (*record.Match, error)
	List(ctx context.Context, limit int) ([]string, error)
	Generation() uint64 // of List
}

// Parts are what sessions use.
type Parts struct {
	Games   Games
	Lobby   *lobby.Lobby
	Desk    Desk
	History History
	Players Players
	Tracer  *trace.Tracer // nil: there are no traces
	Cluster Cluster       // nil: this host is alone
	Hints   Hints         // nil: it gives none
}

// Desk pairs players as sessions use it: a *serving.Desk.
type Desk interface {
	Serve(c serving.Conn, player string, r protocol.Serve) error
	Leave(c serving.Conn, player string)
	Find(ctx context.Context, p lobby.Player, c lobby.Client, r protocol.LobbyFindMatch) error
	Challenge(ctx context.Context, c lobby.Client, r protocol.GameNew) (id string, err error)
}

// Players are the registered players. The address limits wrong guesses; the errors
// are for the client.
type Players interface {
	// Authenticate returns the player with a token that is good for a scope.
	Authenticate(ctx context.Context, address, token string, scope players.Scope) (player string, err error)
	// Register adds a player and returns its token.
	Register(ctx context.Context, address, name, invite string) (token string, err error)
	// Valid returns the players of those logins whose tokens are still valid.
	Valid(ctx context.Context, logins []players.Login) (map[players.Login]string, error)
	// Owner returns the player that has or had a name, in any case, or "".
	Owner(ctx context.Context, name string) (player string, err error)
}

// Cluster is the cluster as sessions use it. In all results, the host "" is this one.
type Cluster interface {
	// Place chooses the host of a new match of a game.
	Place(game string) (host string)
	// Owner returns the host of a match; "" also if no host has it. With an error, another
	// host might have it.
	Owner(ctx context.Context, id string) (host string, err error)
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
