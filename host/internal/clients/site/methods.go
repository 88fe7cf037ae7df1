package site

import (
	"net/http"
	"slices"
	"strings"
)

// isAPI reports whether a path belongs to the API. Its refusals are JSON.
func isAPI(path string) bool { return strings.HasPrefix(path, "/api/") }

// isPublic reports whether a path is one of the API for reading, or of exports. Its answers are the same
// for everybody: they depend on no cookie, so pages of other hosts can read them too.
func isPublic(path string) bool {
	if strings.HasPrefix(path, "/exports/") {
		return true
	}
	return isAPI(path) && path != "/api/session" && !strings.HasPrefix(path, "/api/account/") && !isLogin(path) && !isSubmissions(path) && !isClass(path)
}

// isLogin reports whether a path is about a login that goes on.
func isLogin(path string) bool {
	first := strings.Split(path, "/")[2]
	return first == "login" || first == "device"
}

// isClass reports whether a path is about what only the organizers of a contest see.
func isClass(path string) bool {
	parts := strings.Split(path, "/")
	return len(parts) == 5 && parts[2] == "contests" && strings.HasPrefix(parts[4], "class")
}

// isSubmissions reports whether a path is about programs that players have handed in. The
// answers are for their owners.
func isSubmissions(path string) bool {
	parts := strings.Split(path, "/")
	return parts[2] == "submissions" || len(parts) > 4 && parts[2] == "games" && parts[4] == "submissions"
}

// readable lets pages of other hosts read an answer, without cookies, and the fields of its
// header that they need.
func readable(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, Retry-After, Link")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// otherwise answers the requests that no route answers: with the methods of their
// address, or that there is no such address.
func (s *Site) otherwise(w http.ResponseWriter, r *http.Request) {
	methods := methodsOf(s.mux, r)
	switch {
	case len(methods) == 0 && isAPI(r.URL.Path):
		refuse(w, http.StatusNotFound, "there is no such address: see /api/openapi.json")
	case len(methods) == 0:
		s.missing(w, r)
	case r.Method == http.MethodOptions:
		h := w.Header()
		h.Set("Allow", strings.Join(methods, ", "))
		if isPublic(r.URL.Path) && slices.Contains(methods, http.MethodGet) {
			readable(h)
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			h.Set("Access-Control-Allow-Headers", "Cache-Control, If-None-Match, Last-Event-ID")
			h.Set("Access-Control-Max-Age", "86400") // seconds
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		allow := strings.Join(methods, ", ")
		w.Header().Set("Allow", allow)
		if isAPI(r.URL.Path) {
			refuse(w, http.StatusMethodNotAllowed, "this address cannot be used with "+shortMethod(r.Method)+": use "+allow)
			return
		}
		http.Error(w, "This page cannot be used with "+shortMethod(r.Method)+": use "+allow, http.StatusMethodNotAllowed)
	}
}

// methodsOf returns the methods with which the address of a request can be used; none: there
// is no such address.
func methodsOf(mux *http.ServeMux, r *http.Request) []string {
	var list []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := *r
		other.Method = method
		if _, pattern := mux.Handler(&other); !strings.HasPrefix(pattern, method+" ") {
			continue
		}
		if list = append(list, method); method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	if len(list) > 0 {
		list = append(list, http.MethodOptions)
	}
	return list
}

// shortMethod truncates a method, which a client can choose freely.
func shortMethod(method string) string { return method[:min(len(method), 16)] }
