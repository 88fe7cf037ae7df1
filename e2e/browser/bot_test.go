package browser

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"colosseum/internal/test/long"
)

// editable is the text of the editor; written is what it shows of it.
const (
	editable = `document.getElementById("code").shadowRoot.querySelector(".cm-content")`
	written  = "(" + editable + "?.innerText ?? '')"
)

// setBot writes a bot into the page, as a person who selects all and pastes it.
func (b *browser) setBot(code string) {
	b.t.Helper()
	var done bool
	b.eval(`(() => {
		const e = `+editable+`;
		e.focus();
		e.dispatchEvent(new KeyboardEvent("keydown", { key: "a", keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true }));
		const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", `+quote(code)+`);
		e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
		return true;
	})()`, &done)
}

// newBot makes a new bot in a language, by the dialog.
func (b *browser) newBot(name, language string) {
	b.t.Helper()
	b.click("#new")
	b.eval(`document.querySelector("dialog input").value = `+quote(name)+`, document.querySelector("dialog select").value = `+quote(language), nil)
	b.click("dialog button.main")
	b.await(`!document.querySelector("dialog") && document.getElementById("bots").selectedOptions[0].textContent.startsWith(` + quote(name) + `)`)
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
	b.await(written + `.includes("BEATEN_BY") && !document.querySelector("#controls button").disabled`)
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
	b.await(written + `.includes("COLOURS")`)
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
	b.await(written + `.includes("BEATEN_BY")`)
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
	b.await(`document.getElementById("problem").textContent === "Line 11 ReferenceError: nothing is not defined"`)
	b.await(`document.getElementById("code").shadowRoot.querySelector(".cm-lint-marker-error")`)
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

	// The text is kept, until the person resets it.
	b.visit(h.url + "/games/roshambo/bot")
	b.await(written + `.includes("for (;;);")`)
	b.click("#reset")
	b.await(written + `.includes("BEATEN_BY")`)
	b.visit(h.url + "/games/roshambo/bot")
	b.await(written + `.includes("BEATEN_BY")`)
}

func TestABotInPythonPlaysTheBotOfTheHost(t *testing.T) {
	long.Only(t, "it loads MicroPython, and plays whole matches")
	h := shared(t)
	b := open(t, 1280, 900)
	b.visit(h.url + "/games/roshambo/bot")
	b.await(written + `.includes("BEATEN_BY")`)
	b.find("#controls button")
	b.newBot("snake", "python")
	b.await(written + `.includes("#!/usr/bin/env python3")`)
	b.eval(`document.getElementById("count").value = "10"`, nil)
	b.patience()
	b.click("#controls button")
	if got := b.tally("10"); !strings.Contains(got, "won") {
		t.Errorf("got %q, want the results of ten matches", got)
	}
	b.noForfeit()

	// An exception is shown at the line of the bot, and what it printed before.
	b.setBot("import sys\n\ndef answer():\n    line = input()\n    print('read', line, file=sys.stderr)\n    return rock\n\nprint(answer())\n")
	b.click("#controls button")
	b.await(`document.getElementById("problem").textContent.startsWith("Line 6 NameError")`)
	if got := b.text(`document.getElementById("error").textContent + document.getElementById("output").textContent`); !strings.Contains(got, `File "bot.py", line 8`) || strings.Contains(got, "stdin") || !strings.Contains(got, "read ") {
		b.fatal("got %q, want where the bot failed, and what it printed", got)
	}

	// It reaches no network, and an endless loop ends.
	b.setBot("import js\njs.fetch('" + h.url + "/api/games').then(lambda _: js.console.log('reached'), lambda _: js.console.log('blocked'))\ninput()\nwhile True:\n    input()\n")
	b.click("#controls button")
	b.await(`document.getElementById("output").textContent.includes("blocked")`)
	b.click("#stop")
	b.await(`document.getElementById("stop").disabled`)
	b.console()
	b.setBot("input()\nwhile True:\n    pass\n")
	b.eval(`document.getElementById("seconds").value = "0.5"`, nil)
	b.click("#controls button")
	b.await(`document.getElementById("error").textContent.includes("endless loop") && document.getElementById("stop").disabled`)

	// Turn by turn: nothing is sent before the person goes on.
	b.patience()
	b.click("#reset")
	b.click("#steps")
	b.click("#controls button")
	b.await(`!document.getElementById("next").disabled && document.getElementById("turn").textContent.startsWith("Turn 1, after ")`)
	if got := b.text(`document.getElementById("read").textContent + "|" + document.getElementById("wrote").textContent`); !regexp.MustCompile(`^[^\n]+\nServerBot\$0\n\d+\|(ROCK|PAPER|SCISSORS)$`).MatchString(got) {
		b.fatal("got %q, want the names, the number of rounds, and a hand", got)
	}
	b.click("#next")
	b.await(`document.getElementById("turn").textContent.startsWith("Turn 2, after ") && !document.getElementById("next").disabled`)
	b.shoot("bot-turns")
	b.click("#earlier")
	b.await(`document.getElementById("turn").textContent.startsWith("Turn 1, ") && !document.getElementById("later").disabled`)
	b.click("#go")
	b.await(`document.getElementById("go").textContent === "Pause"`)
	b.await(`document.querySelectorAll("#outcomes li").length === 1 && document.getElementById("stop").disabled`)
	b.noForfeit()
}

func TestBotsAreSavedByName(t *testing.T) {
	long.Only(t, "it opens the editor three times")
	h := shared(t)
	b := open(t, 1280, 900)
	b.visit(h.url + "/games/tron/bot")
	b.eval(`localStorage.clear(), localStorage.setItem("bot tron", "// old one")`, nil)
	b.visit(h.url + "/games/tron/bot")
	b.await(written + ` === "// old one"`)
	bots := `[...document.querySelectorAll("#bots option")].map((o) => o.textContent).join()`
	want := func(list, text string) {
		t.Helper()
		b.await(bots + " === " + quote(list) + " && " + written + ".startsWith(" + quote(text) + ")")
	}
	want("My bot (JavaScript)", "// old one")
	b.newBot("walker", "python")
	b.setBot("# walks")
	b.click("#copy")
	want("My bot (JavaScript),walker (Python),walker 2 (Python)", "# walks")
	b.setBot("# runs")
	b.click("#rename")
	b.eval(`document.querySelector("dialog input").value = "runner"`, nil)
	b.click("dialog button.main")
	want("My bot (JavaScript),walker (Python),runner (Python)", "# runs")
	b.visit(h.url + "/games/tron/bot")
	want("My bot (JavaScript),walker (Python),runner (Python)", "# runs")
	b.click("#delete")
	want("My bot (JavaScript),walker (Python)", "// old one")
	b.click("#kept button")
	want("My bot (JavaScript),walker (Python),runner (Python)", "# runs")

	file := filepath.Join(t.TempDir(), "jumper.py")
	if err := os.WriteFile(file, []byte("# jumps\r\nif x\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.call("POST", "/element/"+b.find("#file")+"/value", map[string]string{"text": file}, nil)
	want("My bot (JavaScript),walker (Python),runner (Python),jumper (Python)", "# jumps\nif x")
	b.await(`document.getElementById("problem").textContent.startsWith("Line 2 The syntax is wrong")`) // while it is written

	// Tab indents, and after Escape it leaves.
	b.eval(editable+`.focus()`, nil)
	b.press("\ue004")
	b.await(editable + `.textContent.includes("    ")`)
	b.press("\ue00c")
	b.press("\ue004")
	b.await(`document.activeElement.id !== "code"`)
	b.eval(`localStorage.clear()`, nil)
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
