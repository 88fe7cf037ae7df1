package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/base/trace"
	"colosseum/host/internal/play/lobby"
)

// Config is how a host joins the cluster.
type Config struct {
	Name            string // of this host; see config.ValidHostName
	NATS            string // nats://… or tls://…
	CredentialsFile string // for NATS; empty: none
	CAFile          string // certificate authorities of NATS; empty: those of the system
	Advertise       string // where other hosts reach this one: ws://… or wss://…
	Secret          []byte // see config.Cluster
	WithoutNATS     string // see config.Cluster

	Tracer *trace.Tracer // of requests between hosts; nil: there are no traces
}

// Sources is what a host lists of itself. The functions can be called from any
// goroutine.
type Sources struct {
	Games    func() []Game          // that can be played now
	Matches  func() (now, most int) // waiting and running ones
	Sessions func() int             // of clients
	Fenced   func()                 // aborts all matches, because another host has recorded them as aborted; can be nil

	// Ended is called with the name of a host that was fenced or has left: what its
	// connections still do is lost. It can be nil.
	Ended func(host string)
}

// Cluster is this host's part in the cluster. Its methods can be called from any
// goroutine.
type Cluster struct {
	config  Config
	started time.Time
	lobby   *lobby.Lobby
	table   Hosts
	sources Sources
	log     *slog.Logger
	rarely  *rarely
	pulse   pulse
	cpu     cpu
	times   times
	sealer  *sealer
	nats    *nats.Conn
	js      jetstream.JetStream

	buckets     atomic.Pointer[buckets] // the last ones that were opened; nil: none yet
	reconnected chan struct{}           // a request to follow the buckets again, after a reconnect; full: one is enough
	relist      chan struct{}           // a request to list this host now; full: one is enough
	silent      atomic.Int64            // nanoseconds without an answer of NATS; see hear
	connected   atomic.Int64            // Unix nanoseconds of the last connect
	sequence    atomic.Int64            // see next
	draining    chan struct{}           // closed by Drain
	drain       sync.Once
	leads       atomic.Bool
	standsIn    atomic.Bool // see standIn

	hosts     hosts
	listings  listings
	elsewhere elsewhere
	repeats   repeats

	ctx      context.Context // of handlers
	cancel   context.CancelFunc
	handlers sync.WaitGroup // that run
	counts   counts
}

// times are the periods of everything that the cluster does regularly; tests change them.
type times struct {
	tick       time.Duration // between two beats, listings of this host, and looks at the others
	silent     time.Duration // a host without a sign of life for this time is dead
	again      time.Duration // after which a match is listed again
	gone       time.Duration // how long the listing of a match of players that serve stays after its end
	sweepDelay time.Duration // after a host has listed all its matches, until its other listings are removed
	complete   time.Duration // of a connection to NATS, until all hosts are expected to have listed their matches
}

// Times that cannot be changed.
const (
	live        = 5 * time.Second  // a host that was not heard for this time is not listed
	forgetHost  = 10 * time.Second // in NATS
	forgetMatch = 10 * time.Minute // in NATS, and without a connection between its host and this one
)

// Open connects to NATS. Run does the work; Close must be called, except after an error.
// It calls l.Publish.
func Open(ctx context.Context, config Config, l *lobby.Lobby, table Hosts, sources Sources, log *slog.Logger) (*Cluster, error) {
	return open(ctx, config, l, table, sources, log, times{
		tick: time.Second, silent: 8 * time.Second, again: 3 * time.Minute, gone: time.Minute, sweepDelay: 3 * time.Second, complete: 10 * time.Second,
	})
}

func open(ctx context.Context, config Config, l *lobby.Lobby, table Hosts, sources Sources, log *slog.Logger, t times) (*Cluster, error) {
	sealer, err := newSealer(config.Secret)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		config: config, started: time.Now(), lobby: l, table: table, sources: sources, log: log, rarely: &rarely{log: log}, times: t, sealer: sealer,
		reconnected: make(chan struct{}, 1), relist: make(chan struct{}, 1), draining: make(chan struct{}),
	}
	c.listings.init(t, c.followAgain)
	c.elsewhere.known = map[string]*known{}
	c.hosts.others, c.hosts.left = map[string]*peer{}, map[string]bool{}
	if c.nats, err = connect(config, c.changed, log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.nats.Close()
		}
	}()
	if c.js, err = jetstream.New(c.nats); err != nil {
		return nil, err
	}
	opening, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if _, err = openBuckets(opening, c.js); err != nil {
		return nil, fmt.Errorf("open the buckets in NATS at %s: %w", place(config.NATS), err)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.connected.CompareAndSwap(0, time.Now().UnixNano())
	l.Publish(c.listings.set)
	return c, nil
}

// changed handles the loss of the connection to NATS, and its return.
func (c *Cluster) changed(connected bool) {
	if !connected {
		c.connected.Store(math.MaxInt64) // until this is called for the next connection
		c.listings.begin("")
		return
	}
	c.connected.Store(time.Now().UnixNano())
	c.followAgain()
}

// Complete reports whether a match that is not listed here does not exist. For some seconds
// after a start, and after the connection to NATS was lost, it can exist.
func (c *Cluster) Complete() bool {
	return c.Connected() && time.Since(time.Unix(0, c.connected.Load())) >= c.times.complete
}

// followAgain lets follow begin again.
func (c *Cluster) followAgain() {
	select {
	case c.reconnected <- struct{}{}:
	default: // one is enough
	}
}

// Connected reports whether this host is connected to NATS, and NATS answers.
func (c *Cluster) Connected() bool { return c.nats.IsConnected() && c.answered() }

// Run beats, lists this host and its matches, follows the other hosts, and fences dead
// ones, until ctx ends. The lobby must be closed before that, so that the other hosts
// get the ends of its matches. Run must be called at most once.
func (c *Cluster) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { c.follow(ctx) })                        // ends with ctx
	running.Go(func() { c.list(ctx) })                          // ends with ctx
	running.Go(func() { c.beat(ctx) })                          // ends with ctx
	running.Go(func() { c.observe(ctx) })                       // ends with ctx
	running.Go(func() { c.hear(ctx, c.nats.FlushWithContext) }) // ends with ctx
	running.Go(func() { c.standIn(ctx) })                       // ends with ctx
	putting, stop := context.WithCancel(context.WithoutCancel(ctx))
	var putters sync.WaitGroup
	for range maxPuts {
		putters.Go(func() { c.put(putting) }) // ends with putting
	}
	<-ctx.Done()
	last, cancel := context.WithTimeout(putting, 2*time.Second)
	c.listings.empty(last, c.Connected)
	cancel()
	stop()
	putters.Wait()
	running.Wait()
}

// Drain lists this host as stopping: it gets no new matches, and does not lead.
func (c *Cluster) Drain() {
	c.drain.Do(func() { close(c.draining) })
	c.listNow()
}

func (c *Cluster) drains() bool {
	select {
	case <-c.draining:
		return true
	default:
		return false
	}
}

// Close removes this host from the list of hosts and closes the connection. It must be
// called after Run has returned.
func (c *Cluster) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.Connected() {
		c.listHost(ctx, true)
	}
	c.cancel()
	c.nats.Close()
	c.handlers.Wait()
}

// Name returns the name of this host.
func (c *Cluster) Name() string { return c.config.Name }

// next returns a number that is greater than all earlier ones. It is the time in
// nanoseconds, so it is also greater than those from before the last start, if the clock
// is right.
func (c *Cluster) next() int64 {
	for {
		last := c.sequence.Load()
		n := max(last+1, time.Now().UnixNano())
		if c.sequence.CompareAndSwap(last, n) {
			return n
		}
	}
}

// pause waits for d and a random part of it, so that hosts do not act at the same moment,
// or until ctx ends.
func (c *Cluster) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d + rand.N(d/4+1)):
	}
}

// rarely logs each text at most once per minute.
type rarely struct {
	log  *slog.Logger
	mu   sync.Mutex // guards the field below
	last map[string]time.Time
}

func (r *rarely) warn(text string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.last[text]; ok && time.Since(at) < time.Minute {
		return
	}
	if r.last == nil {
		r.last = map[string]time.Time{}
	}
	r.last[text] = time.Now()
	r.log.Warn(text, args...)
}

// Stats are counts since the start, and the state now.
type Stats struct {
	Connected bool // to NATS
	Yields    bool // without NATS, this host leaves new clients to another one
	Leader    bool // this host leads
	Hosts     int  // live ones, with this one
	Elsewhere int  // listings of matches of other hosts
	Waiting   int  // listings of this host that wait to be put

	Puts, PutsFailed               uint64 // listings of matches of this host
	RequestsServed, RequestsFailed uint64 // of other hosts; failed: the answer is an error
	Refused                        uint64 // values and messages that could not be opened, or were invalid, old or repeated
	Fenced                         uint64 // hosts that this host has fenced
	WasFenced                      uint64 // times this host was fenced
}

type counts struct{ puts, putsFailed, served, failed, refused, fenced, wasFenced atomic.Uint64 }

// Stats returns the counts.
func (c *Cluster) Stats() Stats {
	n := &c.counts
	return Stats{
		Connected: c.Connected(), Yields: c.yields(), Leader: c.leads.Load(), Hosts: len(c.Hosts()), Elsewhere: c.elsewhere.len(), Waiting: c.listings.waiting(),
		Puts: n.puts.Load(), PutsFailed: n.putsFailed.Load(), RequestsServed: n.served.Load(), RequestsFailed: n.failed.Load(),
		Refused: n.refused.Load(), Fenced: n.fenced.Load(), WasFenced: n.wasFenced.Load(),
	}
}

// refuse counts and logs a value or a message that is ignored.
func (c *Cluster) refuse(what, where string, err error) {
	c.counts.refused.Add(1)
	if errors.Is(err, errSealed) {
		c.rarely.warn("ignored a "+what+" in NATS that cannot be opened: does another host have another secret?", "where", where)
		return
	}
	c.rarely.warn("ignored a "+what+" in NATS", "where", where, "error", err)
}
