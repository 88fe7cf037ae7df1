package load

import (
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

const (
	readersOfAKind = 8   // readers at full speed of each kind of request
	hurriedMatches = 201 // matches with a short timeout, played during the reads
)

// BenchmarkReaders compares a match during reads at full speed with a match without
// them, on the data folder COLOSSEUM_DATA, which should contain many records. During
// the reads it also plays 201 matches with 0.2 s for an answer, between clients that
// answer at once, and counts those with a late answer. The readers run on the same
// machine. x-p50 is the median round during reads divided by the one without.
func BenchmarkReaders(b *testing.B) {
	data := os.Getenv("COLOSSEUM_DATA")
	if data == "" {
		b.Skip("COLOSSEUM_DATA is not set: docs/performance.md describes how to make such a data folder")
	}
	kinds := []struct {
		name  string
		reads []read
	}{
		{"player=nobody", []read{page("api/matches?player=nobody")}},
		{"limit=500", []read{page("api/matches?limit=500")}},
		{"games", []read{page("api/games")}},
		{"history", []read{history}},
		{"all", []read{page("api/matches?player=nobody"), page("api/matches?limit=500"), page("api/games"), history}},
	}
	for _, limits := range []struct{ name, config string }{
		{"exempt", ""}, // no budget for the readers' address
		{"budget", "limits: {exempt: []}\n"},
	} {
		for _, kind := range kinds {
			b.Run(limits.name+"/"+kind.name, func(b *testing.B) {
				h := programs.StartHostWith(b, data, "plugins: {folders: ["+programs.Plugins+"]}\n"+limits.config)
				defer h.Stop(b, syscall.SIGTERM)
				late, answers, took := 0, 0.0, 0.0
				compare(b,
					func() figures {
						begin := time.Now()
						stop := readAll(h, kind.reads)
						f := one(b, h)
						late += hurried(b, h, hurriedMatches/turns)
						answers += float64(stop())
						took += time.Since(begin).Seconds()
						return f
					},
					func() figures { return one(b, h) })
				b.ReportMetric(float64(late), "late-matches")
				b.ReportMetric(answers/took, "answers/s")
			})
		}
	}
}

// readAll starts readers of each kind. stop ends them, and returns the number of
// answers that they received.
func readAll(h *programs.Host, reads []read) (stop func() int64) {
	var answers atomic.Int64
	var reading sync.WaitGroup
	done := make(chan struct{})
	for _, r := range reads {
		for range readersOfAKind {
			reading.Go(func() { // ends with done
				for {
					select {
					case <-done:
						return
					default:
						answers.Add(r(h))
					}
				}
			})
		}
	}
	return func() int64 {
		close(done)
		reading.Wait()
		return answers.Load()
	}
}

// one measures one match.
func one(b *testing.B, h *programs.Host) figures {
	rounds := perMatch(b, 1)
	players, err := h.Pair(rounds)
	if err != nil {
		b.Fatal(err)
	}
	return measure(b, players, rounds, func() [2]float64 { return h.CPU(b) })
}

// hurried plays matches with 0.2 s for an answer, four at a time, and returns how
// many ended with a forfeit.
func hurried(b *testing.B, h *programs.Host, matches int) (late int) {
	var wait sync.WaitGroup
	var forfeited atomic.Int64
	numbers := make(chan int, matches)
	for n := range matches {
		numbers <- n
	}
	close(numbers)
	for range 4 {
		wait.Go(func() { // ends with numbers
			for range numbers {
				pair, err := h.PairIn(10, 0.2)
				if err != nil {
					b.Error(err)
					return
				}
				var playing sync.WaitGroup
				for _, p := range pair {
					playing.Go(func() { // ends with the match
						defer p.Close()
						result, _, err := p.Roshambo(func(int) string { return "ROCK" })
						if err != nil {
							b.Error(err)
						} else if p == pair[0] && !programs.Finished(result) {
							forfeited.Add(1)
						}
					})
				}
				playing.Wait()
			}
		})
	}
	wait.Wait()
	return int(forfeited.Load())
}

// read sends requests, and returns the number of answers that it received.
type read func(h *programs.Host) int64

// page returns a read of an HTTP page.
func page(path string) read {
	return func(h *programs.Host) int64 {
		r, err := http.Get(h.Page(path))
		if err != nil {
			return 0
		}
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			return 0
		}
		return 1
	}
}

// history requests the list of ended matches 20 times on one connection.
func history(h *programs.Host) (answers int64) {
	c, err := programs.Dial(h.URL)
	if err != nil {
		return 0
	}
	defer c.Close()
	for range 20 {
		if c.Send(protocol.NameHistoryMatchList, nil) != nil || c.Expect(protocol.NameHistoryMatchList, nil) != nil {
			return answers
		}
		answers++
	}
	return answers
}
