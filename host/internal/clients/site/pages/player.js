// The page of one player: its ratings, whom it met, its losses, matches and contests; or of two
// that are compared.
import { h, $, fill, duration, versionMark } from "./dom.js";
import { poll } from "./poll.js";
import { games, formats, states } from "./contests.js";
import { rounded, bar, counts, entrant, rating, ratingHead, scale } from "./standings.js";
import { chart } from "./chart.js";
import { results, row } from "./results.js";
import { api } from "./host.js";
import { versus } from "./versus.js";
import { entryName } from "./names.js";
import * as person from "./person.js";
import { t, phrase, language } from "./i18n.js";
import { pathPart } from "./path.js";

const name = pathPart(2);

function draw(p, titles) {
	document.title = `${entryName(p.name)} – Colosseum`;
	$("title").textContent = entryName(p.name);
	$("kind").textContent = [p.bot ? t("a bot of the host") : t("registered player ✓"), p.former?.length > 0 && t("earlier: {names}", { names: p.former.join(", ") })].filter(Boolean).join(" · ");
	fill($("games"), p.games.length === 0 && h("p", { class: "hint" }, t("No rated match has ended yet.")), p.games.map((g) => game(g, titles.get(g.game) || g.game)));
	fill($("met"), [...new Set(p.games.flatMap((g) => g.opponents).filter((o) => !o.bot).map((o) => o.name))].slice(0, 100).map((value) => h("option", { value })));
	$("contests-box").hidden = p.contests.length === 0;
	fill($("contests"), p.contests.map((c) => h("li", { class: "contest" },
		h("div", { class: "what" }, h("a", { class: "name", href: `/contests/${encodeURIComponent(c.contest)}`, "data-key": `contest ${c.contest}` }, c.title)),
		h("div", null, c.game && (titles.get(c.game) || c.game), h("span", { class: "hint" }, `${c.game && " · "}${formats[c.format] || c.format}`)),
		h("div", { class: "hint" }, [states[c.state] || c.state, c.ended && t("{time} ago", { time: duration((Date.now() - Date.parse(c.ended)) / 1000) })].filter(Boolean).join(" · ")),
		h("div", null, c.team && [t("in the team {team}", c), c.rank > 0 && " · "], c.pass ? c.pass.passed_at ? t("✓ passed on {date}", { date: new Date(c.pass.passed_at).toLocaleDateString(language) }) : t("not passed yet, {n} try|not passed yet, {n} tries", { n: c.pass.tries }) : c.division ? c.rank > 0 ? t("{division}, rank {rank}", c) : c.division : c.rank > 0 && t("rank {rank} of {entrants}, {n} point|rank {rank} of {entrants}, {n} points", { rank: c.rank, entrants: c.entrants, n: Math.round(c.points * 100) / 100 })))));
}

function game(g, title) {
	return h("section", { class: "rated" },
		h("h3", null, h("a", { href: `/ladder/${encodeURIComponent(g.game)}`, "data-key": `ladder ${g.game}` }, title)),
		h("p", null, h("b", { class: "figure" }, rounded(g.rating)), versionMark(g.version), ` `, g.low === g.high ? t("fixed") : t("between {low} and {high} with 95 %", { low: rounded(g.low), high: rounded(g.high) }), " ", g.low < g.high && bar(g, { low: Math.min(g.low, -400), high: Math.max(g.high, 400) }),
			g.rank > 0 && h("span", null, ` ${t("rank {rank}", g)} `), " ", h("span", { class: "hint" }, phrase("{n} match: {wins} won, {draws} drawn, {losses} lost|{n} matches: {wins} won, {draws} drawn, {losses} lost", { n: g.played, wins: h("b", null, g.wins), draws: h("b", null, g.draws), losses: h("b", null, g.losses) }))),
		g.history.length > 1 ? chart([g.history], t("The rating of {name} in {game}, from {first} to {last}. The band is the interval of 95 %.", { name, game: title, first: rounded(g.history[0].rating), last: rounded(g.history.at(-1).rating) })) : since() > 0 && h("p", { class: "hint" }, t("No rated match of this time.")),
		g.versions?.length > 0 && versions(g, title),
		g.opponents.length > 0 && h("details", { open: true }, h("summary", { "data-key": `met ${g.game}` }, t("Head to head")),
			h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Opponents in {game}", { game: title }), "data-key": `opponents ${g.game}` },
				h("table", null, h("thead", null, h("tr", null, [[t("Opponent"), "who"], [t("Played"), "number"], [t("W##won"), "number"], [t("D##drawn"), "number"], [t("L##lost"), "number"], [t("Share##points"), "number"]].map(([text, className]) => h("th", { scope: "col", class: className }, text)))),
					h("tbody", null, g.opponents.map((o) => h("tr", null, h("th", { scope: "row", class: "who" }, entrant(o.name, o.bot ? "bot" : "player"), !o.bot && [" ", h("a", { class: "hint", href: `?with=${encodeURIComponent(o.name)}`, "data-key": `with ${o.name}` }, t("compare"))]), counts(o),
						h("td", { class: "number", title: t("of the points") }, o.played > 0 ? `${Math.round(100 * (o.wins + o.draws / 2) / o.played)} %` : "–"))))))));
}

// versions is the table of the programs that the player has handed in, with what each has
// reached.
function versions(g, title) {
	const range = scale(g.versions);
	const head = [t("Played"), t("W##won"), t("D##drawn"), t("L##lost")].map((text) => h("th", { scope: "col", class: "number" }, text));
	return h("details", { open: true }, h("summary", { "data-key": `versions ${g.game}` }, t("Versions")),
		h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Versions in {game}", { game: title }), "data-key": `table of versions ${g.game}` },
			h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col", class: "who" }, t("Version")), ratingHead.map((c) => c.cloneNode(true)), head)),
				h("tbody", null, g.versions.map((v) => h("tr", null, h("th", { scope: "row", class: "who" }, `v${v.version}`, v.version === g.version && h("span", { class: "tag" }, t("in the table"))),
					rating(v, range), counts(v)))))),
		g.compared?.than > 0 && h("p", { class: "hint" }, t("v{version} is better than v{than} with a probability of {percent} %: the difference is {difference}, between {low} and {high} with 95 %.",
			{ version: g.compared.version, than: g.compared.than, percent: Math.round(100 * g.compared.better), difference: rounded(g.compared.difference), low: rounded(g.compared.low), high: rounded(g.compared.high) })));
}

person.account();

// The person compares the player with another one, if the address names it.
const other = new URLSearchParams(location.search).get("with")?.trim() || "";
const path = (of) => `/api/players/${encodeURIComponent(of)}`;
const address = (base) => (since() ? `${base}?${new URLSearchParams({ since: new Date(since()).toISOString() })}` : base);

const day = 86400000; // milliseconds
const periods = [[30 * day, t("Month")], [91 * day, t("3 months")], [365 * day, t("Year")], [0, t("All##time")]];
let period = 0;
const hour = day / 24;
const since = () => (period ? hour * Math.floor((Date.now() - period) / hour) : 0);

let titles = new Map(); // of games
let profile = null; // the last answer
let lost = -1; // rated losses when the latest were read
let list = null; // the matches

function drawPeriods() {
	fill($("period"), periods.map(([length, text]) => h("button", { type: "button", class: "quiet", "aria-pressed": String(period === length), "data-key": `period ${length}`, onclick: () => {
		period = length;
		drawPeriods();
		show(profile).catch(failed);
	} }, text)));
}

const failed = (error) => ($("fault").textContent = error ? t("{reason}. Trying again…", { reason: error.message }) : "");

// show draws a profile, with the ratings of the chosen period.
async function show(p) {
	if (!p) return;
	profile = p;
	const asked = period;
	if (period) p = await api(address(path(name)));
	const second = other ? await api(address(path(other))).catch((error) => (error.status === 404 ? { name: other, games: [], missing: true } : Promise.reject(error))) : null;
	if (asked !== period) return; // another one was chosen since
	draw(p, titles);
	$("versus").hidden = !second;
	$("compare").hidden = p.bot || Boolean(second);
	if (second) compare(p, second);
	else await drawLosses(p);
}

function compare(p, q) {
	for (const id of ["games", "lost", "contests-box", "kind"]) $(id).hidden = true;
	document.title = `${p.name} – ${q.name} – Colosseum`;
	fill($("title"), h("a", { href: `/players/${encodeURIComponent(p.name)}`, "data-key": "one" }, p.name), " – ", q.missing ? q.name : h("a", { href: `/players/${encodeURIComponent(q.name)}`, "data-key": "two" }, q.name));
	if (q.missing) fill($("versus"), h("p", { class: "fault" }, t("There is no player {name}.", { name: q.name })));
	else versus($("versus"), p, q, titles);
}

// drawLosses shows the last losses and their reasons, which help an author most.
async function drawLosses(p) {
	const now = p.games.reduce((sum, g) => sum + g.losses, 0);
	if (now === lost) return;
	const { matches } = await api(`/api/matches?${new URLSearchParams({ player: p.name, result: "lost", limit: "5" })}`);
	lost = now;
	$("lost").hidden = matches.length === 0;
	fill($("losses"), matches.map((m) => row(m, (game) => titles.get(game) || game, titles.has(m.game), true)));
}

$("all-losses").addEventListener("click", () => {
	list?.filter("lost");
	$("matches").scrollIntoView();
});
drawPeriods();
games().then((all) => {
	titles = all;
	poll(path(name), async (p) => {
		await show(p);
		list?.();
	}, failed, 10000);
	results($("recent"), { player: name, opponent: other }, titles).then((f) => (list = f)).catch(() => {}); // the list is not the main thing here
});
