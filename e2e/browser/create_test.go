package browser

import (
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
