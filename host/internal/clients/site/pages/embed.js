// A match in a page of another site: the board, the players and the timeline. It uses no
// storage, which browsers can refuse to embedded pages, and nobody can play here.
import { h, $, fill, mark, number } from "./dom.js";
import { t } from "./i18n.js";
import { api, Session, result } from "./host.js";
import { Board } from "./board.js";
import { botName, levelsOf, settings } from "./names.js";
import { Timeline } from "./timeline.js";
import { Address } from "./address.js";
import { autoplay } from "./autoplay.js";
import { verdict } from "./verdict.js";
import { prefixed, pathPart } from "./path.js";

const id = pathPart(2);
const board = new Board($("board"), { moves, status, send() {}, failed: () => status(null), key: (name) => timeline.key(name), flips: () => timeline.flip.classList.remove("idle") }, room);
const timeline = new Timeline($("timeline"), (_, fresh) => show(fresh), () => show(false));
const address = new Address(timeline);

let session = null;
let info = null;
let players = [];
let called = (name) => name; // the name of a player for people
let caption = "";
let end = ""; // why the match ended, from the viewer
let outcome = null; // of an ended match
let synced = false; // the stream of a running match has caught up
let wait = 0;

// room returns the height for the board: that of the frame without everything else.
function room() {
	const rest = document.querySelector("main").offsetHeight - $("board").offsetHeight;
	return Math.max(160, innerHeight - rest);
}

async function load() {
	session?.close();
	let found;
	try {
		found = await api(`/api/matches/${encodeURIComponent(id)}`);
	} catch (error) {
		if (error.status !== 404) return again();
		document.querySelector("main").classList.add("nothing");
		$("timeline").hidden = true;
		say(t("There is no such match."));
		return;
	}
	info = found.match || found.lobby;
	const game = await api(`/api/games/${encodeURIComponent(info.game)}`).catch(() => ({ name: info.game, params: [], fixed: {} }));
	await open(game);
	if (found.match) replay(found.match);
	else watch();
}

// again retries, with a longer wait each time.
function again() {
	say(t("Not connected. Trying again…"));
	wait = Math.min(10000, wait * 2 + 250);
	setTimeout(() => load().catch(again), wait * (0.5 + Math.random()));
}

async function open(game) {
	const reply = game.viewer ? await fetch(game.viewer, { cache: game.watched ? "no-cache" : "default" }) : null;
	timeline.reset();
	board.clear();
	synced = false;
	outcome = null;
	const bots = typeof info.bots === "number" ? info.bots : info.seats.filter((s) => s.bot).length;
	const params = info.params || settings(game, info.args);
	const levels = levelsOf(info);
	called = (name) => botName(name, params, bots, levels);
	board.open({
		role: "spectator", me: null, game: game.name, plugin: game.plugin, params,
		timeout: info.timeout, seats: info.players ?? info.seats.length, bots, levels,
	}, reply?.ok ? await reply.text() : "");
	show(false);
}

function replay(record) {
	outcome = { players: record.seats, reason: record.reason, aborted: record.state === "aborted" };
	const lines = record.stream.split("\n");
	lines.pop();
	take(lines);
	timeline.complete = true;
	show(false);
	if (!address.open()) autoplay(timeline);
}

function watch() {
	session = new Session({
		Handshake: () => session.send("SpectateJoin", { id }),
		SpectateJoined: (fields) => {
			try {
				info = result(fields.info);
				wait = 0;
				describe();
			} catch {
				load().catch(again); // it has ended since
			}
		},
		LobbyUpdate: (fields) => {
			info = fields.info;
			describe();
		},
		LobbyDelete: () => load().catch(again),
		SpectateSynced: () => {
			synced = true;
			show(false);
		},
		SpectateEnded: () => load().catch(again),
		lines: take,
		closed: again,
	});
}

function take(texts) {
	board.append(texts.map((text) => ({ text, sent: false })));
	timeline.grow(texts.length);
	if (timeline.follow && (synced || outcome)) show(synced);
}

function show(fresh) {
	board.resize();
	board.show({ show: timeline.at, playing: false, ended: outcome !== null, result: outcome, fresh, flipped: timeline.flipped });
}

function moves(list, anew) {
	timeline.addMoves(list, anew);
}

function status(s) {
	players = s?.players.some((p) => p.name) ? s.players : (outcome?.players ?? []).map((p) => ({ name: p.name }));
	caption = s?.caption ?? "";
	if (timeline.follow) end = s?.end ?? "";
	const turn = outcome ? [] : s?.turn ?? [];
	fill($("players"), players.map((p, i) => h("li", { class: turn.includes(i) ? "turn" : "" }, mark(i, p.marker),
		h("span", { class: "name", title: called(p.name) }, called(p.name)), h("span", { class: "score" }, p.score === undefined || p.score === null ? "" : number(p.score)))));
	describe();
}

// describe shows what happens, or the result at the end of an ended match.
function describe() {
	if (outcome && timeline.follow) say(verdict(outcome, { end, called }).text);
	else if (info && !outcome && !info.running && info.connected) say(t("Waiting for players: {here} of {all} are here.", { here: info.connected.length + info.bots, all: info.players }));
	else say(caption);
}

function say(text) {
	$("caption").textContent = text;
}

$("match").href = prefixed(`/match/${encodeURIComponent(id)}`);
addEventListener("resize", () => board.resize());
load().catch(again);
