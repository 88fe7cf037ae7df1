package cluster

import (
	"math"
	"sync"
)

// cpu measures which part of its CPU time the machine uses. On systems other than Linux it
// is 0, so that only the numbers of matches count.
type cpu struct {
	mu           sync.Mutex // guards the fields below
	busy, all    uint64     // at the last sample, since the start of the machine
	used         float64    // from 0 to 1, on average over some seconds
	measurements int
}

// newest is the weight of the last second in the average.
const newest = 0.3

// sample takes the time that the machine has used, and had, since its start.
func (c *cpu) sample(busy, all uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all > c.all && busy >= c.busy && c.measurements > 0 {
		now := min(1, float64(busy-c.busy)/float64(all-c.all))
		if c.measurements == 1 {
			c.used = now
		}
		c.used += newest * (now - c.used)
	}
	c.busy, c.all = busy, all
	c.measurements++
}

// share returns the used part, in hundredths.
func (c *cpu) share() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return math.Round(c.used*100) / 100
}
