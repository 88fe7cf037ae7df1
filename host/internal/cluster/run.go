package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/play/lobby"
)

// Open connects to NATS. Run does the work; Close must be called, except after an error.
// It calls l.Publish.
func Open(ctx context.Context, config Config, l *lobby.Lobby, table Hosts, sources Sources, log *slog.Logger) (*Cluster, error) {
	return open(ctx, config, l, table, sources, log, times{
		tick: time.Second, silent: 8 * time.Second, again: 3 * time.Minute, gone: time.Minute, sweepDelay: 3 * time.Second, complete: 10 * time.Second,
		reconnect: 500 * time.Millisecond,
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
	if c.nats, err = connect(config, c.times.reconnect, c.changed, log); err != nil {
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

// Stats returns the counts.
func (c *Cluster) Stats() Stats {
	n := &c.counts
	return Stats{
		Connected: c.Connected(), Yields: c.yields(), Leader: c.leads.Load(), Hosts: len(c.Hosts()), Elsewhere: c.elsewhere.len(), Waiting: c.listings.waiting(),
		Puts: n.puts.Load(), PutsFailed: n.putsFailed.Load(), RequestsServed: n.served.Load(), RequestsFailed: n.failed.Load(),
		Refused: n.refused.Load(), Fenced: n.fenced.Load(), WasFenced: n.wasFenced.Load(),
	}
}
