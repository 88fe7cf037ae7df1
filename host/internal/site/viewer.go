package site

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"colosseum/host/internal/catalog"
)

// maxViewer bounds a viewer, in bytes.
const maxViewer = 256 << 10

// viewer sends the viewer of a game as it stands in the game's folder now. It
// is sent as plain text, so that no page can be made to run it in its own
// origin: the page passes the text to the frame.
func (s *Site) viewer(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		missing(w, r)
		return
	}
	f, info, err := openViewer(o)
	if err != nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintln(w, "This game is shown as text:", err)
		return
	}
	defer f.Close()
	etag := fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	text, err := io.ReadAll(io.LimitReader(f, maxViewer))
	if err != nil {
		s.log.Error("a viewer can't be read", "game", o.Name, "error", err)
		http.Error(w, "the viewer can't be read", http.StatusInternalServerError)
		return
	}
	d := *s.viewers.document(o.Name, text)
	d.etag = etag
	s.send(w, r, &d)
}

// viewers keeps those that were sent last, for what is compressed in them.
type viewers struct {
	mu    sync.Mutex // guards the field below
	known map[string]*document
}

// document returns the viewer of a game with this text.
func (v *viewers) document(game string, text []byte) *document {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.known[game]
	if d == nil || !bytes.Equal(d.plain, text) {
		d = newDocument("text/plain; charset=utf-8", text)
		v.known[game] = d
	}
	return d
}

// viewersNow tells how the viewers stand in the games' folders: another text means
// that one of them has come, gone or changed.
func viewersNow(offers []*catalog.Offer) string {
	var now []byte
	for _, o := range offers {
		if o.Dir == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(o.Dir, "viewer.js")); err == nil {
			now = fmt.Appendf(now, "%s %d %d %d\n", o.Name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return string(now)
}

// openViewer opens the viewer of a game, if there is one.
func openViewer(o *catalog.Offer) (*os.File, os.FileInfo, error) {
	if o.Dir == "" {
		return nil, nil, os.ErrNotExist
	}
	f, err := os.OpenInRoot(o.Dir, "viewer.js")
	if err != nil {
		return nil, nil, fmt.Errorf("it has no viewer.js")
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("its viewer.js is no file")
	case info.Size() > maxViewer:
		err = fmt.Errorf("its viewer.js has more than %d KiB", maxViewer>>10)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// viewerAddress returns the address of the viewer of a game, or nothing.
func viewerAddress(o *catalog.Offer) string {
	f, _, err := openViewer(o)
	if err != nil {
		return ""
	}
	_ = f.Close()
	return "/games/" + o.Name + "/viewer.js"
}
