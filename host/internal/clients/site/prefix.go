package site

import (
	"net/http"
	"path"
	"regexp"
	"strings"
)

// The paths of a host begin with a prefix if a proxy serves it at a part of a site. The code
// and the pages write all paths from the root of the host; the functions of this file, and
// path.js in the pages, add the prefix.

// at returns a path of this host as browsers use it.
func (s *shared) at(path string) string { return s.Prefix + path }

// atIf is at for a path that can be empty: there is none.
func (s *shared) atIf(path string) string {
	if path == "" {
		return ""
	}
	return s.at(path)
}

// redirect sends a browser to a path of this host.
func (s *shared) redirect(w http.ResponseWriter, r *http.Request, path string, status int) {
	http.Redirect(w, r, s.at(path), status)
}

// rooted matches the beginning of an attribute that is a path from the root of the host.
var rooted = regexp.MustCompile(`( (?:(?:href|src|data-frame)="|content="0; url=)/)([^/])`)

// prefixed returns markup in which paths of the host begin with a prefix.
func prefixed(prefix, markup string) string {
	if prefix == "" {
		return markup
	}
	return rooted.ReplaceAllString(markup, strings.ReplaceAll(`${1}PREFIX/${2}`, "PREFIX", strings.TrimPrefix(prefix, "/")))
}

// unprefixed calls handler with requests without the prefix of their paths. A proxy can have
// removed it: no path of the host begins like the prefix.
func (s *shared) unprefixed(handler http.Handler) http.Handler {
	if s.Prefix == "" {
		return handler
	}
	stripped := http.StripPrefix(s.Prefix, handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := r.URL.Path
		switch rest, ok := strings.CutPrefix(p, s.Prefix); {
		case ok && rest == "":
			http.Redirect(w, r, s.at("/"), http.StatusMovedPermanently)
		case path.Clean("/"+p) != strings.TrimSuffix(p, "/") && p != "/": // the mux would redirect it without the prefix
			http.Redirect(w, r, s.at(strings.TrimPrefix(path.Clean("/"+p), s.Prefix)), http.StatusMovedPermanently)
		case ok && rest[0] == '/':
			stripped.ServeHTTP(w, r)
		default:
			handler.ServeHTTP(w, r)
		}
	})
}
