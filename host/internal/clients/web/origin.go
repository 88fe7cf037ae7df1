package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"colosseum/host/internal/base/limit"
)

// desktop are the origins of the pages inside Code Colosseum's desktop client; the
// last two are those on Windows. No page of another computer can have them. A
// developer's build of the client has the origin of a development server, which
// must be in the setting origins.
var desktop = []string{"tauri://localhost", "https://tauri.localhost", "http://tauri.localhost"}

// allowsOrigin reports whether a request can open a connection. A browser sends
// the origin of the page, which must be this host's, the desktop client's, or one
// in the configuration. Programs send none.
func (s *shared) allowsOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.limits.Origins, "*") {
		return true
	}
	if ownPage(r) {
		return true
	}
	same := func(allowed string) bool { return strings.EqualFold(origin, allowed) }
	return slices.ContainsFunc(desktop, same) || slices.ContainsFunc(s.limits.Origins, same)
}

// ownPage reports whether a page of this host makes the request.
func ownPage(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// refuseUpgrade answers a request for a WebSocket that the library refuses.
func (s *shared) refuseUpgrade(w http.ResponseWriter, r *http.Request, status int, _ error) {
	text := http.StatusText(status)
	if status == http.StatusForbidden { // the library uses it only for origins
		origin := r.Header.Get("Origin")
		if len(origin) > maxOrigin {
			origin = origin[:maxOrigin]
		}
		s.count(limit.Origin)
		if s.foreign.Allow() {
			s.log.Warn("refused a page of another host: to allow it, add its origin to the setting origins", "origin", origin, "client", s.proxies.client(r))
		}
		text = originHelp(origin)
	}
	w.Header().Set("Sec-Websocket-Version", "13")
	http.Error(w, text, status)
}

// maxOrigin is how many bytes of an origin are repeated: enough for the longest
// host name with its scheme and port.
const maxOrigin = 280

// originHelp returns the text for a refused page: how to allow its origin.
func originHelp(origin string) string {
	const how = "may not connect to this host unless %q is in the setting origins of its configuration. The host reads it when it starts."
	if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
		return fmt.Sprintf("Pages with the header Origin: %q "+how, origin, "*")
	}
	return fmt.Sprintf("Pages of %s "+how, origin, origin)
}
