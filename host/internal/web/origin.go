package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// desktop are the origins of Code Colosseum's desktop client, whose pages come
// out of the program itself: on Windows they have the second. No server's page
// has the first, and no other computer's the second.
var desktop = []string{"tauri://localhost", "https://tauri.localhost"}

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
	if slices.ContainsFunc(desktop, same) || slices.ContainsFunc(s.limits.Origins, same) {
		return true
	}
	s.limit(limitOrigin)
	s.log.Debug("a page of another host may not connect", "origin", origin, "client", s.address(r))
	return false
}
