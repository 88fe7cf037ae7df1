package site

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"colosseum/host/internal/clients/gamefiles"
	"colosseum/host/internal/records/record"
	"colosseum/host/internal/records/store"
)

// preview is what other programs, such as messengers, show of a link to a page. Its texts
// contain names that clients have chosen.
type preview struct {
	Title string // empty: that of the page, and there is no preview
	About string
	Game  string // the game whose picture is shown; "": none
}

var previewHead = template.Must(template.New("").Parse(`<meta name="description" content="{{.About}}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Colosseum">
<meta property="og:title" content="{{.Title}}">
<meta property="og:description" content="{{.About}}">
{{with .URL}}<meta property="og:url" content="{{.}}">
{{end}}{{if .Image}}<meta property="og:image" content="{{.Image}}">
<meta property="og:image:width" content="{{.Width}}">
<meta property="og:image:height" content="{{.Height}}">
<meta name="twitter:card" content="summary_large_image">
{{else}}<meta name="twitter:card" content="summary">
{{end}}`))

// ownHost matches the field Host of a request that can be a part of an address.
var ownHost = regexp.MustCompile(`^[A-Za-z0-9._-]+(:[0-9]+)?$|^\[[0-9A-Fa-f:.]+\](:[0-9]+)?$`)

// origin returns the beginning of the addresses of this host, as the client sees it; "" if
// the client has named no host. The name itself is checked by the package hostname.
func (s *Site) origin(r *http.Request) string {
	if !ownHost.MatchString(r.Host) {
		return ""
	}
	if _, encrypted := s.readers.Client(r); encrypted {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// split are the pages, with a zero byte for the title and one for the preview.
var split = sync.OnceValue(func() map[string]*document {
	list := map[string]*document{}
	for _, p := range pages {
		list[p.name] = p.document("\x00", "\x00")
	}
	return list
})

// sendPreviewed sends a page with a preview.
func (s *Site) sendPreviewed(w http.ResponseWriter, r *http.Request, name string, p preview) {
	if p.Title == "" {
		documents()[name].send(w, r)
		return
	}
	values := struct {
		preview
		URL, Image    string
		Width, Height int // of the image
	}{preview: p, Width: gamefiles.PictureWidth, Height: gamefiles.PictureHeight}
	if origin := s.origin(r); origin != "" {
		values.URL = origin + strings.Replace(r.URL.EscapedPath(), "/embed/", "/match/", 1)
		if o := s.find(p.Game); o != nil {
			if path := s.pictureAddress(o); path != "" {
				values.Image = origin + path
			}
		}
	}
	parts := bytes.SplitN(split()[name].in(r).plain, []byte{0}, 3)
	var text bytes.Buffer
	text.Write(parts[0])
	text.WriteString(template.HTMLEscapeString(p.Title + " – Colosseum"))
	text.Write(parts[1])
	_ = previewHead.Execute(&text, values) // writing to a bytes.Buffer cannot fail
	text.Write(parts[2])
	d := newDocument(documents()[name].kind, text.Bytes())
	d.special = documents()[name].special
	d.languages = map[string]func() *document{} // it is in the client's language already
	d.send(w, r)
}

// sendMissing sends a page that itself explains what is missing, with status 404.
func sendMissing(w http.ResponseWriter, r *http.Request, name string) {
	d := *documents()[name]
	d.status = http.StatusNotFound
	d.send(w, r)
}

// maxPreviews bounds the previews of ended matches that are kept.
const maxPreviews = 2000

// previews keeps the previews of ended matches until the games change, whose titles they
// have.
type previews struct {
	mu         sync.Mutex // guards the fields below
	byID       map[string]preview
	generation uint64 // of the games
}

func (p *previews) get(id string, generation uint64) (preview, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.byID[id]
	return v, ok && p.generation == generation
}

func (p *previews) keep(id string, generation uint64, v preview) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.byID) >= maxPreviews || p.generation != generation || p.byID == nil {
		p.byID, p.generation = map[string]preview{}, generation
	}
	p.byID[id] = v
}

// matchPage returns a handler that sends a page of one match.
func (s *Site) matchPage(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := s.previewMatch(r.Context(), r.PathValue("id"))
		if errors.Is(err, store.ErrNotFound) {
			sendMissing(w, r, name)
			return
		}
		s.sendPreviewed(w, r, name, p) // after another error, too: the page works without a preview
	}
}

// previewMatch returns the preview of a match, or store.ErrNotFound. Without a slot for
// long work, that of an ended match is empty.
func (s *Site) previewMatch(ctx context.Context, id string) (preview, error) {
	// Look in the lobby first: a match leaves it only when its record is durable.
	if info, ok := s.lobby.Info(id); ok {
		return s.previewListed(info), nil
	}
	generation := s.games.Generation() // before the titles are read
	if p, ok := s.previews.get(id, generation); ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	done, ok := s.readers.Work(ctx)
	if !ok {
		return preview{}, errBusy
	}
	defer done()
	rec, err := s.records.Get(ctx, id)
	if err != nil {
		return preview{}, err
	}
	if rec.State == record.Running {
		return preview{}, store.ErrNotFound
	}
	p := s.previewRecord(rec)
	s.previews.keep(id, generation, p)
	return p, nil
}

// gamePage sends the page of a game.
func (s *Site) gamePage(w http.ResponseWriter, r *http.Request) {
	o := s.find(r.PathValue("name"))
	if o == nil {
		sendMissing(w, r, "game.html")
		return
	}
	p := preview{Title: s.gameTitle(o.Name), Game: o.Name}
	if about := s.gameDocuments().about[o.Name]; about != nil {
		p.About = about()
	}
	s.sendPreviewed(w, r, "game.html", p)
}
