package site

import (
	"embed"
	"mime"
	"path"
	"sync"
)

// The files in vendored come from packages of npm; vendored/build writes them.
//
//go:embed pages/*.html pages/*.js pages/*.css pages/*.svg pages/*.png pages/*.webmanifest frame built vendored/*.js vendored/*.wasm vendored/*.txt
var embeds embed.FS

// description is the OpenAPI description of the API.
//
//go:embed openapi.json
var description []byte

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
	case ".json":
		kind = "application/json"
	case ".wasm":
		kind = "application/wasm"
	case ".webmanifest":
		kind = "application/manifest+json"
	case ".html":
		kind = "text/html; charset=utf-8"
	}
	d := newDocument(kind, b)
	d.zipped = sync.OnceValue(func() []byte { return squeeze(b) })
	return d
}
