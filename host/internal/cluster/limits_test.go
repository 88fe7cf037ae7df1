package cluster

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/base/limit"
)

// network is a host's connection to others, without NATS.
type network struct {
	self string
	all  []*network

	mu        sync.Mutex // guards the fields below
	receive   func(from string, body []byte)
	published int
	down      bool
}

func (n *network) Publish(_ string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	n.mu.Lock()
	n.published++
	down := n.down
	n.mu.Unlock()
	for _, to := range n.all {
		to.mu.Lock()
		receive := to.receive
		to.mu.Unlock()
		if to != n && !down && receive != nil {
			receive(n.self, body)
		}
	}
}

func (n *network) Subscribe(_ string, f func(from string, body []byte)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.receive = f
}

func (n *network) reports() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.published
}

func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = true
}

func TestLimitsOfAnAddressHoldForAllHostsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		names := []string{"a", "b", "c"}
		var wires []*network
		var addresses []*limit.Addresses
		for _, name := range names {
			wires = append(wires, &network{self: name})
			addresses = append(addresses, limit.NewAddresses(limit.PerAddress{Connections: 20, Matches: 60}))
		}
		for _, w := range wires {
			w.all = wires
		}
		for i, w := range wires {
			go shareLimits(ctx, w, addresses[i]) // ends with ctx
		}
		time.Sleep(time.Minute)
		if n := wires[0].reports(); n != 0 {
			t.Errorf("got %d reports of a host without clients, want none", n)
		}
		matches := 0
		for range 600 { // ten minutes
			for _, a := range addresses {
				for a.Get("192.0.2.1").AllowMatch() {
					matches++
				}
			}
			time.Sleep(time.Second)
		}
		if matches < 600 || matches > 900 {
			t.Errorf("got %d matches in ten minutes on three hosts, want about 660, as on one", matches)
		}
		connect := func(i int) (n int, from *limit.Address) {
			for {
				f, refused := addresses[i].Connect("192.0.2.2")
				if refused != "" {
					return n, from
				}
				n, from = n+1, f
			}
		}
		if n, _ := connect(0); n != 20 {
			t.Errorf("got %d connections to the first host, want 20", n)
		}
		time.Sleep(usageEvery + time.Millisecond)
		if n, _ := connect(1); n != 0 {
			t.Errorf("got %d connections to the second host, want none while the first one has all", n)
		}
		wires[0].cut()
		time.Sleep(9 * time.Second)
		if n, _ := connect(1); n != 0 {
			t.Errorf("got %d connections 9 s after the first host went away, want none yet", n)
		}
		time.Sleep(3 * time.Second)
		n, from := connect(1)
		if n != 20 {
			t.Errorf("got %d connections after the first host went away, want 20", n)
		}
		for range n {
			addresses[1].Disconnect(from)
		}
		time.Sleep(usageEvery + time.Millisecond) // reports that there are none
		if n, _ := connect(2); n != 20 {
			t.Errorf("got %d connections after those to the second host ended, want 20", n)
		}
		stop()
		synctest.Wait()
	})
}

func TestInvalidReportsAreIgnored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := &network{}
		a := limit.NewAddresses(limit.PerAddress{Connections: 1})
		go shareLimits(ctx, w, a) // ends with ctx
		synctest.Wait()
		valid := `[{"address": "192.0.2.1/32", "connections": 1}]`
		for _, body := range []string{"", "null", "{}", "[1]", valid[:len(valid)-1], `[{"address": "192.0.2.1/32", "connections": "1"}]`, valid + strings.Repeat(" ", maxUsage)} {
			w.receive("b", []byte(body))
			from, refused := a.Connect("192.0.2.1")
			if refused != "" {
				t.Errorf("%.60q: got a refusal by %s, want none", body, refused)
			}
			a.Disconnect(from)
		}
		w.receive("b", []byte(valid))
		if _, refused := a.Connect("192.0.2.1"); refused != limit.AddressConnections {
			t.Errorf("got %q after a valid report, want %q", refused, limit.AddressConnections)
		}
		stop()
		synctest.Wait()
	})
}

func FuzzReport(f *testing.F) {
	f.Add([]byte(`[{"address": "192.0.2.1/32", "connections": 1, "handshakes": 2, "matches": 3, "bytes": 4, "reads": 5}]`))
	f.Add([]byte(`[{"address": "2001:db8::/64", "bytes": 9223372036854775807}, {"address": "::/0", "reads": -1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a := limit.NewAddresses(limit.PerAddress{Connections: 10, Handshakes: 10, Matches: 10, Bytes: 1 << 20, Reads: 10})
		ctx, stop := context.WithCancel(t.Context())
		stop()
		n := &network{}
		shareLimits(ctx, n, a)
		n.receive("b", body)
		if wait, _ := a.Get("192.0.2.1").TakeBytes(1000, time.Second); wait > 2*time.Second {
			t.Errorf("got a wait of %v, want at most 2 s", wait)
		}
		a.Usage()
	})
}
