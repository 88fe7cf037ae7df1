package main

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// TestSoak plays a ladder among daemons on all hosts, and other matches with spectators, for
// as long as COLOSSEUM_SOAK says (such as 1h). It logs memory and goroutines, which must not
// grow with the number of matches.
func TestSoak(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv("COLOSSEUM_SOAK"))
	if err != nil {
		t.Skip("COLOSSEUM_SOAK is not set to a duration")
	}
	const students, watchers = 12, 6
	w := start(t, 3, "drain: 1s\nserving: {rematch: 0s}\n")
	c := programs.Enroll(t, w.front, students)
	c.Create("name: soak\ngame: dice\nargs: {rounds: 20}\ntimeout: 60\nformat: ladder\nparallel: 2\nentries: open\ngrace: 10m\n")
	before := w.goroutines()
	daemons := c.RollAll(students, func(int) string { return "0-99 slow" }, "--contest", "soak")
	c.Run("contest", "start", "soak")
	l := startLoad(t, w.front, 1)
	watched := w.watch(watchers)

	// The first samples include what grows only once, such as pools and caches.
	const samples, settled = 20, 5
	type sample struct{ memory, goroutines int }
	var list []sample
	begun := time.Now()
	for n := range samples {
		time.Sleep(time.Until(begun.Add(lasts * time.Duration(n+1) / samples))) // a soak is a length of time
		d := c.Contest("soak")
		s := sample{w.resident() >> 10, w.goroutines()}
		list = append(list, s)
		t.Logf("%v: %d matches of the ladder, %d others, %d watched; %d MiB and %d goroutines on all hosts",
			time.Since(begun).Round(time.Second), d.Done, l.played(), watched.count.Load(), s.memory, s.goroutines)
	}
	watched.end()
	c.Run("contest", "pause", "soak")
	programs.Drain(t, daemons)
	l.end(w)
	w.idle()
	first, last := list[settled-1], list[samples-1]
	if last.memory > first.memory*3/2 {
		t.Errorf("got %d MiB at the end, want at most one and a half times the %d MiB after a quarter", last.memory, first.memory)
	}
	if l.lost > 0 {
		t.Errorf("got %d matches whose end did not reach a player, want none", l.lost)
	}
	poll.Until(t, "the hosts have about as many goroutines as before", func() bool { return w.goroutines() <= before+30 })
	t.Logf("goroutines on all hosts: %d before, %d at the end", before, w.goroutines())
	if d := c.Contest("soak"); d.Done == 0 || l.played() == 0 || watched.count.Load() == 0 {
		t.Errorf("got %d matches of the ladder, %d others and %d watched, want some of each", d.Done, l.played(), watched.count.Load())
	}
}

// goroutines returns how many goroutines all hosts have.
func (w *world) goroutines() (n int) {
	for _, h := range w.Hosts {
		n += int(programs.Metric(w.t, h.Operations, "go_goroutines"))
	}
	return n
}

// watching are spectators that follow one match after the other, on any host.
type watching struct {
	count atomic.Int64 // matches that have been watched to their end
	stop  chan struct{}
	wait  sync.WaitGroup
}

// watch starts spectators.
func (w *world) watch(n int) *watching {
	v := &watching{stop: make(chan struct{})}
	for i := range n {
		v.wait.Go(func() { // ends with stop
			for {
				select {
				case <-v.stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
				list := w.lobby(i % len(w.hosts))
				if len(list) == 0 {
					continue
				}
				id, _, _ := strings.Cut(list[i%len(list)], " ")
				s, err := w.hosts[(i+1)%len(w.hosts)].Spectate(id)
				if err != nil {
					continue // it has ended
				}
				if _, err := s.Skip(protocol.NameSpectateEnded, nil); err == nil {
					v.count.Add(1)
				}
				s.Close()
			}
		})
	}
	return v
}

func (v *watching) end() {
	close(v.stop)
	v.wait.Wait()
}
