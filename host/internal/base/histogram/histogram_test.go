package histogram

import (
	"testing"
	"time"
)

func TestDurationIsCountedAtEveryBoundFromItsOwnOn(t *testing.T) {
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
			var h Durations
			h.Add(tt.d)
			if h.Count() != 1 || h.Sum() != max(tt.d, 0) {
				t.Errorf("got count %d, sum %v, want 1, %v", h.Count(), h.Sum(), max(tt.d, 0))
			}
			for bound, n := range h.Cumulative() {
				want := uint64(0)
				if tt.bound > 0 && bound > tt.bound*0.99 {
					want = 1
				}
				if n != want {
					t.Errorf("got %d durations of at most %v s, want %d", n, bound, want)
				}
			}
		})
	}
}

func TestMergeAddsEverything(t *testing.T) {
	var a Durations
	var b Few
	a.Add(time.Millisecond)
	b.Add(time.Second)
	b.Add(time.Hour)
	a.Merge(&b)
	if want := time.Hour + time.Second + time.Millisecond; a.Count() != 3 || a.Sum() != want {
		t.Errorf("got count %d, sum %v, want 3, %v", a.Count(), a.Sum(), want)
	}
}

func BenchmarkAdd(b *testing.B) {
	var h Durations
	for i := range b.N {
		h.Add(time.Duration(i) * 997)
	}
	if h.Count() != uint64(b.N) {
		b.Errorf("got %d durations, want %d", h.Count(), b.N)
	}
}
