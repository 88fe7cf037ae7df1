package site

import (
	"html"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"colosseum/internal/locale"
)

// page is an HTML page: the file pages/NAME.html inside of pages/layout.html.
type page struct {
	name   string
	title  string
	script string   // the module that runs; "": none does
	reads  []string // paths of the API that it reads first, in addition to those that depend on its address
	plain  string   // path of the page for browsers without JavaScript, if each request has the same
	styles []string // next to site.css
	class  string   // of the body
	bare   bool     // without header and footer
	board  bool     // with a board from the beginning
}

var pages = []page{
	{name: "account.html", title: "My account – Colosseum", script: "account.js", styles: []string{"account.css"}},
	{name: "api.html", title: "API – Colosseum", script: "api.js"},
	{name: "bot.html", title: "Bot – Colosseum", script: "bot.js", styles: []string{"bot.css", "programs.css", "looks.css"}},
	{name: "contest.html", reads: []string{"/api/games"}, title: "Contest – Colosseum", script: "contest.js", styles: []string{"contest.css", "teams.css", "organize.css"}},
	{name: "contests.html", reads: []string{"/api/games"}, title: "Contests – Colosseum", script: "contestlist.js", plain: "/plain/contests", styles: []string{"contest.css"}},
	{name: "device.html", title: "Log a program in – Colosseum", script: "device.js", styles: []string{"login.css"}},
	{name: "embed.html", title: "Match – Colosseum", script: "embed.js", styles: []string{"match.css", "embed.css"}, class: "embed", bare: true, board: true},
	{name: "exports.html", title: "Data – Colosseum", script: "exports.js", styles: []string{"contest.css"}},
	{name: "game.html", title: "Game – Colosseum", script: "game.js", styles: []string{"lobby.css", "bring.css", "programs.css"}},
	{name: "hosts.html", title: "Hosts – Colosseum", script: "hosts.js", styles: []string{"contest.css"}},
	{name: "index.html", reads: []string{"/api/games"}, title: "Colosseum – games between programs and people", script: "lobby.js", plain: "/plain/", styles: []string{"lobby.css", "bring.css"}},
	{name: "ladder.html", reads: []string{"/api/games"}, title: "Ratings – Colosseum", script: "ladder.js", styles: []string{"contest.css"}},
	{name: "login.html", title: "Log in – Colosseum", script: "login.js", styles: []string{"login.css"}},
	{name: "match.html", title: "Match – Colosseum", script: "match.js", styles: []string{"match.css", "looks.css", "share.css", "verdict.css", "analysis.css"}, board: true},
	{name: "missing.html", title: "No such page – Colosseum", script: "i18n.js"},
	{name: "organize.html", title: "Organize – Colosseum", script: "organize.js", styles: []string{"contest.css", "organize.css"}},
	{name: "player.html", reads: []string{"/api/games"}, title: "Player – Colosseum", script: "player.js", styles: []string{"contest.css"}},
	{name: "programs.html", title: "My programs – Colosseum", script: "programs.js", styles: []string{"programs.css"}},
	{name: "projector.html", title: "Contest – Colosseum", script: "projector.js", styles: []string{"contest.css"}, class: "projector", bare: true},
}

// document returns the page for a prefix with a title, and with more elements in its head, in each
// language.
func (p page) document(prefix, embed, title, head string) *document {
	d := p.in(nil, prefix, embed, title, head)
	d.languages = map[string]func() *document{}
	for _, l := range languages() {
		d.languages[l.Code] = sync.OnceValue(func() *document { return p.in(l, prefix, embed, title, head) })
	}
	return d
}

// in returns the page in one language; nil is English.
func (p page) in(l *locale.Language, prefix, embed, title, head string) *document {
	links, script := p.links(bundled())
	if head += script; p.plain != "" {
		head += refresh(p.plain)
	}
	noscript := ""
	if p.script != "" {
		noscript = string(embedded("pages/noscript.html"))
	}
	class, header, footer := "", string(embedded("pages/header.html")), string(embedded("pages/footer.html"))
	frame, early := "/frame?"+frameHash(embed), ""
	if p.board {
		// The board's own frame comes later, and finds this one in the browser's cache.
		early = `<iframe src="` + frame + "\" sandbox=\"allow-scripts\" hidden></iframe>\n"
	}
	if p.class != "" {
		class = ` class="` + p.class + `"`
	}
	if p.bare {
		header, footer = "", ""
	}
	code := "en"
	if l != nil {
		code = l.Code
	}
	for _, path := range p.reads {
		links += `<link rel="preload" as="fetch" crossorigin href="` + path + "\">\n"
	}
	if l != nil && p.script != "" {
		links += `<link id="texts" rel="preload" as="fetch" crossorigin href="` + hashed(p.texts(l)) + "\">\n"
	}
	text := strings.NewReplacer("{{header}}", header, "{{noscript}}", noscript, "{{main}}", string(embedded("pages/"+p.name)), "{{footer}}", footer).Replace(string(embedded("pages/layout.html")))
	text = strings.NewReplacer("{{language}}", code, "{{languages}}", choices(code), "{{links}}", links, "{{frame}}", frame, "{{early}}", early, "{{title}}", html.EscapeString(l.Page(title)), "{{head}}", head, "{{class}}", class).
		Replace(translated(l, text))
	return fileDocument(p.name, []byte(prefixed(prefix, text)))
}

// links returns the elements for the styles of the page and for what it imports, and for its
// script: those of its bundles, or those of their sources.
func (p page) links(bundled bool) (links, script string) {
	if bundled {
		links = `<link rel="stylesheet" href="` + hashed(p.stem()+".css") + "\">\n"
		if p.script == "" {
			return links, ""
		}
		return links, `<script type="module" src="` + hashed(p.stem()+".js") + "\"></script>\n"
	}
	for _, style := range append([]string{"site.css"}, p.styles...) {
		links += `<link rel="stylesheet" href="/assets/` + style + "\">\n"
	}
	if p.script == "" {
		return links, ""
	}
	for _, module := range slices.Sorted(maps.Keys(modules(p.script, nil, imported))) {
		links += `<link rel="modulepreload" href="/assets/` + module + "\">\n"
	}
	return links, `<script type="module" src="/assets/` + p.script + "\"></script>\n"
}

// refresh returns the element that sends browsers without JavaScript to another page.
func refresh(path string) string {
	return `<noscript><meta http-equiv="refresh" content="0; url=` + path + "\"></noscript>\n"
}

// imported matches the name of a module that is imported when its importer is loaded.
var imported = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?"\./([a-z0-9]+\.js)"`)

// anyImport also matches those that are imported later.
var anyImport = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?"\./([a-z0-9]+\.js)"|\bimport\("\./([a-z0-9]+\.js)"\)`)

// modules returns a module and all that it imports, in addition to those in list.
func modules(module string, list map[string]bool, imports *regexp.Regexp) map[string]bool {
	if list == nil {
		list = map[string]bool{}
	}
	if list[module] || slices.Contains(vendored, module) {
		return list
	}
	list[module] = true
	for _, m := range imports.FindAllSubmatch(embedded(path.Join("pages", module)), -1) {
		modules(string(slices.Concat(m[1:]...)), list, imports)
	}
	return list
}
