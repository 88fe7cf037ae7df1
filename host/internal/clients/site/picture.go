package site

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// Limits of the picture of a game. Its size is that of link previews.
const (
	maxPicture    = 256 << 10 // bytes
	pictureWidth  = 640
	pictureHeight = 336
)

// pictures holds the last picture of each game, so that a file that has not changed is
// not read again.
type pictures struct {
	mu   sync.Mutex          // guards the field below
	kept map[string]*picture // by game
}

// picture is a picture in a game's folder.
type picture struct {
	stamp string // identifies a state of the file
	hash  string // of the content
	png   []byte
}

// picture sends the picture of a game. Other sites can show it, in link previews. With
// the hash of the picture in its address, as the API lists it, browsers keep it.
func (s *Site) picture(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		missing(w, r)
		return
	}
	p, err := s.readPicture(o)
	switch {
	case errors.Is(err, gamedir.ErrSilent):
		noPicture(w, http.StatusServiceUnavailable, "its folder does not answer")
		return
	case err != nil:
		noPicture(w, http.StatusNotFound, err.Error())
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("ETag", `"`+p.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.RawQuery == p.hash {
		h.Set("Cache-Control", forever)
	}
	if !known(r, h.Get("ETag")) {
		s.readers.Charge(r, len(p.png))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.png))
}

func noPicture(w http.ResponseWriter, status int, why string) {
	noFile(w, status, "This game has no picture: "+why)
}

// pictureAddress returns the path of the picture of a game, or "" if it has none that
// can be shown.
func (s *Site) pictureAddress(o *catalog.Offer) string {
	p, err := s.readPicture(o)
	if err != nil {
		return ""
	}
	return "/games/" + o.Name + "/picture.png?" + p.hash
}

// readPicture returns the picture that a game's folder has now. The error is for people,
// or gamedir.ErrSilent.
func (s *Site) readPicture(o *catalog.Offer) (*picture, error) {
	if o.Dir == "" || o.Picture == "" {
		return nil, errors.New("it has no file for one")
	}
	s.pictures.mu.Lock()
	last := s.pictures.kept[o.Name]
	s.pictures.mu.Unlock()
	type found struct {
		picture *picture
		err     error
	}
	f, err := visit(s.viewers.of(o), func() found {
		p, err := findPicture(o, last)
		return found{p, err}
	})
	if err == nil {
		err = f.err
	}
	var refused *gamedir.Refused
	switch {
	case err == nil, errors.As(err, &refused), errors.Is(err, gamedir.ErrSilent):
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("it has no %s", o.Picture)
	default:
		s.log.Error("could not read a picture", "game", o.Name, "error", err)
		err = fmt.Errorf("could not read its %s", o.Picture)
	}
	if err != nil {
		return nil, err
	}
	s.pictures.mu.Lock()
	defer s.pictures.mu.Unlock()
	if s.pictures.kept == nil {
		s.pictures.kept = map[string]*picture{}
	}
	s.pictures.kept[o.Name] = f.picture
	return f.picture, nil
}

// findPicture reads and checks the picture of a game, unless the file is as it was for
// the last one.
func findPicture(o *catalog.Offer, last *picture) (*picture, error) {
	f, err := gamedir.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat(o.Picture)
	if err != nil {
		return nil, err
	}
	stamp := fmt.Sprintf("%s %s %x %x", o.Dir, o.Picture, info.ModTime().UnixNano(), info.Size())
	if last != nil && last.stamp == stamp {
		return last, nil
	}
	b, err := f.Read(o.Picture, maxPicture)
	if err != nil {
		return nil, err
	}
	size, err := png.DecodeConfig(bytes.NewReader(b))
	switch {
	case err != nil:
		return nil, &gamedir.Refused{Name: o.Picture, Why: "it is not a PNG image"}
	case size.Width != pictureWidth || size.Height != pictureHeight:
		return nil, &gamedir.Refused{Name: o.Picture, Why: fmt.Sprintf("it has %d×%d pixels: make it %d×%d", size.Width, size.Height, pictureWidth, pictureHeight)}
	}
	return &picture{stamp: stamp, hash: fmt.Sprintf("%x", sha256.Sum256(b))[:16], png: b}, nil
}
