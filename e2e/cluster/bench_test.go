package main

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"colosseum/e2e/internal/clusters"
	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// turns is how many times two workloads are measured in turn: the speed of a machine
// varies, and only the ratios are meaningful.
const turns = 3

// micro returns a duration in µs.
func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// median returns the value in the middle.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// BenchmarkRelay compares matches whose players are connected to another host with
// matches whose players are connected to the owner. x-p50 is the median round through
// the relay divided by that without it, x-rate the same of the rounds per second, and
// x-cpu of the CPU time of all hosts.
func BenchmarkRelay(b *testing.B) {
	for _, matches := range []int{1, 100} {
		b.Run(fmt.Sprintf("matches=%d", matches), func(b *testing.B) {
			w := startWith(b, clusters.Options{Hosts: 2})
			rounds := min(max(b.N/matches/turns/2, 1), 9999)
			got := map[string][]float64{}
			for range turns {
				rate, p50, cpu := w.rounds(0, matches, rounds)
				far, farP50, farCPU := w.rounds(1, matches, rounds)
				for unit, value := range map[string]float64{
					"rounds/s": rate, "p50-µs": p50, "host-µs/round": cpu, "relay-rounds/s": far, "relay-p50-µs": farP50, "relay-host-µs/round": farCPU,
					"x-rate": far / rate, "x-p50": farP50 / p50, "x-cpu": farCPU / cpu,
				} {
					got[unit] = append(got[unit], value)
				}
			}
			for unit, values := range got {
				b.ReportMetric(median(values), unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// rounds plays matches on the first host between players that are connected to the near
// one.
func (w *world) rounds(near, matches, rounds int) (rate, p50, cpu float64) {
	var players []*programs.Player
	for range matches {
		id := w.createOn(0, programs.Roshambo(rounds, 0))
		var pair []*programs.Player
		for i := range 2 {
			c, err := programs.Dial(w.hosts[near].URL)
			if err == nil {
				err = c.Join(id, fmt.Sprintf("p%d", i))
			}
			if err != nil {
				w.t.Fatal(err)
			}
			pair = append(pair, &programs.Player{Client: c, ID: id, Rounds: rounds})
		}
		for _, p := range pair {
			if _, err := p.Skip(protocol.NameMatchStarted, nil); err != nil {
				w.t.Fatal(err)
			}
		}
		players = append(players, pair...)
	}
	before, begin := w.cpu(), time.Now()
	var wait sync.WaitGroup
	for _, p := range players {
		wait.Go(p.Play)
	}
	wait.Wait()
	took, total := time.Since(begin), float64(rounds*matches)
	cpu = (w.cpu() - before) / total * 1e6
	var times []time.Duration
	for _, p := range players {
		if p.Err != nil {
			w.t.Fatal(p.Err)
		}
		times = append(times, p.Times...)
		p.Close()
	}
	slices.Sort(times)
	return total / took.Seconds(), micro(times[len(times)/2]), cpu
}

// cpu returns the CPU seconds used by all hosts, without their games.
func (w *world) cpu() (seconds float64) {
	for _, h := range w.Hosts {
		seconds += programs.CPUOf(w.t, h.PID())
	}
	return seconds
}

// BenchmarkLobbyChanges plays matches against bots on three hosts, with 1,000 watchers of
// the lobby, until all have seen the end of all matches. A match has several changes.
func BenchmarkLobbyChanges(b *testing.B) {
	const watchers, workers = 1000, 12
	programs.NeedFiles(b, watchers+1000)
	w := startWith(b, clusters.Options{Hosts: 3})
	var events, deletes [watchers]atomic.Int64
	for i := range watchers {
		c := w.hosts[i%3].Dial(b)
		if err := c.Send(protocol.NameLobbySubscribe, nil); err != nil {
			b.Fatal(err)
		}
		if err := c.Expect(protocol.NameLobbySubscribed, nil); err != nil {
			b.Fatal(err)
		}
		go func() { // ends with the connection
			for {
				kind, message, err := c.Conn.ReadMessage()
				if err != nil {
					return
				}
				if kind == websocket.TextMessage {
					events[i].Add(1)
					if bytes.Contains(message[:min(len(message), 64)], []byte(protocol.NameLobbyDelete)) {
						deletes[i].Add(1)
					}
				}
			}
		}()
	}
	var working sync.WaitGroup
	numbers := make(chan int)
	before := w.cpu()
	b.ResetTimer()
	for range workers {
		working.Go(func() { // ends with numbers
			for n := range numbers {
				c, err := programs.Dial(w.hosts[n%3].URL)
				if err != nil {
					b.Error(err)
					continue
				}
				id, err := c.Create(programs.Roshambo(1, 1))
				if err == nil {
					err = c.Join(id, "alice")
				}
				if err == nil {
					_, _, err = c.Roshambo(func(int) string { return "ROCK" })
				}
				if err != nil {
					b.Error(err)
				}
				c.Close()
			}
		})
	}
	for n := range b.N {
		numbers <- n
	}
	close(numbers)
	working.Wait()
	poll.Until(b, "all watchers have seen the end of all matches", func() bool {
		for i := range deletes {
			if deletes[i].Load() < int64(b.N) {
				return false
			}
		}
		return true
	})
	took := b.Elapsed().Seconds()
	b.StopTimer()
	b.ReportMetric(float64(events[0].Load())/took, "changes/s")
	b.ReportMetric(float64(b.N)/took, "matches/s")
	b.ReportMetric((w.cpu()-before)/float64(events[0].Load())*1e6, "hosts-µs/change")
}

// BenchmarkOwner measures the CPU time of the owner of a match for each round, with
// spectators behind two other hosts.
func BenchmarkOwner(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("spectators=%d", n), func(b *testing.B) {
			programs.NeedFiles(b, n+1000)
			w := startWith(b, clusters.Options{Hosts: 3, YAML: "clients: {connections: 30000}\n"})
			rounds := min(b.N, 9999)
			id := w.createOn(0, programs.Roshambo(rounds, 0))
			var watching sync.WaitGroup
			for i := range 2 {
				for _, s := range spectate(b, w.hosts[1+i], id, (n+i)/2) {
					watching.Go(s.watch) // ends with the match
				}
			}
			var players []*programs.Player
			for i := range 2 {
				c := w.hosts[0].Dial(b)
				if err := c.Join(id, fmt.Sprintf("p%d", i)); err != nil {
					b.Fatal(err)
				}
				players = append(players, &programs.Player{Client: c, ID: id, Rounds: rounds})
			}
			owner, all := programs.CPUOf(b, w.Hosts[0].PID()), w.cpu()
			b.ResetTimer()
			var playing sync.WaitGroup
			for _, p := range players {
				playing.Go(p.Play)
			}
			playing.Wait()
			watching.Wait()
			b.StopTimer()
			owner, all = programs.CPUOf(b, w.Hosts[0].PID())-owner, w.cpu()-all
			for _, p := range players {
				if p.Err != nil {
					b.Fatal(p.Err)
				}
			}
			b.ReportMetric(owner/float64(rounds)*1e6, "owner-µs/round")
			b.ReportMetric((all-owner)/float64(rounds)*1e6, "others-µs/round")
			b.ReportMetric(b.Elapsed().Seconds()/float64(rounds)*1e6, "µs/round")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkDeadHost measures the time from the end of a host by kill -9 until another host
// has the record of its match.
func BenchmarkDeadHost(b *testing.B) {
	w := startWith(b, clusters.Options{Hosts: 3})
	var times []float64
	for range b.N {
		id := w.createOn(0, programs.Roshambo(9999, 1))
		c := w.hosts[0].Dial(b)
		if err := c.Join(id, "alice"); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Skip(protocol.NameMatchStarted, nil); err != nil {
			b.Fatal(err)
		}
		w.begun(id)
		begin := time.Now()
		w.Hosts[0].End(kill)
		poll.Until(b, "another host has the record", func() bool { return w.hosts[1].Records(b)[id] != nil })
		times = append(times, time.Since(begin).Seconds())
		if err := w.Hosts[0].Start(); err != nil {
			b.Fatal(err)
		}
		w.whole()
	}
	b.ReportMetric(median(times), "s")
	b.ReportMetric(slices.Max(times), "s-max")
	b.ReportMetric(0, "ns/op")
}
