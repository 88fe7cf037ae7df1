package site

import (
	"html/template"
	"path"
	"slices"
	"sync"
)

// library has the documents of the embedded files by name. They are prepared on the first
// request, because the host's program also runs every script, and preparing them would take
// most of the time of its start.
type library struct {
	embed     string // the sites that can show matches, as in a policy
	documents func() map[string]*document
	plain     func(language string) *template.Template
	split     func() map[string]*document // the pages, with a zero byte for the title and one for the preview
}

// newLibrary returns the documents of a host with a prefix.
func newLibrary(prefix, embed string) *library {
	return &library{
		embed: embed,
		plain: plainTemplates(prefix, embed),
		documents: sync.OnceValue(func() map[string]*document {
			list := map[string]*document{}
			for name, d := range files() {
				list[name] = d
			}
			for _, p := range pages {
				list[p.name] = p.document(prefix, embed, p.title, "")
			}
			return list
		}),
		split: sync.OnceValue(func() map[string]*document {
			list := map[string]*document{}
			for _, p := range pages {
				list[p.name] = p.document(prefix, embed, "\x00", "\x00")
			}
			return list
		}),
	}
}

// frameHash is what is in the address of the frame of boards, so that browsers keep it.
func (l *library) frameHash() string { return frameHash(l.embed) }

func frameHash(embed string) string {
	return newDocument("", []byte(files()["frame"].etag+files()["frame"].special+embed)).hash()
}

// vendored are the files that pages load from the folder vendored when they need them.
var vendored = []string{"codemirror.js", "python.js", "python.wasm", "licences.txt"}

// files are the documents that are the same for each prefix: they name other ones by relative
// addresses.
var files = sync.OnceValue(func() map[string]*document {
	list := map[string]*document{}
	entries, err := embeds.ReadDir("pages")
	if err != nil {
		panic(err) // the files are embedded
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".html" {
			d := fileDocument(e.Name(), embedded("pages/"+e.Name()))
			if slices.Contains([]string{".svg", ".png", ".webmanifest"}, path.Ext(e.Name())) {
				d.cache = "public, max-age=86400" // icons hardly ever change
			}
			list[e.Name()] = d
		}
	}
	for _, name := range vendored {
		list[name] = fileDocument(name, embedded("vendored/"+name))
	}
	for _, l := range languages() {
		list[l.Code+".json"] = newDocument("application/json", l.Pages(func(string) bool { return true }))
	}
	list["frame"] = frameDocument()
	list["botframe"] = botFrameDocument()
	return list
})
