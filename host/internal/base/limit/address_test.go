package limit

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestNetworksThatCountAsOneAddress(t *testing.T) {
	a := NewAddresses(PerAddress{Connections: 1, Exempt: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}})
	tests := []struct{ name, address, key string }{
		{"IPv4", "192.0.2.1", "192.0.2.1/32"},
		{"IPv4 as IPv6", "::ffff:192.0.2.1", "192.0.2.1/32"},
		{"IPv6", "2001:db8:2:3:4:5:6:7", "2001:db8:2:3::/64"},
		{"IPv6 with a zone", "fe80::1%eth0", "fe80::/64"},
		{"exempt IPv4", "127.0.0.9", ""},
		{"exempt IPv4 as IPv6", "::ffff:127.0.0.9", ""},
		{"exempt IPv6", "2001:db8:1:7::8", ""},
		{"Unix socket", "@", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			from, refused := a.Connect(tt.address)
			if got := from.Key(); got != tt.key || refused != "" {
				t.Errorf("got %q, refused %q, want %q", got, refused, tt.key)
			}
			a.Disconnect(from)
		})
	}
}

func TestInactiveAddressIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAddresses(PerAddress{Handshakes: 1})
		stays, _ := a.Connect("192.0.2.1")
		for i := range 100 {
			from, _ := a.Connect(fmt.Sprintf("198.51.100.%d", i))
			a.Disconnect(from)
		}
		time.Sleep(forgetAfter)
		if _, refused := a.Connect("203.0.113.1"); refused != "" {
			t.Errorf("a new address is refused by %q, want by nothing", refused)
		}
		if got := a.known[netip.MustParsePrefix("192.0.2.1/32")]; len(a.known) != 2 || got != stays {
			t.Errorf("%d addresses are known, want 2: the new one and the connected one", len(a.known))
		}
	})
}

func TestAddressConnectsAtItsRateAfterABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAddresses(PerAddress{Handshakes: 2})
		connect := func(address, want string) {
			t.Helper()
			if _, got := a.Connect(address); got != want {
				t.Errorf("%s is refused by %q, want %q", address, got, want)
			}
		}
		for range 2 * handshakeBurst {
			connect("192.0.2.1", "")
		}
		connect("192.0.2.1", Handshakes)
		connect("192.0.2.2", "")
		time.Sleep(time.Second)
		connect("192.0.2.1", "")
		connect("192.0.2.1", "")
		connect("192.0.2.1", Handshakes)
	})
}

func TestAttackFromManyNetworksHasBoundedMemory(t *testing.T) {
	a := NewAddresses(PerAddress{Reads: 1})
	first := a.Get("2001:db8::1")
	for i := range maxKnown {
		a.Get(fmt.Sprintf("2001:db9:%x:%x::1", i>>8, i&0xff))
	}
	if len(a.known) != maxKnown {
		t.Errorf("%d addresses are known, want %d", len(a.known), maxKnown)
	}
	late := a.Get("192.0.2.1")
	if late == nil || late != a.Get("192.0.2.2") || late == first || first != a.Get("2001:db8::2") {
		t.Error("got several counts for late addresses, or one shared with known addresses, want one for all late addresses")
	}
}
