// Package rendered caches answers that are the same for all readers.
package rendered

import (
	"sync"
	"sync/atomic"
)

// Cache keeps one value until its key changes. Its methods can be called from any
// goroutine. The zero Cache is empty.
type Cache[K comparable, V any] struct {
	started atomic.Uint64 // how many builds
	kept    atomic.Pointer[kept[K, V]]
	mu      sync.Mutex // held during a build: there is one at a time
}

type kept[K comparable, V any] struct {
	key   K
	value V
	build uint64 // its number
}

// Get returns a value that is at least as new as the call. Key returns the state
// that the value depends on, such as the generation of a list; the value is kept
// as long as key returns the same. Build must build the value of a state that is
// at least as new as the last call of key. Calls during a build wait, and share
// the next one. An error is not kept.
func (c *Cache[K, V]) Get(key func() K, build func() (V, error)) (V, error) {
	// Loaded first: a build that starts later is new enough for this call.
	started := c.started.Load()
	if k := c.kept.Load(); k != nil && k.key == key() {
		return k.value, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := key()
	if k := c.kept.Load(); k != nil && (k.build > started || k.key == now) {
		return k.value, nil
	}
	number := c.started.Add(1)
	value, err := build()
	if err == nil {
		c.kept.Store(&kept[K, V]{now, value, number})
	}
	return value, err
}
