package web

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"testing"

	"colosseum/host/internal/base/limit"
)

func TestForwardedAddressCountsOnlyFromTrustedProxies(t *testing.T) {
	trusted := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::1/128")}
	tests := []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"direct", "192.0.2.1:1234", nil, "192.0.2.1"},
		{"direct with a claim", "192.0.2.1:1234", []string{"203.0.113.9"}, "192.0.2.1"},
		{"proxy", "10.1.2.3:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		{"proxy that says nothing", "10.1.2.3:1234", nil, "10.1.2.3"},
		{"client with a claim behind a proxy", "10.1.2.3:1234", []string{"198.51.100.7, 203.0.113.9"}, "203.0.113.9"},
		{"two proxies", "10.1.2.3:1234", []string{"203.0.113.9, 10.9.9.9"}, "203.0.113.9"},
		{"two headers", "10.1.2.3:1234", []string{"198.51.100.7", "203.0.113.9,10.9.9.9"}, "203.0.113.9"},
		{"only proxies", "10.1.2.3:1234", []string{"10.7.7.7"}, "10.7.7.7"},
		{"nonsense", "10.1.2.3:1234", []string{"<script>"}, "10.1.2.3"},
		{"nonsense before a proxy", "10.1.2.3:1234", []string{"<script>, 10.9.9.9"}, "10.9.9.9"},
		{"IPv6 proxy", "[2001:db8::1]:1234", []string{"2001:db8::99"}, "2001:db8::99"},
		{"IPv4 as IPv6", "[::ffff:10.1.2.3]:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		{"Unix socket", "@", []string{"203.0.113.9"}, "@"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.remote, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
			if got := trusted.client(r); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestEncryptionOfAProxyCountsOnlyFromTrustedProxies(t *testing.T) {
	s := &shared{proxies: proxies{netip.MustParsePrefix("10.0.0.0/8")}, addresses: limit.NewAddresses(limit.PerAddress{})}
	tests := []struct {
		name, remote, forwarded string
		tls                     *tls.ConnectionState
		address                 string
		encrypted               bool
	}{
		{"direct", "192.0.2.1:1234", "", nil, "192.0.2.1/32", false},
		{"direct over TLS", "192.0.2.1:1234", "", &tls.ConnectionState{}, "192.0.2.1/32", true},
		{"direct with a claim", "192.0.2.1:1234", "https", nil, "192.0.2.1/32", false},
		{"proxy", "10.1.2.3:1234", "http", nil, "203.0.113.9/32", false},
		{"proxy with TLS", "10.1.2.3:1234", "HTTPS", nil, "203.0.113.9/32", true},
		{"Unix socket", "@", "https", nil, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.remote, TLS: tt.tls, Header: http.Header{}}
			r.Header.Set("X-Forwarded-For", "203.0.113.9")
			r.Header.Set("X-Forwarded-Proto", tt.forwarded)
			if address, encrypted := s.Client(r); address != tt.address || encrypted != tt.encrypted {
				t.Errorf("got %q, %t, want %q, %t", address, encrypted, tt.address, tt.encrypted)
			}
		})
	}
}

// FuzzForwardedAddress checks that a client's address is that of the connection,
// or, behind a trusted proxy, a valid one.
func FuzzForwardedAddress(f *testing.F) {
	for _, s := range []string{"203.0.113.9", "198.51.100.7, 203.0.113.9,10.9.9.9", "10.7.7.7", ",,", "<script>, 10.9.9.9", "::1%eth0, 10.1.1.1", "[::1]:80", "203.0.113.9:80"} {
		f.Add("10.1.2.3:1234", s)
		f.Add("192.0.2.1:1234", s)
	}
	trusted, addresses := proxies{netip.MustParsePrefix("10.0.0.0/8")}, limit.NewAddresses(limit.PerAddress{})
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		got := trusted.client(&http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {forwarded}}})
		addresses.Key(got) // must not panic
		host, _, err := net.SplitHostPort(remote)
		if err != nil {
			host = remote
		}
		if _, err := netip.ParseAddr(got); got != host && (err != nil || !trusted.trusts(host)) {
			t.Errorf("%q with %q: got %q, want %q or a forwarded address", remote, forwarded, got, host)
		}
	})
}
