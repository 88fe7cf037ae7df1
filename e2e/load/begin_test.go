package load

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// BenchmarkBegin measures the start of 1,000 matches that wait for their two players,
// whose connections are open: from the first request for a seat until all players know
// that their matches have started. 16 pairs of players join at the same time. start is
// the time from the second request of a match to its start. The medians of three hosts
// are reported.
func BenchmarkBegin(b *testing.B) {
	const matches, atOnce = 1000, 16
	programs.NeedFiles(b, 2*matches+reserved)
	got := map[string][]float64{}
	for range turns {
		h := programs.StartHost(b, b.TempDir())
		pairs := make([][2]*programs.Client, matches)
		ids := make([]string, matches)
		for n := range pairs {
			for i := range pairs[n] {
				c, err := programs.Dial(h.URL)
				if err != nil {
					b.Fatal(err)
				}
				pairs[n][i] = c
			}
			var err error
			if ids[n], err = pairs[n][0].Create(programs.Roshambo(10, 0)); err != nil {
				b.Fatal(err)
			}
		}
		starts := make([]time.Duration, matches)
		numbers := make(chan int)
		var joining sync.WaitGroup
		cpu, begin := h.CPU(b), time.Now()
		for range atOnce {
			joining.Go(func() { // ends with numbers
				for n := range numbers {
					took, err := begins(pairs[n], ids[n])
					if err != nil {
						b.Error(err)
					}
					starts[n] = took
				}
			})
		}
		for n := range matches {
			numbers <- n
		}
		close(numbers)
		joining.Wait()
		took, after := time.Since(begin), h.CPU(b)
		h.Stop(b, syscall.SIGKILL)
		for _, pair := range pairs {
			pair[0].Close()
			pair[1].Close()
		}
		slices.Sort(starts)
		for unit, value := range map[string]float64{
			"ms": took.Seconds() * 1e3, "host-µs/match": (after[0] - cpu[0]) / matches * 1e6, "game-µs/match": (after[1] - cpu[1]) / matches * 1e6,
			"start-p50-ms": starts[matches/2].Seconds() * 1e3, "start-p99-ms": starts[matches*99/100].Seconds() * 1e3,
		} {
			got[unit] = append(got[unit], value)
		}
	}
	for unit, values := range got {
		slices.Sort(values)
		b.ReportMetric(values[turns/2], unit)
	}
	b.ReportMetric(0, "ns/op")
}

// begins has two players join a match, and returns the time from the second request to
// its start.
func begins(pair [2]*programs.Client, id string) (time.Duration, error) {
	var asked time.Time
	for i, c := range pair {
		asked = time.Now()
		if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
			return 0, err
		}
	}
	for _, c := range pair {
		if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
			return 0, err
		}
	}
	return time.Since(asked), nil
}
