package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// desktop are the origins of Code Colosseum's desktop client, whose pages come
// out of the program itself: on Windows they have one of the last two. No
// server's page has the first, and no other computer's the others. While it is
// developed, its pages come from a server on the developer's machine, which may
// be any: that needs an entry under origins.
var desktop = []string{"tauri://localhost", "https://tauri.localhost", "http://tauri.localhost"}

// fromAllowedPage tells whether a connection may be opened by where it comes
// from. A browser names the page that a script belongs to: that must be one of
// this host's own, of the desktop client, or of an origin on the list. Programs
// name none.
func (s *Server) fromAllowedPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.limits.Origins, "*") {
		return true
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return true
	}
	same := func(allowed string) bool { return strings.EqualFold(origin, allowed) }
	return slices.ContainsFunc(desktop, same) || slices.ContainsFunc(s.limits.Origins, same)
}

// noUpgrade answers a request for a WebSocket that the library has refused.
func (s *Server) noUpgrade(w http.ResponseWriter, r *http.Request, status int, _ error) {
	text := http.StatusText(status)
	if status == http.StatusForbidden { // which is for origins alone
		origin := r.Header.Get("Origin")
		if len(origin) > maxOrigin {
			origin = origin[:maxOrigin]
		}
		s.limit(limitOrigin)
		if s.foreign.Allow() {
			s.log.Warn("a page of another host may not connect, unless the setting origins has it", "origin", origin, "client", s.address(r))
		}
		text = foreignPage(origin)
	}
	w.Header().Set("Sec-Websocket-Version", "13")
	http.Error(w, text, status)
}

// maxOrigin is how much of an origin is repeated: the longest name of a host,
// its scheme and port.
const maxOrigin = 280

// Refused pages are logged in a burst of so many, and then one in each interval.
const (
	foreignBurst    = 10
	foreignInterval = 10 * time.Second
)

// foreignPage tells the author of a page what the operator of the host can do.
func foreignPage(origin string) string {
	const how = "may not connect to this host, unless the setting origins of its configuration has %q. The host reads that when it is started."
	if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
		return fmt.Sprintf("Pages of which the browser only says Origin: %q "+how, origin, "*")
	}
	return fmt.Sprintf("Pages of %s "+how, origin, origin)
}
