package server

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzParseAddress checks that an address is refused, or has a URL to connect to.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"ws://127.0.0.1:8088/", "wss://club.example", "unix:/tmp/s", "ws+unix:///tmp/s", "unix:", "http://x/", "ws://", "ws://[::1]:80/a?b#c", "ws://%zz", "ws://a b/", ":"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		u, err := url.Parse(a.URL)
		if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" || a.TLS != (u.Scheme == "wss") {
			t.Errorf("%q: got %+v, %v, want a WebSocket URL with a host", text, a, err)
		}
		if (a.Socket != "") != (strings.HasPrefix(text, "unix:") || strings.HasPrefix(text, "ws+unix:")) || a.String() != text {
			t.Errorf("%q: got %+v, want a socket only for unix:, and the text as given", text, a)
		}
	})
}
