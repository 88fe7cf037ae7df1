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

	"colosseum/host/internal/catalog"
	"colosseum/internal/gamedir"
)

// maxViewer bounds a viewer, in bytes.
const maxViewer = 256 << 10

// viewerFile is the name of a viewer in the folder of its game.
const viewerFile = "viewer.js"

// viewerTime is how long a folder may take to give its viewer.
const viewerTime = 5 * time.Second

// viewers reads viewers in the folders of games, of which one may not answer.
type viewers struct {
	mu     sync.Mutex                 // guards the fields below
	visits map[string]*gamedir.Visits // by folder
	sent   map[string]*document       // by game, those that were sent last, for what is compressed in them
}

// viewer is what was found in a folder.
type viewer struct {
	etag string
	text []byte // nil: it has the etag that was asked for
	err  error  // why there is none
}

// viewer sends the viewer of a game as it stands in the game's folder now. It
// is sent as plain text, so that no page can be made to run it in its own
// origin: the page passes the text to the frame.
func (s *Site) viewer(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		missing(w, r)
		return
	}
	known := r.Header.Get("If-None-Match")
	v := s.viewers.visit(o, func(f *gamedir.Folder) (v viewer) {
		info, err := f.Stat(viewerFile)
		if err != nil {
			return viewer{err: err}
		}
		v.etag = fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size())
		if v.etag != known {
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
			s.log.Error("a viewer can't be read", "game", o.Name, "error", v.err)
			v.err = errors.New(viewerFile + " can't be read")
		}
		noViewer(w, http.StatusNotFound, v.err.Error())
	case v.etag == known:
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", v.etag)
		w.WriteHeader(http.StatusNotModified)
	default:
		d := *s.viewers.document(o.Name, v.text)
		d.etag = v.etag
		s.send(w, r, &d)
	}
}

func noViewer(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, "This game is shown as text:", why)
}

// document returns the viewer of a game with this text.
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

// address returns the address of the viewer of a game, or nothing.
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

// now returns how the viewers stand in the games' folders: another text means
// that one of them has come, gone or changed. It opens nothing.
func (l *viewers) now(offers []*catalog.Offer) string {
	var now []byte
	for _, o := range offers {
		if o.Dir == "" {
			continue
		}
		info, err := visit(l.of(o), func() fs.FileInfo {
			info, err := os.Stat(filepath.Join(o.Dir, viewerFile))
			if err != nil {
				return nil
			}
			return info
		})
		if err == nil && info != nil {
			now = fmt.Appendf(now, "%s %d %d %d\n", o.Name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return string(now)
}

// visit looks into the folder of a game.
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
	ctx, cancel := context.WithTimeout(context.Background(), viewerTime) // a client that leaves says nothing about the folder
	defer cancel()
	return gamedir.Visit(ctx, visits, look)
}
