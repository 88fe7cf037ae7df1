// The lobby: the games, running and waiting matches, contests, and results.
import { h, $, fill } from "./dom.js";
import { t, known } from "./i18n.js";
import { unavailable } from "./unavailable.js";
import { api, Session } from "./host.js";
import { bring } from "./bring.js";
import { playButtons, picture, players } from "./levels.js";
import { Matches } from "./matches.js";
import { brief, results } from "./results.js";
import * as person from "./person.js";
import { poll } from "./poll.js";
import { entryName } from "./names.js";
import { Spotlight } from "./spotlight.js";
import { watchSome } from "./watchbots.js";

const games = new Map(); // by name, from the API
const titles = new Map(); // of contests, by name
const matches = new Matches(games, titles);
const spotlight = new Spotlight($("spotlight"), games, titles);
matches.changed = (list) => spotlight.lobby(list);

// ready is called with each part of the page that has its first content. The parts below
// the games are shown together, so that none pushes another away.
const awaited = new Set(["games", "matches", "contests", "bring", "results"]);
function ready(part) {
	awaited.delete(part);
	if (awaited.size === 0) $("rest").hidden = false;
	else if (part === "games") setTimeout(() => ($("rest").hidden = false), 3000);
}

// Sessions reconnect, at once and then after longer waits.
let wait = 0;
function subscribe() {
	const session = new Session({
		Handshake: () => session.send("LobbySubscribe"),
		LobbySubscribed: ({ seed }) => {
			wait = 0;
			matches.reset(seed);
			state("");
			ready("matches");
		},
		LobbyNew: ({ info }) => matches.set(info),
		LobbyUpdate: ({ info }) => matches.set(info),
		LobbyDelete: ({ id }) => {
			if (matches.remove(id)?.running) recentSoon();
		},
		closed: (reason) => {
			state(t("Not connected: {reason}. Trying again…", { reason }));
			wait = Math.min(10000, wait * 2 + 250);
			setTimeout(subscribe, wait * (0.5 + Math.random()));
		},
	});
}

const state = (text) => ($("state").textContent = text);

let contests = []; // that have not ended
let ended = []; // the latest matches
function latest(list) {
	ended = list;
	spotlight.results(list);
	drawContests();
}

function drawContests() {
	$("contests").classList.toggle("none", contests.length === 0);
	fill($("contest-list"), contests.slice(0, 3).map(stand));
	const link = $("now-contests");
	const names = contests.map((c) => (c.open ? t("{title}: you can enter", { title: c.title }) : c.title)).join(", ");
	link.textContent = contests.length ? t("{n} contest: {names}|{n} contests: {names}", { n: contests.length, names }) : t("Contests");
	link.title = contests.length ? names : "";
	link.classList.toggle("live", contests.length > 0);
}

// stand shows how a contest stands, and its last match.
function stand(c) {
	const last = ended.find((m) => m.contest === c.name);
	const leaders = c.leaders.slice(0, 2).map(entryName).join(", ") + (c.leaders.length > 2 ? " …" : "");
	return h("li", null, h("a", { href: `/contests/${encodeURIComponent(c.name)}`, "data-key": `contest ${c.name}` }, c.title),
		h("span", { class: "hint" }, [c.leaders.length > 0 && t("leading: {names}", { names: leaders }), c.rounds > 1 && t("round {round} of {rounds}", c), c.leaders.length === 0 && c.open && t("you can enter")].filter(Boolean).join(" · ")),
		last && h("a", { class: "last hint", href: `/match/${encodeURIComponent(last.id)}`, "data-key": `last ${c.name}` }, brief(last)));
}

// card shows a game.
function card(g) {
	const address = `/games/${g.name}`;
	return h("li", { class: "card" },
		h("a", { class: "picture", href: address, tabindex: "-1" }, picture(g)),
		h("h3", null, h("a", { href: address, "data-key": `game ${g.name}` }, g.title || g.name)),
		h("p", { class: "summary" }, g.unavailable ? unavailable(g) : known(g.summary || "")),
		playButtons(g),
		h("p", { class: "foot hint" }, g.max_players > 0 && [players(g), " · "], h("a", { href: address, "data-key": `rules ${g.name}` }, t("Rules and options"))));
}

let recentTimer = 0;
function recentSoon() {
	recentTimer ||= setTimeout(() => {
		recentTimer = 0;
		refresh?.();
	}, 1000);
}
let refresh = null; // of the results

person.field();
subscribe();
$("watch-some").addEventListener("click", () => watchSome([...games.values()], $("watch-fault"), () => spotlight.best()?.id));
poll("/api/contests", (answer) => {
	contests = answer.contests.filter((c) => c.state !== "ended");
	const fresh = contests.filter((c) => titles.get(c.name) !== c.title);
	for (const c of fresh) titles.set(c.name, c.title);
	if (fresh.length > 0) matches.named();
	spotlight.leaders = new Set(contests.flatMap((c) => c.leaders));
	drawContests();
	ready("contests");
}, (error) => error && ready("contests"), 5000);

// load shows the games. While some are unavailable, it requests the list again.
let listed = "";
async function load() {
	const { games: list } = await api("/api/games");
	if (listed !== JSON.stringify(list)) {
		listed = JSON.stringify(list);
		games.clear();
		for (const g of list) games.set(g.name, g);
		fill($("games"), list.map(card));
		$("watch-some").disabled = false;
		matches.named();
		drawContests();
		bring($("bring"), list).catch(() => {}).finally(() => ready("bring")); // the rest of the page works without it
	}
	ready("games");
	if (list.length === 0 || list.some((g) => g.unavailable)) again();
}
const again = () => setTimeout(() => load().catch(again), 3000);
const begin = () => load().catch((error) => {
	state(error.message);
	return new Promise((resolve) => setTimeout(resolve, 3000)).then(() => state("")).then(begin);
});
begin().then(() => results($("recent"), {}, games, latest)).then((f) => (refresh = f)).catch((error) => state(error.message)).finally(() => ready("results"));
