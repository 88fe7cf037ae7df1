package cluster

import (
	"context"
	"log/slog"

	"colosseum/host/internal/lobby"
)

// Config is how a host joins the cluster.
type Config struct {
	Name            string // of this host: 1 to 32 of a-z, 0-9 and -
	NATS            string // nats://… or tls://…
	CredentialsFile string // for NATS; empty: none
	CAFile          string // certificate authorities of NATS; empty: those of the system
	Advertise       string // where other hosts reach this one: ws://… or wss://…
	Secret          []byte // see ReadSecret
}

// Sources is what a host lists of itself. The functions can be called from any
// goroutine.
type Sources struct {
	Games    func() []Game          // that can be played now
	Matches  func() (now, most int) // waiting and running ones
	Sessions func() int             // of clients
	Fenced   func()                 // aborts all matches, because another host has recorded them as aborted; can be nil
}

// Row is a host in the table of hosts.
type Row struct {
	Name             string
	Generation, Beat int64
}

// Hosts is the table of hosts in PostgreSQL; see the methods of store.Hosts.
type Hosts interface {
	Beat(ctx context.Context) error // record.ErrFenced
	List(ctx context.Context) ([]Row, error)
	Fence(ctx context.Context, dead Row) (aborted []string, fenced bool, err error)
	Renew(ctx context.Context) error
	Lead(ctx context.Context) (Lock, error) // nil, nil: another host leads
}

// Lock is the leadership while this host has it.
type Lock interface {
	Lost() <-chan struct{}
	Release()
}

// Cluster is this host's part in the cluster. Its methods can be called from any
// goroutine.
type Cluster struct{}

// Stats are counts since the start, and the state now.
type Stats struct {
	Connected bool // to NATS
	Leader    bool // this host leads
	Hosts     int  // live ones, with this one
	Elsewhere int  // listings of matches of other hosts

	Puts, PutsFailed               uint64 // of listings of this host's matches
	RequestsServed, RequestsFailed uint64 // of other hosts
	Refused                        uint64 // values, requests and messages that could not be opened, or were too old or repeated
	Fenced                         uint64 // hosts that this host has fenced
	WasFenced                      uint64 // how often this host was fenced
}

// Open connects to NATS. Run does the work; Close must be called, except after an error.
// It calls l.Publish.
func Open(ctx context.Context, config Config, l *lobby.Lobby, hosts Hosts, sources Sources, log *slog.Logger) (*Cluster, error) {
	return &Cluster{}, nil
}

// ReadSecret reads the secret of the cluster from a file.
func ReadSecret(file string) ([]byte, error) { return nil, nil }

// Run beats, lists this host and its matches, follows the other hosts, and fences those
// that died, until ctx ends. The lobby must be closed before that, so that the others
// get the ends of its matches. It must be called at most once.
func (c *Cluster) Run(ctx context.Context) {}

// Drain lists this host as stopping: it gets no new matches, and does not lead.
func (c *Cluster) Drain() {}

// Close removes this host from the list of hosts and closes the connection. It must be
// called after Run has returned.
func (c *Cluster) Close() {}

// Name returns the name of this host.
func (c *Cluster) Name() string { return "" }

// Hosts returns the live hosts by name, with this one.
func (c *Cluster) Hosts() []Host { return nil }

// Host returns a live host.
func (c *Cluster) Host(name string) (Host, bool) { return Host{}, false }

// Generation identifies a state of Hosts: a list that is read after a call of
// Generation is current as long as Generation returns the same number.
func (c *Cluster) Generation() uint64 { return 0 }

// Place chooses the host of a new match of a game. Empty: this host.
func (c *Cluster) Place(game string) (host string) { return "" }

// Owner returns the host of a match that waits or runs. Empty: this host, or unknown.
func (c *Cluster) Owner(ctx context.Context, id string) (host string) { return "" }

// Leader returns the host that leads, empty for this one. Not ok: none does now.
func (c *Cluster) Leader() (host string, ok bool) { return "", true }

// Holder returns the host that knows a ticket, given its SHA-256; empty for this one.
// The error is for the client: some host did not answer, and may know the ticket.
func (c *Cluster) Holder(ctx context.Context, hash [32]byte) (host string, ok bool, err error) {
	return "", false, nil
}

// Tickets sets the function that reports whether this host knows a ticket.
func (c *Cluster) Tickets(has func(hash [32]byte) bool) {}

// Published waits until the latest listing of a match of this host is in NATS, at most
// 2 seconds, and not at all without a connection.
func (c *Cluster) Published(ctx context.Context, id string) {}

// Request sends in to another host as JSON and decodes its answer into out, unless out
// is nil. An error of the handler has its text; errors.Is finds lobby.ErrFull and
// lobby.ErrClosed. Without a deadline of ctx it waits at most 10 seconds.
func (c *Cluster) Request(ctx context.Context, host, name string, in, out any) error { return nil }

// Handle answers the requests of a name with f, which can run concurrently, for at most
// 10 seconds each. The name has lower-case letters and hyphens.
func (c *Cluster) Handle(name string, f func(ctx context.Context, body []byte) (any, error)) {}

// Publish sends v to all other hosts as JSON. It can be lost.
func (c *Cluster) Publish(name string, v any) {}

// Subscribe calls f with what other hosts publish, one after the other.
func (c *Cluster) Subscribe(name string, f func(from string, body []byte)) {}

// Lead calls lead whenever this host has become the leader, with a context that ends
// when it no longer is. It returns when ctx has ended and lead has returned. Lead must
// return soon after its context has ended.
func (c *Cluster) Lead(ctx context.Context, lead func(ctx context.Context)) {}

// Stats returns the counts.
func (c *Cluster) Stats() Stats { return Stats{} }
