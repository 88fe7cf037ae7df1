// The page on which a person writes bots, which play there against the host's bot.
import { h, $, fill, mark, number, copyable, cocoCommand } from "./dom.js";
import { api } from "./host.js";
import { Board } from "./board.js";
import { Bot } from "./botframe.js";
import { BotList } from "./botlist.js";
import { BotMatch, seats } from "./botmatch.js";
import { Editor } from "./editor.js";
import { SavedBots, fileName } from "./savedbots.js";
import { Turns } from "./turns.js";
import { Receipt } from "./build.js";
import { levels, levelNames } from "./levels.js";
import { menu } from "./looks.js";
import { t } from "./i18n.js";
import { unavailable } from "./unavailable.js";
import { botName, settings } from "./names.js";
import * as person from "./person.js";
import { prefixed, pathPart } from "./path.js";

const most = { dialogue: 400, output: 400 }; // lines shown

const name = pathPart(2);
let game = null;
let viewer = ""; // its text
let saved = null; // the person's bots
let current = null; // the match that is played
let shown = null; // the match on the board, which can be over
let queue = 0; // matches still to play, with the current one
const tally = { won: 0, drawn: 0, lost: 0, finished: 0, points: 0 };

const board = new Board($("board"), { moves() {}, send() {}, failed() {}, status }, () => Math.max(260, Math.min(480, innerHeight - 420)));
const turns = new Turns((at) => shown?.show(at));
const bot = new Bot(document.body, {
	write: (line, took) => current?.write(line, took),
	log: (text) => {
		print("output", text);
		current?.turns?.printed(text);
	},
	error: (text) => current?.stop(t("Your bot failed:"), text),
	silent: () => current?.stop(t("Your bot computed for more than {seconds} s without an answer, so it was stopped. Is there an endless loop?", { seconds: $("seconds").value })),
});
$("stop").after(menu());
const hint = $("code-hint").textContent; // stands in the page, so that nothing moves when a slow connection has brought all
let list = null;
const editor = new Editor($("code"), { change: (text) => list?.changed(text), problem });

async function load() {
	game = await api(`/api/games/${encodeURIComponent(name)}`);
	document.title = t("A bot for {game} – Colosseum", { game: game.title || game.name });
	$("title").textContent = t("A bot for {game}", { game: game.title || game.name });
	$("rules-link").href = prefixed(`/games/${encodeURIComponent(name)}#rules`);
	const fetched = async (path) => (await fetch(prefixed(path), { cache: "no-cache" }).then((r) => (r.ok ? r.text() : ""))).replaceAll("\r\n", "\n");
	const example = async (file) => game.players?.some((p) => p.file === file) && await fetched(`/games/${encodeURIComponent(name)}/players/${file}`);
	const [javascript, python, text] = await Promise.all([example("player.js"), example("player.py"), game.viewer && fetched(game.viewer), editor.ready]);
	viewer = text || "";
	saved = new SavedBots(name, { javascript: javascript || skeletons.javascript, python: python || skeletons.python });
	list = new BotList(saved, edit);
	handIn();
	controls();
}

// edit shows a saved bot.
function edit({ text, language, ...rest }) {
	editor.open(text, language);
	const python = language === "python";
	$("code-hint").textContent = python
		? t("The bot is a whole program: input() and sys.stdin read the lines of the match, print() sends one, and what goes to sys.stderr is shown below. Python is MicroPython here: it has no match statement, no dataclasses and no files, and functions can call each other about 150 deep. Escape and then Tab leave the text.")
		: hint;
	fill($("elsewhere"), h("p", null, python ? t("The same file plays with coco and Python:") : t("The same file plays with coco and Node:"), " ", copyable(cocoCommand("new", game.name, "-b", "1", "--", python ? "python3" : "node", fileName({ language, ...rest })))));
}

// problem shows the first mistake below the text, too: a phone has no pointer to rest on a mark.
function problem(found) {
	fill($("problem"), found && [h("button", { type: "button", class: "quiet", "data-key": "problem", onclick: () => {
		editor.reveal(found.line);
		editor.focus();
	} }, t("Line {n}", { n: found.line })), ` ${found.message}`]);
}

// position returns the line of an error in a bot: the innermost one of its calls.
function position(text, language) {
	const lines = [...text.matchAll(language === "python" ? /File "bot\.py", line (\d+)/g : /\bline (\d+)/g)].map((m) => Number(m[1]));
	return (language === "python" ? lines.at(-1) : lines[0]) || 0;
}

// handIn shows the button that hands the bot in, if the host takes programs.
function handIn() {
	$("hand-in").hidden = !game.submissions;
	const receipt = new Receipt($("handed"), name);
	$("hand-in").addEventListener("click", async () => {
		await person.known;
		if (!person.loggedIn()) {
			fill($("handed"), h("p", { class: "fault", role: "alert" }, t("Log in or register at the top of the page to hand it in.")));
			return;
		}
		$("hand-in").disabled = true;
		await receipt.send(fileName(saved.current), new Blob([editor.text]));
		$("hand-in").disabled = false;
	});
}

// controls shows the buttons that begin matches. While the game is unavailable, it looks again.
function controls() {
	const known = levels(game);
	const choices = known.length > 1 ? known.map((level) => [levelNames[level], { bot: level }]) : [[seats(game) === 1 ? t("Play") : t("The bot of this host"), {}]];
	const enough = game.max_bots >= seats(game) - 1 && !game.unavailable;
	fill($("controls"), enough ? choices.map(([label, args], i) => h("button", { type: "button", class: i === 0 ? "main" : "", "data-level": args.bot ?? "", onclick: () => begin(args) }, label)) : h("p", { class: "hint" }, game.unavailable ? unavailable(game) : t("This game has no bot to play against.")));
	if (game.unavailable) setTimeout(() => api(`/api/games/${encodeURIComponent(name)}`).then((now) => { game = now; }, () => {}).then(controls), 3000);
}

const skeletons = {
	javascript: `async function play(read, write) {
	for (let line; (line = await read()) !== null;) {
		console.log(line);
	}
}
`,
	python: `import sys

for line in sys.stdin:
    print(line.strip(), file=sys.stderr)
`,
};

// begin plays as many matches as the person has chosen, one after the other.
async function begin(args) {
	if (current || queue || !$("seconds").reportValidity()) return;
	const steps = $("steps").checked;
	queue = steps ? 1 : Number($("count").value);
	Object.assign(tally, { won: 0, drawn: 0, lost: 0, finished: 0, points: 0 });
	for (const id of ["outcomes", "output", "error"]) fill($(id));
	$("fault").textContent = "";
	turns.clear();
	$("stepper").hidden = !steps;
	busy(true);
	// Watching one match takes its usual time; ten, and one step by step, need no pauses.
	const pace = game.params.find((p) => p.name === "pace" && p.kind !== "choice" && p.min === 0);
	if ((queue > 1 || steps) && pace) args = { ...args, pace: "0" };
	const { language } = saved.current;
	const source = { text: editor.text, language };
	try {
		for (; queue > 0; queue--) {
			if (shown) shown.replaced = true;
			fill($("dialogue"));
			const match = shown = current = new BotMatch({ board, bot, turns: steps ? turns : null }, { game, viewer, args, seconds: Number($("seconds").value), source }, {
				line: (text) => print("dialogue", text),
				report: (...result) => report(match, ...result),
				failed: (why, details) => {
					queue = 0;
					if (why) $("error").textContent = [why, details].filter(Boolean).join("\n");
					if (details) editor.fail(position(details, language), details.split("\n").findLast((line) => /^\w*(Error|Exception|Interrupt)\b/.test(line)) ?? details.split("\n")[0]);
				},
			});
			await match.play();
			if (queue > 1) await match.seen();
		}
	} catch (error) {
		$("fault").textContent = t("The host says: {reason}", { reason: error.message });
	}
	queue = 0;
	current = null;
	bot.stop();
	busy(false);
}

function busy(on) {
	for (const button of $("controls").querySelectorAll("button")) button.disabled = on;
	$("stop").disabled = !on;
	score();
}

function score() {
	$("tally").textContent = tally.won + tally.drawn + tally.lost + tally.finished === 0 ? (queue ? t("Playing…") : "") : seats(game) === 1 ? t("{points} point|{points} points", { n: tally.points, points: number(tally.points) }) : t("{won} won, {drawn} drawn, {lost} lost", tally);
}

// report adds the result of a match.
function report(match, outcome, own, scores, why) {
	if (outcome === "stopped") tally.lost += own ? 1 : 0;
	else if (outcome !== "aborted") tally[outcome]++;
	if (own && match.result?.players.length === 1) tally.points += own.score;
	const text = { won: t("won"), drawn: t("drawn"), lost: t("lost"), finished: t("finished"), aborted: t("aborted"), stopped: t("stopped") }[outcome];
	$("outcomes").append(h("li", null, h("span", { class: outcome }, text), scores && ` · ${called(scores)}`, why && ` · ${called(why)}`, " ", match.id && h("a", { href: `/match/${match.id}`, target: "_blank" }, t("Replay"))));
	score();
}

function status(s) {
	$("caption").textContent = called(s?.caption ?? "");
	if (current?.over) current.drawn?.();
	fill($("players"), (s?.players ?? []).map((p, i) => h("li", null, mark(i, p.marker), h("span", null, called(p.name || "…")), p.score !== null && p.score !== undefined && h("b", null, number(p.score)), p.note && h("span", { class: "hint" }, p.note))));
}

// called replaces the names of bots in a text by those for people.
const called = (text) => text.replace(/ServerBot\$\d+/g, (name) => botName(name, settings(game, shown?.args), seats(game) - 1));

// print adds a line to a box, which keeps the last ones.
function print(id, text) {
	const box = $(id);
	const down = box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
	box.append(`${text}\n`);
	while (box.childNodes.length > most[id]) box.firstChild.remove();
	if (down) box.scrollTop = box.scrollHeight;
}

$("stop").addEventListener("click", () => current?.stop(t("You stopped the bot.")));
$("steps").addEventListener("change", ({ target }) => ($("count").disabled = target.checked));
addEventListener("pagehide", () => current?.stop(""));
addEventListener("resize", () => board.resize());
person.field();
load().catch((error) => ($("fault").textContent = error.message)).finally(() => document.querySelector("main").classList.remove("loading"));
