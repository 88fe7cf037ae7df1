package tally

import (
	"testing"
	"time"
)

func TestDurationsFallIntoTheBucketOfTheirBound(t *testing.T) {
	const first = 1 << firstBits * time.Nanosecond
	tests := []struct {
		name  string
		d     time.Duration
		bound float64 // the smallest bound that counts it; 0: none does
	}{
		{"negative", -time.Second, first.Seconds()},
		{"none", 0, first.Seconds()},
		{"the first bound", first, first.Seconds()},
		{"just above it", first + 1, (2 * first).Seconds()},
		{"the last bound", first << (buckets - 2), (first << (buckets - 2)).Seconds()},
		{"above all bounds", first<<(buckets-2) + 1, 0},
		{"a day", 24 * time.Hour, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l Latency
			l.Add(tt.d)
			if l.Count() != 1 || l.Sum() != max(tt.d, 0) {
				t.Errorf("count %d, sum %v", l.Count(), l.Sum())
			}
			for bound, n := range l.Cumulative() {
				want := uint64(0)
				if tt.bound > 0 && bound > tt.bound*0.99 {
					want = 1
				}
				if n != want {
					t.Errorf("%d are at most %v s, want %d", n, bound, want)
				}
			}
		})
	}
}

func TestMergeAddsEverything(t *testing.T) {
	var a, b Latency
	a.Add(time.Millisecond)
	b.Add(time.Second)
	b.Add(time.Hour)
	a.Merge(&b)
	if a.Count() != 3 || a.Sum() != time.Hour+time.Second+time.Millisecond {
		t.Errorf("count %d, sum %v", a.Count(), a.Sum())
	}
}

func BenchmarkAdd(b *testing.B) {
	var l Latency
	for i := range b.N {
		l.Add(time.Duration(i) * 997)
	}
	if l.Count() == 0 {
		b.Error("nothing was counted")
	}
}
