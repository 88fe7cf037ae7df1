package browser

import (
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// A double click creates one match, and so does a click while the page of the match opens.
func TestDoubleClickCreatesOneMatch(t *testing.T) {
	long.Only(t, "one more detail of a page")
	h := shared(t)
	b := open(t, 1000, 800)
	b.visit(h.url + "/games/roshambo")
	b.find("#start [data-level=easy]")
	b.text(`(() => {
		const real = WebSocket;
		sessionStorage.opened = 0;
		window.WebSocket = class extends real { constructor(url) { super(url); sessionStorage.opened++; } };
		for (let i = 0; i < 3; i++) document.querySelector("#start [data-level=easy]").click();
		return "";
	})()`)
	b.await("location.pathname.startsWith('/match/')")
	if got := b.text("sessionStorage.opened"); got != "1" {
		t.Errorf("got %s requests, want 1", got)
	}
}

func eachRequestForFilesHasItsAnswer(t *testing.T, b *browser) {
	var got string
	b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		(async () => {
			const { Board } = await import("/assets/board.js");
			const board = new Board(document.createElement("div"), {}, () => 0), sent = [];
			Object.assign(board, { ready: true, port: { postMessage: (m) => sent.push(m.files), close() {} } });
			const answers = ["a", "b", "c"].map((about) => board.files(about));
			for (const { number, about } of sent.slice(0, 2).reverse()) board.takeFiles({ number, list: [{ name: about, text: "" }] });
			board.close();
			done((await Promise.all(answers)).map((files) => files.map((f) => f.name).join()).join(" | "));
		})().catch((error) => done(String(error)));`}, &got)
	if want := "a | b | "; got != want {
		t.Errorf("got the files %q, want %q", got, want)
	}
}

// One click each chooses the clock, who begins, and the opponent. The next visit remembers it.
func TestPersonChoosesClockAndFirstMove(t *testing.T) {
	long.Only(t, "one more detail of a page")
	h := shared(t)
	b := open(t, 375, 800)
	for _, who := range []struct{ choice, want string }{{"You", "true"}, {"The bot", "false"}} {
		b.visit(h.url + "/games/kamisado")
		b.find("#start [data-level=easy]")
		b.eval(`[...document.querySelectorAll("#start .chips label")].filter((e) => ["3+2", `+quote(who.choice)+`].includes(e.textContent)).map((e) => e.click()).length`, new(int))
		b.shoot("start")
		b.click("#start [data-level=easy]")
		b.await("document.querySelector('#about').textContent.includes('3 min + 2 s a turn for the match') && /^[23]:/.test(document.querySelector('[data-bank]:not(:empty)').textContent)")
		if got := b.text("document.querySelector('#players li').querySelector('.you') !== null"); got != who.want {
			t.Errorf("%s begins: the person has the first seat: got %s, want %s", who.choice, got, who.want)
		}
		b.await("document.querySelector('.below .you') && document.querySelector('.above .name')") // the own side is below
	}
	b.visit(h.url + "/games/kamisado")
	b.await("[...document.querySelectorAll('#start :checked + span')].map((e) => e.textContent).join() === '3+2,The bot'")
}

// A network can let all requests through except those for a WebSocket.
func TestRefusedWebSocketNamesProxiesAndStops(t *testing.T) {
	long.Only(t, "one more detail of a page")
	h := shared(t)
	id := dial(t, h).create("blocked", 3, 0)
	b := open(t, 1000, 800)
	const later = "window.later"
	b.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `{
		const real = performance.now.bind(performance), Real = WebSocket;
		window.later = 0;
		performance.now = () => real() + window.later;
		window.blocked = true;
		window.WebSocket = function (url) {
			if (!window.blocked) return new Real(url);
			const socket = { close() {} };
			setTimeout(() => socket.onclose({ target: socket, reason: "", code: 1006 }));
			return socket;
		};
	}`})
	b.visit(h.url + "/games/roshambo")
	b.click("#start [data-level=easy]")
	b.await("/^The match was not created: the live connection .* proxy/.test(document.querySelector('#start .fault').textContent)")
	if got := b.text("document.body.textContent"); strings.Contains(got, "The host says") {
		t.Errorf("got %q, want no word of the host", got)
	}
	b.visit(h.url + "/match/" + id)
	b.await("(" + later + " = 10000, /proxy or a firewall can block it/.test(document.querySelector('#unreachable').textContent))")
	b.await("(" + later + " = 200000, document.querySelector('#unreachable button'))")
	b.shoot("refused")
	b.eval("window.blocked = false", nil)
	b.click("#unreachable button")
	b.await("document.querySelector('#unreachable').textContent === '' && document.querySelector('#join button')")
}
