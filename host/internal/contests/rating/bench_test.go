package rating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// world returns players with normal strengths and matches of random players, or of
// players of about the same strength.
func world(players, matches, size int, near bool) []Match {
	r := rand.New(rand.NewPCG(7, 7))
	strength := make([]float64, players)
	for i := range strength {
		strength[i] = r.NormFloat64() * 1.2
	}
	slices.Sort(strength)
	ties := map[int]float64{2: 0.3}
	list := make([]Match, matches)
	for i := range list {
		var chosen []int
		for len(chosen) < size {
			p := r.IntN(players)
			if near && len(chosen) > 0 {
				p = chosen[0] + int(math.Round(r.NormFloat64()*float64(players)/20))
			}
			if p >= 0 && p < players && !slices.Contains(chosen, p) {
				chosen = append(chosen, p)
			}
		}
		list[i] = randomMatch(r, strength, ties, chosen)
	}
	return list
}

func BenchmarkFit(b *testing.B) {
	for _, w := range []struct {
		players, matches, size int
		near                   bool
	}{{40, 1560, 2, false}, {1000, 100_000, 2, false}, {10_000, 1_000_000, 2, false}, {10_000, 1_000_000, 2, true}, {1000, 100_000, 4, false}, {10_000, 1_000_000, 4, false}} {
		b.Run(fmt.Sprintf("players=%d/matches=%d/size=%d/near=%v", w.players, w.matches, w.size, w.near), func(b *testing.B) {
			list := world(w.players, w.matches, w.size, w.near)
			for b.Loop() {
				if _, err := Fit(w.players, list, Options{HalfLife: 90 * 24 * time.Hour}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBook measures what a page needs after one more result.
func BenchmarkBook(b *testing.B) {
	for _, w := range []struct {
		players, matches, size int
		near                   bool
	}{{40, 1560, 2, false}, {150, 15_000, 2, false}, {1000, 100_000, 2, false}, {10_000, 1_000_000, 2, false}, {10_000, 1_000_000, 2, true}, {10_000, 250_000, 4, false}} {
		b.Run(fmt.Sprintf("players=%d/matches=%d/size=%d/near=%v", w.players, w.matches, w.size, w.near), func(b *testing.B) {
			const more = 10_000
			list := world(w.players, w.matches+more, w.size, w.near)
			now := time.Now()
			for i := range list {
				list[i].At = now.Add(time.Duration(i-len(list)) * time.Second)
			}
			book, err := NewBook(Options{HalfLife: 90 * 24 * time.Hour})
			if err == nil {
				err = book.Add(w.players, list[:w.matches])
			}
			if err != nil {
				b.Fatal(err)
			}
			begin := time.Now()
			book.Table(now)
			b.ReportMetric(time.Since(begin).Seconds(), "s/first")
			slowest := time.Duration(0)
			for i := 0; b.Loop(); i++ {
				next := w.matches + i%more // then the same results again
				begin := time.Now()
				if err := book.Add(w.players, list[next:next+1]); err != nil {
					b.Fatal(err)
				}
				book.Table(now)
				slowest = max(slowest, time.Since(begin))
			}
			b.ReportMetric(float64(slowest.Milliseconds()), "ms/slowest")
		})
	}
}
