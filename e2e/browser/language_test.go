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
			case textsFile.MatchString(reply.Request.URL.Path):
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

// textsFile matches the path of the Italian texts of a page.
var textsFile = regexp.MustCompile(`\bit(-[0-9a-f]+)?\.json$`)

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
	return l.Pages(func(string) bool { return true })
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
	const data = "code, pre, script, style, noscript, #rules, #language option, #about.lead, #paths, #caption, .live > .hint, #goal-text, .note, .unit, #moves, #new option, [data-untranslated]";
	const found = [];
	const take = (text, where) => {
		let rest = text;
		for (let last = ""; last !== rest;) [last, rest] = [rest, rest.replace(/⟦[^⟦⟧]*⟧/g, " ")];
		if (/\p{L}{2,}/u.test(rest)) found.push(where + ": " + rest.trim().replace(/\s+/g, " ").slice(0, 400));
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

// noTextOfAPageIsUntranslated also looks for layout shifts, in the size that the audit does
// not open the pages in.
func noTextOfAPageIsUntranslated(t *testing.T, sites []site) {
	b := open(t, 1280, 900)
	b.countShifts()
	data := regexp.MustCompile(`(?i)Rock, paper, scissors|Spring cup <script>.*"'&|The cup|Ladder of roshambo|League of roshambo|Whole year|Beat the medium bot|Club league|half term|after the holidays|next-year|\b(gold|silver|reds|blues|eve|max|zoe)\b|Friday blitz|Autumn league|Puzzles|Tables of four|Double elimination|Blitz evening|The big open|[a-z]{3} \d+ [a-z]{3}, \d+:\d\d|\bUTC\b|\b[A-Z]\w+/\w+\b|Dama: draughts by several rules|Damath|Kamisado|ServerBot\$0|coco -s ws://.*|[0-9a-f]{16}|player\.[a-z]+|Python|JavaScript|\bJava\b|\bGo\b|(Linux|macOS|Windows) \((Intel, AMD|Intel|ARM|Apple)\)|bot:\w+|\d+ [a-z]{3} \d{4}, \d\d:\d\d|<script>alert\(1\)</script>.'&|` +
		`a-very-long-name|\b(roshambo|tiny|dama|rounds|ann|bob|cy|dora|fay|gus|hal|ida|jo|kim|lea|colosseum|coco|test|east|north|west|alice|guest-\d+|PROGRAM|ms)\b|⟦|⟧`)
	for _, s := range sites {
		proxy := marked(t, s.url)
		for _, p := range s.pages {
			b.visit(proxy + p.path)
			b.awaitComplete(p.ready + " && document.body.textContent.includes('⟦')")
			b.noEnglish(p.name, data)
			b.checkShifts(p.name)
		}
	}
	b.click("#register")
	b.noEnglish("registration", data)
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
