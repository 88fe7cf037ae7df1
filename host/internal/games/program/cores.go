package program

import (
	"slices"
	"sync"
)

// Cores are the cores of this machine, for programs that run only while they are asked.
// On each core at most one program runs at a time.
type Cores struct {
	mu   sync.Mutex // guards the matches of each core
	list []*Core
}

// Core is one core. All programs of a match have the same one, so that the match takes no
// more of the machine than one core, and a program with many threads no more than another.
type Core struct {
	all     *Cores
	number  int // of the system, from 0; -1: any
	matches int

	mu      sync.Mutex // guards the fields below
	running *Program   // nil: none
	waiting []*Program // in the order in which they were asked
}

// NewCores returns the cores that this process can use, but at most limit of them.
func NewCores(limit int) *Cores {
	c := &Cores{}
	numbers := coreNumbers()
	for i := range max(1, limit) {
		number := -1
		if len(numbers) > 0 {
			if i == len(numbers) {
				break
			}
			number = numbers[i]
		}
		c.list = append(c.list, &Core{all: c, number: number})
	}
	return c
}

// Take returns the core with the fewest matches for another match. Free must be called.
func (c *Cores) Take() *Core {
	c.mu.Lock()
	defer c.mu.Unlock()
	least := slices.MinFunc(c.list, func(a, b *Core) int { return a.matches - b.matches })
	least.matches++
	return least
}

// Free returns the core after a match.
func (c *Core) Free() {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	c.matches--
}

// acquire reports whether a program can run now. If not, its method begin is called when
// it can.
func (c *Core) acquire(p *Program) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.running == nil:
		c.running = p
	case c.running != p && !slices.Contains(c.waiting, p):
		c.waiting = append(c.waiting, p)
	}
	return c.running == p
}

// release says that a program no longer needs the core, and lets the next one run.
func (c *Core) release(p *Program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(w *Program) bool { return w == p })
	if c.running != p {
		return
	}
	c.running = nil
	if len(c.waiting) > 0 {
		c.running = c.waiting[0]
		c.waiting = slices.Delete(c.waiting, 0, 1)
		go c.running.begin() // the caller can hold the lock of another match
	}
}

// has reports whether a program has the core.
func (c *Core) has(p *Program) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running == p
}
