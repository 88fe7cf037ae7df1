package cluster

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"colosseum/host/internal/base/config"
)

// self returns this host as it lists itself.
func (c *Cluster) self() Host {
	h := Host{
		Name: c.config.Name, Advertise: c.config.Advertise, Started: c.started, Games: c.sources.Games(), Sessions: c.sources.Sessions(),
		Draining: c.drains(), Leader: c.leads.Load(), Cores: runtime.NumCPU(), CPU: c.cpu.share(), Programs: c.programs(), Runner: c.config.Runner,
	}
	h.Matches, h.Capacity = c.sources.Matches()
	return h
}

// programs returns how many cores this host has for programs that were handed in.
func (c *Cluster) programs() int {
	if c.sources.Programs == nil {
		return 0
	}
	return c.sources.Programs()
}

// ProgramCores returns how many cores all live hosts have for programs that were handed
// in: as many matches of such programs can run at the same time.
func (c *Cluster) ProgramCores() (cores int) {
	for _, h := range c.Hosts() {
		if !h.Draining {
			cores += h.Programs
		}
	}
	return cores
}

// Hosts returns the live hosts by name, with this one.
func (c *Cluster) Hosts() []Host {
	list := []Host{c.self()}
	now := time.Now()
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	for _, p := range c.hosts.others {
		if p.live(now) {
			list = append(list, p.Host)
		}
	}
	slices.SortFunc(list, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Host returns a live host.
func (c *Cluster) Host(name string) (Host, bool) {
	if name == c.config.Name {
		return c.self(), true
	}
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	if p := c.hosts.others[name]; p != nil && p.live(time.Now()) {
		return p.Host, true
	}
	return Host{}, false
}

// Address returns where a host can be reached, as it last advertised it. The host need not
// be live: it, or this one, can be cut off from NATS alone.
func (c *Cluster) Address(name string) (advertise string, ok bool) {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	p := c.hosts.others[name]
	if p == nil {
		return "", false
	}
	return p.Host.Advertise, true
}

// Generation identifies a state of Hosts, except this host's own part: a list that is
// read after a call of Generation is current until Generation returns another number.
func (c *Cluster) Generation() uint64 {
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	return c.hosts.generation
}

// Leader returns the host that leads, empty for this one. Not ok: none does now.
func (c *Cluster) Leader() (host string, ok bool) {
	if c.leads.Load() {
		return "", true
	}
	now := time.Now()
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	var newest *peer // two lead according to their listings while the leadership moves
	for _, p := range c.hosts.others {
		if p.live(now) && p.Host.Leader && (newest == nil || p.Sequence > newest.Sequence) {
			newest = p
		}
	}
	if newest == nil {
		return "", false
	}
	return newest.Host.Name, true
}

// list lists this host regularly and after listNow, removes what is too old, and has
// listings put again that are due, until ctx ends.
func (c *Cluster) list(ctx context.Context) {
	for ctx.Err() == nil {
		c.Frozen() // logs a freeze
		if busy, all, ok := cpuTimes(); ok {
			c.cpu.sample(busy, all)
		}
		putting, cancel := context.WithTimeout(ctx, 2*time.Second)
		c.listHost(putting, false)
		cancel()
		c.hosts.refresh()
		c.listings.due()
		c.sweep()
		select {
		case <-ctx.Done():
		case <-c.relist:
		case <-time.After(c.times.tick):
		}
	}
}

// listNow lists this host again soon.
func (c *Cluster) listNow() {
	select {
	case c.relist <- struct{}{}:
	default: // list has not handled the last call yet
	}
}

// listHost lists this host, or lists it as one that has left.
func (c *Cluster) listHost(ctx context.Context, left bool) {
	b := c.buckets.Load()
	if b == nil || !c.Connected() {
		return
	}
	p := presence{Sequence: c.next(), Host: c.self(), Listed: c.listings.complete(), Left: left}
	sealed, _, err := c.sealer.seal(hostsBucket+"/"+c.config.Name, p)
	if err == nil {
		_, err = b.hosts.Put(ctx, c.config.Name, sealed)
	}
	if err != nil && ctx.Err() == nil {
		c.rarely.warn("could not list this host in NATS", "error", err)
	}
}

// watchHosts follows the listings of hosts until ctx or the watch ends.
func (c *Cluster) watchHosts(ctx context.Context, b *buckets) {
	first := true
	err := watch(ctx, b.hosts, func(e jetstream.KeyValueEntry) {
		if e == nil {
			first = false
			return
		}
		if err := c.setHost(e.Key(), e.Value(), first); err != nil {
			c.refuse("listing of a host", e.Key(), err)
		}
	})
	if err != nil && c.Connected() {
		c.rarely.warn("could not follow the hosts in NATS", "error", err)
	}
}

var errTwoSelf = errors.New("another host has the name of this one: give each host its own cluster.name")

// setHost sets the listing of another host. First: it was listed before this host began
// to watch, and can be old.
func (c *Cluster) setHost(key string, value []byte, first bool) error {
	var p presence
	if len(value) > maxHost {
		return errInvalid
	}
	if _, err := c.sealer.open(hostsBucket+"/"+key, value, &p); err != nil {
		return err
	}
	if p.Host.Name != key || !config.ValidHostName(key) {
		return errInvalid
	}
	// A copy of an old value, which anyone on NATS can put there again, would let a host
	// that is gone seem alive.
	if err := c.checkAge(time.Unix(0, p.Sequence), forgetHost+maxAge); err != nil {
		return err
	}
	if key == c.config.Name {
		if !first && !p.Left && p.Host.Started.After(c.started) {
			return errTwoSelf
		}
		return nil
	}
	c.hosts.mu.Lock()
	defer c.hosts.mu.Unlock()
	h := &c.hosts
	now := time.Now()
	old := h.others[key]
	if old != nil && p.Sequence <= old.Sequence && (first || p.Sequence == old.Sequence || now.Sub(old.heard) < forgetHost) {
		return nil // a copy, or out of order; after a silence, the host's clock can have been set back
	}
	if p.Left {
		delete(h.others, key)
		if len(h.left) < maxHosts {
			h.left[key] = true
		}
		h.generation++
		return nil
	}
	delete(h.left, key)
	if old == nil && len(h.others) >= maxHosts {
		return errMany
	}
	n := &peer{presence: p, games: make(map[string]bool, len(p.Host.Games)), listed: now}
	for _, g := range p.Host.Games {
		n.games[g.Name] = true
	}
	if !first || old != nil {
		n.heard = now
	}
	if old != nil {
		n.placedBefore = old.placed
		if old.Listed == p.Listed {
			n.listed = old.listed
		}
	}
	h.others[key] = n
	if old == nil || !same(old.Host, p.Host) {
		h.generation++
	}
	return nil
}

func same(a, b Host) bool {
	return a.Name == b.Name && a.Advertise == b.Advertise && a.Started.Equal(b.Started) && slices.Equal(a.Games, b.Games) && a.Matches == b.Matches &&
		a.Capacity == b.Capacity && a.Sessions == b.Sessions && a.Programs == b.Programs && a.Draining == b.Draining && a.Leader == b.Leader
}
