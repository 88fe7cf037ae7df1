package site_test

import (
	"colosseum/host/internal/clients/site"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colosseum/internal/group"
	"colosseum/internal/test/long"
	"colosseum/internal/test/poll"
	"colosseum/internal/test/race"
)

const plugins = "../../../../plugins"

// browserPage is a page in headless Chromium that runs the scripts of tests one after the
// other, each in a frame of its own. All tests of viewers share it, because starting a browser
// takes longer than most of their scripts.
type browserPage struct {
	scripts chan string // pages that the browser shows next
	reports chan string // of the scripts; each reports once
}

// openBrowser starts a browser, which ends with the test and its subtests.
func openBrowser(t *testing.T) *browserPage {
	t.Helper()
	race.Skip(t, "the browser does the work")
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no browser: install chromium (on Debian: apt-get install chromium) to test the viewers")
	}
	b := &browserPage{make(chan string, 1), make(chan string, 1)}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-port=0", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"), server.URL)
	processes, err := group.Start(cmd, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		processes.Kill()
		_ = cmd.Wait()
		processes.End()
	})
	return b
}

// opener shows each page that the server sends.
const opener = `<!doctype html><body><script>
	const show = async () => {
		for (;;) {
			const page = await (await fetch("/next")).text();
			document.body.replaceChildren(Object.assign(document.createElement("iframe"), { srcdoc: page, width: 800, height: 600 }));
		}
	};
	show();
</script>`

func (b *browserPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == "POST":
		text, err := io.ReadAll(r.Body)
		if err != nil {
			text = []byte(err.Error())
		}
		b.reports <- string(text)
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, opener)
	case r.URL.Path == "/next":
		select {
		case script := <-b.scripts:
			fmt.Fprintf(w, "<!doctype html><body><script>%s</script>", strings.ReplaceAll(script, "</", `<\/`))
		case <-r.Context().Done():
		}
	default:
		http.NotFound(w, r)
	}
}

// run runs a script, and returns the lines that it reports.
func (b *browserPage) run(t *testing.T, script string) []string {
	t.Helper()
	b.scripts <- script
	return strings.Split(poll.Receive(t, "the script in the browser reports", b.reports), "\n")
}

func TestViewersInABrowser(t *testing.T) {
	b := openBrowser(t)
	for _, tt := range []struct {
		name string
		test func(t *testing.T, b *browserPage)
	}{
		{"they offer the legal moves", viewersOfferTheLegalMoves},
		{"they draw the streams", viewersDrawTheStreams},
		{"pieces move", piecesMove},
		{"pieces are dragged", piecesAreDragged},
		{"squares are marked", squaresAreMarked},
		{"boards are played by keyboard", boardsArePlayedByKeyboard},
		{"tron is played while lines arrive", tronIsPlayedWhileLinesArrive},
		{"tron draws matches of four", tronDrawsMatchesOfFour},
		{"damath can keep the touched chip", damathCanKeepTheTouchedChip},
		{"damath shows what a capture has brought", damathShowsWhatACaptureHasBrought},
		{"dama shows why a move was refused", damaShowsWhyAMoveWasRefused},
		{"they draw nothing that loads", aViewerDrawsNothingThatLoads},
		{"premoves are sent in the next turn only", premovesAreSentInTheNextTurnOnly},
		{"premoves are planned by clicking", premovesArePlannedByClicking},
		{"texts are translated", textsAreTranslated},
		{"boards show the names of bots for people", boardsShowTheNamesOfBotsForPeople},
		{"viewers without shapes have their classes", viewersWithoutShapesHaveTheirClasses},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, b) })
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// script returns the JavaScript of a test, with constants for its values.
func script(t *testing.T, code string, values map[string]any) string {
	t.Helper()
	values["page"] = site.FrameOfViewers()
	head := read(t, "testdata/viewers.js")
	for name, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		head += fmt.Sprintf("const %s = %s;\n", name, text)
	}
	return head + "run(async () => {\n" + code + "\n});\n"
}

// passed fails the test for each fault in the report of a script, and if the last
// line does not say how much was checked.
func passed(t *testing.T, report []string) {
	t.Helper()
	last := report[len(report)-1]
	if !strings.HasPrefix(last, "checked ") {
		t.Errorf("got last line %q, want the number of checks", last)
	}
	for _, fault := range report {
		if fault != last || !strings.HasPrefix(fault, "checked ") {
			t.Error(fault)
		}
	}
	t.Log(last)
}

// viewersOfferTheLegalMoves compares the choices of the viewers, as a list and
// by clicking, with the legal answers of the referee. After an answer there are none: with
// one click too many a person would send a line for the next turn, which is not legal there.
func viewersOfferTheLegalMoves(t *testing.T, b *browserPage) {
	// One position of this many is tested by clicking, from the given one: in the short run a cheap one.
	every, from := map[string]int{"kamisado": 6, "taacoca": 5, "dama": 16, "chess": 24, "liarsdice": 3}, map[string]int{}
	if !long.Run() {
		every = map[string]int{"kamisado": 9, "taacoca": 40, "dama": 21, "chess": 15, "liarsdice": 9}
		from = map[string]int{"kamisado": 8, "dama": 20, "chess": 14}
	}
	for _, game := range []string{"kamisado", "taacoca", "dama", "chess", "liarsdice"} {
		t.Run(game, func(t *testing.T) {
			dir := filepath.Join(plugins, game)
			matches := read(t, filepath.Join(dir, "testdata/viewer.golden"))
			if game == "dama" && !long.Run() { // it has two thirds of the questions
				matches = oneForEachRules(t, matches)
			}
			passed(t, b.run(t, script(t, `
				const also = ["draw", "resign", "DRAW", "RETIRE"]; // in addition to moves
				let clicked = 0;
				for (const [m, match] of matches.entries()) {
					const stream = split(match.stream);
					let read = 0;
					await open(code, { role: "player", me: "Player", params: match.params });
					for (const [i, q] of match.questions.entries()) {
						const want = q.legal === "LATE" ? "" : q.legal.split(",").sort().join();
						const offers = (list) => list.filter((line) => want === "draw,no" || want === "DRAW,NO" || !also.includes(line)).sort().join();
						append(stream.slice(read, q.lines));
						read = q.lines;
						lines = [];
						const status = await show(q.lines, { playing: true });
						if (status.choices) check(offers(status.choices.map((c) => c.line)), want, "choices of match " + m + " after line " + q.lines);
						if (q.legal === "LATE") check((await sent()).join(), "LATE", "sent when late");
						else if ((i + m) % every === from) {
							clicked++;
							check(offers(await clickable(q.lines)), want, "clicks in match " + m + " after line " + q.lines);
						}
						const own = stream[q.lines];
						if (!own?.sent || own.text === "LATE" || also.includes(own.text)) continue;
						append([own]); // the host can confirm it seconds later
						read++;
						const after = await show(read, { playing: true });
						check((after.choices || []).map((c) => c.line).join(), "", "choices of match " + m + " after " + own.text + " was sent");
					}
				}
				if (clicked === 0) fault("no position was tested by clicking");`,
				map[string]any{"code": read(t, filepath.Join(dir, "viewer.js")), "matches": json.RawMessage(matches), "every": every[game], "from": from[game]})))
		})
	}
}

// oneForEachRules returns the first of the matches with the same parameters.
func oneForEachRules(t *testing.T, matches string) string {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(matches), &all); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(match json.RawMessage) bool {
		var m struct{ Params json.RawMessage }
		if err := json.Unmarshal(match, &m); err != nil {
			t.Fatal(err)
		}
		known := seen[string(m.Params)]
		seen[string(m.Params)] = true
		return known
	})
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// head precedes each stream of a golden file, and the result.
var head = regexp.MustCompile(`(?m)^-- (seat \d+|spectators|result) --\n`)

// viewersDrawTheStreams replays the recorded streams of all players and of the
// spectators. They must give the same moves and pieces, and stepping back must draw the
// same as stepping forward. The pieces of royalur and liarsdice have no names.
func viewersDrawTheStreams(t *testing.T, b *browserPage) {
	step := 24 // lines from one drawing to the next
	if long.Run() {
		step = 12
	}
	for _, game := range []string{"kamisado", "taacoca", "dama", "chess", "royalur", "liarsdice"} {
		t.Run(game, func(t *testing.T) {
			dir := filepath.Join(plugins, game)
			files, err := filepath.Glob(filepath.Join(dir, "testdata/*.golden"))
			if err != nil || len(files) < 2 {
				t.Fatalf("got %d golden files, %v, want at least 2", len(files), err)
			}
			goldens := map[string][]string{}
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".golden")
				if name == "viewer" {
					continue
				}
				streams := head.Split(read(t, file), -1)
				if len(streams) < 5 {
					t.Fatalf("%s: got %d parts, want two seats, the spectators and the result", file, len(streams)-1)
				}
				goldens[name] = streams[1 : len(streams)-1] // nothing precedes the first head
			}
			passed(t, b.run(t, script(t, `
				for (const [name, streams] of Object.entries(goldens)) {
					const [rules, chips] = name.split("-");
					const pictures = [], players = streams.length - 1;
					for (const [seat, stream] of streams.entries()) {
						const lines = split(stream);
						await open(code, { role: seat < players ? "player" : "spectator", me: seat < players ? "Player" : null, seats: players, params: { rules, chips } });
						append(lines);
						const forward = new Map();
						for (let i = lines.length % step; i <= lines.length; i += step) {
							await show(i);
							forward.set(i, picture());
						}
						const end = pieces(seat === 1);
						for (let i = lines.length; i >= 0; i -= 5 * step) {
							await show(i);
							check(picture(), forward.get(i), name + ", seat " + seat + ", back at line " + i);
						}
						pictures.push(end + " " + moves.length);
						if (!moves.length || !end && named) fault(name + ", seat " + seat + ": " + moves.length + " moves, pieces " + end);
					}
					for (let seat = 0; seat < players; seat++) check(pictures[seat], pictures[players], name + ", seat " + seat + " and spectators");
				}`,
				map[string]any{"code": read(t, filepath.Join(dir, "viewer.js")), "goldens": goldens, "step": step, "named": game != "royalur" && game != "liarsdice"})))
		})
	}
}

// boardsArePlayedByKeyboard makes the first move of each game with the
// arrow keys and Enter.
func boardsArePlayedByKeyboard(t *testing.T, b *browserPage) {
	tests := []struct {
		game   string
		params map[string]string
		keys   string // until the line is sent; Click stands for Enter on a button, which the browser handles
		want   string
	}{
		{"kamisado", nil, "ArrowRight Enter ArrowUp Enter", "e1e2"},
		{"taacoca", nil, "ArrowDown Enter ArrowRight Enter ArrowLeft ArrowLeft Enter ArrowDown Click", "C3 C4 C5 L"},
		{"chess", nil, "ArrowUp Enter ArrowUp ArrowUp Enter", "b1 c3"},
		{"dama", map[string]string{"rules": "damath", "chips": "whole"}, "ArrowUp Enter ArrowLeft Enter", "b3a4"},
	}
	for _, tt := range tests {
		t.Run(tt.game, func(t *testing.T) {
			params := tt.params
			if params == nil {
				params = map[string]string{}
			}
			stream := "Player\nOther\n0\n"
			if tt.params["chips"] != "" {
				stream += tt.params["chips"] + "\n"
			}
			passed(t, b.run(t, script(t, `
				await open(code, { role: "player", me: "Player", params });
				frame.hidden = false;
				append(split(stream));
				await show(split(stream).length, { playing: true });
				const doc = frame.contentDocument;
				board().querySelector("svg").focus();
				const way = [];
				for (const key of keys.split(" ")) {
					if (way.length) await sent(); // the last key has been drawn
					if (key === "Click") doc.activeElement.click();
					else doc.activeElement.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
					way.push(key + " " + (doc.activeElement.id || doc.activeElement.localName));
				}
				check((await sent()).join(), want, way.join(", "));
				append([{ text: want, sent: true }]);
				await show(split(stream).length + 1, { playing: true });
				if (!keys.includes("Click")) check(doc.activeElement.localName, "svg", "focus after the move");`,
				map[string]any{"code": read(t, filepath.Join(plugins, tt.game, "viewer.js")), "params": params, "stream": stream, "keys": tt.keys, "want": tt.want})))
		})
	}
}

// tronIsPlayedWhileLinesArrive plays with keys, buttons and strokes of a finger. They work at
// once, on a drawing that is replaced many times a second.
func tronIsPlayedWhileLinesArrive(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		await open(code, { role: "player", me: "ann", params: {} });
		frame.hidden = false;
		const stream = split("30 20 50 3\n5 9 R 0 ann\n24 10 L 1 bob\n5 10 R 2 eve\n0\n");
		append(stream);
		let n = stream.length;
		await show(n, { playing: true });
		const doc = frame.contentDocument;
		const press = (key, more) => {
			const event = new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
			doc.body.dispatchEvent(event);
			return event.defaultPrevented;
		};
		const point = (kind, target, clientX = 0, clientY = 0) => target.dispatchEvent(new frame.contentWindow.PointerEvent(kind, { bubbles: true, isPrimary: true, clientX, clientY }));
		const svg = () => board().querySelector("svg");
		// line adds a line that has come, or was sent, and says how the page shows it.
		const line = async (text, sent = false) => {
			append([{ text, sent }]);
			n++;
			return show(n, { playing: true });
		};
		const tick = (text) => line(text);
		// acted checks what was sent since, and confirms it.
		const acted = async (want, what) => {
			const got = (await sent()).join();
			check(got, want, what);
			lines = [];
			if (got) await line(got, true);
		};
		press("ArrowUp");
		await acted("U", "arrow key");
		await tick("5 8 23 10 6 10");
		press("a");
		await acted("L", "letter");
		await tick("4 8 22 10 7 10");
		press("S");
		await acted("D", "capital letter");
		await tick("4 9 21 10 8 10");
		press("w", { repeat: true });
		check(press("ArrowLeft", { ctrlKey: true }), false, "a key with Ctrl is the browser's");
		check(press("x"), false, "another key");
		await acted("", "a repeated key and others");

		point("pointerdown", doc.getElementById("turn-R"));
		await acted("R", "button, before it is released");
		doc.getElementById("turn-U").dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
		await acted("", "the click after that");
		await tick("5 9 20 10 9 10");
		doc.getElementById("turn-U").click();
		await acted("U", "button with Enter");
		await tick("5 8 19 10 10 10");

		point("pointerdown", svg(), 200, 200);
		point("pointermove", svg(), 190, 202);
		await acted("", "a short stroke");
		point("pointermove", svg(), 170, 202);
		await acted("L", "stroke to the left");
		await tick("4 8 18 10 11 10");
		point("pointermove", svg(), 172, 240);
		await acted("D", "the same stroke, now down");
		point("pointerup", svg(), 172, 240);
		point("pointermove", svg(), 300, 240);
		await tick("4 9 17 10 12 10");
		await acted("", "a move without a finger");

		press("ArrowLeft");
		await acted("L", "first of two turns in a tick");
		press("ArrowUp");
		await acted("", "second, which waits");
		await tick("3 9 16 10 13 10");
		await acted("U", "second, in the next tick");
		await tick("3 8 15 10 14 10");

		append([{ text: "3 7 14 10 15 10", sent: false }]); // the page has not asked for a drawing of it yet
		n++;
		press("ArrowLeft");
		await acted("L", "a key before the newest line is drawn");
		port.postMessage({ unsent: true }); // as if the page had refused it
		const end = await tick("-1 -1 13 10 16 10");
		check(board().querySelectorAll("button:enabled").length, 0, "buttons after the crash");
		check(end.turn.join(), "1,2", "cycles that ride");
		check(press("ArrowUp"), false, "a key after the crash");
		await acted("", "a key after the crash");`,
		map[string]any{"code": read(t, filepath.Join(plugins, "tron", "viewer.js"))})))
}

// tronDrawsMatchesOfFour replays recorded matches of four, and compares the heads and
// crashes with the stream. A drawing has few elements, because there are many in a second.
func tronDrawsMatchesOfFour(t *testing.T, b *browserPage) {
	for _, name := range []string{"four", "teams"} {
		_, rest, _ := strings.Cut(read(t, filepath.Join(plugins, "tron/testdata", name+".golden")), "-- spectators --\n")
		stream, _, _ := strings.Cut(rest, "-- result --\n")
		passed(t, b.run(t, script(t, `
			await open(code, { role: "spectator", me: null, params: { teams } });
			const all = split(stream);
			append(all);
			const drawn = () => [0, 1, 2, 3].map((seat) => {
				const e = board().querySelector("#cycle-" + seat);
				const [x, y] = /translate\((\d+) (\d+)\)/.exec(e.getAttribute("transform")).slice(1).map((v) => (v - 15) / 10);
				return { at: x + " " + y, crashed: e.querySelector("[fill='var(--bad)']") !== null };
			});
			const forward = new Map();
			for (let i = 6; i <= all.length; i += 3) {
				const status = await show(i);
				const numbers = all[i - 1].text.split(" ");
				forward.set(i, picture());
				for (const [seat, d] of drawn().entries()) {
					const at = numbers.slice(2 * seat, 2 * seat + 2).join(" ");
					check(d.crashed, at === "-1 -1", "line " + i + ": crash of seat " + seat);
					if (!d.crashed) check(d.at, at, "line " + i + ": head of seat " + seat);
					check(status.turn.includes(seat) || d.crashed || i === all.length, true, "line " + i + ": seat " + seat + " rides");
				}
				const elements = board().querySelectorAll("*").length;
				if (elements > 60) fault("line " + i + ": a drawing has " + elements + " elements, want at most 60");
			}
			for (const i of [...forward.keys()].reverse().filter((_, i) => i % 5 === 0)) {
				await show(i);
				check(picture(), forward.get(i), "back at line " + i);
			}`,
			map[string]any{"code": read(t, filepath.Join(plugins, "tron", "viewer.js")), "stream": stream, "teams": map[bool]string{true: "yes", false: "no"}[name == "teams"]})))
	}
}

func damathCanKeepTheTouchedChip(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		await open(code, { role: "player", me: "Player", params: { rules: "damath", chips: "whole" } });
		append(split("Player\nOther\n0\nwhole\n"));
		await show(4, { playing: true });
		const choices = () => [...board().querySelectorAll(".choice")].map((e) => e.id).sort().join(" ");
		await click("piece-b3");
		check(choices(), "piece-b3 piece-d3 piece-f3 piece-h3 to-a4 to-c4", "choices with a chip chosen");
		await click("piece-b3");
		check(choices(), "piece-b3 piece-d3 piece-f3 piece-h3", "choices with none");
		await click("touch");
		await click("piece-b3");
		check(choices(), "to-a4 to-c4", "choices with a chip touched");
		await click("to-a4");
		check((await sent()).join(), "b3a4", "sent");`,
		map[string]any{"code": read(t, filepath.Join(plugins, "dama/viewer.js"))})))
}

// damathShowsWhatACaptureHasBrought plays the beginning of the example in damath.md, until a
// chip has jumped over another, and the user can capture it.
func damathShowsWhatACaptureHasBrought(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		await open(code, { role: "player", me: "Player", params: { rules: "damath", chips: "whole" } });
		const lines = split("Player\nOther\n0\nwhole\n>h3g4\n0 0\ng6f5\n0 0\n>d3c4\n0 0\nf5h3\n0 5\n>c4b5\n0 5\na6c4\n0 17/3\n");
		append(lines);
		const texts = (selector) => [...board().querySelectorAll(selector)].map((e) => e.textContent).join(" ");
		const rows = () => [...board().querySelectorAll(".captured [role=img]")].map((e) => e.getAttribute("aria-label") + " " + e.querySelectorAll(".disc").length).join(", ");
		await show(lines.length - 2, { playing: true });
		check(texts(".points"), "", "points after a step");
		check(rows(), "Pieces that Other has captured: 1 1, Pieces that Player has captured: 0 0", "captured pieces");
		await show(lines.length, { playing: true });
		check(texts(".points"), "+0.667", "points of the last capture");
		check(board().querySelectorAll(".note.captured").length, 1, "squares of captured chips");
		check(board().querySelector("#piece-b3").dataset.goes, '[["d5"]]', "where the chip can go");
		await click("piece-b3");
		check(texts(".points"), "+5", "points of the capture that the user can choose");`,
		map[string]any{"code": read(t, filepath.Join(plugins, "dama/viewer.js"))})))
}

func damaShowsWhyAMoveWasRefused(t *testing.T, b *browserPage) {
	var matches []struct{ Stream string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(plugins, "dama/testdata/viewer.golden"))), &matches); err != nil {
		t.Fatal(err)
	}
	ask := "Turno bianco!\nInserisci la pedina che vuoi muovere e poi le mosse che vuoi fare\nEs > 6A 5B oppure 6A 4C 2A oppure 6A 4C 2A ...\n"
	begin, _, ok := strings.Cut(matches[0].Stream, ask)
	if !ok {
		t.Fatalf("got a first match that begins with %.80q, want a question to white", matches[0].Stream)
	}
	_, again, _ := strings.Cut(ask, "\n")
	passed(t, b.run(t, script(t, `
		await open(code, { role: "player", me: "Player", params: { rules: "classic" } });
		const lines = split(stream);
		append(lines);
		const alert = () => board().querySelector("[role=alert]")?.textContent ?? "none";
		await show(lines.length, { playing: true });
		check(alert(), "Refused, 3C to 3D: pieces move diagonally. Spostamento 3C -> 3D non valido! Puoi muoverti solo in diagonale.", "after the refusal");
		check(String(board().querySelectorAll(".choice").length > 0), "true", "asked again");
		await show(lines.length - 6, { playing: true });
		check(alert(), "none", "before");`,
		map[string]any{
			"code":   read(t, filepath.Join(plugins, "dama/viewer.js")),
			"stream": begin + ask + ">3c 3d\n\nSpostamento 3C -> 3D non valido!\nPuoi muoverti solo in diagonale.\n" + again,
		})))
}

// aViewerDrawsNothingThatLoads describes elements that could reach a network
// or run scripts. The frame refuses and draws none of them.
func aViewerDrawsNothingThatLoads(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		const head = "export const start = () => ({}); export function read() {} export const draw = (_, { html, svg }) => html('p', { id: 'around' }, ";
		for (const drawing of drawings) {
			await open(head + drawing + ")", { role: "spectator", me: null, params: {} });
			expected = true;
			await show(0);
			check(String(/a viewer cannot (draw|use)/.test(failure)), "true", drawing + ": " + failure);
			check(picture(), "", drawing);
		}
		for (const drawing of harmless) {
			await open(head + drawing + ")", { role: "spectator", me: null, params: {} });
			await show(0);
			check(String(picture().includes("around")), "true", drawing);
		}`,
		map[string]any{
			"drawings": []string{
				`html("link", { rel: "preconnect", href: "http://evil" })`, `html("iframe")`, `html("object")`, `html("script")`, `html("img", { src: "http://evil" })`,
				`html("a", { href: "http://evil" })`, `html("meta", { "http-equiv": "refresh", content: "0;url=http://evil" })`, `html("form", { action: "http://evil" })`,
				`html("input", { type: "image", src: "http://evil" })`, `html("input", { type: "image", SRC: "//evil" })`, `html("button", { formaction: "http://evil" })`,
				`html("p", { onmouseover: "fetch()" })`, `html("p", { ONCLICK: "fetch()" })`, `html("td", { background: "http://evil" })`, `html("svg")`, `svg("p")`, `html("SCRIPT")`,
				`svg("svg", null, svg("image", { href: "http://evil" }))`, `svg("svg", null, svg("use", { "xlink:href": "http://evil#x" }))`, `svg("svg", null, svg("foreignObject"))`,
				`svg("svg", null, svg("set", { attributeName: "href", to: "http://evil" }))`, `svg("a", { href: "javascript:0" })`, `svg("image", { href: " http://evil" })`,
				`{ tag: "script", attrs: {}, acts: {}, children: [] }`, `svg("script", null, "fetch()")`, `svg("image", { href: "data:text/html,x" })`,
			},
			"harmless": []string{`svg("svg", null, svg("use", { href: "#x" }))`, `svg("svg", null, svg("image", { href: "data:image/png;base64,AAAA" }))`, `html("b", { style: "color: red" }, "<script>")`, `null`, `7`},
		})))
}

// viewersWithoutShapesHaveTheirClasses draws with the names of the frame's own classes.
func viewersWithoutShapesHaveTheirClasses(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		const code = (shape) => "export const start = () => ({}), read = () => {}; export const draw = (state, page) => page.svg('svg', { viewBox: '0 0 9 9' }, " + shape + "page.svg('circle', { id: 'own', class: 'ring', fill: 'red' }));";
		const fill = () => getComputedStyle(document.querySelector("iframe").contentDocument.getElementById("own")).fill;
		for (const [shape, want] of [["", "rgb(255, 0, 0)"], ["page.tile('dark', { size: 9 }), ", "none"]]) {
			await open(code(shape), { role: "spectator", params: {} });
			await show(0);
			check(fill(), want, "the fill");
		}`, map[string]any{})))
}

func boardsShowTheNamesOfBotsForPeople(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		await open(code, { role: "player", me: "Player", params: {} }, { ServerBot$0: "Easy bot" });
		append(split("Player\nServerBot$0\n3\n>ROCK\nPAPER\n"));
		await show(5);
		check(moves[0].text, "Rock – Paper: Easy bot", "the move");
		check(String(picture().includes("Easy bot") && !picture().includes("ServerBot")), "true", "the board");`,
		map[string]any{"code": read(t, filepath.Join(plugins, "roshambo/viewer.js"))})))
}
