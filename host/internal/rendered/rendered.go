// Package rendered keeps what was made for readers until what it was made of
// changes.
package rendered

import (
	"sync"
	"sync/atomic"
)

// Cache keeps one value for all who ask for it. The zero Cache is empty.
type Cache[K comparable, V any] struct {
	begun atomic.Uint64 // makings
	kept  atomic.Pointer[kept[K, V]]
	mu    sync.Mutex // held while a value is made: only one goroutine works
}

type kept[K comparable, V any] struct {
	key    K
	value  V
	making uint64 // its number
}

// Get returns a value that is as new as this call. Key says what it depends on, such
// as the generation of a list: it is kept as long as key returns the same. Make
// makes another, of a state that is at least as new as the call of key before it. Those who
// come while one is made wait, and share the next: however many ask, and however
// fast things change, there is at most one at work. An error is not kept.
func (c *Cache[K, V]) Get(key func() K, make func() (V, error)) (V, error) {
	// The number comes first: what is begun after it is new enough for this call.
	came := c.begun.Load()
	if k := c.kept.Load(); k != nil && k.key == key() {
		return k.value, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := key()
	if k := c.kept.Load(); k != nil && (k.making > came || k.key == now) {
		return k.value, nil
	}
	making := c.begun.Add(1)
	value, err := make()
	if err == nil {
		c.kept.Store(&kept[K, V]{now, value, making})
	}
	return value, err
}
