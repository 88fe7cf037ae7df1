package site

import (
	"bytes"
	"html/template"
	"net/http"
	"regexp"
	"strings"

	"colosseum/host/internal/clients/gamefiles"
)

// preview is what other programs, such as messengers, show of a link to a page. Its texts
// contain names that clients have chosen.
type preview struct {
	Title string // empty: that of the page, and there is no preview
	About string
	Game  string // the game whose picture is shown; "": none

	Reads []string // paths of what the page reads first
	Plain bool     // there is a page for browsers without JavaScript
}

var previewHead = template.Must(template.New("").Parse(`{{range .Preload}}<link rel="preload" as="fetch" crossorigin href="{{.}}">
{{end}}{{with .Plain}}<noscript><meta http-equiv="refresh" content="0; url={{.}}"></noscript>
{{end}}<meta name="description" content="{{.About}}">
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

// origin returns the beginning of the addresses of this host, with the prefix, as the client sees it; "" if
// the client has named no host. The name itself is checked by the package hostname.
func (s *shared) origin(r *http.Request) string {
	if !ownHost.MatchString(r.Host) {
		return ""
	}
	if _, encrypted := s.Readers.Client(r); encrypted {
		return "https://" + r.Host + s.Prefix
	}
	return "http://" + r.Host + s.Prefix
}

// sendPreviewed sends a page with a preview.
func (s *shared) sendPreviewed(w http.ResponseWriter, r *http.Request, name string, p preview) {
	if p.Title == "" {
		s.documents()[name].send(w, r)
		return
	}
	values := struct {
		preview
		URL, Image    string
		Width, Height int // of the image
		Preload       []string
		Plain         string
	}{preview: p, Width: gamefiles.PictureWidth, Height: gamefiles.PictureHeight}
	if origin := s.origin(r); origin != "" {
		values.URL = origin + strings.Replace(r.URL.EscapedPath(), "/embed/", "/match/", 1)
		if o := s.find(p.Game); o != nil {
			if path := s.pictureAddress(o); path != "" {
				values.Image = origin + path
			}
		}
	}
	if p.Plain {
		values.Plain = s.at("/plain" + r.URL.EscapedPath())
	}
	for _, path := range p.Reads {
		values.Preload = append(values.Preload, s.at(path))
	}
	parts := bytes.SplitN(s.split()[name].in(r).plain, []byte{0}, 3)
	var text bytes.Buffer
	text.Write(parts[0])
	text.WriteString(template.HTMLEscapeString(p.Title + " – Colosseum"))
	text.Write(parts[1])
	_ = previewHead.Execute(&text, values) // writing to a bytes.Buffer cannot fail
	text.Write(parts[2])
	d := newDocument(s.documents()[name].kind, text.Bytes())
	d.special = s.documents()[name].special
	d.languages = map[string]func() *document{} // it is in the client's language already
	d.send(w, r)
}
