// The cross table of a round robin: each against each. Among more than two, a cell has the
// matches in which the entry of the row was better than that of the column, where an equal
// rank is half of one, out of those in which both played.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { chip, total } from "./fixtures.js";
import { entrant, points } from "./standings.js";

const most = 64; // entries
const letters = 4; // matches of two entries that are shown one by one

// crosses reports whether a contest has a cross table.
export const crosses = (view) => (view.format === "round-robin" || view.format === "gauntlet") && view.standings.length > 1 && view.standings.length <= most;

export function drawCross(element, view, matches) {
	const entries = new Map(view.entries.map((e) => [e.name, e]));
	const names = view.standings.map((r) => r.name);
	const between = new Map(); // matches of two entries, by their names
	for (const m of matches) {
		m.seats.forEach((a, i) => m.seats.slice(0, i).forEach((b) => {
			const key = [a, b].sort().join("\n");
			if (!between.has(key)) between.set(key, []);
			between.get(key).push(m);
		}));
	}
	const pairs = view.players === 2;
	const score = (list, a, b) => (pairs ? total(list, a) : list.reduce((sum, m) => sum + (1 + Math.sign(m.ranks[m.seats.indexOf(b)] - m.ranks[m.seats.indexOf(a)])) / 2, 0));
	const cell = (a, b) => {
		const list = between.get([a, b].sort().join("\n")) || [];
		if (pairs && list.length <= letters) return h("td", null, list.map((m) => chip(m, a)));
		const done = list.filter((m) => (pairs ? m.points : m.ranks));
		return h("td", { title: t("{done} of {n} match of {a} and {b}|{done} of {n} matches of {a} and {b}", { done: done.length, n: list.length, a, b }) }, done.length > 0 && `${points(score(done, a, b))}/${done.length}`);
	};
	const box = element.querySelector(".wide");
	const left = box?.scrollLeft || 0;
	fill(element, h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Cross table"), "data-key": "cross" },
		h("table", { class: "cross" },
			h("thead", null, h("tr", null, h("th", { scope: "col", class: "who" }, t("Name")), names.map((n, i) => h("th", { scope: "col", title: n }, i + 1, h("span", { class: "unseen" }, ` ${n}`))), h("th", { scope: "col" }, t("Points")))),
			h("tbody", null, names.map((a, i) => h("tr", null, h("th", { scope: "row", class: "who" }, h("span", { class: "hint" }, `${i + 1} `), entrant(a, entries.get(a)?.kind, entries.get(a)?.player)),
				names.map((b, j) => (i === j ? h("td", { class: "self" }, h("span", { class: "unseen" }, t("itself"))) : cell(a, b))), h("td", { class: "number" }, h("b", null, points(view.standings[i].points)))))))),
	h("p", { class: "hint" }, pairs ? t("W won, D drawn, L lost, V void, ● running, · not played yet, * walkover. Each letter is a match of the entry in the row.")
		: t("3/4: the entry in the row was better than that in the column in 3 of 4 matches. An equal rank is half of one.")));
	element.querySelector(".wide").scrollLeft = left;
}
