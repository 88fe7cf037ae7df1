package site

import (
	"net/http"
	"strings"
	"sync"
)

// botFrame sends the frame of a person's bot.
func (s *shared) botFrame(w http.ResponseWriter, r *http.Request) {
	s.documents()["botframe"].send(w, r)
}

func (s *shared) icon(w http.ResponseWriter, r *http.Request) { s.documents()["icon.svg"].send(w, r) }

func (s *shared) asset(w http.ResponseWriter, r *http.Request) {
	if s.bundle(w, r, r.PathValue("name")) {
		return
	}
	d := s.documents()[r.PathValue("name")]
	if d == nil || d.special != "" || strings.HasPrefix(d.kind, "text/html") {
		s.missing(w, r)
		return
	}
	d.send(w, r)
}

// missing answers that there is no such page, with a page for browsers and a line
// for programs.
func (s *shared) missing(w http.ResponseWriter, r *http.Request) {
	kind, text := "text/plain; charset=utf-8", []byte("There is no such page. The lobby is at "+s.at("/")+"\n")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		kind, text = s.documents()["missing.html"].kind, s.documents()["missing.html"].in(r).plain
	}
	w.Header().Set("Cache-Control", "no-store") // the address can have a page later
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(text) // fails if the client has gone
}

var openAPIDocument = sync.OnceValue(func() *document { return newDocument("application/json", description) })

func openAPI(w http.ResponseWriter, r *http.Request) { openAPIDocument().send(w, r) }

// sendPage returns a handler that sends a page.
func (s *shared) sendPage(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.documents()[name].send(w, r) }
}

// sendMissing sends a page that itself explains what is missing, with status 404.
func (s *shared) sendMissing(w http.ResponseWriter, r *http.Request, name string) {
	d := *s.documents()[name]
	d.status = http.StatusNotFound
	d.send(w, r)
}
