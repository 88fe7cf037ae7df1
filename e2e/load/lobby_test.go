package load

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"colosseum/e2e/internal/programs"
	"colosseum/protocol"
)

// BenchmarkLobby measures a lobby with 5,000 matches that wait and 500 clients that watch
// it.
//
//   - reach is the time from a request for a seat until all watchers have received the
//     change, one change at a time; the host-µs/change belong to these.
//   - changes/s and burst-host-µs/change are those of four players that join and leave as
//     fast as they get answers, until all watchers have received all changes.
//   - subscribe is the time until a new watcher has the list, after a change, and list is
//     its length; again is the time without a change.
func BenchmarkLobby(b *testing.B) {
	const matches, watchers, changes, players, subscribers = 5000, 500, 100, 4, 20
	programs.NeedFiles(b, watchers+reserved)
	// Without the budget of reads, because the watchers come at once.
	h := programs.StartHostWith(b, b.TempDir(), "plugins: {folders: ["+programs.Plugins+"]}\nlobby: {matches: 6000}\nlimits: {host_reads_per_second: 0}\n")
	defer h.Stop(b, syscall.SIGKILL)
	creator := h.Dial(b)
	ids := make([]string, matches)
	for i := range ids {
		var err error
		if ids[i], err = creator.Create(programs.Roshambo(10, 0)); err != nil {
			b.Fatal(err)
		}
	}
	w := &watching{reached: make(chan struct{}, 1)}
	for range watchers {
		c := h.Dial(b)
		if _, _, err := subscribe(c); err != nil {
			b.Fatal(err)
		}
		go w.count(c) // ends with the connection
	}
	player := seated{h.Dial(b), ids[0], false}

	var reach []time.Duration
	before := h.CPU(b)
	for range changes {
		asked := time.Now()
		w.expect(watchers)
		if err := player.change(); err != nil {
			b.Fatal(err)
		}
		<-w.reached
		reach = append(reach, time.Since(asked))
	}
	b.ReportMetric((h.CPU(b)[0]-before[0])/changes*1e6, "host-µs/change")
	slices.Sort(reach)
	b.ReportMetric(reach[changes/2].Seconds()*1e3, "reach-p50-ms")
	b.ReportMetric(reach[changes*99/100].Seconds()*1e3, "reach-p99-ms")

	w.expect(watchers * players * changes)
	var joining sync.WaitGroup
	begin := time.Now()
	before = h.CPU(b)
	for i := range players {
		p := seated{h.Dial(b), ids[1+i], false}
		joining.Go(func() { // ends after its changes
			for range changes {
				if err := p.change(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	joining.Wait()
	if b.Failed() {
		return
	}
	<-w.reached
	b.ReportMetric(players*changes/time.Since(begin).Seconds(), "changes/s")
	b.ReportMetric((h.CPU(b)[0]-before[0])/(players*changes)*1e6, "burst-host-µs/change")

	c := h.Dial(b)
	var fresh, again []time.Duration
	length := 0
	for range subscribers {
		w.expect(watchers)
		if err := player.change(); err != nil {
			b.Fatal(err)
		}
		<-w.reached
		for _, times := range []*[]time.Duration{&fresh, &again} {
			took, n, err := subscribe(c)
			if err == nil {
				err = c.Send(protocol.NameLobbyUnsubscribe, nil)
			}
			if err == nil {
				err = c.Expect(protocol.NameLobbyUnsubscribed, nil)
			}
			if err != nil {
				b.Fatal(err)
			}
			*times, length = append(*times, took), n
		}
	}
	slices.Sort(fresh)
	slices.Sort(again)
	b.ReportMetric(fresh[subscribers/2].Seconds()*1e3, "subscribe-ms")
	b.ReportMetric(again[subscribers/2].Seconds()*1e3, "subscribe-again-ms")
	b.ReportMetric(float64(length)/1024, "list-KiB")
	b.ReportMetric(0, "ns/op")
}

// watching counts the changes that all watchers receive.
type watching struct {
	missing atomic.Int64
	reached chan struct{} // receives a value when the last expected change has been received
}

func (w *watching) expect(n int) { w.missing.Add(int64(n)) }

func (w *watching) count(c *programs.Client) {
	for {
		if _, _, err := c.Conn.NextReader(); err != nil {
			return
		}
		if w.missing.Add(-1) == 0 {
			w.reached <- struct{}{}
		}
	}
}

// seated is a client that changes the lobby: it takes a seat in a match that waits, or
// leaves it.
type seated struct {
	*programs.Client
	id   string
	sits bool
}

func (s *seated) change() error {
	s.sits = !s.sits
	if s.sits {
		return s.Join(s.id, "alice")
	}
	if err := s.Send(protocol.NameLobbyLeaveMatch, nil); err != nil {
		return err
	}
	_, err := s.Skip(protocol.NameLobbyLeavedMatch, nil)
	return err
}

// subscribe makes a client a watcher of the lobby, and returns how long that took and the
// length of the list.
func subscribe(c *programs.Client) (took time.Duration, length int, err error) {
	begin := time.Now()
	if err := c.Send(protocol.NameLobbySubscribe, nil); err != nil {
		return 0, 0, err
	}
	name, list, err := c.Next()
	if err == nil && name != protocol.NameLobbySubscribed {
		err = fmt.Errorf("got %s, want the list of the lobby", name)
	}
	return time.Since(begin), len(list), err
}
