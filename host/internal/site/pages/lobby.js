// The lobby: running and waiting matches, the games, and results.
import { h, $, fill, duration, timing, registered, playerLink, copyable, cocoCommand } from "./dom.js";
import { api, Session } from "./host.js";
import { playBot } from "./form.js";
import { results } from "./results.js";
import * as person from "./person.js";
import { poll } from "./poll.js";
import { compact } from "./contests.js";

const matches = new Map();
const titles = new Map();
const most = 200; // rows shown at once
let shown = false; // the first list has arrived

// Sessions reconnect, at once and then after longer waits.
let wait = 0;
function subscribe() {
	const session = new Session({
		Handshake: () => session.send("LobbySubscribe"),
		LobbySubscribed: ({ seed }) => {
			wait = 0;
			matches.clear();
			for (const m of seed) matches.set(m.id, m);
			shown = true;
			state("");
			soon();
		},
		LobbyNew: ({ info }) => set(info),
		LobbyUpdate: ({ info }) => set(info),
		LobbyDelete: ({ id }) => {
			const ended = matches.get(id)?.running;
			matches.delete(id);
			soon();
			if (ended) recentSoon();
		},
		closed: (reason) => {
			state(`Not connected: ${reason}. Trying again…`);
			wait = Math.min(10000, wait * 2 + 250);
			setTimeout(subscribe, wait * (0.5 + Math.random()));
		},
	});
}

function set(info) {
	matches.set(info.id, info);
	soon();
}

const state = (text) => ($("state").textContent = text);

// soon draws at most four times a second.
let planned = 0;
function soon() {
	planned ||= setTimeout(() => {
		planned = 0;
		draw();
	}, shown && matches.size > 20 ? 250 : 16);
}

function draw() {
	const game = $("by-game").value;
	const what = $("by-state").value;
	const text = $("by-text").value.trim().toLowerCase();
	const list = [...matches.values()].filter((m) =>
		(!game || m.game === game) && (!what || (what === "running") === m.running) &&
		(!text || [m.name, m.id, ...m.connected].some((s) => s.toLowerCase().includes(text))));
	list.sort((a, b) => a.running - b.running || b.time - a.time);
	fill($("matches"), list.slice(0, most).map(row), list.length > most && h("li", { class: "hint" }, `… and ${list.length - most} more`),
		list.length === 0 && h("li", { class: "hint empty" }, matches.size ? "No match for these filters." : "There are no matches now. Start one below."));
}

function row(m) {
	const now = Date.now() / 1000;
	const seated = m.connected.length + m.bots;
	const players = [...m.connected, ...Array.from({ length: m.bots }, (_, i) => `ServerBot$${i}`)]
		.map((name, i) => [i > 0 && ", ", playerLink(name, m.identities?.[name], { "data-key": `player ${m.id} ${name}` }), registered(m.identities?.[name])]);
	return h("li", { class: m.running ? "match running" : "match waiting" },
		h("div", { class: "what" },
			h("a", { class: "name", href: `/match/${m.id}`, "data-key": `name ${m.id}` }, m.name),
			h("span", { class: "game" }, titles.get(m.game) || m.game),
			m.verified && h("span", { class: "tag", title: "created by the tournament" }, "verified"),
			m.contest && h("a", { class: "tag", href: `/contests/${encodeURIComponent(m.contest)}`, "data-key": `contest ${m.id}` }, `contest ${m.contest}`),
			m.password && h("span", { class: "tag" }, "password"),
			m.clock && h("span", { class: "tag", title: timing(m) }, `clock ${m.clock.bank}+${m.clock.increment}`),
			m.reserved?.length > 0 && h("span", { class: "tag", title: "seats are kept for these players" }, `for ${m.reserved.join(", ")}`)),
		h("div", { class: "who" }, players.length ? players : "nobody yet", h("span", { class: "hint" }, ` ${seated}/${m.players} players`)),
		h("div", { class: "hint" }, m.running ? `● running for ${duration(now - m.time)}` : `○ waiting, ${duration(m.time - now)} left`, m.spectators > 0 && ` · ${m.spectators} watching`),
		h("div", { class: "buttons" },
			!m.running && h("a", { class: "button main", href: `/match/${m.id}${m.password ? "" : "#play"}`, "data-key": `join ${m.id}` }, "Join"),
			h("a", { class: m.running ? "button main" : "button", href: `/match/${m.id}`, "data-key": `watch ${m.id}` }, "Watch")),
		!m.running && h("details", { class: "program" }, h("summary", null, "Join with a program"), copyable(cocoCommand("connect", m.id, "--", "PROGRAM"))));
}

let contests = []; // that have not ended
function drawContests() {
	$("contests").hidden = contests.length === 0;
	fill($("contest-list"), contests.slice(0, 6).map((c) => compact(c, titles)), contests.length > 6 && h("li", { class: "hint" }, h("a", { href: "/contests" }, `… and ${contests.length - 6} more`)));
}

// cards shows the games.
function cards(games) {
	fill($("games"), games.map((g) => {
		const fault = h("p", { class: "fault", role: "alert" });
		return h("li", { class: "card" },
			h("h3", null, h("a", { href: `/games/${g.name}` }, g.title || g.name)),
			h("p", { class: "hint" }, g.unavailable ? `Unavailable: ${g.unavailable}` : g.min_players === g.max_players ? `${g.min_players} players` : `${g.min_players} to ${g.max_players} players`, g.max_bots > 0 && " · has a bot"),
			h("div", { class: "buttons" },
				g.max_bots > 0 && h("button", { class: "main", type: "button", disabled: Boolean(g.unavailable), onclick: () => playBot(g, fault) }, "Play against the bot"),
				h("a", { class: "button", href: `/games/${g.name}` }, "Rules, options")),
			fault);
	}));
}

let recentTimer = 0;
function recentSoon() {
	recentTimer ||= setTimeout(() => {
		recentTimer = 0;
		recent();
	}, 1000);
}
let refresh = null; // of the results
const recent = (filter) => refresh?.(filter);

person.field();
subscribe();
poll("/api/contests", (answer) => {
	contests = answer.contests.filter((c) => c.state !== "ended");
	drawContests();
}, () => {}, 5000);
for (const id of ["by-game", "by-state", "by-text"]) $(id).addEventListener("input", draw);
$("by-game").addEventListener("input", () => recent({ game: $("by-game").value }));
setInterval(soon, 5000); // the times

// load shows the games. While some are unavailable, it requests the list again.
let listed = "";
async function load() {
	const { games } = await api("/api/games");
	if (listed !== JSON.stringify(games)) {
		listed = JSON.stringify(games);
		for (const g of games) titles.set(g.name, g.title || g.name);
		const chosen = $("by-game").value;
		fill($("by-game"), h("option", { value: "" }, "all"), games.map((g) => h("option", { value: g.name }, g.title || g.name)));
		$("by-game").value = games.some((g) => g.name === chosen) ? chosen : "";
		cards(games);
		drawContests();
		draw();
	}
	if (games.length === 0 || games.some((g) => g.unavailable)) again();
}
const again = () => setTimeout(() => load().catch(again), 3000);
load().then(() => results($("recent"), { game: $("by-game").value }, titles)).then((f) => (refresh = f)).catch((error) => state(error.message));
