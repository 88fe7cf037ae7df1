package cluster

import (
	"maps"
	"slices"
	"sync"
	"time"
)

const maxHosts = 256 // more in the bucket are ignored

// presence is what a key of the bucket of hosts contains.
type presence struct {
	Sequence int64  `json:"sequence"` // see Cluster.next
	Host     Host   `json:"host"`
	Listed   string `json:"listed,omitempty"` // the buckets in which the host has listed all its matches
	Left     bool   `json:"left,omitempty"`   // the host has stopped
}

// hosts are the other hosts. Times are of this host's monotonic clock.
type hosts struct {
	mu         sync.Mutex // guards the fields below
	others     map[string]*peer
	left       map[string]bool // hosts that have stopped in order, at most maxHosts
	generation uint64
	shown      []string // the live hosts of this generation
}

// peer is another host.
type peer struct {
	presence
	games  map[string]bool
	heard  time.Time // zero: not since this host began to watch
	listed time.Time // since when Listed has its value
	// Matches that this host has placed there since the peer's last listing, and since the
	// one before that, which might not have counted them yet.
	placed, placedBefore int
}

func (p *peer) live(now time.Time) bool { return !p.heard.IsZero() && now.Sub(p.heard) < live }

// refresh counts a new generation if other hosts are live than before.
func (h *hosts) refresh() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, p := range h.others {
		if p.heard.IsZero() && time.Since(p.listed) > forgetHost { // it was dead when this host began to watch
			delete(h.others, name)
		}
	}
	if shown := h.liveLocked(); !slices.Equal(shown, h.shown) {
		h.shown = shown
		h.generation++
	}
}

func (h *hosts) liveLocked() []string {
	now := time.Now()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(h.others)) {
		if h.others[name].live(now) {
			names = append(names, name)
		}
	}
	return names
}

// heard returns when another host was heard the last time; zero: not at all.
func (h *hosts) heard(name string) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.others[name]; p != nil {
		return p.heard
	}
	return time.Time{}
}

// hasLeft reports whether a host has stopped in order.
func (h *hosts) hasLeft(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left[name]
}

// forget removes a host that was fenced.
func (h *hosts) forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.others, name)
	h.generation++
}

// complete returns the live hosts that listed all their matches in the given buckets
// more than the given time ago.
func (h *hosts) complete(buckets string, ago time.Duration) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	names := map[string]bool{}
	for name, p := range h.others {
		if p.live(now) && p.Listed == buckets && now.Sub(p.listed) > ago {
			names[name] = true
		}
	}
	return names
}

// all returns the live hosts, and whether there are others that were neither fenced nor
// have left.
func (h *hosts) all() (live []string, silent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	live = h.liveLocked()
	return live, len(live) < len(h.others)
}
