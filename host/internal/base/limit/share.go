package limit

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// Usage is the use of one address on a host. Hosts of a cluster report it to each other,
// so that the limits of the address hold, approximately, for all hosts together.
type Usage struct {
	Address     string `json:"address"` // a network, like 192.0.2.1/32
	Connections int    `json:"connections,omitempty"`
	Handshakes  int64  `json:"handshakes,omitempty"` // this and the following since the last report
	Matches     int64  `json:"matches,omitempty"`
	Bytes       int64  `json:"bytes,omitempty"`
	Reads       int64  `json:"reads,omitempty"`
}

const (
	// maxUsage bounds the addresses in a report; those with smaller shares are left out.
	maxUsage = 1000
	// minShare is the share of a limit above which an address is reported.
	minShare = 0.01
	// maxOthers bounds the other hosts with reports; reports of further hosts are ignored.
	maxOthers = 100
	// reportAge is how long the connections of a report count.
	reportAge = 10 * time.Second
	// maxConnections bounds the connections in a report of another host.
	maxConnections = 1 << 20
)

// report is the last report of another host.
type report struct {
	at          time.Time
	connections map[netip.Prefix]int
}

// Usage returns the use of the addresses of this host since they were last in the result,
// those with the largest share of a limit first. It leaves out addresses with a small
// share of all limits. If Charge is called, Usage must be called every few seconds.
func (a *Addresses) Usage() []Usage {
	type one struct {
		share float64
		from  *Address
		key   netip.Prefix
		usage Usage
	}
	var all []one
	now := time.Now()
	a.mu.Lock()
	a.sweepLocked(now)
	for key, from := range a.known {
		share := 0.0
		if a.limits.Connections > 0 {
			share = float64(from.connections) / float64(a.limits.Connections)
		}
		for _, b := range from.buckets() {
			b.pay(now)
			if b.limiter != nil {
				share = max(share, float64(b.used.Load())/float64(b.limiter.Burst()))
			}
		}
		if share > minShare {
			all = append(all, one{share: share, from: from, key: key, usage: Usage{Connections: from.connections}})
		}
	}
	a.mu.Unlock()
	slices.SortFunc(all, func(x, y one) int { return cmp.Or(cmp.Compare(y.share, x.share), x.key.Compare(y.key)) })
	var list []Usage
	for _, o := range all[:min(len(all), maxUsage)] {
		u := o.usage
		u.Address = o.from.key
		for i, into := range []*int64{&u.Handshakes, &u.Matches, &u.Bytes, &u.Reads} {
			*into = o.from.buckets()[i].used.Swap(0)
		}
		list = append(list, u)
	}
	return list
}

// Charge counts what another host has reported: its connections towards the limit of
// connections, until its next report or for ten seconds, and the rest as if it had been
// used here. It ignores entries that are invalid or have no limits here.
func (a *Addresses) Charge(host string, usage []Usage) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, r := range a.elsewhere {
		if now.Sub(r.at) >= reportAge {
			delete(a.elsewhere, name)
		}
	}
	if a.elsewhere[host] == nil && len(a.elsewhere) >= maxOthers {
		return
	}
	r := &report{at: now, connections: map[netip.Prefix]int{}}
	if a.elsewhere == nil {
		a.elsewhere = map[string]*report{}
	}
	a.elsewhere[host] = r
	for _, u := range usage[:min(len(usage), maxUsage)] {
		p, err := netip.ParsePrefix(u.Address)
		if err != nil {
			continue
		}
		if key, limited := a.Key(p.Addr().String()); !limited || key != p {
			continue
		}
		if u.Connections > 0 {
			r.connections[p] = min(u.Connections, maxConnections)
		}
		if a.known[p] == nil && len(a.known) >= maxKnown {
			continue // it would count for all addresses that are not known
		}
		from := a.getLocked(p, now)
		for i, n := range []int64{u.Handshakes, u.Matches, u.Bytes, u.Reads} {
			from.buckets()[i].charge(n, len(a.elsewhere), now)
		}
	}
}

// elsewhereLocked returns the connections of an address on other hosts.
func (a *Addresses) elsewhereLocked(key netip.Prefix, now time.Time) (n int) {
	for _, r := range a.elsewhere {
		if now.Sub(r.at) < reportAge {
			n += r.connections[key]
		}
	}
	return n
}

// buckets returns the budgets in the order of the fields of Usage.
func (a *Address) buckets() [4]*bucket {
	return [4]*bucket{&a.handshakes, &a.matches, &a.bytes, &a.reads}
}
