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

// description is the OpenAPI description of the API.
//
//go:embed openapi.json
var description []byte

// document is an immutable answer that many requests share.
type document struct {
	kind    string // Content-Type
	etag    string
	plain   []byte
	zipped  func() []byte // compresses on the first call
	special string        // Content-Security-Policy; empty: policy
}

// documents are the embedded files by name. They are prepared on the first request,
// because the host's program also runs every script, and preparing them would take
// most of the time of its start.
var documents = sync.OnceValue(load)

func load() map[string]*document {
	list := map[string]*document{}
	entries, err := files.ReadDir("pages")
	if err != nil {
		panic(err) // the files are embedded
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
		panic(err) // the files are embedded
	}
	return b
}

func fileDocument(name string, b []byte) *document {
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the system's table of types can differ
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

// frameDocument assembles the frame in which viewers run. Its policy allows one
// script, by its hash, and blob: for the worker that runs the viewer. The viewer
// comes in a message, so the frame can load nothing from any address. The worker
// inherits the policy.
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

// packet is how many bytes fit into one network packet. Shorter answers are not
// compressed.
const packet = 1400

// zippers are reused, because one takes more than a megabyte.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails only for an unknown level
	return z
}}

// compress compresses a text in pieces. Between them it yields to running matches.
func compress(text []byte) []byte {
	var out bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&out)
	for piece := range slices.Chunk(text, 64<<10) {
		_, _ = z.Write(piece) // writing to a bytes.Buffer cannot fail
		runtime.Gosched()
	}
	_ = z.Close()
	return out.Bytes()
}

// zips reports whether an answer is sent compressed.
func zips(r *http.Request, text []byte) bool {
	return len(text) > packet && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// send sends the document, or that it has not changed, and returns the number of
// bytes of the body.
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
	if zips(r, text) {
		h.Set("Content-Encoding", "gzip")
		text = d.zipped()
	}
	_, _ = w.Write(text) // fails if the client has gone
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

// missing answers that there is no such page, with a page for browsers and a line
// for programs.
func missing(w http.ResponseWriter, r *http.Request) {
	kind, text := "text/plain; charset=utf-8", []byte("There is no such page. The lobby is at /\n")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		kind, text = documents()["missing.html"].kind, documents()["missing.html"].plain
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(text) // fails if the client has gone
}
