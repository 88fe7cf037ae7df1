package load

import (
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// readersOfAKind is how many read at full speed, and hurriedMatches how many
// matches with little time are played beside them.
const (
	readersOfAKind = 8
	hurriedMatches = 201
)

// BenchmarkReaders measures one match beside readers at full speed against the
// same without, on the data folder that COLOSSEUM_DATA names, which should hold
// many records. Then, still beside them, it plays 201 matches with 0.2 s for an
// answer between clients that answer at once, and counts those in which one was
// late. The readers share the machine. x-p50 is the median round beside them
// divided by that without.
func BenchmarkReaders(b *testing.B) {
	data := os.Getenv("COLOSSEUM_DATA")
	if data == "" {
		b.Skip("COLOSSEUM_DATA names no data folder: docs/performance.md says how to make one")
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
		{"exempt", ""}, // the readers have no budget of their address
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

// readAll reads in all ways at full speed. Stop ends that and returns how many
// answers there were.
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

// one measures the rounds of one match.
func one(b *testing.B, h *programs.Host) figures {
	rounds := perMatch(b, 1)
	players, err := h.Pair(rounds)
	if err != nil {
		b.Fatal(err)
	}
	return measure(b, players, rounds, func() [2]float64 { return h.CPU(b) })
}

// hurried plays matches with 0.2 s for an answer, four at a time, and returns
// how many did not end well.
func hurried(b *testing.B, h *programs.Host, matches int) (late int) {
	var wait sync.WaitGroup
	var bad atomic.Int64
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
						} else if p == pair[0] && unfinished(result) {
							bad.Add(1)
						}
					})
				}
				playing.Wait()
			}
		})
	}
	wait.Wait()
	return int(bad.Load())
}

func unfinished(r *protocol.MatchResult) bool {
	for _, p := range r.Players {
		if p.Ended != "finished" {
			return true
		}
	}
	return false
}

// read reads something and returns how many answers it got.
type read func(h *programs.Host) int64

// page asks for a page over HTTP.
func page(path string) read {
	return func(h *programs.Host) int64 {
		r, err := http.Get("http" + strings.TrimPrefix(h.URL, "ws") + path)
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

// history asks for the list of the matches that have ended, some times on one
// connection.
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
