package browser

import (
	"fmt"
	"testing"

	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/protocol"
)

// shifts is the sum of all layout shifts since the page was opened, except those that
// follow a click or a key at once.
const shifts = `(() => {
	const list = new PerformanceObserver(() => {});
	list.observe({ type: "layout-shift", buffered: true });
	window.moved = (window.moved || []).concat(list.takeRecords());
	list.disconnect();
	return window.moved.reduce((sum, s) => sum + (s.hadRecentInput ? 0 : s.value), 0);
})()`

// shifted describes the shifts.
const shifted = `JSON.stringify(window.moved.map((s) => [s.value.toFixed(3), s.sources.map((e) => [(e.node?.id || e.node?.className || e.node?.nodeName) + '', e.previousRect.y + '+' + e.previousRect.height, e.currentRect.y + '+' + e.currentRect.height])]))`

// matches returns the addresses of a waiting, a running and an ended match of a game.
func matches(t *testing.T, h *host, game string) map[string]string {
	t.Helper()
	request := protocol.GameNew{Name: "layout", Game: game, Params: protocol.GameParams{Bots: 1, Timeout: new(600.0)}}
	waiting := request
	waiting.Params.Bots = 0
	id, err := dial(t, h).Create(waiting)
	if err != nil {
		t.Fatal(err)
	}
	_, running := h.Join(t, request, "alice")
	ended, over := h.Join(t, request, "alice")
	ended.Close()
	poll.Until(t, "the match has ended", func() bool { return h.Records(t)[over] != nil })
	return map[string]string{"waiting": "/match/" + id, "running": "/match/" + running, "ended": "/match/" + over}
}

// phone gives the window the size of a phone. Its scroll bars take no room.
func (b *browser) phone(width, height int) {
	b.t.Helper()
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 2, "mobile": true})
}

// settled waits until the page of a match shows everything, and two pictures of it.
func (b *browser) settled() {
	b.t.Helper()
	b.await("document.querySelector('.arena.ready') && document.readyState === 'complete'")
	var done bool
	b.call("POST", "/execute/async", map[string]any{"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 100)))", "args": []any{}}, &done)
}

// TestMatchKeepsItsPlaceWhileItLoads opens matches directly. Nothing jumps, the board is
// visible with its caption and timeline on windows that are no phones, and on a phone it
// has the whole width.
func TestMatchKeepsItsPlaceWhileItLoads(t *testing.T) {
	long.Only(t, "it opens matches in all sizes")
	h := shared(t)
	b := open(t, 1280, 800)
	for i, game := range []string{"damath", "roshambo", "royalur"} {
		for state, path := range matches(t, h, game) {
			for j, size := range [][2]int{{375, 667}, {768, 1024}, {1280, 800}} {
				if (i+j+len(state))%3 != 0 {
					continue // each state at each size, with one of the games
				}
				name := fmt.Sprintf("%s-%s-%d", game, state, size[0])
				b.resize(size[0], size[1])
				if size[0] < 600 {
					b.phone(size[0], size[1])
				}
				b.cdp("Network.clearBrowserCache", map[string]any{})
				b.visit(h.url + path)
				b.settled()
				var sum float64
				if b.eval(shifts, &sum); sum >= 0.05 {
					t.Errorf("%s: got layout shifts of %.3f, want less than 0.05: %s", name, sum, b.text(shifted))
				}
				t.Logf("%s: %.3f, board %s", name, sum, b.text("Math.round(performance.getEntriesByName('board')[0].startTime)"))
				var low, width, page float64
				b.eval("document.querySelector('#timeline').getBoundingClientRect().bottom", &low)
				if size[0] > 375 && low > float64(size[1]) {
					t.Errorf("%s: the timeline ends at %.0f, want it in the window of %d pixels", name, low, size[1])
				}
				if b.eval("document.querySelector('#board').clientWidth", &width); size[0] == 375 && width != 375 {
					t.Errorf("%s: got a board %.0f pixels wide, want 375", name, width)
				}
				if b.eval("document.documentElement.scrollWidth", &page); page > float64(size[0]) {
					t.Errorf("%s: got a page %.0f pixels wide, want %d", name, page, size[0])
				}
				b.shoot(name)
			}
		}
	}
}

// small lists the texts of a board below 11 pixels, and its choices and buttons below 44.
// A cell of taacoca is smaller: nine do not fit in 375 pixels with their rim.
const small = `(() => {
	const list = [];
	const walk = document.createTreeWalker(document.querySelector("#board"), NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || e.closest("style, title, desc")) continue;
		const pixels = parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM ? e.getScreenCTM().a : 1);
		if (pixels < 10.95) list.push(e.textContent + ": text of " + pixels.toFixed(1));
	}
	for (const e of document.querySelectorAll("#board :is(.choice, button)")) {
		const { width, height } = e.getBoundingClientRect();
		const least = document.querySelector(".taacoca") && e.localName === "g" ? 39 : 43.9;
		if (width < least || height < least) list.push((e.id || e.textContent) + ": " + width.toFixed(1) + " by " + height.toFixed(1));
	}
	return [...new Set(list)].join("; ");
})()`

// TestBoardsAreReadAndTouchedOnPhones plays on a phone, and then turns it into larger
// windows, where the whole board is visible with its caption and timeline.
func TestBoardsAreReadAndTouchedOnPhones(t *testing.T) {
	h := shared(t)
	b := open(t, 375, 667)
	for _, game := range []string{"roshambo", "royalur", "dama", "damath", "kamisado", "taacoca", "chess", "liarsdice", "tron"} {
		b.phone(375, 667)
		args := map[string]string{"pace": "0"}
		if game == "tron" {
			args = map[string]string{"tick": "500", "width": "60", "height": "40"} // in which nobody crashes soon
		}
		b.create(h, game, args)
		b.await("document.querySelector('#caption.mine')")
		b.settled()
		b.enter()
		if got := b.text(small); got != "" {
			t.Errorf("%s: got %s, want texts of 11 pixels and targets of 44 at least", game, got)
		}
		b.leave()
		var low float64 // the own side with its turn and clock
		b.eval("document.querySelector('#players .below').getBoundingClientRect().bottom", &low)
		if low > 667 {
			t.Errorf("%s: the own side ends at %.0f, want it in the window of 667 pixels", game, low)
		}
		b.shoot("play-" + game + "-375")
		if !long.Run() {
			continue
		}
		for _, size := range [][2]int{{768, 1024}, {1280, 800}} {
			b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": false})
			b.await(fmt.Sprintf("innerWidth === %d", size[0]))
			// The board and the timeline are in the window, once the frame has its new size.
			b.await("document.querySelector('#board').getBoundingClientRect().top >= 0 && document.querySelector('#timeline').getBoundingClientRect().bottom <= innerHeight")
			b.shoot(fmt.Sprintf("play-%s-%d", game, size[0]))
		}
	}
}
