// Package histogram counts durations in buckets.
package histogram

import (
	"math"
	"math/bits"
	"time"
)

// The bounds of the buckets are powers of two, from 16.384 µs to 69 s; the last
// bucket has no bound.
const (
	firstBits = 14 // of the first bound, in nanoseconds
	buckets   = 24
)

// Durations is a histogram of durations. It must not be used concurrently: each
// goroutine fills its own, or one of Few, and these are merged.
type Durations struct {
	counts [buckets]uint64
	sum    time.Duration
}

// Few is a histogram of fewer than 4,294,967,296 durations, in half of the memory. It must not
// be used concurrently.
type Few struct {
	counts [buckets]uint32
	sum    time.Duration
}

// Add counts a duration; a negative one counts as 0.
func (h *Durations) Add(d time.Duration) {
	h.counts[bucket(d)]++
	h.sum += max(d, 0)
}

// Add counts a duration; a negative one counts as 0.
func (h *Few) Add(d time.Duration) {
	h.counts[bucket(d)]++
	h.sum += max(d, 0)
}

// bucket returns the bucket of a duration.
func bucket(d time.Duration) int {
	// A bound belongs to the bucket below it, hence d-1.
	return min(bits.Len64(uint64(max(d-1, 0))>>firstBits), buckets-1)
}

// Merge adds the counts of another histogram.
func (h *Durations) Merge(other *Few) {
	for i, n := range other.counts {
		h.counts[i] += uint64(n)
	}
	h.sum += other.sum
}

// Count returns the number of durations.
func (h *Durations) Count() uint64 {
	var n uint64
	for _, c := range h.counts {
		n += c
	}
	return n
}

// Sum returns the sum of all durations.
func (h *Durations) Sum() time.Duration { return h.sum }

// Cumulative returns, for each bound in seconds, how many durations were at most
// that long. It leaves out the bucket without a bound.
func (h *Durations) Cumulative() map[float64]uint64 {
	all := make(map[float64]uint64, buckets-1)
	var n uint64
	for i, c := range h.counts[:buckets-1] {
		n += c
		all[math.Ldexp(1e-9, firstBits+i)] = n
	}
	return all
}
