package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed pages/*.html pages/*.js pages/*.css pages/*.svg frame
var files embed.FS

// document is a file as it is sent.
type document struct {
	kind    string // Content-Type
	etag    string
	plain   []byte
	zipped  []byte
	special string // its own Content-Security-Policy; empty: that of all
}

// documents are the embedded files by name. Nothing of them changes while the
// host runs; a browser asks each time and gets them when they are new. They are
// made when the first is asked for: the same program also runs every script, and
// making them takes longer than all else of its start.
var documents = sync.OnceValue(load)

func load() map[string]*document {
	list := map[string]*document{}
	entries, err := files.ReadDir("pages")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, e := range entries {
		list[e.Name()] = newDocument(e.Name(), embedded("pages/"+e.Name()))
	}
	list["frame"] = frameDocument()
	return list
}

func embedded(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // they are in the program
	}
	return b
}

func newDocument(name string, b []byte) *document {
	sum := sha256.Sum256(b)
	var zipped bytes.Buffer
	z, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // fails only for an unknown level
	_, _ = z.Write(b)                                          // a bytes.Buffer takes everything
	_ = z.Close()
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the system's own table may say otherwise
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".html":
		kind = "text/html; charset=utf-8"
	}
	return &document{kind: kind, etag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: b, zipped: zipped.Bytes()}
}

// frameDocument puts the frame of viewers together. Its policy names the one
// script that may run by its hash, and blob: for the worker in which the viewer
// runs, which comes as a message: so there is no address at all that the frame
// may load from. The worker has the same policy.
func frameDocument() *document {
	script := embedded("frame/frame.js")
	sum := sha256.Sum256(script)
	html := strings.NewReplacer("{{style}}", string(embedded("frame/frame.css")), "{{worker}}", string(embedded("frame/worker.js")), "{{script}}", string(script)).
		Replace(string(embedded("frame/frame.html")))
	d := newDocument("frame.html", []byte(html))
	d.special = "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' blob:; " +
		"style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
	return d
}

// packet is what fits into one packet of a network: less is not compressed.
const packet = 1400

// send sends a text that was made for this request, compressed when that helps.
func send(w http.ResponseWriter, r *http.Request, kind string, text []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept-Encoding")
	if len(text) <= packet || !zips(r) {
		_, _ = w.Write(text) // the client may have gone
		return
	}
	h.Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // fails only for an unknown level
	_, _ = z.Write(text)                           // the client may have gone
	_ = z.Close()                                  // the same
}

func zips(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }

func (d *document) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if d.special != "" {
		h.Set("Content-Security-Policy", d.special)
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", d.etag)
	if r.Header.Get("If-None-Match") == d.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.kind)
	body := d.plain
	if zips(r) {
		h.Set("Content-Encoding", "gzip")
		body = d.zipped
	}
	_, _ = w.Write(body) // the browser may have gone
}

func page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { documents()[name].send(w, r) }
}

func frame(w http.ResponseWriter, r *http.Request) { documents()["frame"].send(w, r) }

func icon(w http.ResponseWriter, r *http.Request) { documents()["icon.svg"].send(w, r) }

func asset(w http.ResponseWriter, r *http.Request) {
	d := documents()[r.PathValue("name")]
	if d == nil || d.special != "" || strings.HasPrefix(d.kind, "text/html") {
		missing(w, r)
		return
	}
	d.send(w, r)
}

// missing says that there is no such page: to a person as a page, to a program
// in a line.
func missing(w http.ResponseWriter, r *http.Request) {
	kind, text := "text/plain; charset=utf-8", []byte("There is no such page. The lobby is at /\n")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		kind, text = documents()["missing.html"].kind, documents()["missing.html"].plain
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(text) // the browser may have gone
}
