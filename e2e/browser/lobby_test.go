package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// countShifts makes every page that the window opens from now on add up the layout shifts
// without a recent input, in window.shifted.
func (b *browser) countShifts() {
	b.t.Helper()
	const script = `window.shifted = 0; window.shifts = [];
		new PerformanceObserver((list) => {
			for (const e of list.getEntries()) {
				if (e.hadRecentInput) continue;
				window.shifted += e.value;
				window.shifts.push(e.value.toFixed(4) + " " + e.sources.map((s) => (s.node?.id || s.node?.className || s.node?.nodeName) + " " + s.previousRect.y + "→" + s.currentRect.y).join(", "));
			}
		}).observe({ type: "layout-shift", buffered: true });`
	b.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script})
}

// checkShifts fails the test if the page has shifted by 0.05 or more.
func (b *browser) checkShifts(page string) {
	b.t.Helper()
	var shifted float64
	b.call("POST", "/execute/async", map[string]any{"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(window.shifted))))", "args": []any{}}, &shifted)
	if shifted >= 0.05 {
		b.t.Errorf("%s: got a layout shift of %.3f, want less than 0.05: %s", page, shifted, b.text("window.shifts.join('; ')"))
	}
	b.t.Logf("%s: layout shift %.4f", page, shifted)
}

// fits fails the test if the page is wider than the window, without its scroll bar.
func (b *browser) fits(page string) {
	b.t.Helper()
	var got, width int
	b.eval("document.documentElement.clientWidth", &width)
	if b.eval("document.documentElement.scrollWidth", &got); got > width {
		b.t.Errorf("%s: got %d pixels, want %d or less: %s", page, got, width,
			b.text(fmt.Sprintf("[...document.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > %d).map((e) => e.tagName + '.' + e.className).join(', ')", width+1)))
	}
}

// resize sets the size of the window.
func (b *browser) resize(width, height int) {
	b.t.Helper()
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

func TestLobbyShowsGamesFirstAndAtMostTenMatches(t *testing.T) {
	long.Only(t, "one more detail of the lobby")
	h := start(t, "roshambo", "kamisado", "dama", "royalur", "taacoca")
	alice := dial(t, h)
	b := open(t, 1280, 800)
	b.countShifts()
	const settled = "!document.querySelector('#rest').hidden && document.querySelectorAll('#games .card').length === 6 && document.querySelector('#recent .results li') && [...document.querySelectorAll('#games img')].slice(0, 2).every((i) => i.complete)"
	sizes := []struct{ width, height, low, high int }{{1280, 800, 36, 44}, {375, 740, 44, 64}}
	for _, size := range sizes {
		b.resize(size.width, size.height)
		page := fmt.Sprintf("no match, %d pixels", size.width)
		b.visit(h.url + "/")
		b.await(settled + " && document.querySelector('#matches .empty')")
		if got := b.text("document.querySelector('#filters').hidden && document.querySelector('#all').hidden"); got != "true" {
			t.Errorf("%s: got filters or a button for more, want neither", page)
		}
		b.checkShifts(page)
		b.fits(page)
	}
	const matches = 120
	for i := range matches {
		alice.create(fmt.Sprintf("match %d of a long name", i), 5, i%2)
	}
	b.await(fmt.Sprintf("document.querySelector('#all').textContent === 'Show all %d'", matches))
	b.checkShifts("120 matches arrive, 375 pixels")
	for _, size := range sizes {
		b.resize(size.width, size.height)
		page := fmt.Sprintf("120 matches, %d pixels", size.width)
		b.visit(h.url + "/")
		b.await(settled + " && document.querySelector('#matches .match')")
		b.checkShifts(page)
		b.fits(page)
		var rows []float64
		b.eval("[...document.querySelectorAll('#matches .match')].map((e) => e.getBoundingClientRect().height)", &rows)
		if len(rows) != 10 {
			t.Errorf("%s: got %d rows, want 10", page, len(rows))
		}
		for i, height := range rows {
			if height < float64(size.low) || height > float64(size.high) {
				t.Errorf("%s: got row %d of %v pixels, want %d to %d", page, i, height, size.low, size.high)
			}
		}
		t.Logf("%s: rows of %v pixels", page, rows[:1])
		if got := b.text("document.querySelector('#games').getBoundingClientRect().bottom < document.querySelector('#matches').getBoundingClientRect().top"); got != "true" {
			t.Errorf("%s: got the matches above the games, want them below", page)
		}
		if got := b.text("Math.max(...[...document.querySelectorAll('#matches .match')].map((e) => e.querySelectorAll('.button, details').length))"); got != "1" {
			t.Errorf("%s: got %s buttons in a row, want 1", page, got)
		}
		b.shoot(fmt.Sprintf("lobby-%d", size.width))
		b.eval("document.querySelector('#now').scrollIntoView()", nil)
		b.shoot(fmt.Sprintf("lobby-matches-%d", size.width))
		small := b.text("innerWidth < 400 ? [...document.querySelectorAll('main :is(button, .button, select, input, .now a, h3 + *, .foot a)')].filter((e) => e.matches('button, .button, select, input, a') && e.offsetParent && e.offsetHeight < (e.closest('.match') ? 32 : 44)).map((e) => e.outerHTML.slice(0, 60) + e.offsetHeight).join() : ''")
		if small != "" {
			t.Errorf("%s: got %s, want targets of 44 pixels", page, small)
		}
	}
	b.click("#all")
	b.await(fmt.Sprintf("document.querySelectorAll('#matches .match').length === %d", matches))
	b.write("#by-text", "match 77 ")
	b.await("document.querySelectorAll('#matches .match').length === 1 && document.querySelector('#all').hidden")
	b.write("#by-text", "nothing like this")
	b.await("document.querySelector('#matches .empty')?.textContent === 'No match for these filters.'")
	b.write("#by-text", "match")
	b.click("#all")
	b.await("document.querySelectorAll('#matches .match').length === 10")

	// A row that has not changed stays the same element, and so keeps clicks and the focus.
	b.eval("document.querySelectorAll('#matches .button').forEach((e, i) => { e.kept = true; if (i === 3) e.focus(); })", nil)
	bob := dial(t, h)
	id := bob.create("the newest match", 5, 0)
	b.await("document.querySelector('#matches .name[title=\"the newest match\"]')")
	if got := b.text("[...document.querySelectorAll('#matches .button')].filter((e) => e.kept).length + ' ' + Boolean(document.activeElement.kept)"); got != "9 true" {
		t.Errorf("after a new match: got %s, want 9 of the rows and the focus as before", got)
	}
	bob.join(id, "bob")
	b.await("document.querySelector('#matches .name[title=\"the newest match\"]').closest('li').querySelector('.who').textContent === 'bob (1 of 2)'")

	for game, want := range map[string]string{"damath": "A position of Damath", "kamisado": "A position of Kamisado"} {
		if got := b.text("document.querySelector('#games img[src^=\"/games/" + game + "/picture.png?\"]')?.alt"); got != want {
			t.Errorf("%s: got the picture's text %q, want %q", game, got, want)
		}
	}
	if faults := b.console(); len(faults) > 0 {
		t.Errorf("got %q on the console, want nothing", faults)
	}
}

func TestALevelIsChosenByAButtonAndNamesTheBot(t *testing.T) {
	long.Only(t, "one more detail of the lobby")
	h := startWith(t, "games: {"+slow+"}\n", "kamisado", "roshambo")
	b := open(t, 1000, 800)
	b.visit(h.url + "/")
	b.await("document.querySelectorAll('#games .card').length === 3 && document.querySelector('#spotlight img')")
	levels := func(game string) string {
		t.Helper()
		return b.text("[...document.querySelectorAll('.card:has([href=\"/games/" + game + "\"]) .play button')].map((e) => e.textContent).join()")
	}
	if got := levels("kamisado"); got != "Newcomer,Beginner,Easy,Medium,Strong" {
		t.Errorf("kamisado: got buttons %s, want Newcomer,Beginner,Easy,Medium,Strong", got)
	}
	if got := levels("roshambo"); got != "Easy,Medium,Strong" {
		t.Errorf("roshambo: got buttons %s, want Easy,Medium,Strong", got)
	}
	b.click(".card:has([href='/games/slow']) [data-level=medium]")
	b.await("[...document.querySelectorAll('#players .name')].some((e) => e.textContent === 'Medium bot')")
	id := strings.TrimPrefix(b.text("location.pathname"), "/match/")
	reply, err := http.Get(h.url + "/api/matches/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var body strings.Builder
	if err := reply.Write(&body); err != nil || !strings.Contains(body.String(), `"args":{"bot":"medium"}`) {
		t.Errorf("got %s, %v, want a match with the argument bot=medium", body.String(), err)
	}
	watcher := open(t, 1000, 800)
	watcher.visit(h.url + "/")
	watcher.await("/^guest-\\d+, Medium bot$/.test(document.querySelector('#matches .running .who')?.textContent)")
	watcher.await("document.querySelector('#spotlight iframe') && /^guest-\\d+ – Medium bot$/.test(document.querySelector('#spotlight .versus').textContent) && document.querySelector('#spotlight .under').textContent.startsWith('● live · Slow')")
	watcher.visit(h.url + "/games/kamisado")
	watcher.await("document.querySelectorAll('#start [data-level]').length === 5 && document.querySelector('#picture img').alt === 'A position of Kamisado' && document.querySelector('#summary').textContent !== ''")
	watcher.click("#watch-bots")
	watcher.await("[...document.querySelectorAll('#players .name')].map((e) => e.textContent).sort().join() === 'Strong bot 1,Strong bot 2'")
	watcher.visit(h.url + "/games/kamisado")
	watcher.click("#new summary")
	watcher.click("#bots option[value='2']")
	watcher.click("#level-1 option[value=easy]")
	watcher.click("form.create button[value=play]")
	watcher.await("[...document.querySelectorAll('#players .name')].map((e) => e.textContent).sort().join() === 'Easy bot 2,Strong bot 1'")

	// With one click the person sees a match of bots, also when no other can begin.
	watcher.visit(h.url + "/")
	watcher.await("!document.querySelector('#watch-some').disabled")
	watcher.click("#watch-some")
	watcher.await("location.pathname.startsWith('/match/') && document.querySelectorAll('#players .name').length === 2")
}

func resultsNameBotsAndSharedFirstPlaces(t *testing.T, b *browser) {
	var got []string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		const seat = (name, rank, bot = false) => ({ name, rank, score: 10 - rank, bot, ended: "finished" });
		const match = (params, ...seats) => ({ id: "x" + seats.length + seats[0].rank, game: "g", state: "finished", params, seats, ended: new Date().toISOString() });
		window.fetch = async () => new Response(JSON.stringify({ matches: [
			match({ bot: "easy" }, seat("ann", 2), seat("ServerBot$0", 1, true)),
			match({}, seat("ann", 1), seat("ServerBot$1", 1, true), seat("ServerBot$0", 3, true)),
			match({ bot: "strong" }, seat("ServerBot$0", 1, true), { ...seat("ServerBot$1", 2, true), level: "easy" }),
			match({}, seat("ann", 1), seat("bob", 1)),
			match({}, seat("a", 1), seat("b", 1), seat("c", 1), seat("d", 4)),
			match({}, { ...seat("a", 3), team: 1 }, { ...seat("b", 1), team: 2 }, { ...seat("c", 3), team: 1 }, { ...seat("d", 1), team: 2 }),
		] }));
		const box = document.createElement("div");
		import("/assets/results.js").then(({ results }) => results(box, {}, new Map([["g", { title: "Game" }]])))
			.then(() => done([...box.querySelectorAll("li")].map((e) => e.querySelector(".who").textContent + " | " + e.querySelector(".outcome").textContent)), (error) => done([String(error)]));`}, &got)
	want := []string{
		"Easy bot 9 – ann 8 | Easy bot won · ", "ann 9 – Bot 2 9 – Bot 1 7 | ann and Bot 2 share first place · ",
		"Strong bot 1 9 – Easy bot 2 8 | Strong bot 1 won · ", "ann 9 – bob 9 | draw · ", "a 9 – b 9 – c 9 – d 6 | a, b and c share first place · ",
		"b 9 + d 9 – a 7 + c 7 | b and d won · ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFormShowsWhatMatters(t *testing.T) {
	long.Only(t, "one more detail of the lobby")
	h := start(t, "dama")
	b := open(t, 375, 800)
	b.countShifts()
	const shown = "[...document.querySelectorAll('form.create .row')].filter((e) => e.checkVisibility()).map((e) => e.querySelector('label').textContent).join()"
	b.visit(h.url + "/games/damath")
	b.await("document.querySelector('#recent .results li')")
	b.checkShifts("a game's page")
	b.click("#new summary")
	if got := b.text(shown); got != "Opponent,Bot" {
		t.Errorf("got fields %s, want Opponent,Bot", got)
	}
	if got := b.text("[...document.querySelectorAll('#param-bot option')].map((e) => e.textContent).join()"); got != "Strong,Medium,Easy,Beginner,Newcomer,Random" {
		t.Errorf("got levels %s, want them with capital letters", got)
	}
	b.click("#bots option[value='2']")
	if got := b.text(shown); got != "Opponent,Bot 1,Bot 2" {
		t.Errorf("two bots: got fields %s, want Opponent,Bot 1,Bot 2", got)
	}
	b.click("form.create summary")
	b.click("#bots option[value='0']")
	if got, want := b.text(shown), "Opponent,Time for a move,Time for the match,More for each turn,Password,Pace,Draw after,Chips,Dama left,Repeat,Game time,Late"; got != want {
		t.Errorf("without a bot: got fields %s, want %s", got, want)
	}
	if got := b.text("document.querySelector('form.create').textContent.includes('damath:')"); got != "false" {
		t.Error("got the prefix of a parameter, want none")
	}
	if got := b.text("document.querySelector('#param-pace').closest('.row').querySelector('.hint').textContent"); got != "minimum number of seconds between moves; 0 to 30" {
		t.Errorf("got the hint %q, want the description and the range", got)
	}
	b.fits("the form")
	b.shoot("form")
	b.visit(h.url + "/games/dama")
	b.openForm()
	if got := b.text(shown); strings.Contains(got, "Chips") {
		t.Errorf("rules classic: got fields %s, want none of damath", got)
	}
	b.click("#param-rules option[value=damath]")
	if got := b.text(shown); !strings.Contains(got, "Chips") {
		t.Errorf("rules damath: got fields %s, want its own, too", got)
	}
}
