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

// page is an address of a site, and what is true when it shows everything.
type page struct{ name, path, ready string }

// board is ready when the page of a match has drawn it.
const board = "performance.getEntriesByName('board').length && document.querySelectorAll('#moves button').length"

// TestAllPages opens each page of a host and of a site with contests twice.
func TestAllPages(t *testing.T) {
	long.Only(t, "it opens all pages")
	sites := startAll(t)
	t.Run("fit and are accessible", func(t *testing.T) { pagesFitAndAreAccessible(t, sites) })
	t.Run("have no untranslated text", func(t *testing.T) { noTextOfAPageIsUntranslated(t, sites) })
}

// site is a site with pages that have something on them.
type site struct {
	url   string
	pages []page
}

// startAll starts a host with matches, and a site with contests in which one of them runs. It
// returns all pages of both.
func startAll(t *testing.T) []site {
	t.Helper()
	h := start(t, "roshambo", "kamisado")
	alice, bob := dial(t, h), dial(t, h)
	ended := alice.create("test", 3, 1)
	alice.join(ended, "alice")
	alice.play("ROCK", "PAPER", "SCISSORS")
	alice.AwaitEnd(t)
	waiting := bob.create("test", 3, 0)
	goOn := func(p *program, name string) (running string) {
		running = p.createWith("test", 9, &protocol.Clock{Bank: 3600}) // the match must not end during the test
		p.join(running, name)
		p.play("ROCK", "PAPER")
		go p.Drain() // answers pings, until the host ends
		return running
	}
	running, second := goOn(bob, "bob"), goOn(alice, "alice")
	ofHost := []page{
		{"lobby", "/", "document.querySelectorAll('#games .card').length === 2 && document.querySelectorAll('#matches > li').length === 3 && document.querySelector('#recent li a')"},
		{"game", "/games/kamisado", "document.querySelector('#rules :is(table, pre)') && document.querySelector('#start button')"},
		{"game with results", "/games/roshambo", "document.querySelector('#new form, #start button') && document.querySelector('#recent li')"},
		{"editor", "/games/roshambo/bot", written + ".includes('BEATEN_BY') && document.querySelector('#controls button')"},
		{"waiting match", "/match/" + waiting, "document.querySelector('#join button')"},
		{"running match", "/match/" + running, board},
		{"ended match", "/match/" + ended, board + " && document.querySelector('#verdict').textContent"},
		{"missing match", "/match/none", "document.querySelector('main a')"},
		{"missing game", "/games/none", "document.querySelector('main a')"},
		{"missing page", "/nowhere", "document.querySelector('main a')"},
		{"api", "/api", "document.querySelector('#paths table')"},
	}
	ofContests := []page{
		{"lobby with contests", "/", "document.querySelectorAll('#contest-list li').length === 3"},
		{"contests", "/contests", "document.querySelectorAll('.contest').length === 14 && document.querySelector('#ladders a')"},
		{"swiss", "/contests/spring-cup", "document.querySelectorAll('.standings tbody tr').length === 12 && document.querySelectorAll('#rounds .pairings li').length === 6 && document.querySelector('.live iframe')"},
		{"robin", "/contests/autumn-league", "document.querySelectorAll('.cross tbody tr').length === 9"},
		{"tables", "/contests/tables", "document.querySelectorAll('.cross tbody tr').length === 5"},
		{"teams", "/contests/teams", "document.querySelectorAll('.boards-of li').length === 2 && document.querySelector('.entry')"},
		{"cup", "/contests/cup", "document.querySelectorAll('.bracket section').length === 4 && document.querySelector('.live iframe')"},
		{"boards", "/contests/blitz#boards", "[...document.querySelectorAll('.live:has(iframe) > .hint')].filter((p) => p.textContent).length === 2"},
		{"projector with boards", "/contests/blitz/projector#boards", "document.querySelectorAll('.wall .live iframe').length === 2"},
		{"large bracket", "/contests/open", "document.querySelectorAll('.bracket .pairing').length === 31"},
		{"podium", "/contests/autumn-league/projector", "document.querySelectorAll('#podium .step').length === 3"},
		{"double", "/contests/double", "document.querySelectorAll('.bracket').length === 3"},
		{"league", "/contests/season", "document.querySelectorAll('.division').length === 2 && document.querySelectorAll('.division tbody tr').length === 8 && document.querySelectorAll('#season ul.dates > li').length === 2"},
		{"projector of a league", "/contests/season/projector", "document.querySelectorAll('#standings tbody tr').length === 4"},
		{"sum", "/contests/year", "document.querySelectorAll('.standings tbody tr').length === 3 && document.querySelectorAll('.standings th a').length === 5"},
		{"projector of a sum", "/contests/year/projector", "document.querySelectorAll('#standings tbody tr').length === 3"},
		{"score", "/contests/puzzles", "document.querySelectorAll('.standings tbody tr').length === 3 && document.querySelectorAll('#runs li').length === 1"},
		{"projector by score", "/contests/puzzles/projector", "document.querySelectorAll('#standings tbody tr').length === 3"},
		{"pass mark", "/contests/mark", "document.querySelectorAll('.standings tbody tr').length === 3 && document.querySelectorAll('#tries li').length === 2"},
		{"projector of a pass mark", "/contests/mark/projector", "document.querySelectorAll('#standings tbody tr').length === 3"},
		{"open", "/contests/next", "document.querySelectorAll('.entries li').length === 3"},
		{"organize", "/contests/cup/organize", "!document.querySelector('#refused').hidden"},
		{"projector", "/contests/spring-cup/projector", "document.querySelectorAll('#standings tbody tr').length >= 5 && document.querySelector('.live iframe') && document.querySelector('#next li')"},
		{"projector before the start", "/contests/next/projector", "document.querySelector('#start b')"},
		{"player", "/players/ann", "document.querySelector('.chart svg') && document.querySelectorAll('#contests .contest').length === 3"},
		{"two players", "/players/ann?with=eve", "document.querySelectorAll('#versus tbody tr').length > 0 && document.querySelector('#recent .filters')"},
		{"ladder", "/ladder/roshambo", "document.querySelectorAll('#ratings tbody tr').length === 8"},
		{"data", "/exports", "document.querySelector('#exports p')"},
		{"hosts", "/hosts", "document.querySelectorAll('#hosts tbody tr').length === 3"},
	}
	return []site{{h.url, ofHost}, {serveContests(t, h, running, second).url, ofContests}}
}

// pagesFitAndAreAccessible opens each page on a phone and looks for faults that axe finds,
// layout shifts, small texts and small targets, and for elements from the hostile texts of
// contests. In the other scheme only colours differ, and in other sizes only the layout.
func pagesFitAndAreAccessible(t *testing.T, sites []site) {
	b := open(t, 375, 667)
	audit := func(site string, p page) {
		t.Helper()
		b.resize(375, 667)
		b.scheme("light")
		b.visit(site + p.path)
		b.awaitComplete(p.ready)
		b.shoot("page-" + strings.ReplaceAll(p.name, " ", "-") + "-375")
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			b.faults(p.name+", "+scheme, scheme == "dark")
			if strings.HasPrefix(p.ready, board) {
				b.enter()
				b.faults(p.name+", the board, "+scheme, scheme == "dark")
				b.leave()
			}
		}
		for _, width := range []int{360, 768, 1280} {
			b.resize(width, 900)
			b.await(fmt.Sprintf("innerWidth === %d", width))
			b.fits(fmt.Sprintf("%s at %d", p.name, width))
			b.shoot(fmt.Sprintf("page-%s-%d", strings.ReplaceAll(p.name, " ", "-"), width))
		}
	}
	for _, s := range sites {
		for _, p := range s.pages {
			audit(s.url, p)
			if got := b.text("document.querySelectorAll('script:not([src]), b b, main img:not(.picture img)').length"); got != "0" {
				t.Errorf("%s: got %s elements from hostile texts, want none", p.name, got)
			}
		}
	}
}

// faults reports what is wrong with the page or frame as it is shown on a phone, or with its
// colours alone.
func (b *browser) faults(where string, colours bool) {
	b.t.Helper()
	if !colours {
		b.call("POST", "/execute/sync", map[string]any{"script": axe, "args": []any{}}, nil)
	}
	var list []string
	b.call("POST", "/execute/async", map[string]any{"script": audit, "args": []any{colours}}, &list)
	for _, fault := range list {
		b.t.Errorf("%s: got %s, want none", where, fault)
	}
}

// audit calls back with the faults of a page.
const audit = `
const [colours, done] = arguments;
const name = (e) => e.outerHTML.slice(0, 120);
const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
(async () => {
	const faults = [];
	const { violations } = await axe.run(document, { resultTypes: ["violations"], iframes: false, runOnly: colours ? ["color-contrast"] : ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
	for (const v of violations) {
		if (window !== parent && ["region", "landmark-one-main", "page-has-heading-one"].includes(v.id)) continue; // the page around the board has these
		for (const n of v.nodes) faults.push(v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " " + (n.any[0]?.message || ""));
	}
	if (colours) return done(faults);
	const width = document.scrollingElement.scrollWidth;
	if (width > innerWidth) {
		const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && visible(e)).slice(0, 3);
		faults.push("a page of " + width + " pixels in a window of " + innerWidth + ": " + wide.map(name).join(" "));
	}
	let shift = 0;
	const moved = [];
	const shifts = new PerformanceObserver(() => {});
	shifts.observe({ type: "layout-shift", buffered: true });
	for (const e of shifts.takeRecords()) {
		if (e.hadRecentInput || e.startTime > window.resized) continue;
		shift += e.value;
		for (const s of e.sources) moved.push((s.node?.id || s.node?.className || s.node?.nodeName) + " from " + s.previousRect.y + "+" + s.previousRect.height + " to " + s.currentRect.y + "+" + s.currentRect.height);
	}
	if (shift > 0.05) faults.push("layout shifts of " + shift.toFixed(3) + ": " + moved.join(", "));
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
	done([...new Set(faults)]);
})();`
