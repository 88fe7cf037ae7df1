package cluster

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/host/internal/limit"
)

// network connects hosts without NATS.
type network struct {
	hosts     map[string]func(from string, body []byte)
	published int
	self      string
	down      bool
	all       []*network
}

func (w *network) Publish(name string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.published++
	for _, to := range w.all {
		if f := to.hosts[name]; f != nil && to != w && !w.down && !to.down {
			f(w.self, body)
		}
	}
}

func (w *network) Subscribe(name string, f func(from string, body []byte)) { w.hosts[name] = f }

func TestLimitsOfAnAddressHoldForAllHostsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		names := []string{"a", "b", "c"}
		var wires []*network
		var addresses []*limit.Addresses
		for _, name := range names {
			wires = append(wires, &network{self: name, hosts: map[string]func(string, []byte){}})
			addresses = append(addresses, limit.NewAddresses(limit.PerAddress{Connections: 20, Matches: 60}))
		}
		for i, w := range wires {
			w.all = wires
			go shareLimits(ctx, w, addresses[i]) // ends with ctx
		}
		time.Sleep(time.Minute)
		if wires[0].published != 0 {
			t.Errorf("got %d reports of a host without clients, want none", wires[0].published)
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
		wires[0].down = true
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
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := &network{hosts: map[string]func(string, []byte){}}
		a := limit.NewAddresses(limit.PerAddress{Connections: 1})
		go shareLimits(ctx, w, a) // ends with ctx
		synctest.Wait()
		valid := `[{"address": "192.0.2.1/32", "connections": 1}]`
		for _, body := range []string{"", "null", "{}", "[1]", valid[:len(valid)-1], `[{"address": "192.0.2.1/32", "connections": "1"}]`, valid + strings.Repeat(" ", maxUsage)} {
			w.hosts[usageName]("b", []byte(body))
			from, refused := a.Connect("192.0.2.1")
			if refused != "" {
				t.Errorf("%.60q: got a refusal by %s, want none", body, refused)
			}
			a.Disconnect(from)
		}
		w.hosts[usageName]("b", []byte(valid))
		if _, refused := a.Connect("192.0.2.1"); refused != limit.AddressConnections {
			t.Errorf("got %q after a valid report, want %q", refused, limit.AddressConnections)
		}
		stop()
		synctest.Wait()
	})
}
