package site_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// turns is a viewer of lines "turn SEAT LEGAL…". The user has seat 0, and can send or plan each
// letter at any time. A line that ends with ? has a question.
const turns = `
export const start = () => ({ turn: null, legal: [] });
export function read(s, line, sent) {
	const [word, seat, ...legal] = line.split(" ");
	if (word === "turn") Object.assign(s, { turn: Number(seat), legal });
	else if (sent) Object.assign(s, { turn: 1, legal: [] });
}
const letters = ["a", "b", "LATE"];
export const path = (s, line) => (line.length === 1 ? [line, line] : null);
export const status = (s) => ({ seat: 0, turn: s.turn, choices: CHOICES });
export const draw = (s, { svg, send, playing, premove, planned }) => svg("svg", { viewBox: "0 0 90 10" },
	letters.map((line) => svg("g", { id: line, label: line, onclick: () => send(line) })),
	svg("text", { id: "page" }, [playing && "playing", premove && "premove", planned].filter(Boolean).join(" ")));
`

// premovesAreSentInTheNextTurnOnly plans lines, and then does what a page and a host can do: the
// line is sent at most once, in the next turn, and only if it is legal.
func premovesAreSentInTheNextTurnOnly(t *testing.T, b *browserPage) {
	passed(t, b.run(t, script(t, `
		let n = 0;
		const take = (...more) => {
			append(more.map((line) => (line[0] === ">" ? { text: line.slice(1), sent: true } : { text: line, sent: false })));
			n += more.length;
		};
		const look = (view) => show(n, { playing: true, ...view });
		const come = (...more) => (take(...more), look());
		const page = () => board().querySelector("#page").textContent;
		const unsent = () => port.postMessage({ unsent: true });
		const cases = {
			"the turn comes": [async () => {
				check(page(), "playing premove a", "the drawing with a plan");
				await come("turn 0 a b");
				check(page(), "a", "the drawing while the line is on its way");
				await click("b");
				await come(">a");
				check(page(), "playing premove", "the drawing afterwards");
				await come("turn 0 a b");
				check(page(), "playing", "the drawing in the next turn");
			}, "a", "kept sent"],
			"it is not legal": [async () => {
				await come("turn 0 b");
				await come(">b");
				await come("turn 0 a");
			}, "", "kept illegal"],
			"nothing is legal": [() => come("turn 0"), "", "kept illegal"],
			"it has a question": [() => come("turn 0 a?"), "", "kept illegal"],
			"two turns come at once": [() => come("turn 0 a", "turn 1", "turn 0 a"), "", "kept missed"],
			"the turn comes and passes at once": [async () => {
				await come("turn 0 a", "turn 1");
				await come("turn 0 a");
			}, "", "kept missed"],
			"the person sends a line elsewhere": [() => come("turn 0 a", ">b", "turn 0 a"), "", "kept sent"],
			"other lines come first": [async () => {
				await come("hello", "turn 1", "hello");
				await come("turn 0 a", "hello");
			}, "a", "kept"],
			"the page refuses it, since it has more lines": [async () => {
				await come("turn 0 a");
				take("hello");
				const drawn = look();
				unsent();
				await drawn;
			}, "a a", "kept"],
			"the page refuses it, since the turn has passed": [async () => {
				await come("turn 0 a");
				take("turn 1");
				const drawn = look();
				unsent();
				await drawn;
				await come("turn 0 a");
			}, "a", "kept missed"],
			"the page refuses it each time": [async () => {
				await come("turn 0 a");
				for (let i = 0; i < 9; i++) unsent();
				await sent();
				check(page(), "playing", "the drawing after all refusals");
			}, "a a a", "kept illegal"],
			"the person cancels it": [async () => {
				port.postMessage({ cancel: true });
				await sent();
				check(page(), "playing premove", "the drawing without the plan");
				await come("turn 0 a");
			}, "", "kept cancelled"],
			"the person plans another": [async () => {
				await click("b");
				await come("turn 0 a b");
			}, "b", "kept cancelled kept"],
			"the person looks at the past": [async () => {
				await show(n - 1, { playing: true });
				await come("turn 0 a");
			}, "", "kept cancelled"],
			"the person looks at the past while the turn comes": [async () => {
				take("turn 0 a");
				await show(n - 1, { playing: true });
				await look();
			}, "", "kept cancelled"],
			"the match ends": [async () => {
				await look({ playing: false, ended: true });
				await come("turn 0 a");
			}, "", "kept cancelled"],
			"the seat is lost": [() => (take("turn 0 a"), look({ playing: false })), "", "kept cancelled"],
			"a line without a path is sent at once": [async () => {
				await click("LATE");
				take(">LATE");
				await come("turn 0 a");
			}, "LATE", "kept cancelled"],
		};
		for (const [name, choices] of Object.entries({
			"with choices": "s.legal.map((line) => (line.endsWith('?') ? { line: line[0], confirm: 'Really?' } : { line }))",
			"with legal": "null }); export const legal = (s, line) => (({ done }) => done)({ done: s.legal.includes(line)",
		})) {
			for (const [what, [act, line, whys]] of Object.entries(cases)) {
				n = 0;
				await open(code.replace("CHOICES", choices), { role: "player", me: "Player" });
				await come("turn 1");
				await click("a");
				await act();
				check((await sent()).join(" "), line, name + ", " + what + ": lines sent");
				check(plans.map((p) => p.why).join(" "), whys, name + ", " + what + ": what happened with the plan");
			}
		}
		await open(code.replace("CHOICES", "[]").replace("export const path", "const path"), { role: "player", me: "Player" });
		n = 0;
		await come("turn 1");
		check(page(), "playing", "the drawing of a viewer without paths");
		await click("a");
		check((await sent()).join(" "), "a", "sent without paths");`,
		map[string]any{"code": turns})))
}

// premovesArePlannedByClicking plans a line in each game that has turns, while the opponent is to
// move after the first lines of a recorded match.
func premovesArePlannedByClicking(t *testing.T, b *browserPage) {
	for _, game := range []string{"kamisado", "taacoca", "dama", "chess"} {
		t.Run(game, func(t *testing.T) {
			dir := filepath.Join(plugins, game)
			passed(t, b.run(t, script(t, `
				let planned = 0;
				for (const match of matches.slice(0, 12)) {
					const stream = split(match.stream);
					const own = stream.findLastIndex((l) => l.sent && !/^(LATE|draw|no|DRAW|NO|RETIRE|resign)$/.test(l.text));
					await open(code, { role: "player", me: "Player", params: match.params });
					let n = own + 1, status = null;
					append(stream.slice(0, n));
					for (status = await show(n, { playing: true }); n < stream.length && !others(status); status = await show(++n, { playing: true })) append([stream[n]]);
					if (!others(status)) continue;
					const from = [...board().querySelectorAll(".choice")].map((e) => e.id);
					for (let i = 0, tried = 0; i < from.length && tried < 4 && !plans.length; i++) {
						await click(from[i]);
						for (let on; !plans.length && (on = [...board().querySelectorAll("[id^=to-].choice, button[id^=go-]:enabled, [id^=stone-][aria-pressed=false]")].at(-1)); tried++) await click(on.id);
					}
					if (!plans.length) continue;
					planned++;
					check(plans[0].why + " " + plans[0].paths.every((path) => path.length > 1 && path.every((name) => board().querySelector("[square='" + name + "']"))), "kept true", "the plan");
					check(board().querySelectorAll(".marks .planned").length, plans[0].paths.length, "arrows");
					check((await sent()).join(), "", "lines sent");
				}
				function others({ turn, seat }) { return [turn].flat().some((t) => t !== seat); }
				if (planned === 0) fault("nothing was planned");`,
				map[string]any{"code": read(t, filepath.Join(dir, "viewer.js")), "matches": json.RawMessage(read(t, filepath.Join(dir, "testdata/viewer.golden")))})))
		})
	}
}
