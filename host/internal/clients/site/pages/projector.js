// A contest on a projector: standings, the decisive match or all boards, the next pairings, and
// at the end a podium. It needs no hands.
import { h, $, fill, duration, clock } from "./dom.js";
import { api } from "./host.js";
import { poll } from "./poll.js";
import { games, formats, progress } from "./contests.js";
import { points, bar, scale, rounded, known } from "./standings.js";
import { pairings } from "./fixtures.js";
import { inDivision, arrow } from "./divisions.js";
import { Boards } from "./boards.js";
import { hasPodium, drawPodium } from "./podium.js";
import { t } from "./i18n.js";
import { pathPart } from "./path.js";

const name = pathPart(2);
const path = `/api/contests/${encodeURIComponent(name)}`;
const turn = 12000; // milliseconds for a part of the standings

let view = null;
let titles = new Map();
let part = 0; // of the standings
const wall = location.hash === "#boards"; // of all running matches
const boards = new Boards($("boards"), () => shape().height);

// shape returns the number of columns with the largest boards, and the height of these.
function shape() {
	const { width, height } = $("boards").getBoundingClientRect();
	const around = 4 * parseFloat(getComputedStyle($("boards")).fontSize); // the texts of a board
	const n = Math.max(1, boards.list.length);
	const size = (columns) => Math.min(width / columns, height / Math.ceil(n / columns) - around);
	const columns = Array.from({ length: n }, (_, i) => i + 1).reduce((best, c) => (size(c) > size(best) ? c : best), 1);
	return { columns, height: Math.round(n > 1 ? Math.max(120, size(columns)) : Math.max(240, height - around)) };
}

function draw() {
	document.title = `${view.title} – Colosseum`;
	$("title").textContent = view.title;
	head();
	$("podium").hidden = !hasPodium(view);
	if (hasPodium(view)) drawPodium($("podium"), view);
	$("screen").className = view.running.length > 0 ? (wall ? "wall" : "two") : hasPodium(view) ? "two" : "";
	table();
	decisive();
}

// head shows the time to the start, which passes without an answer of the host.
function head() {
	if (!view) return;
	$("progress").textContent = `${view.game && `${titles.get(view.game) || view.game} · `}${formats[view.format] || view.format} · ${progress(view)}`;
	const rest = view.state === "open" && view.start ? (Date.parse(view.start) - Date.now()) / 1000 : null;
	$("start").hidden = view.state !== "open";
	fill($("start"), rest === null ? h("p", null, t("It starts soon")) : rest > 0 ? [h("p", null, t("It starts in")), h("b", { role: "timer" }, rest < 36000 ? clock(rest) : duration(rest))] : h("p", null, t("It starts now")),
		h("p", null, t("{n} entrant|{n} entrants", { n: view.entrants })));
}

// table shows as many rows as fit, one part after the other; the first three always stay. The
// divisions of a league are one part after the other.
function table() {
	if (view.standings.length === 0) {
		fill($("standings"), h("ul", { class: "names" }, view.entries.filter((e) => !e.withdrawn).map((e) => h("li", null, e.name))));
		return;
	}
	const line = 1.75 * parseFloat(getComputedStyle($("standings")).fontSize);
	const fit = Math.max(5, Math.floor($("standings").getBoundingClientRect().height / line) - 2);
	const tables = view.season && view.started ? view.season.divisions.map((d) => ({ title: d.name, rows: inDivision(view, d) })).filter((d) => d.rows.length > 0) : [{ rows: view.standings }];
	const all = tables.flatMap(({ title, rows }) => {
		if (rows.length <= fit) return [{ title, shown: rows }];
		return Array.from({ length: Math.ceil((rows.length - 3) / (fit - 3)) }, (_, i) => ({ title, shown: [...rows.slice(0, 3), ...rows.slice(3 + i * (fit - 3), 3 + (i + 1) * (fit - 3))] }));
	});
	const parts = all.length;
	const { title, shown } = all[part % parts];
	const range = scale(view.standings);
	const sum = view.format === "cup"; // of points, and no matches
	const byRating = view.format === "ladder" || view.format === "league";
	const byScore = view.format === "score";
	fill($("standings"), title && h("h2", null, title), view.pass ? passed(shown) : h("table", null,
		h("thead", null, h("tr", null, h("th", { class: "number" }, "#"), h("th", { class: "who" }, t("Name")), byScore ? [t("Mean##score"), t("Best##score"), t("Played")].map((text) => h("th", { class: "number" }, text)) : [!byRating && h("th", { class: "number" }, t("Points")), !sum && [h("th", { class: "number tally" }, [t("W##won"), t("D##drawn"), t("L##lost")].join(" ")), h("th", { class: "number" }, t("Rating")), h("td")]])),
		h("tbody", null, shown.map((r) => h("tr", { class: r.withdrawn ? "gone" : null }, h("td", { class: "number" }, r.rank || "–"), h("th", { class: "who" }, r.name, " ", arrow(r)), !byRating && h("td", { class: "number" }, h("b", null, points(r.points))),
			sum ? null : byScore ? [points(r.scores.best), r.played].map((n) => h("td", { class: "number" }, n)) : [h("td", { class: "number tally" }, `${r.wins} ${r.draws} ${r.losses}`), h("td", { class: "number" }, known(r) ? rounded(r.rating) : "–"), h("td", null, known(r) && bar(r, range))])))),
	parts > 1 && h("p", { class: "hint" }, t("part {part} of {parts}", { part: part % parts + 1, parts })));
}

// passed is the table of a pass mark.
function passed(rows) {
	return h("table", null,
		h("thead", null, h("tr", null, h("th", { class: "number" }, "#"), h("th", { class: "who" }, t("Name")), h("th", null, t("Passed")), [t("Best##try"), t("Tries")].map((text) => h("th", { class: "number" }, text)))),
		h("tbody", null, rows.map((r) => h("tr", { class: r.withdrawn ? "gone" : null }, h("td", { class: "number" }, r.rank), h("th", { class: "who" }, r.name),
			h("td", null, r.pass.passed_at ? "✓" : r.pass.trying ? t("trying now") : ""), h("td", { class: "number" }, t("{best} of {of}##wins", { best: points(r.pass.best), of: view.pass.of })), h("td", { class: "number" }, r.pass.tries)))));
}

// decisive shows the running match with the best-placed seats, until it ends.
function decisive() {
	const ranks = new Map(view.standings.map((r) => [r.name, r.rank]));
	const sum = (m) => m.seats.reduce((s, n) => s + (ranks.get(n) || view.standings.length), 0);
	const before = boards.list.length;
	const shown = boards.set(view.running.filter((m) => m.id).sort((a, b) => sum(a) - sum(b) || a.pairing - b.pairing), wall ? 16 : 1);
	$("stage").hidden = shown.length === 0;
	$("boards").style.gridTemplateColumns = `repeat(${shape().columns}, minmax(0, 1fr))`;
	if (boards.list.length !== before) boards.resize();
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
