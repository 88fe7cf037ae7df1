package site

import (
	"net/http"
	"path"
	"strings"
	"sync"
)

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

// botFrame sends the frame of a person's bot.
func botFrame(w http.ResponseWriter, r *http.Request) { documents()["botframe"].send(w, r) }

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
		kind, text = documents()["missing.html"].kind, documents()["missing.html"].in(r).plain
	}
	w.Header().Set("Cache-Control", "no-store") // the address can have a page later
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(text) // fails if the client has gone
}

var openAPIDocument = sync.OnceValue(func() *document { return newDocument("application/json", description) })

func openAPI(w http.ResponseWriter, r *http.Request) { openAPIDocument().send(w, r) }

// sendPage returns a handler that sends a page.
func sendPage(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { documents()[name].send(w, r) }
}

// sendMissing sends a page that itself explains what is missing, with status 404.
func sendMissing(w http.ResponseWriter, r *http.Request, name string) {
	d := *documents()[name]
	d.status = http.StatusNotFound
	d.send(w, r)
}
