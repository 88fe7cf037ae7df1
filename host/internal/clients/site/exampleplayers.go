package site

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"colosseum/host/internal/games/catalog"
	"colosseum/internal/gamedir"
)

// maxExample is the largest example player, in bytes.
const maxExample = 64 << 10

// examplesFolder is the folder of example players in a game's folder. A subfolder has
// those of a game that the configuration offers under its name.
const examplesFolder = "players"

// examples are the files of example players that a game can have, in the order in which
// pages show them.
var examples = []exampleAnswer{
	{"Python", "player.py"}, {"C", "player.c"}, {"Go", "player.go"}, {"JavaScript", "player.js"}, {"Java", "Player.java"},
}

// errNotText is the error of a file that no browser can show.
var errNotText = errors.New("it is not valid UTF-8")

// readExample reads an example player from a game's folder. Only files from the list
// examples can be read.
func readExample(f *gamedir.Folder, o *catalog.Offer, file string) (text []byte, etag string, err error) {
	if !slices.ContainsFunc(examples, func(e exampleAnswer) bool { return e.File == file }) {
		return nil, "", fs.ErrNotExist
	}
	name := path.Join(examplesFolder, file)
	if own := path.Join(examplesFolder, o.Name); f.IsFolder(own) {
		name = path.Join(own, file)
	}
	info, err := f.Stat(name)
	if err != nil {
		return nil, "", err
	}
	if text, err = f.Read(name, maxExample); err == nil && !utf8.Valid(text) {
		err = errNotText
	}
	return text, fileTag(info), err
}

// examplesOf returns the example players of a game.
func (l *viewers) examplesOf(o *catalog.Offer) []exampleAnswer {
	list := []exampleAnswer{}
	if o.Dir == "" {
		return list
	}
	found, err := visit(l.of(o), func() (found []exampleAnswer) {
		f, err := gamedir.Open(o.Dir)
		if err != nil {
			return nil
		}
		defer f.Close()
		for _, e := range examples {
			if _, _, err := readExample(f, o, e.File); err == nil {
				found = append(found, e)
			}
		}
		return found
	})
	if err != nil {
		return list
	}
	return append(list, found...)
}

// example sends an example player as plain text, so that no page can run it in the site's
// origin.
func (s *Site) example(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		missing(w, r)
		return
	}
	file := r.PathValue("file")
	v := s.viewers.visit(o, func(f *gamedir.Folder) (v viewer) {
		v.text, v.etag, v.err = readExample(f, o, file)
		return v
	})
	var refused *gamedir.Refused
	switch {
	case v.err == nil:
		d := *s.viewers.document(o.Name+"/"+file, v.text)
		d.etag = v.etag
		s.send(w, r, &d)
		return
	case errors.Is(v.err, gamedir.ErrSilent):
		noExample(w, http.StatusServiceUnavailable, "the game's folder does not answer")
		return
	case errors.As(v.err, &refused), errors.Is(v.err, errNotText):
	case errors.Is(v.err, fs.ErrNotExist):
		v.err = errors.New("there is no such file: /api/games/" + o.Name + " lists them")
	default:
		s.log.Error("could not read an example player", "game", o.Name, "file", file, "error", v.err)
		v.err = errors.New("could not read it")
	}
	noExample(w, http.StatusNotFound, v.err.Error())
}

func noExample(w http.ResponseWriter, status int, why string) {
	noFile(w, status, "This example player cannot be shown: "+why)
}

// examplesState describes the folders of example players of a game. It opens no file.
func examplesState(o *catalog.Offer) string {
	var state strings.Builder
	for _, folder := range []string{examplesFolder, filepath.Join(examplesFolder, o.Name)} {
		if info, err := os.Stat(filepath.Join(o.Dir, folder)); err == nil {
			fmt.Fprintf(&state, "%s %s %d %d\n", o.Name, folder, info.Mode(), info.ModTime().UnixNano())
		}
	}
	return state.String()
}
