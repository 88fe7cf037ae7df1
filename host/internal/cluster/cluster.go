package cluster

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/play/lobby"
)

// Sources is what a host lists of itself. The functions can be called from any
// goroutine.
type Sources struct {
	Games    func() []Game          // that can be played now
	Matches  func() (now, most int) // waiting and running ones
	Sessions func() int             // of clients
	Programs func() int             // cores for programs that were handed in; nil: this host runs none
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

// natsCut is for how long NATS can be silent before this host counts as cut off from it.
// The library notices the end of a connection at once, but a network that drops
// everything after more than six seconds.
const natsCut = 3 * time.Second

// answered reports whether NATS has answered within natsCut.
func (c *Cluster) answered() bool { return time.Duration(c.silent.Load()) < natsCut }

// Frozen returns for how long this host did not run until a moment ago; 0: it was running.
func (c *Cluster) Frozen() time.Duration {
	frozen, first := c.pulse.beat(time.Now())
	if first {
		c.log.Warn("this host did not run for some time: was its process stopped, or its machine suspended or overloaded?", "for", frozen.Round(time.Second))
	}
	return frozen
}

var errWaited = errors.New("it waited while this host did not run")

// checkAge returns an error for what another host sent too long ago by its clock.
func (c *Cluster) checkAge(sent time.Time, most time.Duration) error {
	frozen := c.Frozen()
	switch age := time.Since(sent); {
	case age > most+frozen:
		return errOld
	case age > most:
		return errWaited
	}
	return nil
}

func (c *Cluster) drains() bool {
	select {
	case <-c.draining:
		return true
	default:
		return false
	}
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

// refuse counts and logs a value or a message that is ignored.
func (c *Cluster) refuse(what, where string, err error) {
	c.counts.refused.Add(1)
	if errors.Is(err, errSealed) {
		c.rarely.warn("ignored a "+what+" in NATS that cannot be opened: does another host have another secret?", "where", where)
		return
	}
	c.rarely.warn("ignored a "+what+" in NATS", "where", where, "error", err)
}
