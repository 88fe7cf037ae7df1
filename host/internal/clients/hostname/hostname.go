// Package hostname refuses requests for names that are not the host's own. It
// prevents DNS rebinding: the owner of a web page can point the page's name at an
// address in the network of a reader, whose browser then lets the page read from
// the host there.
package hostname

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

// Names are the names of a host. IP addresses and localhost are always among them,
// because nobody can point them elsewhere.
type Names struct {
	any     bool
	known   map[string]bool // in lower case
	log     *slog.Logger
	logs    rate.Sometimes
	refused atomic.Uint64
}

// New returns the configured names ("*": all), those in the addresses at which the
// host listens, and the machine's own.
func New(configured, listen []string, log *slog.Logger) *Names {
	n := &Names{
		any: slices.Contains(configured, "*"), known: map[string]bool{"localhost": true}, log: log,
		logs: rate.Sometimes{First: 1, Interval: time.Minute},
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

// Guard refuses requests for other names, and passes all others to next.
func (n *Names) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.allows(r) {
			next.ServeHTTP(w, r)
			return
		}
		n.refused.Add(1)
		n.logs.Do(func() {
			n.log.Warn(`refused a request for another host name: if it is a name of this host, add it to "names" in the configuration`,
				"name", shortName(r.Host), "client", r.RemoteAddr)
		})
		http.Error(w, fmt.Sprintf("%q is not a name of this host.\nIf it should be, add it to \"names\" in the host's configuration and restart the host.",
			shortName(r.Host)), http.StatusMisdirectedRequest)
	})
}

// Refused returns how many requests Guard has refused.
func (n *Names) Refused() uint64 { return n.refused.Load() }

// allows reports whether a request is for a name of this host, or cannot come
// from a page of another name.
func (n *Names) allows(r *http.Request) bool {
	if n.any || r.TLS != nil {
		return true // the browser has compared the name with the certificate
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" {
		return true // only proxies connect there, and they check names themselves
	}
	if websocket.IsWebSocketUpgrade(r) {
		// Programs can use any name, and web.Server checks the origins of pages. An
		// origin that is the name itself proves nothing.
		if u, err := url.Parse(r.Header.Get("Origin")); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return true
		}
	}
	name := nameOf(hostOf(r.Host))
	if name == "" || n.known[name] || strings.HasSuffix(name, ".localhost") {
		return true // a browser always sends a name
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// hostOf returns a Host header without its port.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
}

// nameOf returns a name in the form in which names are compared.
func nameOf(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// shortName truncates a name for logs.
func shortName(name string) string {
	if len(name) > 64 {
		return name[:64] + "..."
	}
	return name
}
