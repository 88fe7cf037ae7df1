package site

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"colosseum/host/internal/clients/gamefiles"
	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// gameFiles sends files of the folders of games.
type gameFiles struct {
	*shared

	mu   sync.Mutex           // guards the field below
	last map[string]*document // viewers by game, and example players by game/file, kept for their compressed form
}

// viewer sends the current viewer of a game. It is sent as plain text, so that no
// page can run it in the site's origin; the page passes the text to the frame.
func (s *gameFiles) viewer(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		s.missing(w, r)
		return
	}
	text, etag, err := s.files.Viewer(o, func(etag string) bool { return known(r, etag) })
	cache := "" // for the address that the API lists, browsers keep it
	if etag == `"`+r.URL.RawQuery+`"` {
		cache = forever
	}
	switch {
	case errors.Is(err, gamedir.ErrSilent):
		noFile(w, http.StatusServiceUnavailable, "This game is shown as text: its folder does not answer")
	case err != nil:
		noFile(w, http.StatusNotFound, "This game is shown as text: "+err.Error())
	case known(r, etag):
		(&document{etag: etag, cache: cache}).send(w, r)
	default:
		d := s.document(o.Name, text, etag)
		d.cache = cache
		s.send(w, r, d)
	}
}

// example sends an example player as plain text, so that no page can run it in the site's
// origin.
func (s *gameFiles) example(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		s.missing(w, r)
		return
	}
	file := r.PathValue("file")
	text, etag, err := s.files.Player(o, file)
	switch {
	case errors.Is(err, gamedir.ErrSilent):
		noFile(w, http.StatusServiceUnavailable, "This example player cannot be shown: the game's folder does not answer")
	case err != nil:
		noFile(w, http.StatusNotFound, "This example player cannot be shown: "+err.Error())
	default:
		s.send(w, r, s.document(o.Name+"/"+file, text, etag))
	}
}

// picture sends the picture of a game. Other sites can show it, in link previews. With
// the hash of the picture in its address, as the API lists it, browsers keep it.
func (s *gameFiles) picture(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		s.missing(w, r)
		return
	}
	p, err := s.files.Picture(o)
	switch {
	case errors.Is(err, gamedir.ErrSilent):
		noFile(w, http.StatusServiceUnavailable, "This game has no picture: its folder does not answer")
		return
	case err != nil:
		noFile(w, http.StatusNotFound, "This game has no picture: "+err.Error())
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("ETag", `"`+p.Hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.RawQuery == p.Hash {
		h.Set("Cache-Control", forever)
	}
	if !known(r, h.Get("ETag")) {
		s.Readers.Charge(r, len(p.PNG))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.PNG))
}

// noFile answers, as plain text, why a file of a game's folder cannot be sent.
func noFile(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, why)
}

// document returns a text as a document, with the ETag of its file.
func (s *gameFiles) document(name string, text []byte, etag string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.last[name]
	if last == nil || !bytes.Equal(last.plain, text) {
		last = newDocument("text/plain; charset=utf-8", text)
		if s.last == nil {
			s.last = map[string]*document{}
		}
		s.last[name] = last
	}
	d := *last
	d.etag = etag
	return &d
}

// viewerAddress returns the path of the viewer of a game, with its tag, or "" if it has none.
func (s *shared) viewerAddress(o *catalog.Offer) string {
	tag := s.files.ViewerTag(o)
	if tag == "" {
		return ""
	}
	return "/games/" + o.Name + "/" + gamefiles.ViewerFile + "?" + strings.Trim(tag, `"`)
}

// pictureAddress returns the path of the picture of a game, or "" if it has none that
// can be shown.
func (s *shared) pictureAddress(o *catalog.Offer) string {
	p, err := s.files.Picture(o)
	if err != nil {
		return ""
	}
	return "/games/" + o.Name + "/picture.png?" + p.Hash
}
