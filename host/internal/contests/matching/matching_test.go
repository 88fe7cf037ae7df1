package matching

import (
	"math/rand/v2"
	"testing"
)

// cheapest tries all perfect matchings.
func cheapest(n int, used int, cost func(a, b int) Weight) Weight {
	a := 0
	for used>>a&1 == 1 {
		a++
	}
	if a == n {
		return Weight{}
	}
	var best Weight
	found := false
	for b := a + 1; b < n; b++ {
		if used>>b&1 == 1 {
			continue
		}
		sum := cost(a, b).Plus(cheapest(n, used|1<<a|1<<b, cost))
		if !found || sum.Less(best) {
			best, found = sum, true
		}
	}
	return best
}

func TestMatchingIsTheCheapestOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for try := range 6000 {
		n := 2 * (1 + r.IntN(5))
		span := []int64{2, 3, 10, 1000}[try%4] // few values give many ties and blossoms
		table := map[[2]int]Weight{}
		for a := range n {
			for b := a + 1; b < n; b++ {
				table[[2]int{a, b}] = Weight{r.Int64N(span) / 2, r.Int64N(span), r.Int64N(span)}
			}
		}
		cost := func(a, b int) Weight { return table[[2]int{a, b}] }
		likely := func(v int) []int {
			if try%3 == 0 {
				return nil // all edges come later
			}
			return []int{r.IntN(n), r.IntN(n), r.IntN(n)}
		}
		var got Weight
		for a, b := range Perfect(n, cost, likely) {
			if a < b {
				got = got.Plus(cost(a, b))
			}
		}
		if want := cheapest(n, 0, cost); got != want {
			t.Fatalf("try %d: got a matching of %d vertices with the cost %v, want %v", try, n, got, want)
		}
	}
}

func TestLargeMatchingHasTheCostOfOneWithAllEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		n := 60 + 2*r.IntN(30)
		at := make([]int64, n)
		for i := range at {
			at[i] = r.Int64N(1000)
		}
		cost := func(a, b int) Weight {
			d := at[a] - at[b]
			return Weight{d * d % 7, d * d % 101, d * d}
		}
		sum := func(likely func(v int) []int) (total Weight) {
			for a, b := range Perfect(n, cost, likely) {
				if a < b {
					total = total.Plus(cost(a, b))
				}
			}
			return total
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		got, want := sum(func(int) []int { return nil }), sum(func(int) []int { return all })
		if got != want {
			t.Errorf("got a matching of %d vertices with the cost %v, want %v", n, got, want)
		}
	}
}
