// The page of one match: to join, watch and play it while it waits or runs, and to
// replay it when it has ended, all at one address.
import { h, $, fill, timing, copyable, cocoCommand } from "./dom.js";
import { api, Session, result } from "./host.js";
import { Seat, stored, forget } from "./seat.js";
import { Board, room } from "./board.js";
import { Clocks } from "./clocks.js";
import { Timeline } from "./timeline.js";
import { Address } from "./address.js";
import { Sides } from "./sides.js";
import { Analysis } from "./analysis.js";
import { verdict, showVerdict, remember, playedAs } from "./verdict.js";
import { Notices } from "./notices.js";
import { After } from "./rematch.js";
import { question } from "./question.js";
import { broken, connected } from "./unreachable.js";
import { botName, chosen, isBot, levelsOf, list, settings } from "./names.js";
import { Share } from "./share.js";
import { autoplay } from "./autoplay.js";
import * as person from "./person.js";
import { t, phrase } from "./i18n.js";

const id = location.pathname.split("/")[2];
const board = new Board($("board"), { moves, status, send, failed, slow: reveal, retried: () => notice(""), key: (name) => timeline.key(name), flips: () => timeline.flip.classList.remove("idle") }, () => room($("board")));
const timeline = new Timeline($("timeline"), (_, fresh) => show(fresh), () => show(false));
const address = new Address(timeline);
const clocks = new Clocks(id, () => seat?.ticket, () => {
	sides.tick();
	absences();
	if (seat && clocks.asked > seat.since + 1000 && clocks.away(player) !== null) seat.renew();
}, (yes) => (yes ? connected("clocks") : broken("clocks")));
const sides = new Sides(timeline, clocks);
const analysis = new Analysis($("analysis"), timeline, sides);
const notices = new Notices($("notices"));

const share = new Share(id, board, timeline, (ended) => `${ended && outcome ? verdict(outcome, { called: sides.called }).head : sides.players.map((p) => sides.called(p.name)).join(" – ")} · ${game.title || game.name}`, about);

let game = null; // from the API
let info = null; // from the lobby or the record
let session = null; // of a spectator
let seat = null; // of the person who plays
let mode = "loading"; // waiting, joined, watching, playing, over
let synced = false; // the stream has caught up
let outcome = null; // the result
let wait = 0;
let player = null; // the person's name in this match
let account = ""; // the registered player that is logged in
let ending = ""; // why the match ended, from the viewer
let choices = []; // of the person, from the viewer
let unseated = false; // the person has lost the seat
let next = null; // the steps after the match

async function load() {
	session?.close();
	session = null;
	seat = null;
	let found;
	try {
		found = await api(`/api/matches/${encodeURIComponent(id)}`);
	} catch (error) {
		if (error.status === 404) {
			nothing(mode === "waiting" ? t("This match expired: nobody joined in time.") : t("There is no such match. It may have expired before enough players joined."));
			return;
		}
		again(error);
		return;
	}
	connected();
	const ended = found.match;
	info = ended || found.lobby;
	game ??= await api(`/api/games/${encodeURIComponent(info.game)}`).catch((error) => ({ name: info.game, title: info.game, params: [], fixed: {}, plugin: info.plugin, missing: error.status === 404 }));
	heading();
	const mine = stored(id);
	if (ended && (mine || unseated)) event(t("The match ended while you were away."));
	if (ended) forget(id);
	if (ended) await replay(ended);
	else if (mine) await resume(mine);
	else if (location.hash === "#play" && !info.running) await join(sessionStorage.getItem(`password ${id}`));
	else {
		if (location.hash === "#play") full();
		await watch();
	}
}

// full explains that a match which the person wants to join has no free seat.
function full() {
	const { title, name } = game;
	event(phrase("This match is full. You can watch it, or {start}.", { start: h("a", { href: `/games/${name}` }, t("start a match of {game}", { game: title || name })) }));
}

// again retries, with a longer wait each time.
function again(error) {
	if (error instanceof Error && !(error instanceof TypeError)) notice(t("{reason}. Trying again…", { reason: error.message })); // else fetch has failed
	else broken("page");
	wait = Math.min(10000, wait * 2 + 250);
	setTimeout(() => load().catch(again), wait * (0.5 + Math.random()));
}

// nothing explains why there is no match.
function nothing(why) {
	mode = "over";
	seat = null;
	person.lock(false);
	$("join").hidden = true;
	document.querySelector(".arena").classList.add("gone");
	fill($("notice"), `${why} `, h("a", { href: "/" }, t("All matches and games")));
}

const notice = (text) => ($("notice").textContent = text);
const event = (...what) => fill($("event"), what); // that has happened to the person, next to the board

function heading() {
	notices.name(`${info.name} – ${game.title || game.name} – Colosseum`);
	$("title").textContent = info.name;
	fill($("about"), game.missing ? t("{game} (this host does not have the game, so its text is shown)", { game: game.name }) : h("a", { href: `/games/${game.name}` }, game.title || game.name), ` · ${timing(info)}`, chosen(info.args), info.verified && ` · ${t("verified")}`,
		info.delay && mode !== "over" && ` · ${t("spectators see it {seconds} s later", { seconds: info.delay })}`,
		info.contest && [" · ", h("a", { href: `/contests/${encodeURIComponent(info.contest)}` }, t("contest {name}", { name: info.contest }))]);
	person.lock(seat !== null);
	fill($("links"), mode !== "over" && info.commitment && h("p", { class: "hint" }, t("Commitment to the seed: {commitment}", { commitment: info.commitment })), seat && h("p", null, h("button", { type: "button", "data-key": "leave", onclick: leave }, t("Leave the match"))), mode !== "over" && h("p", null, t("Watch in a terminal:"), " ", copyable(cocoCommand("connect", "-s", id))));
}

// begin shows an empty board for the person's role.
async function begin(role) {
	const params = info.params || settings(game, info.args);
	const seats = info.players ?? info.seats.length;
	const bots = typeof info.bots === "number" ? info.bots : info.seats.filter((s) => s.bot).length;
	const levels = levelsOf(info);
	timeline.reset();
	board.clear();
	sides.reset();
	sides.called = (name) => botName(name, params, bots, levels);
	sides.expect(seats);
	address.open();
	clocks.stop();
	fill($("after"));
	analysis.close();
	const match = { role, me: role === "player" ? player : null, game: game.name, plugin: game.plugin, params, timeout: info.timeout, seats, bots, levels };
	if (game.viewer && !board.frame) board.sketch(match);
	board.open(match, await code());
	show(false);
}

// code loads the game's current viewer; version changes with it.
let version = null;
async function code() {
	if (!game.viewer) return "";
	const reply = await fetch(game.viewer, { cache: "no-cache" });
	version = reply.ok ? reply.headers.get("ETag") : null;
	return reply.ok ? reply.text() : "";
}

// about returns what a file of the match says that its stream does not have.
function about() {
	return { id, address: `${location.origin}/match/${id}`, started: info.started ?? new Date().toISOString(), result: mode === "over" ? outcome : null };
}

// renew loads a new version of the viewer during the match.
async function renew() {
	if (document.hidden || !board.match || !game.viewer) return;
	const before = version;
	const fresh = await code();
	if (version !== before && version !== null) {
		notice("");
		board.open(board.match, fresh);
	}
}

async function replay(record) {
	mode = "over";
	synced = false;
	outcome = { players: record.seats, reason: record.reason, aborted: record.state === "aborted" };
	await begin("spectator");
	timeline.complete = true;
	player = playedAs(id, record.seats, account);
	sides.identities = new Map(record.seats.filter((s) => s.player).map((s) => [s.name, s.player]));
	sides.versions = new Map(record.seats.map((s) => [s.name, s.version]));
	sides.replay(record);
	const lines = record.stream.split("\n");
	lines.pop();
	take(lines);
	synced = true;
	finish();
	if (player) after(Date.parse(record.ended));
	analysis.offer(record, game);
	fill($("links"),
		h("p", { class: "hint" }, `${t("Version {version} · seed {seed}", { version: record.version, seed: String(record.seed) })} · `, copyable(cocoCommand("history", id))),
		record.commitment && h("p", { class: "hint" }, t("Salt {salt} · commitment {commitment}", { salt: record.salt, commitment: record.commitment })));
	share.ended();
	autoplay(timeline);
}

async function watch() {
	mode = info.running ? "watching" : "waiting";
	synced = false;
	await begin("spectator");
	offer();
	session = new Session({
		Handshake: () => session.send("SpectateJoin", { id }),
		SpectateJoined: (fields) => {
			try {
				update(result(fields.info));
				wait = 0;
				connected();
				notice("");
			} catch {
				load().catch(again); // it has ended since
			}
		},
		LobbyUpdate: (fields) => update(fields.info),
		LobbyDelete: () => load().catch(again),
		SpectateStarted: () => {
			mode = "watching";
			offer();
		},
		SpectateSynced: () => {
			synced = true;
			clocks.restart(700);
			show(false);
		},
		SpectateEnded: () => load().catch(again),
		lines: (lines) => take(lines),
		closed: (reason, code) => again(code === 4002 ? new Error(reason) : null),
	});
}

// offer shows how to join a waiting match. The form stays the same element, so
// that typed text survives updates.
let refusal = "";
function offer() {
	const box = $("join");
	box.hidden = mode !== "waiting";
	if (box.hidden) return;
	if (!box.children.length) {
		const password = h("input", { id: "join-password", type: "password", maxlength: "32", autocomplete: "off" });
		fill(box,
			h("p", { id: "seats-taken" }),
			h("form", { onsubmit: (event) => {
				event.preventDefault();
				refusal = "";
				join(info.password ? password.value : null).catch(again);
			} },
				info.password && h("label", { for: "join-password" }, t("Password"), " ", password),
				h("button", { class: "main big", type: "submit" }, t("Play here"))),
			h("p", null, t("Or join with a program:"), " ", copyable(cocoCommand("connect", id, "--", "PROGRAM"))),
			h("p", { class: "fault", role: "alert" }));
	}
	$("seats-taken").textContent = t("Waiting for players: {here} of {all} are here.", { here: info.connected.length + info.bots, all: info.players });
	box.querySelector(".fault").textContent = refusal;
}

async function join(password) {
	$("join").hidden = true; // a second click would ask for a second seat
	session?.close();
	if (location.hash) history.replaceState(null, "", location.pathname); // coming back means watching
	await person.known;
	player = sessionStorage.getItem(`name ${id}`) || person.name(); // a rematch keeps the seat for a name
	await begin("player");
	mode = "waiting";
	sit().join(player, password);
}

// resume takes the seat that the page had before it was loaded again.
async function resume(mine) {
	player = mine.name;
	mode = "joined";
	await begin("player");
	synced = true;
	notice(t("Going back to your seat…"));
	for (const { text, sent } of sit().restore(mine)) take([text], sent);
}

// sit returns the person's seat.
function sit() {
	seat = new Seat(id, {
		joined: (latest) => {
			mode = "joined";
			$("join").hidden = true;
			remember(id, player);
			connected();
			event();
			update(latest);
		},
		refused: (reason) => {
			refusal = t("The host says: {reason}", { reason });
			if (/already running$|are kept for/.test(reason)) full();
			load().catch(again);
		},
		update,
		expired: (reason) => nothing(t("This match expired: {reason}.", { reason: reason || t("nobody joined in time") })),
		started: () => {
			mode = "playing";
			synced = true;
			clocks.restart(0);
			notice("");
			heading();
			show(false);
		},
		lines: (lines) => take(lines),
		away: (name, seconds) => {
			clocks.setAway(name, seconds);
			absences();
		},
		broken: () => broken("seat"),
		back: (latest) => {
			connected();
			notice("");
			update(latest);
		},
		ended: (result) => {
			seat = null;
			mode = "over";
			outcome = result;
			finish();
			after(Date.now());
		},
		lost: (reason) => {
			mode = "loading";
			unseated = true;
			event(reason);
			load().catch(again);
		},
	});
	return seat;
}

// absences shows the players whose connections are broken. Only the sentence is read
// aloud, not each second.
function absences() {
	const names = mode === "over" ? [] : [...clocks.absent.keys()].filter((name) => name !== player);
	if (names.join() === $("away").dataset.names) {
		for (const e of $("away").querySelectorAll("[role=timer]")) e.textContent = seconds(e.dataset.name);
		return;
	}
	$("away").dataset.names = names.join();
	fill($("away"), names.map((name, i) => [i > 0 && " ", phrase("{name} is away: the connection is broken. {name} can come back for {seconds} s.",
		{ name, seconds: h("span", { role: "timer", "data-name": name }, seconds(name)) })]));
}
const seconds = (name) => String(Math.ceil(clocks.away(name) ?? 0));

// leave gives up the seat, after a question if that loses the match.
async function leave() {
	if (mode === "playing" && !await question(t("Leave the match? You lose it."), t("Leave"))) return;
	seat?.leave();
	load().catch(again);
}

function update(latest) {
	info = latest;
	if (mode === "waiting") offer();
	if (mode === "joined" || mode === "waiting") {
		const missing = info.players - info.bots - info.connected.length;
		const asked = info.rematch && info.reserved;
		fill($("notice"), mode !== "joined" || missing === 0 ? "" : asked?.length ? t("You have a seat. Waiting for {names} to accept the rematch…", { names: list(asked) })
			: t("You have a seat. Waiting for {n} more player: share this page's address.|You have a seat. Waiting for {n} more players: share this page's address.", { n: missing }),
		mode === "joined" && missing > 0 && !asked?.length && h("div", null, copyable(location.origin + location.pathname)));
	}
	heading();
	sides.identities = new Map(Object.entries(info.identities || {}));
	sides.waiting([...info.connected.map((name) => ({ name })), ...Array.from({ length: info.bots }, (_, i) => ({ name: `ServerBot$${i}`, bot: true }))]);
}

// take adds lines to the match; the board shows them if it follows the match.
function take(lines, sent = false) {
	const list = lines.map((text) => ({ text, sent }));
	board.append(list);
	sides.lines(list);
	if (synced && mode !== "over") clocks.restart(mode === "playing" ? 0 : 700);
	timeline.grow(list.length);
	if (timeline.follow && (synced || mode === "over")) show(synced);
}

function show(fresh) {
	board.show({ show: timeline.at, playing: mode === "playing", ended: mode === "over", result: outcome, fresh, flipped: timeline.flipped });
	sides.show(timeline.at);
	analysis.at(timeline.at);
	address.write();
	tools();
}

// tools shows the timeline when there are steps to look at. A person who plays sees
// only its part for looking back.
function tools() {
	$("timeline").classList.toggle("idle", timeline.length === 0 || mode === "playing" && timeline.moves.length === 0);
	$("timeline").classList.toggle("short", mode === "playing");
	document.querySelector(".arena").classList.toggle("waiting", mode === "waiting" || mode === "joined");
	$("past").hidden = timeline.follow || mode === "over";
}

function moves(list, anew) {
	if (!anew && synced && mode !== "over" && list.length > 0) notices.move();
	timeline.addMoves(list, anew);
	sides.moves(list, anew);
	tools();
}

function status(s) {
	if (board.current && (synced || mode === "waiting" || mode === "joined")) { // all lines are there
		timeline.settle(true);
		ready();
	}
	// A person who plays need not use the Tab key to reach the board.
	if (mode === "playing" && s?.turn.includes(s.seat) && document.activeElement === document.body) board.frame?.focus({ preventScroll: true });
	choices = s?.choices || [];
	if (timeline.follow && s) ending = s.end;
	if (outcome && board.current) judge();
	if (timeline.follow) notices.turn(mode === "playing" && sides.asks(s));
	const live = mode === "watching" && synced || mode === "playing";
	sides.status(s, { live: live && timeline.follow, playing: mode === "playing" && timeline.follow, me: player, outcome: timeline.follow ? outcome : null, send, failed: Boolean(board.code) && !board.frame });
}

// ready shows everything, when the board is drawn for the first time. Until then, the page
// hides what is around the board, so that nothing jumps.
function ready() {
	const arena = document.querySelector(".arena");
	if (arena.classList.contains("ready") || timeline.wanted !== null || !board.current) return;
	reveal();
	performance.mark("board");
}

function reveal() {
	document.querySelector(".arena").classList.add("ready");
}

// judge shows the verdict.
function judge() {
	showVerdict($("verdict"), verdict(outcome, { me: player, end: ending, called: sides.called }));
}

// send sends a line of the person, from the board or from the page, after a question if the
// viewer wants one.
async function send(line, live = false) {
	const can = () => mode === "playing" && timeline.follow && (board.current || live) && !line.includes("\n");
	const choice = choices.find((c) => c.line === line);
	const refused = can() && choice?.confirm && !await question(choice.confirm, choice.label);
	if (refused || !can()) {
		board.unsent();
		return;
	}
	seat.send(line);
	take([line], true);
}

// after offers the next steps after a match that ended at a time.
function after(since) {
	next?.close();
	const others = outcome.players.filter((p) => p.name !== player);
	next = new After($("after"), {
		id, game: game.name, info: { ...info, players: outcome.players.length, bots: outcome.players.filter((p) => isBot(p.name)).length },
		me: player, account: outcome.players.find((p) => p.name === player)?.player, contest: info.contest, alone: others.every((p) => isBot(p.name)), since,
	});
}

function finish() {
	$("join").hidden = true;
	clocks.stop();
	notice("");
	connected();
	notices.turn(false);
	absences();
	sides.over(outcome);
	heading();
	timeline.stop();
	show(false);
}

function failed(reason) {
	const line = reason.split("\n")[0];
	const place = line.includes("viewer.js") ? null : reason.match(/viewer\.js:\d+:\d+/);
	notice(t("The board of this game failed ({reason}), so its text is shown.", { reason: place ? `${line}, ${place[0]}` : line }));
}

person.field();
person.onAccount((name) => {
	account = name;
	if (mode !== "over" || player || !info?.stream) return;
	player = playedAs(id, outcome.players, account); // it was not known when the replay was shown
	if (player) {
		judge();
		after(Date.parse(info.ended));
	}
});
$("now").addEventListener("click", () => timeline.jump(timeline.length));
addEventListener("resize", () => board.resize());
for (const part of [document.querySelector(".heading"), $("players"), $("caption")]) new ResizeObserver(() => board.resize()).observe(part);
addEventListener("beforeunload", (event) => {
	if (mode === "playing" && !seat.kept) event.preventDefault(); // this page could not come back to its seat
});
addEventListener("online", () => seat?.resumeNow());
addEventListener("visibilitychange", () => {
	if (document.hidden || !seat) return;
	seat.resumeNow();
	if (mode === "playing") clocks.restart(0);
});
addEventListener("focus", () => renew().catch(() => {}));
document.addEventListener("visibilitychange", () => renew().catch(() => {}));
setInterval(absences, 250);
// An author sees a saved viewer at once; spectators of a contest must cost little.
setInterval(() => game?.watched && renew().catch(() => {}), 400);
setInterval(() => renew().catch(() => {}), 8000 + Math.random() * 4000);
if (getComputedStyle($("board").parentElement).display !== "contents") board.sketch(); // otherwise the players move it when they come
load().catch(again);
