package site

import (
	"bytes"
	"cmp"
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

//go:embed pages/*.html pages/*.js pages/*.css pages/*.svg pages/*.png pages/*.webmanifest frame
var embeds embed.FS

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
	cache   string        // Cache-Control; empty: no-cache
	status  int           // 0: 200

	languages map[string]func() *document // the same in other languages, by code; nil: it has none
}

// forever is the Cache-Control of answers that never change.
const forever = "public, max-age=31536000, immutable"

// documents are the embedded files by name. They are prepared on the first request,
// because the host's program also runs every script, and preparing them would take
// most of the time of its start.
var documents = sync.OnceValue(load)

func load() map[string]*document {
	list := map[string]*document{}
	entries, err := embeds.ReadDir("pages")
	if err != nil {
		panic(err) // the files are embedded
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".html" {
			list[e.Name()] = fileDocument(e.Name(), embedded("pages/"+e.Name()))
		}
	}
	for _, p := range pages {
		list[p.name] = p.document(p.title, "")
	}
	for _, l := range languages() {
		list[l.Code+".json"] = newDocument("application/json", l.Pages())
	}
	list["frame"] = frameDocument()
	list["botframe"] = botFrameDocument()
	return list
}

func embedded(name string) []byte {
	b, err := embeds.ReadFile(name)
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
	case ".webmanifest":
		kind = "application/manifest+json"
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
	script := append(embedded("frame/capture.js"), embedded("frame/frame.js")...)
	html := strings.Replace(string(embedded("frame/frame.html")), "{{style}}", string(embedded("frame/frame.css")), 1)
	return sandboxed("frame.html", html, embedded("frame/worker.js"), script, "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors ")
}

// sandboxed returns a frame with a worker and a script, and with the policy that all frames
// have for untrusted code; rest is what a frame adds to it.
func sandboxed(name, html string, worker, script []byte, rest string) *document {
	sum := sha256.Sum256(script)
	d := fileDocument(name, []byte(strings.NewReplacer("{{worker}}", string(worker), "{{script}}", string(script)).Replace(html)))
	d.special = "sandbox allow-scripts; default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' blob:; " + rest
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
	return len(text) > packet && acceptsGzip(r)
}

// acceptsGzip reports whether a client accepts compressed answers.
func acceptsGzip(r *http.Request) bool {
	for _, coding := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if name = strings.TrimSpace(name); strings.EqualFold(name, "gzip") || name == "*" {
			q, ok := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return !ok || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

// known reports whether the client has the answer with an ETag. It compares weakly, since
// a proxy that compresses an answer makes its ETag weak.
func known(r *http.Request, etag string) bool {
	for _, tag := range strings.Split(r.Header.Get("If-None-Match"), ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// send sends the document, or that it has not changed, and returns the number of
// bytes of the body.
func (d *document) send(w http.ResponseWriter, r *http.Request) int {
	h := w.Header()
	d = d.in(r)
	if d.special != "" {
		h.Set("Content-Security-Policy", d.special)
	}
	h.Set("Cache-Control", cmp.Or(d.cache, "no-cache"))
	h.Set("Vary", "Accept-Encoding")
	if d.languages != nil {
		h.Set("Vary", "Accept-Encoding, Accept-Language, Cookie")
	}
	if d.status == 0 {
		h.Set("ETag", d.etag)
		if known(r, d.etag) {
			w.WriteHeader(http.StatusNotModified)
			return 0
		}
	}
	h.Set("Content-Type", d.kind)
	text := d.plain
	if zips(r, text) {
		h.Set("Content-Encoding", "gzip")
		text = d.zipped()
	}
	if d.status != 0 {
		w.WriteHeader(d.status)
	}
	_, _ = w.Write(text) // fails if the client has gone
	return len(text)
}

// frame sends the frame of a board, which can be in pages of this host. Those can be in pages
// of other sites; browsers check all of them.
func (s *Site) frame(w http.ResponseWriter, r *http.Request) {
	d := *documents()["frame"]
	d.special += s.embed
	d.send(w, r)
}

func icon(w http.ResponseWriter, r *http.Request) { documents()["icon.svg"].send(w, r) }

func asset(w http.ResponseWriter, r *http.Request) {
	d := documents()[r.PathValue("name")]
	if d == nil || d.special != "" || strings.HasPrefix(d.kind, "text/html") {
		missing(w, r)
		return
	}
	d.send(w, r)
}

// in returns the document in the language of a request.
func (d *document) in(r *http.Request) *document {
	translated := d.languages[languageOf(r)]
	if translated == nil {
		return d
	}
	other, own := translated(), *d
	own.etag, own.plain, own.zipped = other.etag, other.plain, other.zipped
	return &own
}

// missing answers that there is no such page, with a page for browsers and a line
// for programs.
func missing(w http.ResponseWriter, r *http.Request) {
	kind, text := "text/plain; charset=utf-8", []byte("There is no such page. The lobby is at /\n")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		kind, text = documents()["missing.html"].kind, documents()["missing.html"].in(r).plain
	}
	w.Header().Set("Cache-Control", "no-store") // the address can have a page later
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(text) // fails if the client has gone
}
