package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
)

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

func newDocument(kind string, b []byte) *document {
	sum := sha256.Sum256(b)
	return &document{kind: kind, etag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: b, zipped: sync.OnceValue(func() []byte { return compress(b) })}
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

// squeeze compresses a text as much as possible, for answers that many clients get.
func squeeze(text []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // fails only for an unknown level
	_, _ = z.Write(text)                                    // writing to a bytes.Buffer cannot fail
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

// prepare returns a function that sends an answer, with an ETag. It compresses the answer
// at once, so that this is part of the work for it.
func prepare(w http.ResponseWriter, r *http.Request, text []byte) (send func()) {
	return prepareDocument(w, r, newDocument("application/json", text))
}

// prepareDocument is prepare for a document.
func prepareDocument(w http.ResponseWriter, r *http.Request, d *document) (send func()) {
	if zips(r, d.plain) && !known(r, d.etag) {
		d.zipped()
	}
	return func() { d.send(w, r) }
}
