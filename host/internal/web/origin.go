package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// fromAllowedPage tells whether a connection may be opened by where it comes
// from. A browser names the page that a script belongs to: that must be one of
// this host's own, or of an origin on the list. Programs name none.
func (s *Server) fromAllowedPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.limits.Origins, "*") {
		return true
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return true
	}
	for _, allowed := range s.limits.Origins {
		if strings.EqualFold(origin, allowed) {
			return true
		}
	}
	s.limit(limitOrigin)
	s.log.Debug("a page of another host may not connect", "origin", origin, "client", s.address(r))
	return false
}
