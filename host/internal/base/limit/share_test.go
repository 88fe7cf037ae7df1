package limit

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"colosseum/internal/test/race"
)

const interval = 2 * time.Second // between reports

// hosts are hosts that report to each other.
type hosts []*Addresses

func newHosts(n int, limits PerAddress) (all hosts) {
	for range n {
		all = append(all, NewAddresses(limits))
	}
	return all
}

func (h hosts) report() {
	for i, from := range h {
		usage := from.Usage()
		for j, to := range h {
			if i != j {
				to.Charge(fmt.Sprint("host", i), usage)
			}
		}
	}
}

// play calls f for all hosts in turn for some time, with reports in between, and returns
// the sum of the results.
func (h hosts) play(d, step time.Duration, f func(*Addresses) int) (sum int) {
	reported := time.Now()
	for begun := time.Now(); time.Since(begun) < d; time.Sleep(step) {
		if time.Since(reported) >= interval {
			reported = time.Now()
			h.report()
		}
		for _, a := range h {
			sum += f(a)
		}
	}
	return sum
}

const client = "192.0.2.1"

func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

func TestClientOfThreeHostsGetsAboutTheLimitOfOne(t *testing.T) {
	race.Skip(t, "one goroutine computes")
	limits := PerAddress{Handshakes: 5, Matches: 60, Bytes: 1 << 20, Reads: 20}
	const most = time.Second
	for _, tt := range []struct {
		name string
		d    time.Duration
		f    func(*Addresses) int
	}{
		{"handshakes", 5 * time.Minute, func(a *Addresses) int {
			from, refused := a.Connect(client)
			a.Disconnect(from)
			return one(refused == "")
		}},
		{"matches", 20 * time.Minute, func(a *Addresses) int { return one(a.Get(client).AllowMatch()) }},
		{"bytes", time.Minute, func(a *Addresses) int {
			if wait, ok := a.Get(client).TakeBytes(10_000, 0); !ok || wait > 0 {
				return 0
			}
			return 10_000
		}},
		{"reads", 10 * time.Minute, func(a *Addresses) int {
			return 3 * one(a.Get(client).takeReads(3, most) <= most)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				alone := newHosts(1, limits).play(tt.d, 10*time.Millisecond, tt.f)
				together := newHosts(3, limits).play(tt.d, 10*time.Millisecond, tt.f)
				if share := float64(together) / float64(alone); share < 0.9 || share > 1.35 {
					t.Errorf("got %d on three hosts and %d on one, %.2f times as much, want about as much", together, alone, share)
				}
				moved := newHosts(3, limits)
				if n := moved.play(tt.d, 10*time.Millisecond, func(a *Addresses) int {
					if a != moved[0] {
						return 0
					}
					return tt.f(a)
				}); n != alone {
					t.Errorf("got %d on one of three hosts, want %d as on a host that is alone", n, alone)
				}
			})
		})
	}
}

func TestClientThatOnlyBurstsOnThreeHostsGetsAboutTheLimitOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := PerAddress{Handshakes: 5}
		burst := func(h hosts) (sum int) {
			for range 30 {
				for _, a := range h {
					for range 5 * handshakeBurst {
						_, refused := a.Connect(client)
						sum += one(refused == "")
					}
				}
				h.play(handshakeBurst*time.Second, time.Second, func(*Addresses) int { return 0 })
			}
			return sum
		}
		alone, together := burst(newHosts(1, limits)), burst(newHosts(3, limits))
		if share := float64(together) / float64(alone); share < 0.9 || share > 1.35 {
			t.Errorf("got %d on three hosts and %d on one, %.2f times as many, want about as many", together, alone, share)
		}
	})
}

func TestClientWithTooMuchOnOtherHostsKeepsAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHosts(3, PerAddress{Bytes: 1 << 20})
		for range 100 {
			h[0].Charge("b", []Usage{{Address: client + "/32", Bytes: 1 << 50}})
			h[0].Charge("c", []Usage{{Address: client + "/32", Bytes: 1 << 50}})
		}
		got := h[:1].play(3*time.Second, time.Millisecond, func(a *Addresses) int {
			wait, ok := a.Get(client).TakeBytes(1000, time.Second)
			if !ok {
				t.Fatalf("got a wait of %v, want at most a second, because the client would be disconnected", wait)
			}
			time.Sleep(wait)
			return 1000
		})
		if low, high := 1<<20*9/10, 1<<20*5/2; got < low || got > high {
			t.Errorf("got %d bytes in 3 s, want %d to %d: a third of the limit, and at the end more", got, low, high)
		}
	})
}

func TestConnectionsOfAllHostsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHosts(3, PerAddress{Connections: 30})
		connect := func(a *Addresses) (from *Address, n int) {
			for n < 100 { // far more than the limit
				f, refused := a.Connect(client)
				if refused != "" {
					break
				}
				from, n = f, n+1
			}
			return from, n
		}
		for range 10 {
			h[0].Connect(client)
			h[1].Connect(client)
		}
		h.report()
		last, n := connect(h[2])
		if n != 10 {
			t.Errorf("got %d connections beyond 20 on other hosts, want 10", n)
		}
		h[2].Disconnect(last)
		h[1].Charge("host0", nil) // they have ended
		h[2].Charge("host0", nil)
		if _, n := connect(h[2]); n != 11 {
			t.Errorf("got %d connections after those of a host ended, want 11", n)
		}
		time.Sleep(reportAge)
		if _, n := connect(h[2]); n != 10 {
			t.Errorf("got %d connections after the reports became old, want 10", n)
		}
		if _, n := connect(h[0]); n != 20 {
			t.Errorf("got %d connections on a host without a report, want 20", n)
		}
	})
}

func TestOnlyLargeUsageIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAddresses(PerAddress{Matches: 1000, Connections: 1000, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		use := func(address string, n int) {
			for range n {
				a.Get(address).AllowMatch()
			}
		}
		use("192.0.2.1", 10)
		use("192.0.2.2", 20)
		use("192.0.2.3", 30)
		use("127.0.0.1", 30)
		for range 40 {
			a.Connect("2001:db8::1")
		}
		want := []Usage{{Address: "2001:db8::/64", Connections: 40}, {Address: "192.0.2.3/32", Matches: 30}, {Address: "192.0.2.2/32", Matches: 20}}
		if got := a.Usage(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		use("192.0.2.1", 1)
		want = []Usage{{Address: "2001:db8::/64", Connections: 40}, {Address: "192.0.2.1/32", Matches: 11}}
		if got := a.Usage(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v later, want %v, with the 10 matches before", got, want)
		}
		for i := range 2 * maxUsage {
			use(fmt.Sprintf("198.51.%d.%d", i/250, i%250), 20)
		}
		if got := len(a.Usage()); got != maxUsage {
			t.Errorf("got %d addresses, want %d at most", got, maxUsage)
		}
		if got := len(a.Usage()); got != maxUsage {
			t.Errorf("got %d addresses in the next report, want the other %d", got, maxUsage)
		}
	})
}

func TestReportsOfOtherHostsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAddresses(PerAddress{Connections: 10, Matches: 10, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		a.Charge("b", []Usage{
			{Address: "", Connections: 10}, {Address: "192.0.2.1", Connections: 10}, {Address: "192.0.2.0/24", Connections: 10},
			{Address: "2001:db8::1/128", Connections: 10}, {Address: "127.0.0.1/32", Connections: 10}, {Address: "::ffff:192.0.2.1/128", Connections: 10},
			{Address: "192.0.2.9/32", Connections: -10, Matches: -10},
		})
		for _, address := range []string{"192.0.2.1", "2001:db8::1", "127.0.0.1", "192.0.2.9"} {
			if _, refused := a.Connect(address); refused != "" {
				t.Errorf("%s: got a refusal by %s, want none after an invalid report", address, refused)
			}
		}
		a.Charge("b", []Usage{{Address: "192.0.2.1/32", Connections: 1 << 62}})
		a.Charge("c", []Usage{{Address: "192.0.2.1/32", Connections: 1 << 62}})
		if _, refused := a.Connect("192.0.2.1"); refused != AddressConnections {
			t.Errorf("got %q for many connections elsewhere, want %q", refused, AddressConnections)
		}
		var many []Usage
		for i := range 2 * maxUsage {
			many = append(many, Usage{Address: fmt.Sprintf("198.51.%d.%d/32", i/250, i%250), Connections: 1})
		}
		for i := range 2 * maxOthers {
			a.Charge(fmt.Sprint("host", i), many)
		}
		if got := len(a.elsewhere); got != maxOthers {
			t.Errorf("got reports of %d hosts, want %d at most", got, maxOthers)
		}
		if got := len(a.elsewhere["host1"].connections); got != maxUsage {
			t.Errorf("got %d addresses of a report, want %d at most", got, maxUsage)
		}
		time.Sleep(reportAge)
		a.Charge("new", nil)
		if got := len(a.elsewhere); got != 1 {
			t.Errorf("got reports of %d hosts after they became old, want the new one", got)
		}
	})
}
