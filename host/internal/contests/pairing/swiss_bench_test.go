package pairing

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkSwiss(b *testing.B) {
	for _, n := range []int{200, 1000} {
		for _, legs := range []int{1, 2} {
			b.Run(fmt.Sprintf("entrants=%d/legs=%d", n, legs), func(b *testing.B) {
				for range b.N {
					r := rand.New(rand.NewPCG(1, uint64(n)))
					h := &History{Format: Swiss, Size: 2, Legs: legs, Rounds: 11}
					for i := range n {
						h.Entrants = append(h.Entrants, Entrant{Seed: i})
					}
					for {
						next, over, err := Next(h)
						if err != nil {
							b.Fatal(err)
						}
						if over {
							break
						}
						for _, p := range next {
							played := Played{Pairing: p}
							for range legs {
								if len(p.Entrants) == 2 {
									x := []float64{0, 0.5, 1}[r.IntN(3)]
									played.Legs = append(played.Legs, Leg{Points: []float64{x, 1 - x}})
								}
							}
							h.Pairings = append(h.Pairings, played)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/11, "ms/round")
			})
		}
	}
}
