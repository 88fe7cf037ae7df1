// The brackets of a contest with elimination.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { chip, total } from "./fixtures.js";
import { label, points } from "./standings.js";

export const brackets = (view) => view.format === "knockout" || view.format === "double-elimination";

// drawBrackets shows each bracket with a column for each round.
export function drawBrackets(element, view, matches) {
	const groups = new Map(); // by bracket
	for (const m of matches) {
		const bracket = m.bracket || "";
		if (!groups.has(bracket)) groups.set(bracket, new Map());
		const rounds = groups.get(bracket);
		if (!rounds.has(m.round)) rounds.set(m.round, new Map());
		const slots = rounds.get(m.round);
		if (!slots.has(m.slot)) slots.set(m.slot, []);
		slots.get(m.slot).push(m);
	}
	const scrolls = [...element.querySelectorAll(".wide")].map((e) => e.scrollLeft);
	const seeds = new Map(view.entries.map((e) => [e.name, e.seed]));
	fill(element, matches.length === 0 && h("p", { class: "hint" }, t("The first round is not paired yet.")),
		[...groups].map(([bracket, rounds]) => {
			const list = [...rounds].sort((a, b) => a[0] - b[0]);
			const last = view.format === "knockout" ? list[0][0] + Math.round(Math.log2(list[0][1].size)) : 0; // the round of the final
			const columns = list.map(([round, slots]) => [heading(view, round, last), [...slots].sort((a, b) => a[0] - b[0]).map(([slot, legs]) => box(view, seeds, legs, slot === 2 && round === last, goesOn(list, round)))]);
			if (view.format === "knockout") { // what is not paired yet
				for (let round = list.at(-1)[0] + 1, size = list.at(-1)[1].size; round <= last; round++) {
					size = Math.ceil(size / 2);
					columns.push([heading(view, round, last), Array.from({ length: size }, () => h("li", { class: "pairing later" }, h("span", null, "–"), h("span", null, "–")))]);
				}
			}
			return [groups.size > 1 && h("h3", null, bracketName(bracket)),
				h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": groups.size > 1 ? bracketName(bracket) : t("Bracket"), "data-key": `bracket ${bracket}` },
					h("div", { class: "bracket" }, columns.map(([title, boxes]) => h("section", null, h(groups.size > 1 ? "h4" : "h3", null, title), h("ol", null, boxes)))))];
		}),
		matches.length > 0 && h("p", { class: "hint" }, t("The number before a name is its seed. ▶ won the pairing, W won, D drawn, L lost, V void, ● running, · not played yet, * walkover; letters of replays come after a bar.")));
	for (const [i, e] of [...element.querySelectorAll(".wide")].entries()) e.scrollLeft = scrolls[i] || 0;
}

export const bracketName = (name) => ({ "": t("Winners"), losers: t("Losers"), final: t("Final") })[name] ?? label(name);

function heading(view, round, last) {
	return view.format === "knockout" && { 0: t("Final"), 1: t("Semi-finals"), 2: t("Quarter-finals") }[last - round] || t("Round {round}", { round });
}

// goesOn returns a function that reports whether an entry plays in a later round.
function goesOn(list, round) {
	const later = new Set(list.filter(([r]) => r > round).flatMap(([, slots]) => [...slots.values()].flatMap((legs) => legs[0].seats)));
	return (name) => later.has(name);
}

// box shows a pairing with its replays.
function box(view, seeds, legs, third, later) {
	const names = legs[0].seats;
	const groups = [...new Set(legs.map((m) => m.replay || 0))].sort((a, b) => a - b).map((replay) => legs.filter((m) => (m.replay || 0) === replay));
	const over = legs.every((m) => m.state !== "planned" && m.state !== "running");
	const last = groups.at(-1);
	const winner = (name) => {
		if (names.length === 1) return true;
		if (names.some(later)) return later(name);
		const mine = total(last, name);
		const other = Math.max(...names.filter((n) => n !== name).map((n) => total(last, n)));
		return over && (mine > other || mine === other && view.state === "ended" && names.every((n) => seeds.get(name) <= seeds.get(n)));
	};
	return h("li", { class: over ? "pairing" : "pairing open" }, third && h("span", { class: "hint" }, t("third place")),
		names.map((name) => h("span", { class: winner(name) ? "side won" : "side" },
			h("span", { class: "seed" }, seeds.get(name)), h("span", { class: "name", title: name }, winner(name) && h("span", { "aria-hidden": "true" }, "▶ "), name, winner(name) && h("span", { class: "unseen" }, ` ${t("won the pairing")}`)),
			names.length > 1 && groups.map((group, i) => [i > 0 && h("span", { class: "bar", title: t("replay {number}", { number: i }) }, "|"), group.map((m) => chip(m, name))]),
			names.length > 1 && h("b", null, points(total(legs, name))))),
		names.length === 1 && h("span", { class: "side hint" }, t("bye")));
}
