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
	"runtime"
	"slices"
	"strings"
	"sync"
)

//go:embed pages/*.html pages/*.js pages/*.css pages/*.svg frame
var files embed.FS

// document is a text that is sent to many. It does not change.
type document struct {
	kind    string // Content-Type
	etag    string
	plain   []byte
	zipped  func() []byte // compressed when the first asks for it
	special string        // its own Content-Security-Policy; empty: that of all
}

// documents are the embedded files by name. Nothing of them changes while the
// host runs; a browser asks each time and gets them when they are new. They are
// read when the first is asked for: the same program also runs every script, and
// that would take longer than all else of its start.
var documents = sync.OnceValue(load)

func load() map[string]*document {
	list := map[string]*document{}
	entries, err := files.ReadDir("pages")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, e := range entries {
		list[e.Name()] = fileDocument(e.Name(), embedded("pages/"+e.Name()))
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

func fileDocument(name string, b []byte) *document {
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the system's own table may say otherwise
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".html":
		kind = "text/html; charset=utf-8"
	}
	return newDocument(kind, b)
}

func newDocument(kind string, b []byte) *document {
	sum := sha256.Sum256(b)
	return &document{kind: kind, etag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: b, zipped: sync.OnceValue(func() []byte { return compress(b) })}
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
	d := fileDocument("frame.html", []byte(html))
	d.special = "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' blob:; " +
		"style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
	return d
}

// packet is what fits into one packet of a network: less is not compressed.
const packet = 1400

// body is a text that was made for one request, compressed when that helps.
type body struct {
	kind   string
	bytes  []byte
	zipped bool
}

func newBody(r *http.Request, kind string, text []byte) body {
	if len(text) <= packet || !zips(r) {
		return body{kind, text, false}
	}
	return body{kind, compress(text), true}
}

func (b body) send(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", b.kind)
	h.Set("Vary", "Accept-Encoding")
	if b.zipped {
		h.Set("Content-Encoding", "gzip")
	}
	_, _ = w.Write(b.bytes) // the client may have gone
}

// zippers are used again: one takes more than a megabyte.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails only for an unknown level
	return z
}}

// compress compresses a text piece by piece, so that whoever plays comes first.
func compress(text []byte) []byte {
	var out bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&out)
	for piece := range slices.Chunk(text, 64<<10) {
		_, _ = z.Write(piece) // a bytes.Buffer takes everything
		runtime.Gosched()
	}
	_ = z.Close() // likewise
	return out.Bytes()
}

func zips(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") }

// send returns how many bytes were sent.
func (d *document) send(w http.ResponseWriter, r *http.Request) int {
	h := w.Header()
	if d.special != "" {
		h.Set("Content-Security-Policy", d.special)
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", d.etag)
	if r.Header.Get("If-None-Match") == d.etag {
		w.WriteHeader(http.StatusNotModified)
		return 0
	}
	h.Set("Content-Type", d.kind)
	text := d.plain
	if len(text) > packet && zips(r) {
		h.Set("Content-Encoding", "gzip")
		text = d.zipped()
	}
	_, _ = w.Write(text) // the browser may have gone
	return len(text)
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
