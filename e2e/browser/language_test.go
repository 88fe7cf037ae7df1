package browser

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"colosseum/internal/locale"
	"colosseum/internal/test/long"
)

// marked is a proxy before a site. It marks each translation: ⟦text⟧ {value} ⟦text⟧.
func marked(t *testing.T, site string) string {
	t.Helper()
	behind, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	italian := locale.Open("it")
	known := map[string]bool{}
	for _, text := range italian.Texts {
		known[text] = true
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind) // also sets the Host
			r.Out.Header.Set("Accept-Language", "it")
			r.Out.Header.Del("Accept-Encoding")
			r.Out.Header.Del("If-None-Match")
			if r.Out.Header.Get("Origin") != "" {
				r.Out.Header.Set("Origin", strings.TrimSuffix(site, "/"))
			}
		},
		ModifyResponse: func(reply *http.Response) error {
			var change func(text []byte) []byte
			switch {
			case strings.HasSuffix(reply.Request.URL.Path, "/it.json"):
				change = markFile
			case strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") && reply.Request.URL.Path != "/frame":
				change = func(text []byte) []byte { return markPage(text, known) }
			default:
				return nil
			}
			text, err := io.ReadAll(reply.Body)
			if err != nil {
				return err
			}
			text = change(text)
			reply.Body = io.NopCloser(bytes.NewReader(text))
			reply.ContentLength = int64(len(text))
			reply.Header.Del("Content-Length")
			reply.Header.Del("ETag")
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

func markFile(text []byte) []byte {
	l := &locale.Language{}
	if err := json.Unmarshal(text, l); err != nil {
		return text
	}
	for _, texts := range []map[string]string{l.Texts, l.Games} {
		for key, value := range texts {
			texts[key] = mark(value)
		}
	}
	return l.Pages()
}

var parts = regexp.MustCompile(`\{\w+\}|\||[^{}|]+`)

// mark marks a text except its values.
func mark(text string) string {
	return parts.ReplaceAllStringFunc(text, func(part string) string {
		if part == "|" || strings.HasPrefix(part, "{") {
			return part
		}
		return "⟦" + part + "⟧"
	})
}

var texts = regexp.MustCompile(`>[^<>]+<|="[^"]+"`)

func markPage(page []byte, known map[string]bool) []byte {
	return texts.ReplaceAllFunc(page, func(match []byte) []byte {
		text := strings.TrimSpace(strings.Trim(string(match), `<>="`))
		if !known[text] {
			return match
		}
		return bytes.Replace(match, []byte(text), []byte(mark(text)), 1)
	})
}

// unmarked returns the visible texts of a page, and those for screen readers, without the
// marked parts. Code, streams, descriptions, names, and texts of viewers are data.
const unmarked = `(() => {
	const data = "code, pre, script, style, noscript, #rules, #language option, #about.lead, #paths, #caption, #goal-text, .note, .unit, #moves, #new option, [data-untranslated]";
	const found = [];
	const take = (text, where) => {
		let rest = text;
		for (let last = ""; last !== rest;) [last, rest] = [rest, rest.replace(/⟦[^⟦⟧]*⟧/g, " ")];
		if (/\p{L}{2,}/u.test(rest)) found.push(where + ": " + rest.trim().replace(/\s+/g, " ").slice(0, 120));
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const n = walker.currentNode;
		const e = n.nodeType === 3 ? n.parentElement : n;
		if (e.closest(data)) continue;
		if (n.nodeType === 3) { if (e.closest("option") || e.checkVisibility()) take(n.data, e.tagName); continue; }
		for (const name of ["aria-label", "title", "placeholder", "alt"]) if (e.hasAttribute(name)) take(e.getAttribute(name), name);
	}
	take(document.title, "document");
	return found;
})()`

func TestNoTextOfAPageIsUntranslated(t *testing.T) {
	long.Only(t, "it opens all pages")
	c, _, running := startContests(t)
	h := start(t, "roshambo", "dama")
	matches := matches(t, h, "roshambo")
	contests, site := marked(t, c.url), marked(t, h.url)
	b := open(t, 1280, 900)
	data := regexp.MustCompile(`(?i)Rock, paper, scissors|Spring cup <script>.*"'&|The cup|Ladder of roshambo|Friday blitz|Autumn league|Double elimination|Dama: draughts by several rules|Damath|ServerBot\$0|coco -s ws://.*|[0-9a-f]{16}|player\.[a-z]+|Python|JavaScript|\bJava\b|\bGo\b|(Linux|macOS|Windows) \((Intel, AMD|Intel|ARM|Apple)\)|bot:strong|<script>alert\(1\)</script>.'&|` +
		`a-very-long-name|\b(roshambo|dama|rounds|ann|bob|cy|dora|fay|gus|hal|ida|jo|kim|lea|colosseum|coco|test|east|north|west|alice|guest-\d+|layout|PROGRAM|ms)\b|⟦|⟧|` + running)
	for _, page := range []struct{ url, ready string }{
		{contests + "/", "document.querySelectorAll('#contest-list .contest').length === 4"},
		{contests + "/contests", "document.querySelectorAll('.contest').length === 6 && document.querySelector('#ladders a')"},
		{contests + "/contests/spring-cup", "document.querySelectorAll('.standings tbody tr').length === 12 && document.querySelectorAll('.pairings li').length === 6"},
		{contests + "/contests/autumn-league", "document.querySelectorAll('.cross tbody tr').length === 9"},
		{contests + "/contests/cup", "document.querySelectorAll('.bracket section').length === 4"},
		{contests + "/contests/double", "document.querySelectorAll('.bracket').length === 3"},
		{contests + "/contests/next", "document.querySelectorAll('.entries li').length === 3"},
		{contests + "/contests/spring-cup/projector", "document.querySelectorAll('#standings tbody tr').length >= 5 && document.querySelector('#next li')"},
		{contests + "/contests/next/projector", "document.querySelector('#start b')"},
		{contests + "/players/ann", "document.querySelector('.chart svg') && document.querySelectorAll('#contests .contest').length === 2"},
		{contests + "/ladder/roshambo", "document.querySelectorAll('#ratings tbody tr').length === 8"},
		{contests + "/hosts", "document.querySelectorAll('#hosts tbody tr').length === 3"},
		{site + "/", "document.querySelector('#games .card, #games li') && document.querySelector('#matches li') && document.querySelector('#recent li')"},
		{site + "/games/roshambo", "document.querySelector('#new form, #start button') && document.querySelector('#recent li')"},
		{site + "/games/dama", "document.querySelector('#start button')"},
		{site + matches["waiting"], "document.querySelector('#join button')"},
		{site + matches["running"], "document.querySelector('.arena.ready') && document.querySelector('#board iframe')"},
		{site + matches["ended"], "document.querySelector('.arena.ready') && document.querySelector('#verdict').textContent"},
		{site + "/match/none", "document.querySelector('main').textContent.includes('⟦')"},
		{site + "/games/none", "document.querySelector('main').textContent.includes('⟦')"},
		{site + "/nowhere", "document.querySelector('h1')"},
		{site + "/api", "document.querySelector('#paths section')"},
	} {
		b.untranslated(page.url, page.ready, data)
	}
	b.visit(contests + "/contests/next")
	b.click("#register")
	b.noEnglish("registration", data)
}

// untranslated opens a page and reports texts without a mark, except those that match data.
func (b *browser) untranslated(page, ready string, data *regexp.Regexp) {
	b.t.Helper()
	b.visit(page)
	b.await(ready)
	b.noEnglish(page, data)
}

func (b *browser) noEnglish(page string, data *regexp.Regexp) {
	b.t.Helper()
	var found []string
	b.eval(unmarked, &found)
	seen := map[string]bool{}
	for _, text := range found {
		_, rest, _ := strings.Cut(text, ": ")
		if rest = data.ReplaceAllString(rest, ""); regexp.MustCompile(`\pL{2,}`).MatchString(rest) && !seen[text] {
			seen[text] = true
			b.t.Errorf("%s: got the untranslated text %q, want a translation, or t() around it", page, text)
		}
	}
}
