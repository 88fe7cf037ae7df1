package driver_test

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"colosseum/sdk/driver"
)

// reference returns the n-th output, from 1, of SplitMix64 with a seed, in numbers
// without a word size, as the paper describes it.
func reference(seed uint64, n int) uint64 {
	word := new(big.Int).Lsh(big.NewInt(1), 64)
	z := new(big.Int).SetUint64(0x9e3779b97f4a7c15)
	z.Mul(z, big.NewInt(int64(n)))
	z.Add(z, new(big.Int).SetUint64(seed))
	z.Mod(z, word)
	for _, step := range []struct {
		shift  uint
		factor uint64
	}{{30, 0xbf58476d1ce4e5b9}, {27, 0x94d049bb133111eb}, {31, 1}} {
		z.Xor(z, new(big.Int).Rsh(z, step.shift))
		z.Mul(z, new(big.Int).SetUint64(step.factor))
		z.Mod(z, word)
	}
	return z.Uint64()
}

func TestStreamZeroIsSplitMix64(t *testing.T) {
	published := map[uint64][]uint64{
		0:       {16294208416658607535, 7960286522194355700, 487617019471545679, 17909611376780542444, 1961750202426094747},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821},
	}
	for seed, outputs := range published {
		r := driver.NewRand(seed, driver.StreamReferee)
		for i, want := range outputs {
			if got := r.Uint64(); got != want {
				t.Errorf("seed %d, output %d: %d, want %d", seed, i+1, got, want)
			}
		}
	}
	for _, seed := range []uint64{0, 1, 1 << 63, math.MaxUint64} {
		r := driver.NewRand(seed, driver.StreamReferee)
		for n := 1; n <= 1000; n++ {
			if got, want := r.Uint64(), reference(seed, n); got != want {
				t.Fatalf("seed %d, output %d: %d, want %d", seed, n, got, want)
			}
		}
	}
}

func TestOtherStreamsStartFromAMixedSeed(t *testing.T) {
	const golden = 0x9e3779b97f4a7c15
	for _, seed := range []uint64{0, 42, math.MaxUint64} {
		for stream := range 20 {
			start := seed
			if stream > 0 {
				start = reference((seed^reference(0, stream))-golden, 1)
			}
			if got, want := driver.NewRand(seed, uint64(stream)).Uint64(), reference(start, 1); got != want {
				t.Errorf("seed %d, stream %d: %d, want %d", seed, stream, got, want)
			}
		}
	}
}

// chiSquare fails the test if counts are more or less even than chance makes them,
// by five standard deviations; the seeds of these tests are fixed.
func chiSquare(t *testing.T, what string, counts []int) {
	t.Helper()
	total := 0
	for _, n := range counts {
		total += n
	}
	expected := float64(total) / float64(len(counts))
	sum := 0.0
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	freedom := float64(len(counts) - 1)
	if limit := 5 * math.Sqrt(2*freedom); math.Abs(sum-freedom) > limit {
		t.Errorf("%s: chi-square of %.1f, want %.0f ± %.1f", what, sum, freedom, limit)
	}
}

func TestNumbersBelowNAreEquallyLikely(t *testing.T) {
	for _, n := range []int{2, 3, 6, 7, 100, 1000} {
		r := driver.NewRand(7, 0)
		counts := make([]int, n)
		for range 100 * n {
			counts[r.Intn(n)]++
		}
		chiSquare(t, fmt.Sprintf("Intn(%d)", n), counts)
	}
	// There are 8/3 as many words as numbers below 3 << 61: without rejection two
	// of every three numbers would come from three words, the third from two.
	n := math.MaxInt/4*3 + 3
	r := driver.NewRand(7, 0)
	counts := make([]int, 3)
	for range 30000 {
		counts[r.Intn(n)%3]++
	}
	chiSquare(t, "Intn of a large number", counts)
}

func TestNumbersBelowOneAreRefused(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Intn(%d) returned, want a panic", n)
				}
			}()
			driver.NewRand(1, 0).Intn(n)
		}()
	}
	if got := driver.NewRand(1, 0).Intn(1); got != 0 {
		t.Errorf("Intn(1) is %d, want 0", got)
	}
}

func TestPermHoldsEveryNumberOnce(t *testing.T) {
	r := driver.NewRand(3, 0)
	for n := range 30 {
		sorted := slices.Sorted(slices.Values(r.Perm(n)))
		for i, got := range sorted {
			if got != i {
				t.Fatalf("Perm(%d) sorted is %v, want %d at %d", n, sorted, i, i)
			}
		}
		if len(sorted) != n {
			t.Fatalf("Perm(%d) has %d numbers, want %d", n, len(sorted), n)
		}
	}
}

func TestPermutationsAreEquallyLikely(t *testing.T) {
	r := driver.NewRand(3, 0)
	order := map[[4]int]int{}
	for range 24 * 500 {
		order[[4]int(r.Perm(4))]++
	}
	var counts []int
	for _, n := range order {
		counts = append(counts, n)
	}
	if len(counts) != 24 {
		t.Fatalf("%d orders of 4, want 24", len(counts))
	}
	chiSquare(t, "Perm(4)", counts)
}

// The seats of a recorded match follow from its seed.
func TestSeatsOfRecordedMatchesStay(t *testing.T) {
	want := [][]int{{0, 5, 3, 4, 1, 2}, {4, 2, 0, 5, 1, 3}, {5, 0, 3, 1, 4, 2}}
	for seed := range want {
		if got := driver.NewRand(uint64(seed), driver.StreamSeats).Perm(6); !reflect.DeepEqual(got, want[seed]) {
			t.Errorf("seed %d: %v, want %v", seed, got, want[seed])
		}
	}
}
