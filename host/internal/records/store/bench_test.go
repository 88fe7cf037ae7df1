package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/host/internal/records/record"
)

// match returns the record of a match of roshambo between two players with random
// answers.
func match(rounds int) *record.Match {
	random := rand.New(rand.NewPCG(1, 2))
	r := &record.Match{
		Name: "benchmark", Game: "roshambo", Plugin: "roshambo", Version: "0123456789abcdef0123456789abcdef",
		Args: map[string]string{"rounds": fmt.Sprint(rounds)}, Params: map[string]string{"rounds": fmt.Sprint(rounds), "pace": "0"},
		Timeout: 30, Seed: random.Uint64(), Started: time.Now(), Ended: time.Now(), State: record.Finished,
		Seats:  []record.Seat{{Name: "Ann", Score: 3, Rank: 1, Ended: "finished"}, {Name: "Bob", Score: 2, Rank: 2, Ended: "finished"}},
		Stream: fmt.Appendf(nil, "Ann\nBob\n%d\n", rounds),
	}
	var at time.Duration
	for range rounds {
		for seat := range 2 {
			at += time.Duration(50_000 + random.ExpFloat64()*200_000) // ns
			hand := []string{"ROCK", "PAPER", "SCISSORS"}[random.IntN(3)]
			r.Answers = append(r.Answers, record.Answer{Seat: seat, Line: hand, At: at})
			r.Stream = fmt.Appendln(r.Stream, hand)
		}
	}
	return r
}

// BenchmarkFinish records matches from 100 goroutines, each with its Begin, and from one.
func BenchmarkFinish(b *testing.B) {
	for _, on := range []kind{inFile, onServer} {
		for _, players := range []int{100, 1} {
			for _, rounds := range []int{10, 1000} {
				b.Run(fmt.Sprintf("%s/players=%d/rounds=%d", on, players, rounds), func(b *testing.B) { benchmarkFinish(b, on, players, rounds) })
			}
		}
	}
}

func benchmarkFinish(b *testing.B, on kind, players, rounds int) {
	s, _, _ := on.openTemp(b)
	sample := match(rounds)
	waits := make([]time.Duration, b.N)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range players {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= b.N {
					return
				}
				r := *sample
				r.ID = fmt.Sprintf("%013d", i)
				s.Begin(&r)
				start := time.Now()
				if err := s.Finish(context.Background(), &r); err != nil {
					b.Error(err)
					return
				}
				waits[i] = time.Since(start)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "matches/s")
	slices.Sort(waits)
	b.ReportMetric(float64(waits[b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(waits[b.N*99/100].Microseconds())/1000, "p99-ms")
	if used, err := s.retainer.measure(b.Context()); err == nil {
		b.ReportMetric(float64(used)/float64(b.N), "disk-B/match")
	}
}

func BenchmarkGet(b *testing.B) {
	s, _, _ := openTemp(b)
	for i := range 1000 {
		r := match(1000)
		r.ID = fmt.Sprint("ID", i)
		finish(b, s, r)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Get(context.Background(), fmt.Sprint("ID", i%1000)); err != nil {
			b.Fatal(err)
		}
	}
}
