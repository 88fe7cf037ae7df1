// A contest on a projector: standings, the decisive match, and the next pairings. It
// needs no hands.
import { h, $, fill, duration, clock } from "./dom.js";
import { api } from "./host.js";
import { poll } from "./poll.js";
import { games, formats, progress } from "./contests.js";
import { points, bar, scale, rounded, known } from "./standings.js";
import { pairings } from "./fixtures.js";
import { Boards } from "./live.js";
import { t } from "./i18n.js";

const name = decodeURIComponent(location.pathname.split("/")[2]);
const path = `/api/contests/${encodeURIComponent(name)}`;
const turn = 12000; // milliseconds for a part of the standings

let view = null;
let titles = new Map();
let part = 0; // of the standings
const boards = new Boards($("boards"), () => Math.max(240, Math.round($("boards").getBoundingClientRect().height - 120)));

function draw() {
	document.title = `${view.title} – Colosseum`;
	$("title").textContent = view.title;
	head();
	$("screen").className = view.running.length > 0 ? "two" : "";
	table();
	decisive();
}

// head shows the time to the start, which passes without an answer of the host.
function head() {
	if (!view) return;
	$("progress").textContent = `${titles.get(view.game) || view.game} · ${formats[view.format] || view.format} · ${progress(view)}`;
	const rest = view.state === "open" && view.start ? (Date.parse(view.start) - Date.now()) / 1000 : null;
	$("start").hidden = view.state !== "open";
	fill($("start"), rest === null ? h("p", null, t("It starts soon")) : rest > 0 ? [h("p", null, t("It starts in")), h("b", { role: "timer" }, rest < 36000 ? clock(rest) : duration(rest))] : h("p", null, t("It starts now")),
		h("p", null, t("{n} entrant|{n} entrants", { n: view.entrants })));
}

// table shows as many rows as fit, one part after the other; the first three always stay.
function table() {
	const rows = view.standings;
	if (rows.length === 0) {
		fill($("standings"), h("ul", { class: "names" }, view.entries.filter((e) => !e.withdrawn).map((e) => h("li", null, e.name))));
		return;
	}
	const line = 1.75 * parseFloat(getComputedStyle($("standings")).fontSize);
	const fit = Math.max(5, Math.floor($("standings").getBoundingClientRect().height / line) - 2);
	const rest = rows.slice(3);
	const parts = rows.length <= fit ? 1 : Math.ceil(rest.length / (fit - 3));
	const shown = parts === 1 ? rows : [...rows.slice(0, 3), ...rest.slice((part % parts) * (fit - 3), (part % parts + 1) * (fit - 3))];
	const range = scale(rows);
	const byScore = view.format === "score";
	fill($("standings"), h("table", null,
		h("thead", null, h("tr", null, h("th", { class: "number" }, "#"), h("th", { class: "who" }, t("Name")), byScore ? [t("Mean##score"), t("Best##score"), t("Played")].map((text) => h("th", { class: "number" }, text)) : [view.format !== "ladder" && h("th", { class: "number" }, t("Points")), h("th", { class: "number tally" }, [t("W##won"), t("D##drawn"), t("L##lost")].join(" ")), h("th", { class: "number" }, t("Rating")), h("td")])),
		h("tbody", null, shown.map((r) => h("tr", { class: r.withdrawn ? "gone" : null }, h("td", { class: "number" }, r.rank || "–"), h("th", { class: "who" }, r.name), view.format !== "ladder" && h("td", { class: "number" }, h("b", null, points(r.points))),
			byScore ? [points(r.scores.best), r.played].map((n) => h("td", { class: "number" }, n)) : [h("td", { class: "number tally" }, `${r.wins} ${r.draws} ${r.losses}`), h("td", { class: "number" }, known(r) ? rounded(r.rating) : "–"), h("td", null, known(r) && bar(r, range))])))),
	parts > 1 && h("p", { class: "hint" }, t("part {part} of {parts}", { part: part % parts + 1, parts })));
}

// decisive shows the running match with the best-placed seats, until it ends.
function decisive() {
	const ranks = new Map(view.standings.map((r) => [r.name, r.rank]));
	const sum = (m) => m.seats.reduce((s, n) => s + (ranks.get(n) || view.standings.length), 0);
	const shown = boards.set(view.running.filter((m) => m.id).sort((a, b) => sum(a) - sum(b) || a.pairing - b.pairing), 1);
	$("stage").hidden = shown.length === 0;
}

// next shows the pairings that are not played yet.
async function next() {
	const { matches } = view.round > 0 && view.state !== "ended" ? await api(`${path}/matches?state=planned&limit=60`) : { matches: [] };
	const list = pairings(matches).slice(0, 8);
	fill($("next"), list.map((p) => h("li", null, p.seats.join(" – "))));
	$("next-box").hidden = list.length === 0;
}

games().then((list) => {
	titles = list;
	poll(path, async (latest) => {
		view = latest;
		draw();
		await next();
	}, (error) => ($("fault").textContent = error ? t("{reason}. Trying again…", { reason: error.message }) : ""));
	setInterval(head, 500);
	setInterval(() => view && decisive(), 1000);
	setInterval(() => {
		part++;
		if (view) table();
	}, turn);
	addEventListener("resize", () => view && table());
});
