package browser

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/protocol"
)

// axe finds faults of accessibility: github.com/dequelabs/axe-core 4.14.1, MPL-2.0.
//
//go:embed testdata/axe.min.js
var axe string

// look is a window's size in pixels and a colour scheme.
type look struct {
	width, height int
	scheme        string
}

// looks are those in which each page is checked: each size and each scheme. What a scheme
// changes, its colours, does not depend on the size.
var looks = []look{{375, 667, "light"}, {768, 1024, "dark"}, {1280, 800, "light"}}

// TestPagesAreAccessibleAtEachSizeInBothSchemes opens each page with something on it, and
// looks for faults that axe finds, content that is wider than the window, layout shifts, and
// on phones small texts and small targets.
func TestPagesAreAccessibleAtEachSizeInBothSchemes(t *testing.T) {
	long.Only(t, "it opens all pages in all sizes")
	h := start(t, "roshambo", "royalur", "dama", "kamisado", "taacoca")
	alice, bob := dial(t, h), dial(t, h)
	ended := alice.create("a match that has ended", 3, 1)
	alice.join(ended, "alice")
	alice.play("ROCK", "PAPER", "SCISSORS")
	alice.AwaitEnd(t)
	waiting := bob.create("a match that waits", 3, 0)
	running := bob.createWith("a match that runs", 9, &protocol.Clock{Bank: 3600}) // the match must not end during the test
	bob.join(running, "bob")
	bob.play("ROCK", "PAPER")
	go bob.Drain() // answers pings, until the host ends
	c := serveContests(t, h, running)

	// ready is true when the page shows what it should.
	const board = "performance.getEntriesByName('board').length && document.querySelectorAll('#moves button').length"
	pages := []struct{ name, url, ready string }{
		{"lobby", h.url + "/", "document.querySelectorAll('#games .card').length === 6 && document.querySelectorAll('#matches > li').length === 2 && document.querySelector('#recent li a')"},
		{"game", h.url + "/games/kamisado", "document.querySelector('#rules table, #rules pre')"},
		{"waiting match", h.url + "/match/" + waiting, "document.querySelector('#join button')"},
		{"running match", h.url + "/match/" + running, board},
		{"replay", h.url + "/match/" + ended, board},
		{"missing match", h.url + "/match/none", "document.querySelector('main a')"},
		{"hosts", h.url + "/hosts", "document.querySelector('#hosts table')"},
		{"api", h.url + "/api", "document.querySelector('#paths table')"},
		{"contests", c.url + "/contests", "document.querySelector('.contest')"},
		{"contest", c.url + "/contests/autumn-league", "document.querySelector('#standings table')"},
		{"knockout", c.url + "/contests/cup", "document.querySelector('.bracket')"},
		{"projector", c.url + "/contests/cup/projector", "document.querySelector('#standings table')"},
		{"ladder", c.url + "/ladder/roshambo", "document.querySelector('#ratings table')"},
		{"player", c.url + "/players/ann", "document.querySelector('#games .rated')"},
	}
	b := open(t, 1280, 800)
	for _, l := range looks {
		b.resize(l.width, l.height)
		b.scheme(l.scheme)
		for _, p := range pages {
			b.visit("about:blank") // a visit of the same address would keep the page
			b.visit(p.url)
			b.await(p.ready)
			b.shoot("audit-" + strings.ReplaceAll(p.name, " ", "-") + fmt.Sprint("-", l.width))
			b.scheme(l.scheme)
			where := fmt.Sprintf("%s, %d pixels wide, %s", p.name, l.width, l.scheme)
			for _, fault := range b.faults(l.width < 400) {
				t.Errorf("%s: got %s, want none", where, fault)
			}
			if strings.Contains(p.ready, "board") {
				b.enter()
				for _, fault := range b.faults(l.width < 400) {
					t.Errorf("%s: on the board: got %s, want none", where, fault)
				}
				b.leave()
			}
		}
	}
}

// faults returns what is wrong with the page or frame as it is shown.
func (b *browser) faults(phone bool) (list []string) {
	b.t.Helper()
	b.call("POST", "/execute/sync", map[string]any{"script": axe, "args": []any{}}, nil)
	b.call("POST", "/execute/async", map[string]any{"script": audit, "args": []any{phone}}, &list)
	return list
}

// audit calls back with the faults of a page.
const audit = `
const [phone, done] = arguments;
const name = (e) => e.outerHTML.slice(0, 120);
const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
(async () => {
	const faults = [];
	const { violations } = await axe.run(document, { resultTypes: ["violations"], iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
	for (const v of violations) {
		if (window !== parent && ["region", "landmark-one-main", "page-has-heading-one"].includes(v.id)) continue; // the page around the board has these
		for (const n of v.nodes) faults.push(v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " " + (n.any[0]?.message || ""));
	}
	const width = document.scrollingElement.scrollWidth;
	if (width > innerWidth) {
		const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && visible(e)).slice(0, 3);
		faults.push("a page of " + width + " pixels in a window of " + innerWidth + ": " + wide.map(name).join(" "));
	}
	let shift = 0;
	for (const e of await new Promise((r) => new PerformanceObserver((l) => r(l.getEntries())).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => r([]), 200))) if (!e.hadRecentInput) shift += e.value;
	if (shift > 0.05) faults.push("layout shifts of " + shift.toFixed(3));
	if (phone) {
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) {
			const e = texts.currentNode.parentElement;
			if (!texts.currentNode.data.trim() || !visible(e) || e.closest("script, style, noscript, title, desc, .unseen, defs")) continue;
			const drawn = e.getScreenCTM?.();
			const size = parseFloat(getComputedStyle(e).fontSize) * (drawn ? Math.hypot(drawn.a, drawn.b) : 1);
			if (size > 0 && size < 10.95) faults.push("a text of " + size.toFixed(1) + " pixels: " + name(e));
		}
		for (const e of document.querySelectorAll("button, select, summary, input:not([type=checkbox], [type=radio]), .button, [role=button]")) {
			const r = e.getBoundingClientRect();
			if (visible(e) && r.width > 0 && (r.height < 43.5 || r.width < 43.5) && e.tabIndex >= 0 && !e.disabled) faults.push("a target of " + r.width.toFixed(0) + " x " + r.height.toFixed(0) + " pixels: " + name(e));
		}
	}
	done([...new Set(faults)]);
})();`
