// The page of one match: to join, watch and play it while it waits or runs, and to
// replay it when it has ended, all at one address.
import { h, $, fill, timing, copyable, cocoCommand } from "./dom.js";
import { api, Session, result } from "./host.js";
import { Seat, stored, forget } from "./seat.js";
import { Board, settings } from "./board.js";
import { Clocks } from "./clocks.js";
import { Timeline } from "./timeline.js";
import { Sides } from "./sides.js";
import * as person from "./person.js";

const id = location.pathname.split("/")[2];
const board = new Board($("board"), { moves, status, send, failed });
const timeline = new Timeline($("timeline"), (_, fresh) => show(fresh));
const clocks = new Clocks(id, () => {
	sides.tick();
	absences();
	if (seat && clocks.asked > seat.since + 1000 && clocks.away(player) !== null) seat.renew();
});
const sides = new Sides(timeline, clocks);

let game = null; // from the API
let info = null; // from the lobby or the record
let session = null; // of a spectator
let seat = null; // of the person who plays
let mode = "loading"; // waiting, joined, watching, playing, over
let synced = false; // the stream has caught up
let outcome = null; // the result
let wait = 0;
let player = null; // the person's name in this match

async function load() {
	session?.close();
	session = null;
	seat = null;
	let found;
	try {
		found = await api(`/api/matches/${encodeURIComponent(id)}`);
	} catch (error) {
		if (error.status === 404) {
			nothing(mode === "waiting" ? "This match expired: nobody joined in time." : "There is no such match. It may have expired before enough players joined.");
			return;
		}
		again("The host cannot be reached");
		return;
	}
	const ended = found.match;
	info = ended || found.lobby;
	game ??= await api(`/api/games/${encodeURIComponent(info.game)}`).catch((error) => ({ name: info.game, title: info.game, params: [], fixed: {}, plugin: info.plugin, missing: error.status === 404 }));
	heading();
	const mine = ended ? forget(id) : stored(id);
	if (ended) await replay(ended);
	else if (mine) await resume(mine);
	else if (location.hash === "#play" && !info.running) await join(sessionStorage.getItem(`password ${id}`));
	else await watch();
}

// again retries, with a longer wait each time.
function again(why) {
	notice(`${why}. Trying again…`);
	wait = Math.min(10000, wait * 2 + 250);
	setTimeout(() => load().catch((error) => again(error.message)), wait * (0.5 + Math.random()));
}

// nothing explains why there is no match.
function nothing(why) {
	mode = "over";
	seat = null;
	person.lock(false);
	$("join").hidden = true;
	document.querySelector(".arena").hidden = true;
	fill($("notice"), `${why} `, h("a", { href: "/" }, "All matches and games"));
}

const notice = (text) => ($("notice").textContent = text);

function heading() {
	document.title = `${info.name} – ${game.title || game.name} – Colosseum`;
	$("title").textContent = info.name;
	const args = Object.entries(info.args || {});
	fill($("about"), game.missing ? `${game.name} (this host does not have the game, so its text is shown)` : h("a", { href: `/games/${game.name}` }, game.title || game.name), ` · ${timing(info)}`, args.map(([k, v]) => ` · ${k} ${v}`), info.verified && " · verified",
		info.contest && [" · ", h("a", { href: `/contests/${encodeURIComponent(info.contest)}` }, `contest ${info.contest}`)]);
	person.lock(seat !== null);
	fill($("links"), seat && h("p", null, h("button", { type: "button", "data-key": "leave", onclick: leave }, "Leave the match")), mode !== "over" && h("p", null, "Watch in a terminal: ", copyable(cocoCommand("connect", "-s", id))));
}

// begin shows an empty board for the person's role.
async function begin(role) {
	const params = info.params || settings(game, info);
	const seats = info.players ?? info.seats.length;
	const bots = typeof info.bots === "number" ? info.bots : info.seats.filter((s) => s.bot).length;
	timeline.reset();
	board.clear();
	sides.reset();
	clocks.stop();
	fill($("after"));
	board.open({ role, me: role === "player" ? player : null, game: game.name, plugin: game.plugin, params, timeout: info.timeout, seats, bots }, await code());
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
	outcome = { players: record.seats, reason: record.reason, aborted: record.state === "aborted" };
	await begin("spectator");
	sides.identities = new Map(record.seats.filter((s) => s.player).map((s) => [s.name, s.player]));
	sides.replay(record);
	const lines = record.stream.split("\n");
	lines.pop();
	take(lines);
	finish();
	fill($("links"),
		h("p", null, h("a", { class: "button", href: `/api/matches/${id}`, download: `${id}.json` }, "Transcript (JSON)"), " ",
			h("a", { class: "button", href: `/api/matches/${id}/stream`, download: `${id}.txt` }, "Raw stream")),
		h("p", { class: "hint" }, `Version ${record.version} · seed ${record.seed} · `, copyable(cocoCommand("history", id))));
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
				notice("");
			} catch {
				load().catch((error) => again(error.message)); // it has ended since
			}
		},
		LobbyUpdate: (fields) => update(fields.info),
		LobbyDelete: () => load().catch((error) => again(error.message)),
		SpectateStarted: () => {
			mode = "watching";
			offer();
		},
		SpectateSynced: () => {
			synced = true;
			clocks.restart(700);
			show(false);
		},
		SpectateEnded: () => load().catch((error) => again(error.message)),
		lines: (lines) => take(lines),
		closed: again,
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
				join(info.password ? password.value : null).catch((error) => again(error.message));
			} },
				info.password && h("label", { for: "join-password" }, "Password ", password),
				h("button", { class: "main big", type: "submit" }, "Play here")),
			h("p", null, "Or join with a program: ", copyable(cocoCommand("connect", id, "--", "PROGRAM"))),
			h("p", { class: "fault", role: "alert" }));
	}
	$("seats-taken").textContent = `Waiting for players: ${info.connected.length + info.bots} of ${info.players} are here.`;
	box.querySelector(".fault").textContent = refusal;
}

async function join(password) {
	session?.close();
	if (location.hash) history.replaceState(null, "", location.pathname); // coming back means watching
	await person.known;
	player = person.name();
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
	notice("Going back to your seat…");
	for (const { text, sent } of sit().restore(mine)) take([text], sent);
}

// sit returns the person's seat.
function sit() {
	seat = new Seat(id, {
		joined: (latest) => {
			mode = "joined";
			$("join").hidden = true;
			update(latest);
		},
		refused: (reason) => {
			refusal = `The host says: ${reason}`;
			seat = null;
			watch().catch((failure) => again(failure.message));
		},
		update,
		expired: (reason) => nothing(`This match expired: ${reason || "nobody joined in time."}`),
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
		broken: (reason) => notice(`Your connection is broken (${reason}). Trying to come back…`),
		back: (latest) => {
			notice("");
			update(latest);
		},
		ended: (result) => {
			seat = null;
			mode = "over";
			outcome = result;
			finish();
			after();
		},
		lost: (reason) => {
			mode = "loading";
			$("lost").textContent = reason;
			load().catch((error) => again(error.message));
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
	fill($("away"), names.map((name, i) => [i > 0 && " ", `${name}'s connection is broken; ${name} can come back for `,
		h("span", { role: "timer", "data-name": name }, seconds(name)), " s."]));
}
const seconds = (name) => String(Math.ceil(clocks.away(name) ?? 0));

// leave gives up the seat, after a question if that loses the match.
function leave() {
	if (mode === "playing" && !confirm("Leave the match? You lose it.")) return;
	seat.leave();
	load().catch((error) => again(error.message));
}

function update(latest) {
	info = latest;
	if (mode === "waiting") offer();
	if (mode === "joined" || mode === "waiting") {
		const missing = info.players - info.bots - info.connected.length;
		notice(mode === "joined" && missing > 0 ? `You have a seat. Waiting for ${missing} more player${missing > 1 ? "s" : ""}: share this page's address.` : "");
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
	board.show({ show: timeline.at, playing: mode === "playing", ended: mode === "over", result: outcome, fresh });
	sides.show(timeline.at);
	tools();
}

// tools shows the timeline when there are steps to look at. A person who plays sees
// only its part for looking back.
function tools() {
	$("timeline").hidden = timeline.length === 0 || mode === "playing" && timeline.moves.length === 0;
	$("timeline").classList.toggle("short", mode === "playing");
	$("past").hidden = timeline.follow || mode === "over";
}

function moves(list, anew) {
	timeline.addMoves(list, anew);
	sides.moves(list, anew);
	tools();
}

function status(s) {
	if (!performance.getEntriesByName("board").length) performance.mark("board"); // first drawn
	// A person who plays need not use the Tab key to reach the board.
	if (mode === "playing" && s?.turn.includes(s.seat) && document.activeElement === document.body) board.frame?.focus({ preventScroll: true });
	const live = mode === "watching" && synced || mode === "playing";
	sides.status(s, { live: live && timeline.follow, playing: mode === "playing" && timeline.follow, me: player, outcome: timeline.follow ? outcome : null, send });
}

// send sends a line of the person, from the board or from the page.
function send(line) {
	if (mode !== "playing" || !timeline.follow || !board.current || line.includes("\n")) return;
	seat.send(line);
	take([line], true);
}

// after offers the next steps after a match.
function after() {
	const fault = h("p", { class: "fault", role: "alert" });
	const once = async () => {
		const { create } = await import("./form.js");
		await create({ game: game.name, players: info.players, bots: info.bots, timeout: info.timeout, clock: info.clock, args: info.args, password: sessionStorage.getItem(`password ${id}`) }, true);
	};
	fill($("after"), h("div", { class: "buttons" },
		h("button", { class: "main", type: "button", onclick: () => once().catch((error) => (fault.textContent = error.message)) }, "Play again"),
		h("a", { class: "button", href: `/match/${id}` }, "Replay"),
		h("a", { class: "button", href: "/" }, "Other games")), fault);
}

function finish() {
	$("join").hidden = true;
	clocks.stop();
	notice("");
	absences();
	sides.over(outcome);
	heading();
	timeline.stop();
	show(false);
}

function failed(reason) {
	notice(`The board of this game failed (${reason.split("\n")[0]}), so its text is shown.`);
}

person.field();
$("now").addEventListener("click", () => timeline.jump(timeline.length));
addEventListener("resize", () => board.resize());
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
setInterval(() => renew().catch(() => {}), 8000 + Math.random() * 4000);
load().catch((error) => again(error.message));
