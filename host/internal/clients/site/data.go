package site

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"time"

	"colosseum/host/internal/records/record"
	"colosseum/internal/gamedir"
)

// dataPages answers requests for exports of records.
type dataPages struct {
	*shared
	*places // not those of downloads: an export takes longer
}

func newData(s *shared) *dataPages { return &dataPages{s, newPlaces(s)} }

type exportsAnswer struct {
	Exports []exportAnswer `json:"exports"`
}

// exportAnswer is an export.Manifest.
type exportAnswer struct {
	Name    string             `json:"name"`
	Host    string             `json:"host,omitempty"`
	Since   time.Time          `json:"since"`
	Until   time.Time          `json:"until"`
	Game    string             `json:"game,omitempty"`
	Matches int64              `json:"matches"`
	Games   map[string]int64   `json:"games"`
	Key     string             `json:"key,omitempty"` // the fingerprint
	Files   []exportFileAnswer `json:"files"`
}

type exportFileAnswer struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Bytes   int64  `json:"bytes,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Matches int64  `json:"matches,omitempty"`
}

func (s *dataPages) list(w http.ResponseWriter, r *http.Request) {
	list, err := s.Exported.List()
	if err != nil {
		s.refuse(w, err)
		return
	}
	a := exportsAnswer{Exports: []exportAnswer{}}
	for _, x := range list {
		m := x.Manifest
		e := exportAnswer{Name: x.Name, Host: m.Host, Since: m.Since, Until: m.Until, Game: m.Game, Matches: m.Matches, Games: m.Games, Key: x.Key(), Files: []exportFileAnswer{}}
		for _, f := range x.Files() {
			e.Files = append(e.Files, exportFileAnswer{Name: f.Name, Address: s.at(path.Join("/exports", x.Name, f.Name)), Bytes: f.Bytes, SHA256: f.SHA256, Matches: f.Matches})
		}
		a.Exports = append(a.Exports, e)
	}
	s.send(w, r, newDocument("application/json", encode(a)))
}

// file sends a file of an export, or a range of it.
func (s *dataPages) file(w http.ResponseWriter, r *http.Request) {
	free, ok := s.take(r)
	defer free()
	if !ok {
		s.refuse(w, errBusy)
		return
	}
	file, hash, err := s.Exported.Get(r.PathValue("name"), r.PathValue("file"))
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer file.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	if path.Ext(r.PathValue("file")) == ".json" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Disposition", `attachment; filename="`+r.PathValue("file")+`"`) // a name of a manifest has only letters, digits, dots, hyphens and underscores
	h.Set("ETag", `"`+hash+`"`)
	h.Set("Cache-Control", "no-cache")
	http.ServeContent(&pacedWriter{ResponseWriter: w, shared: s.shared, request: r, until: time.Now().Add(downloadTime)}, r, "", time.Time{}, file)
}

// refuse answers with an error of the folder.
func (s *dataPages) refuse(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refuse(w, http.StatusNotFound, "there is no such export: /api/exports lists them")
		return
	case errors.Is(err, errBusy), errors.Is(err, gamedir.ErrSilent):
	default:
		s.log.Error("could not read an export", "error", err)
	}
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, "the exports can't be read now: try again later")
}

// matchSchema sends the JSON Schema of a line of an export.
func matchSchema(w http.ResponseWriter, r *http.Request) {
	newDocument("application/json", record.Schema()).send(w, r)
}
