package store

import (
	"sync"
)

// begun has the generation of this host in which each running match began: the end of a
// match is recorded only in the same one. The methods can be called concurrently.
type begun struct {
	hosts *Hosts // nil: there is only one host, and all generations are 0

	mu sync.Mutex // guards the field below
	in map[string]int64
}

func newBegun(hosts *Hosts) *begun { return &begun{hosts: hosts, in: map[string]int64{}} }

// add returns the generation in which a match begins, and keeps it for its end.
func (b *begun) add(id string) int64 {
	if b.hosts == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.in[id] = b.hosts.generation.Load()
	return b.in[id]
}

// of returns the generation in which a match began.
func (b *begun) of(id string) int64 {
	if b.hosts == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if g, ok := b.in[id]; ok {
		return g
	}
	return b.hosts.generation.Load()
}

// remove forgets a match that is recorded.
func (b *begun) remove(id string) {
	if b.hosts == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.in, id)
}
