// The cross table of a round robin: each against each.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { chip, total } from "./fixtures.js";
import { entrant, points } from "./standings.js";

const most = 64; // entries
const letters = 4; // matches of two entries that are shown one by one

// crosses reports whether a contest has a cross table.
export const crosses = (view) => (view.format === "round-robin" || view.format === "gauntlet") && view.players === 2 && view.standings.length > 1 && view.standings.length <= most;

export function drawCross(element, view, matches) {
	const kinds = new Map(view.entries.map((e) => [e.name, e.kind]));
	const names = view.standings.map((r) => r.name);
	const between = new Map();
	for (const m of matches) {
		if (m.seats.length !== 2) continue;
		const key = [...m.seats].sort().join("\n");
		if (!between.has(key)) between.set(key, []);
		between.get(key).push(m);
	}
	const cell = (a, b) => {
		const list = between.get([a, b].sort().join("\n")) || [];
		if (list.length <= letters) return h("td", null, list.map((m) => chip(m, a)));
		const done = list.filter((m) => m.points);
		return h("td", { title: t("{done} of {n} match of {a} and {b}|{done} of {n} matches of {a} and {b}", { done: done.length, n: list.length, a, b }) }, done.length > 0 && `${points(total(done, a))}/${done.length}`);
	};
	const box = element.querySelector(".wide");
	const left = box?.scrollLeft || 0;
	fill(element, h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Cross table"), "data-key": "cross" },
		h("table", { class: "cross" },
			h("thead", null, h("tr", null, h("th", { scope: "col", class: "who" }, t("Name")), names.map((n, i) => h("th", { scope: "col", title: n }, i + 1, h("span", { class: "unseen" }, ` ${n}`))), h("th", { scope: "col" }, t("Points")))),
			h("tbody", null, names.map((a, i) => h("tr", null, h("th", { scope: "row", class: "who" }, h("span", { class: "hint" }, `${i + 1} `), entrant(a, kinds.get(a))),
				names.map((b, j) => (i === j ? h("td", { class: "self" }, h("span", { class: "unseen" }, t("itself"))) : cell(a, b))), h("td", { class: "number" }, h("b", null, points(view.standings[i].points)))))))),
	h("p", { class: "hint" }, t("W won, D drawn, L lost, V void, ● running, · not played yet, * walkover. Each letter is a match of the entry in the row.")));
	element.querySelector(".wide").scrollLeft = left;
}
