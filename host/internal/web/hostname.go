package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"
)

// Names are those by which a host knows itself. A page of a stranger can point
// a name of its own at an address that only its visitor reaches; the browser
// then takes the host there for the page's own, and lets the page read it (DNS
// rebinding). The name is in each request, so the host refuses names that are
// not its own. Addresses are no names, and nobody but the machine itself says
// what localhost is.
type Names struct {
	any     bool
	known   map[string]bool // in lower case
	log     *slog.Logger
	often   rate.Sometimes // in the log
	refused atomic.Uint64
}

// NewNames returns the names of a configuration ("*" stands for all), those in
// the addresses that the host listens at, and the machine's own.
func NewNames(configured, listen []string, log *slog.Logger) *Names {
	n := &Names{
		any: slices.Contains(configured, "*"), known: map[string]bool{"localhost": true}, log: log,
		often: rate.Sometimes{First: 1, Interval: time.Minute},
	}
	add := func(name string) {
		if name = nameOf(name); name != "" {
			n.known[name] = true
		}
	}
	for _, name := range configured {
		add(name)
	}
	for _, address := range listen {
		if name, _, err := net.SplitHostPort(address); err == nil {
			add(name)
		}
	}
	if own, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(own, ".")
		add(own)
		add(short)
		if short != "" {
			add(short + ".local")
		}
	}
	return n
}

// Guard answers requests for names that are not the host's own, and leaves all
// others to next.
func (n *Names) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.allows(r) {
			next.ServeHTTP(w, r)
			return
		}
		n.refused.Add(1)
		n.often.Do(func() {
			n.log.Warn(`a request was refused because of its name: if that is a name of this host, add it to "names" in the configuration`,
				"name", shortName(r.Host), "client", r.RemoteAddr)
		})
		http.Error(w, fmt.Sprintf("This host does not know itself as %q.\nIf that is one of its names, add it to \"names\" in its configuration, and start it again.",
			shortName(r.Host)), http.StatusMisdirectedRequest)
	})
}

// allows tells whether a request is for a name of this host, or can't be one
// that a browser was tricked into.
func (n *Names) allows(r *http.Request) bool {
	if n.any || r.TLS != nil {
		return true // over TLS the browser has compared the name with the certificate
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" {
		return true // no browser connects to one, and a proxy there knows its names
	}
	if websocket.IsWebSocketUpgrade(r) {
		// Programs may use any name. A page is let in because of its origin; only
		// that of the host itself is worth as little as the name.
		if u, err := url.Parse(r.Header.Get("Origin")); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	name := nameOf(hostOf(r.Host))
	if name == "" || n.known[name] || strings.HasSuffix(name, ".localhost") {
		return true // without a name it is no browser
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// hostOf is a Host header without its port.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
}

// nameOf is a name as it is compared.
func nameOf(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// shortName keeps what a stranger sent from filling the log.
func shortName(name string) string {
	if len(name) > 64 {
		return name[:64] + "..."
	}
	return name
}
