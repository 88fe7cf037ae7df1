// The page on which a person writes a bot in JavaScript, which plays there against the
// host's bot.
import { h, $, fill, mark, number, winners, copyable, cocoCommand } from "./dom.js";
import { api, newMatch } from "./host.js";
import { Seat } from "./seat.js";
import { Board } from "./board.js";
import { Bot } from "./botframe.js";
import { edit } from "./editor.js";
import { Receipt } from "./build.js";
import { levels, levelNames } from "./levels.js";
import { t } from "./i18n.js";
import { unavailable } from "./unavailable.js";
import { botName, settings } from "./names.js";
import * as person from "./person.js";
import { prefixed, pathPart } from "./path.js";

const most = { dialogue: 400, output: 400 }; // lines shown

const name = pathPart(2);
let game = null;
let viewer = ""; // its text
let current = null; // the match that is played
let shown = null; // the match on the board, which can be over
let queue = 0; // matches still to play, with the current one
const tally = { won: 0, drawn: 0, lost: 0, finished: 0, points: 0 };

const board = new Board($("board"), { moves() {}, send() {}, failed() {}, status }, () => Math.max(260, Math.min(480, innerHeight - 420)));
const bot = new Bot(document.body, {
	write: (line) => current?.write(line),
	log: (text) => print("output", text),
	error: (text) => current?.stop(t("Your bot failed:"), text),
	silent: () => current?.stop(t("Your bot computed for more than {seconds} s without an answer, so it was stopped. Is there an endless loop?", { seconds: $("seconds").value })),
});

async function load() {
	game = await api(`/api/games/${encodeURIComponent(name)}`);
	document.title = t("A bot for {game} – Colosseum", { game: game.title || game.name });
	$("title").textContent = t("A bot for {game}", { game: game.title || game.name });
	$("rules-link").href = prefixed(`/games/${encodeURIComponent(name)}#rules`);
	const own = game.players?.some((p) => p.file === "player.js");
	const fetched = async (path) => (await fetch(prefixed(path), { cache: "no-cache" }).then((r) => (r.ok ? r.text() : ""))).replaceAll("\r\n", "\n");
	const text = own && await fetched(`/games/${encodeURIComponent(name)}/players/player.js`) || skeleton;
	edit($("code"), `bot ${name}`, text, $("reset"));
	handIn();
	viewer = game.viewer ? await fetched(game.viewer) : "";
	controls();
	fill($("elsewhere"), h("p", null, t("The same file plays with coco and Node:"), " ", copyable(cocoCommand("new", game.name, "-b", "1", "--", "node", "player.js"))));
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
		await receipt.send("player.js", new Blob([$("code").value]));
		$("hand-in").disabled = false;
	});
}

// controls shows the buttons that begin matches. While the game is unavailable, it looks again.
function controls() {
	const known = levels(game);
	const choices = known.length > 1 ? known.map((level) => [levelNames[level], { bot: level }]) : [[seats() === 1 ? t("Play") : t("The bot of this host"), {}]];
	const enough = game.max_bots >= seats() - 1 && !game.unavailable;
	fill($("controls"), enough ? choices.map(([label, args], i) => h("button", { type: "button", class: i === 0 ? "main" : "", "data-level": args.bot ?? "", onclick: () => begin(args) }, label)) : h("p", { class: "hint" }, game.unavailable ? unavailable(game) : t("This game has no bot to play against.")));
	if (game.unavailable) pause(3000).then(() => api(`/api/games/${encodeURIComponent(name)}`)).then((now) => { game = now; }, () => {}).then(controls);
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const seats = () => Math.min(game.max_players, Math.max(2, game.min_players));

const skeleton = `async function play(read, write) {
	for (let line; (line = await read()) !== null;) {
		console.log(line);
	}
}
`;

// begin plays as many matches as the person has chosen, one after the other.
async function begin(args) {
	if (current || queue || !$("seconds").reportValidity()) return;
	queue = Number($("count").value);
	Object.assign(tally, { won: 0, drawn: 0, lost: 0, finished: 0, points: 0 });
	fill($("outcomes"));
	fill($("output"));
	fill($("error"));
	$("fault").textContent = "";
	busy(true);
	// Watching one match takes its usual time; ten are for the result.
	const pace = game.params.find((p) => p.name === "pace" && p.kind !== "choice" && p.min === 0);
	if (queue > 1 && pace) args = { ...args, pace: "0" };
	try {
		for (; queue > 0; queue--) {
			const match = new Match(args);
			current = match;
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
	$("tally").textContent = tally.won + tally.drawn + tally.lost + tally.finished === 0 ? (queue ? t("Playing…") : "") : seats() === 1 ? t("{points} point|{points} points", { n: tally.points, points: number(tally.points) }) : t("{won} won, {drawn} drawn, {lost} lost", tally);
}

// Match is one match of the bot.
class Match {
	constructor(args) {
		this.args = args;
		this.lines = 0; // on the board
		this.over = false;
		this.done = new Promise((resolve) => (this.finish = resolve));
	}

	async play() {
		await person.known;
		this.name = person.name();
		const players = seats();
		const seconds = Number($("seconds").value);
		this.id = await newMatch({ name: `${this.name}'s bot`.slice(0, 24), game: game.name, params: { players, bots: players - 1, timeout: seconds }, args: this.args, password: null, verification: null });
		if (this.over) return;
		fill($("dialogue"));
		board.clear();
		board.open({ role: "player", me: this.name, game: game.name, plugin: game.plugin, params: settings(game, this.args), timeout: seconds, seats: players, bots: players - 1 }, viewer);
		shown = this;
		this.show();
		await bot.ready;
		if (this.over) return;
		this.seat = new Seat(this.id, {
			joined: () => bot.run($("code").value, seconds), // a line that it writes now is sent
			update() {}, started() {}, away() {}, broken() {}, back() {},
			refused: (reason) => this.stop(t("The host says: {reason}", { reason })),
			expired: (reason) => this.stop(t("This match expired: {reason}", { reason: reason || "" })),
			lines: (lines) => this.take(lines),
			ended: (result) => this.end(result),
			lost: (reason) => this.stop(reason),
		});
		this.seat.join(this.name, null);
		await this.done;
	}

	take(lines) {
		for (const line of lines) print("dialogue", `← ${line}`);
		this.append(lines.map((text) => ({ text, sent: false })));
		bot.lines(lines);
	}

	// write sends a line of the bot.
	write(line) {
		if (this.over || !this.seat) return;
		line = line.replace(/\r?\n$/, "");
		if (line.includes("\n")) return this.stop(t("Your bot failed:"), t("write takes one line at a time: {line}", { line: JSON.stringify(line.slice(0, 80)) }));
		print("dialogue", `→ ${line}`);
		this.append([{ text: line, sent: true }]);
		this.seat.send(line);
	}

	append(lines) {
		this.lines += lines.length;
		board.append(lines);
		this.show();
	}

	// show draws the newest moment, at most once for each frame of the screen.
	show() {
		this.drawing ||= requestAnimationFrame(() => {
			this.drawing = 0;
			if (current === this) board.show({ show: this.lines, playing: false, ended: this.over, result: this.result ?? null, fresh: true });
		});
	}

	end(result) {
		if (this.over) return;
		this.over = true;
		this.result = result;
		bot.end();
		bot.stop();
		const own = result?.players?.find((p) => p.name === this.name);
		let outcome = own?.rank === 1 ? (winners(result.players).length === 0 ? "drawn" : "won") : "lost";
		if (own && result.players.length === 1) { // alone: there is nobody to beat
			outcome = own.ended === "finished" ? "finished" : "lost";
			tally.points += own.score;
		}
		if (!own || result.aborted) outcome = "aborted";
		else tally[outcome]++;
		const why = own && own.ended !== "finished" ? `${own.ended}${own.fault?.line ? `: ${own.fault.line}` : ""}` : result?.reason;
		this.report(outcome, result?.players?.map((p) => `${called(p.name)} ${number(p.score)}`).join(", "), why && called(why));
		this.show();
		this.finish();
	}

	// seen waits until the board has shown the end for a moment. Boards load more slowly
	// than fast bots play.
	async seen() {
		await Promise.race([new Promise((resolve) => (this.drawn = resolve)), pause(1500)]);
		await pause(300);
	}

	report(outcome, scores, why) {
		const text = { won: t("won"), drawn: t("drawn"), lost: t("lost"), finished: t("finished"), aborted: t("aborted"), stopped: t("stopped") }[outcome];
		$("outcomes").append(h("li", null, h("span", { class: outcome }, text), scores && ` · ${scores}`, why && ` · ${why}`, " ", this.id && h("a", { href: `/match/${this.id}`, target: "_blank" }, t("Replay"))));
		score();
	}

	// stop ends this match and those after it: the bot or the person has given up.
	stop(why, details = "") {
		queue = 0;
		if (this.over) return;
		this.over = true;
		bot.stop();
		this.seat?.leave();
		if (this.seat) tally.lost++;
		if (why) $("error").textContent = [why, details].filter(Boolean).join("\n");
		this.report("stopped", "", "");
		this.finish();
	}
}

function status(s) {
	$("caption").textContent = called(s?.caption ?? "");
	if (current?.over) current.drawn?.();
	fill($("players"), (s?.players ?? []).map((p, i) => h("li", null, mark(i, p.marker), h("span", null, called(p.name || "…")), p.score !== null && p.score !== undefined && h("b", null, number(p.score)), p.note && h("span", { class: "hint" }, p.note))));
}

// called replaces the names of bots in a text by those for people.
const called = (text) => text.replace(/ServerBot\$\d+/g, (name) => botName(name, settings(game, shown?.args), seats() - 1));

// print adds a line to a box, which keeps the last ones.
function print(id, text) {
	const box = $(id);
	const down = box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
	box.append(`${text}\n`);
	while (box.childNodes.length > most[id]) box.firstChild.remove();
	if (down) box.scrollTop = box.scrollHeight;
}

$("stop").addEventListener("click", () => current?.stop(t("You stopped the bot.")));
$("save").addEventListener("click", () => {
	const url = URL.createObjectURL(new Blob([$("code").value], { type: "text/javascript" }));
	h("a", { href: url, download: "player.js" }).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
});
addEventListener("pagehide", () => current?.stop(""));
addEventListener("resize", () => board.resize());
person.field();
load().catch((error) => ($("fault").textContent = error.message));
