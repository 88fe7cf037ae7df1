package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// maxViewer is the largest viewer, in bytes.
const maxViewer = 256 << 10

// viewerFile is the file of a viewer in its game's folder.
const viewerFile = "viewer.js"

// viewerTimeout bounds reading a viewer from its folder.
const viewerTimeout = 5 * time.Second

// viewers reads viewers from the folders of games, on disks that can hang.
type viewers struct {
	mu     sync.Mutex                 // guards the fields below
	visits map[string]*gamedir.Visits // by folder
	sent   map[string]*document       // last viewer of each game, and example players by game/file, kept for their compressed form
}

// viewer is a viewer in a folder, or why there is none.
type viewer struct {
	etag string
	text []byte // nil: the client has it already
	err  error
}

// viewer sends the current viewer of a game. It is sent as plain text, so that no
// page can run it in the site's origin; the page passes the text to the frame.
func (s *Site) viewer(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		missing(w, r)
		return
	}
	v := s.viewers.visit(o, func(f *gamedir.Folder) (v viewer) {
		info, err := f.Stat(viewerFile)
		if err != nil {
			return viewer{err: err}
		}
		v.etag = fileTag(info)
		if !known(r, v.etag) {
			v.text, v.err = f.Read(viewerFile, maxViewer)
		}
		return v
	})
	switch {
	case errors.Is(v.err, fs.ErrNotExist):
		noViewer(w, http.StatusNotFound, "it has no "+viewerFile)
	case errors.Is(v.err, gamedir.ErrSilent):
		noViewer(w, http.StatusServiceUnavailable, "its folder does not answer")
	case v.err != nil:
		var refused *gamedir.Refused
		if !errors.As(v.err, &refused) {
			s.log.Error("could not read a viewer", "game", o.Name, "error", v.err)
			v.err = errors.New("could not read its " + viewerFile)
		}
		noViewer(w, http.StatusNotFound, v.err.Error())
	case known(r, v.etag):
		(&document{etag: v.etag}).send(w, r)
	default:
		d := *s.viewers.document(o.Name, v.text)
		d.etag = v.etag
		s.send(w, r, &d)
	}
}

func noViewer(w http.ResponseWriter, status int, why string) {
	noFile(w, status, "This game is shown as text: "+why)
}

// noFile answers, as plain text, that a file of a game's folder cannot be sent.
func noFile(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, why)
}

// fileTag returns the ETag of a file in its present state, without reading it.
func fileTag(info fs.FileInfo) string {
	return fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
}

// document returns a viewer as a document.
func (l *viewers) document(game string, text []byte) *document {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.sent[game]
	if d == nil || !bytes.Equal(d.plain, text) {
		d = newDocument("text/plain; charset=utf-8", text)
		if l.sent == nil {
			l.sent = map[string]*document{}
		}
		l.sent[game] = d
	}
	return d
}

// address returns the path of the viewer of a game, or "" if it has none.
func (l *viewers) address(o *catalog.Offer) string {
	v := l.visit(o, func(f *gamedir.Folder) (v viewer) {
		info, err := f.Stat(viewerFile)
		if err == nil && info.Size() > maxViewer {
			err = errors.New("it is too long")
		}
		return viewer{err: err}
	})
	if v.err != nil {
		return ""
	}
	return "/games/" + o.Name + "/" + viewerFile
}

// state returns a text that changes when a viewer or a picture is added, removed or
// changed, or an example player is added or removed. It opens no file.
func (l *viewers) state(offers []*catalog.Offer) string {
	var state []byte
	for _, o := range offers {
		if o.Dir == "" {
			continue
		}
		files, _ := visit(l.of(o), func() (text []byte) { // nil on an error
			for _, file := range []string{viewerFile, o.Picture} {
				if info, err := os.Stat(filepath.Join(o.Dir, file)); err == nil && file != "" {
					text = fmt.Appendf(text, "%s %s %d %d %d\n", o.Name, file, info.Mode(), info.Size(), info.ModTime().UnixNano())
				}
			}
			return append(text, examplesState(o)...)
		})
		state = append(state, files...)
	}
	return string(state)
}

// visit calls look with the folder of a game.
func (l *viewers) visit(o *catalog.Offer, look func(f *gamedir.Folder) viewer) viewer {
	if o.Dir == "" {
		return viewer{err: fs.ErrNotExist}
	}
	v, err := visit(l.of(o), func() viewer {
		f, err := gamedir.Open(o.Dir)
		if err != nil {
			return viewer{err: err}
		}
		defer f.Close()
		return look(f)
	})
	if err != nil {
		return viewer{err: err}
	}
	return v
}

// of returns the visits of the folder of a game.
func (l *viewers) of(o *catalog.Offer) *gamedir.Visits {
	l.mu.Lock()
	defer l.mu.Unlock()
	visits := l.visits[o.Dir]
	if visits == nil {
		if l.visits == nil {
			l.visits = map[string]*gamedir.Visits{}
		}
		visits = gamedir.NewVisits(nil)
		l.visits[o.Dir] = visits
	}
	return visits
}

func visit[T any](visits *gamedir.Visits, look func() T) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), viewerTimeout) // not the request's, since a client that leaves is no fault of the folder
	defer cancel()
	return gamedir.Visit(ctx, visits, look)
}
