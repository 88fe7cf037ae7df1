package browser

import (
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// setBot writes a bot into the page, as a person who pastes it.
func (b *browser) setBot(code string) {
	b.t.Helper()
	var done bool
	b.eval(`(() => { const e = document.getElementById("code"); e.value = `+quote(code)+`; e.dispatchEvent(new Event("input")); return true; })()`, &done)
}

// patience gives the bot much time for a move.
func (b *browser) patience() {
	b.t.Helper()
	b.eval(`document.getElementById("seconds").value = "60"`, nil)
}

// tally waits for a number of results, and returns won, drawn and lost as the page shows
// them.
func (b *browser) tally(results string) string {
	b.t.Helper()
	b.await(`document.querySelectorAll("#outcomes li").length === ` + results + ` && document.getElementById("stop").disabled`)
	return b.text(`document.getElementById("tally").textContent`)
}

// noForfeit fails the test if a match ended early.
func (b *browser) noForfeit() {
	b.t.Helper()
	if text := b.text(`document.getElementById("outcomes").textContent + document.getElementById("error").textContent`); strings.Contains(text, "forfeit") || strings.Contains(text, "aborted") || strings.Contains(text, "stopped") || strings.Contains(text, "failed") {
		b.fatal("got %s, want whole matches", text)
	}
}

func TestABotWrittenInTheBrowserPlaysTheBotOfTheHost(t *testing.T) {
	long.Only(t, "it plays a match of a hundred rounds")
	h := shared(t)
	b := open(t, 1280, 900)
	b.visit(h.url + "/games/roshambo/bot")
	b.await(`document.getElementById("code").value.includes("async function play")`)
	b.eval(`document.getElementById("count").value = "10"`, nil)
	b.patience()
	b.click("#controls button")
	if got := b.tally("10"); !strings.Contains(got, "won") {
		t.Errorf("got %q, want the results of ten matches", got)
	}
	b.noForfeit()
	if lines := b.text(`document.getElementById("dialogue").textContent`); !strings.Contains(lines, "← ServerBot$0") || !strings.Contains(lines, "→ ") {
		t.Errorf("got lines %q, want those of the last match", lines)
	}
	b.enter() // the board of the last match
	b.leave()

	b.visit(h.url + "/games/kamisado/bot")
	b.find("#controls [data-level=easy]")
	b.setBot(kamisadoBot)
	b.patience()
	b.click("#controls [data-level=easy]")
	b.tally("1")
	b.noForfeit()
	b.await(`document.getElementById("stop").disabled && document.getElementById("players").textContent.includes("bot")`)
	if text := b.text(`document.getElementById("players").textContent + document.getElementById("caption").textContent`); strings.Contains(text, "Strong") || !strings.Contains(text, "Easy bot") {
		t.Errorf("got %q next to the board of the last match, want the Easy bot", text)
	}
}

func TestABotInTheBrowserIsConfined(t *testing.T) {
	h := shared(t)
	b := open(t, 1280, 900)
	b.visit(h.url + "/games/roshambo/bot")
	b.find("#controls button")
	b.patience()

	// It reaches neither the host nor the page.
	b.setBot(`async function play(read, write) {
	console.log("secrets", typeof document, typeof localStorage, self.origin);
	for (const [name, attempt] of Object.entries({
		fetch: () => fetch("` + h.url + `/api/games"),
		script: () => importScripts("` + h.url + `/assets/dom.js"),
		socket: () => new Promise((ok, no) => { const s = new WebSocket("` + strings.Replace(h.url, "http", "ws", 1) + `/"); s.onopen = ok; s.onerror = () => no(new Error("refused")); }),
		request: () => { const r = new XMLHttpRequest(); r.open("GET", "` + h.url + `/api/games", false); r.send(); },
	})) {
		try { await attempt(); console.log(name, "reached"); } catch (error) { console.log(name, "blocked"); }
	}
	nothing.there();
}`)
	b.click("#controls button")
	b.await(`document.getElementById("error").textContent`)
	const want = "secrets undefined undefined null\nfetch blocked\nscript blocked\nsocket blocked\nrequest blocked\n"
	if got := b.text(`document.getElementById("output").textContent`); got != want {
		b.fatal("got output %q, want %q", got, want)
	}
	if got := b.text(`document.getElementById("error").textContent`); !strings.Contains(got, "nothing is not defined") || !strings.Contains(got, "line 11:") {
		b.fatal("got error %q, want line 11 of the bot", got)
	}
	b.console() // has the refusals

	b.setBot("async function play(read, write) {\n\tawait read()\n\twrite(;\n}")
	b.click("#controls button")
	b.await(`document.getElementById("error").textContent.includes("SyntaxError")`)
	if got := b.text(`document.getElementById("error").textContent`); !strings.Contains(got, "line 3") {
		b.fatal("got error %q, want line 3 of the bot", got)
	}
	b.console()

	// An endless loop ends at the bot's clock, and by the button.
	b.setBot("async function play(read, write) {\n\tawait read();\n\tfor (;;);\n}")
	b.eval(`document.getElementById("seconds").value = "0.5"`, nil)
	b.click("#controls button")
	b.await(`document.getElementById("error").textContent.includes("endless loop") || document.querySelector("#outcomes .lost")`)
	b.patience()
	b.eval(`document.getElementById("dialogue").textContent = ""`, nil)
	b.click("#controls button")
	b.await(`document.getElementById("dialogue").textContent.includes("←")`)
	b.click("#stop")
	b.await(`document.getElementById("error").textContent.includes("You stopped the bot") && document.getElementById("stop").disabled`)

	// The text is kept, until the person resets it. The driver accepts the question.
	b.visit(h.url + "/games/roshambo/bot")
	b.await(`document.getElementById("code").value.includes("for (;;);")`)
	b.click("#reset")
	b.await(`document.getElementById("code").value.includes("BEATEN_BY")`)
	b.visit(h.url + "/games/roshambo/bot")
	b.await(`document.getElementById("code").value.includes("BEATEN_BY")`)
}

// kamisadoBot moves at random.
const kamisadoBot = `const COLOURS = ["NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK", "KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN"];
const HOME = [0, 7];
const name = ([row, column]) => "abcdefgh"[column] + (row + 1);
const square = (text) => [Number(text[1]) - 1, "abcdefgh".indexOf(text[0])];
function targets(towers, side, [r, c]) {
	const taken = new Set(towers.flatMap((t) => Object.values(t)).map(String));
	const up = side === 0 ? 1 : -1, found = [];
	for (const sideways of [-1, 0, 1]) {
		for (let row = r + up, column = c + sideways; row >= 0 && row < 8 && column >= 0 && column < 8 && !taken.has(String([row, column])); row += up, column += sideways) found.push([row, column]);
	}
	return found;
}
async function play(read, write) {
	await read();
	await read();
	const me = Number(await read());
	const towers = HOME.map((row) => Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((column) => [COLOURS[row][column], [row, column]])));
	for (let side = 0, colour = null; ; side = 1 - side) {
		const moves = [...(colour ?? "OBPKYRGN")].flatMap((c) => targets(towers, side, towers[side][c]).map((to) => [towers[side][c], to]));
		let start, end;
		if (side === me && moves.length) {
			[start, end] = moves[Math.floor(Math.random() * moves.length)];
			write(name(start) + name(end));
		} else {
			const line = await read();
			if (line === null || line === "RETIRE") return;
			[start, end] = [square(line.slice(0, 2)), square(line.slice(2))];
		}
		const moved = Object.keys(towers[side]).find((c) => String(towers[side][c]) === String(start));
		towers[side][moved] = end;
		if (end[0] === HOME[1 - side]) return;
		colour = COLOURS[end[0]][end[1]];
	}
}
`
