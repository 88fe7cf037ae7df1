// Package tally counts durations in buckets, at the cost of one addition each.
package tally

import (
	"math"
	"math/bits"
	"time"
)

// The bounds of the buckets are powers of two: 16.384 µs, twice that, and so
// on up to 69 s; the last bucket has no bound.
const (
	firstBits = 14 // of the first bound, in nanoseconds
	buckets   = 24
)

// Latency is a histogram of durations. It is not for several goroutines at
// once: each counts in its own, and they are merged.
type Latency struct {
	counts [buckets]uint64
	sum    time.Duration
}

// Add counts a duration; a negative one counts as 0.
func (l *Latency) Add(d time.Duration) {
	d = max(d, 0)
	// Bounds belong to the bucket below, which a duration less one decides.
	i := bits.Len64(uint64(max(d-1, 0)) >> firstBits)
	l.counts[min(i, buckets-1)]++
	l.sum += d
}

// Merge adds all that another has counted.
func (l *Latency) Merge(other *Latency) {
	for i, n := range other.counts {
		l.counts[i] += n
	}
	l.sum += other.sum
}

// Count is the number of durations.
func (l *Latency) Count() uint64 {
	var n uint64
	for _, c := range l.counts {
		n += c
	}
	return n
}

// Sum is the sum of all durations.
func (l *Latency) Sum() time.Duration { return l.sum }

// Cumulative returns, for each bound in seconds, how many durations were at
// most so long. The bucket without a bound is left out.
func (l *Latency) Cumulative() map[float64]uint64 {
	all := make(map[float64]uint64, buckets-1)
	var n uint64
	for i, c := range l.counts[:buckets-1] {
		n += c
		all[math.Ldexp(1e-9, firstBits+i)] = n
	}
	return all
}
