// What the page of a match shows in all its states, and what the modules of these states share.
import { h, $, fill, duration, timing, copyable, cocoCommand } from "./dom.js";
import { Board } from "./board.js";
import { fit, gap, place, room } from "./place.js";
import { Clocks } from "./clocks.js";
import { Timeline } from "./timeline.js";
import { Address } from "./address.js";
import { Sides } from "./sides.js";
import { Analysis } from "./analysis.js";
import { Aids } from "./aids.js";
import { verdict, showVerdict } from "./verdict.js";
import { Notices } from "./notices.js";
import { moved, button } from "./sound.js";
import { menu } from "./looks.js";
import { broken, connected } from "./unreachable.js";
import { botName, chosen, levelsOf, matchName, settings } from "./names.js";
import { Share } from "./share.js";
import * as person from "./person.js";
import { t, phrase } from "./i18n.js";
import { absolute, pathPart } from "./path.js";

export const id = pathPart(2);

// page is the state of the page. match.js sets its functions, which other modules call.
export const page = {
	mode: "loading", // waiting, joined, watching, playing, over
	game: null, // from the API
	info: null, // from the lobby or the record
	session: null, // of a spectator
	seat: null, // of the person who plays
	synced: false, // the stream has caught up
	drawn: false, // the board has shown the match
	outcome: null, // the result
	player: null, // the person's name in this match
	account: "", // the registered player that is logged in
	ending: "", // why the match ended, from the viewer
	choices: [], // of the person, from the viewer
	turn: false, // it is the person's turn
	unseated: false, // the person has lost the seat
	wait: 0, // milliseconds between tries to load
	load: null, // shows the match anew; a failure is tried again
	again: null, // loads after a while, because of an error, or as no live connection comes about
	join: null, // takes a seat, with a password or null
	send: null, // sends a line of the person
	titles: new Map(), // of contests, by name; empty: unknown
	leave: null, // gives up the person's seat
};

export const board = new Board($("board"), { moves, status, send: (line, live) => page.send(line, live), failed, slow: reveal, retried: () => notice(""), key: (name) => timeline.key(name), shape, flips: () => timeline.flip.classList.remove("idle") }, room, gap);
export const timeline = new Timeline($("timeline"), (at, fresh) => {
	show(fresh);
	const move = fresh && timeline.moves[timeline.number - 1];
	if (move?.at === at) moved(move.sound, true);
}, () => {
	sides.playerList.draw();
	show(false);
});
timeline.flip.after(button(), menu());
export const address = new Address(timeline);
export const clocks = new Clocks(id, () => page.seat?.ticket, () => {
	sides.playerList.tick();
	absences();
	if (page.seat && clocks.asked > page.seat.since + 1000 && clocks.away(page.player) !== null) page.seat.renew();
}, (yes) => (yes ? connected("clocks") : broken("clocks")));
export const sides = new Sides(timeline, clocks);
export const analysis = new Analysis($("analysis"), timeline, sides, board);
export const aids = new Aids($("aids"), id, page, board, timeline, sides);
export const notices = new Notices($("notices"));
export const share = new Share(id, board, timeline, (ended) => `${ended && page.outcome ? verdict(page.outcome, { called: sides.called }).head : sides.players.map((p) => sides.called(p.name)).join(" – ")} · ${page.game.title || page.game.name}`, about);

export const notice = (text) => ($("notice").textContent = text);
export const event = (...what) => fill($("event"), what); // that has happened to the person, next to the board

// heading shows what the match is, and what one can do with it.
export function heading() {
	const name = matchName(page.info, page.titles);
	notices.name(`${name} – ${page.game.title || page.game.name} – Colosseum`);
	$("title").textContent = name;
	fill($("about"), page.game.missing ? t("{game} (this host does not have the game, so its text is shown)", { game: page.game.name }) : h("a", { href: `/games/${page.game.name}` }, page.game.title || page.game.name), ` · ${timing(page.info)}`, chosen(page.info.args), page.info.verified && ` · ${t("verified")}`,
		page.info.ended && ` · ${t("ended {time} ago", { time: duration((Date.now() - Date.parse(page.info.ended)) / 1000) })}`,
		page.info.delay && page.mode !== "over" && ` · ${t("spectators see it {seconds} s later", { seconds: page.info.delay })}`,
		page.info.branch && [" · ", h("a", { href: `/match/${page.info.branch.match}` }, t("goes on from another match"))],
		page.info.seats?.some((s) => s.hints) && ` · ${t("with hints")}`,
		page.info.contest && [" · ", h("a", { href: `/contests/${encodeURIComponent(page.info.contest)}` }, page.titles.get(page.info.contest) ?? t("contest {name}", { name: page.info.contest }))]);
	person.lock(page.seat !== null);
	fill($("links"), page.mode !== "over" && page.info.commitment && h("p", { class: "hint" }, t("Commitment to the seed: {commitment}", { commitment: page.info.commitment })), page.seat && h("p", null, h("button", { type: "button", "data-key": "leave", onclick: () => page.leave() }, t("Leave the match"))), page.mode !== "over" && h("p", null, t("Watch in a terminal:"), " ", copyable(cocoCommand("connect", "-s", id))));
}

// begin shows an empty board for the person's role.
export async function begin(role) {
	const params = page.info.params || settings(page.game, page.info.args);
	const seats = page.info.players ?? page.info.seats.length;
	const bots = typeof page.info.bots === "number" ? page.info.bots : page.info.seats.filter((s) => s.bot).length;
	const levels = levelsOf(page.info);
	timeline.reset();
	board.clear();
	sides.reset();
	sides.called = (name) => botName(name, params, bots, levels);
	sides.ticks = Number(params.tick) > 0;
	sides.expect(seats);
	address.open();
	clocks.stop();
	fill($("after"));
	analysis.close();
	const match = { role, me: role === "player" ? page.player : null, game: page.game.name, plugin: page.game.plugin, params, timeout: page.info.timeout, seats, bots, levels };
	if (page.game.viewer && !board.frame) board.sketch(match);
	board.open(match, await code());
	show(false);
}

// code loads the viewer of the game, or again to see whether there is a new one; version
// changes with it. The address with a tag stays in the browser's cache.
let version = null;
async function code(again = false) {
	if (!page.game.viewer) return "";
	const reply = await (again || page.game.watched ? fetch(page.game.viewer.split("?")[0], { cache: "no-cache" }) : fetch(page.game.viewer));
	version = reply.ok ? reply.headers.get("ETag") : null;
	return reply.ok ? reply.text() : "";
}

// about returns what a file of the match says that its stream does not have.
function about() {
	return { id, address: absolute(`/match/${id}`), started: page.info.started ?? new Date().toISOString(), result: page.mode === "over" ? page.outcome : null };
}

// renew loads a new version of the viewer during the match.
export async function renew() {
	if (document.hidden || !board.match || !page.game.viewer) return;
	const before = version;
	const fresh = await code(true);
	if (version !== before && version !== null) {
		notice("");
		board.open(board.match, fresh);
	}
}

// resize gives the board the room that the window and the page around it leave.
export function resize() {
	fit();
	board.resize();
}

// shape gets where the picture is in the frame.
function shape(found) {
	place(found);
	board.resize();
	if (page.drawn) ready();
}

// take adds lines to the match; the board shows them if it follows the match.
export function take(lines, sent = false) {
	const list = lines.map((text) => ({ text, sent }));
	board.append(list);
	sides.lines(list);
	if (page.synced && page.mode !== "over") clocks.restart(page.mode === "playing" ? 0 : 700);
	timeline.grow(list.length);
	if (timeline.follow && (page.synced || page.mode === "over")) show(page.synced);
}

// show shows the moment of the timeline; fresh: a step forward.
export function show(fresh) {
	board.show({ show: timeline.at, playing: page.mode === "playing", ended: page.mode === "over", result: page.outcome, fresh, flipped: timeline.flipped });
	sides.show(timeline.at);
	analysis.at(timeline.at);
	aids.show();
	address.write();
	tools();
}

// tools shows the timeline when there are steps to look at. A person who plays sees
// only its part for looking back.
function tools() {
	$("timeline").classList.toggle("idle", timeline.length === 0 || page.mode === "playing" && timeline.moves.length === 0);
	$("timeline").classList.toggle("short", page.mode === "playing");
	document.querySelector(".arena").classList.toggle("waiting", page.mode === "waiting" || page.mode === "joined");
	$("past").hidden = timeline.follow || page.mode === "over";
}

function moves(list, anew) {
	if (!anew && page.synced && page.mode !== "over" && list.length > 0 && timeline.follow) moved(list.at(-1).sound);
	timeline.addMoves(list, anew);
	sides.moves(list, anew, !anew && page.synced && page.mode !== "over");
	tools();
}

function status(s) {
	if (board.current && (page.synced || page.mode === "waiting" || page.mode === "joined")) { // all lines are there
		timeline.settle(true);
		page.drawn = true;
		ready();
	}
	page.turn = page.mode === "playing" && Boolean(s?.turn.includes(s.seat));
	focus();
	page.choices = s?.choices || [];
	if (timeline.follow && s) page.ending = s.end;
	if (page.outcome && board.current) judge();
	if (timeline.follow) notices.turn(page.mode === "playing" && sides.asks(s));
	aids.status(s);
	analysis.point();
	const live = page.mode === "watching" && page.synced || page.mode === "playing";
	sides.status(s, { live: live && timeline.follow, playing: page.mode === "playing" && timeline.follow, me: page.player, outcome: timeline.follow ? page.outcome : null, send: (line) => page.send(line), failed: Boolean(board.code) && !board.frame });
}

// focus gives the board the focus when it is the person's turn, so that the Tab key is not
// needed to reach it.
function focus() {
	if (page.turn && document.activeElement === document.body) board.frame?.focus({ preventScroll: true });
}

// ready shows everything, when the board is drawn for the first time. Until then, the page
// hides what is around the board, so that nothing jumps.
function ready() {
	const arena = document.querySelector(".arena");
	if (arena.classList.contains("ready") || timeline.wanted !== null || !board.current || !board.fits) return;
	reveal();
	focus();
	performance.mark("board");
}

function reveal() {
	document.querySelector(".arena").classList.add("ready");
}

// judge shows the verdict.
export function judge() {
	showVerdict($("verdict"), verdict(page.outcome, { me: page.player, end: page.ending, called: sides.called }));
}

function failed(reason) {
	const line = reason.split("\n")[0];
	const place = line.includes("viewer.js") ? null : reason.match(/viewer\.js:\d+:\d+/);
	notice(t("The board of this game failed ({reason}), so its text is shown.", { reason: place ? `${line}, ${place[0]}` : line }));
}

// absences shows the players whose connections are broken. Only the sentence is read
// aloud, not each second.
export function absences() {
	const names = page.mode === "over" ? [] : [...clocks.absent.keys()].filter((name) => name !== page.player);
	if (names.join() === $("away").dataset.names) {
		for (const e of $("away").querySelectorAll("[role=timer]")) e.textContent = seconds(e.dataset.name);
		return;
	}
	$("away").dataset.names = names.join();
	fill($("away"), names.map((name, i) => [i > 0 && " ", phrase("{name} is away: the connection is broken. {name} can come back for {seconds} s.",
		{ name, seconds: h("span", { role: "timer", "data-name": name }, seconds(name)) })]));
}
const seconds = (name) => String(Math.ceil(clocks.away(name) ?? 0));
