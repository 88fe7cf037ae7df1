// The brackets of a contest as the page shows them. Each is a list of rounds that scrolls in
// its box. A large one begins with the first round that fits; buttons choose another one. The
// path of one entry is marked while the pointer or the focus is on it, or when it is chosen.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { chip, total } from "./fixtures.js";
import { points } from "./standings.js";
import { bracketName, columnsOf } from "./bracket.js";
import { entryName } from "./names.js";

const tall = 16; // pairings of the first column that is shown, if the person chooses no other

export class Brackets {
	constructor(element) {
		this.element = element;
		this.from = new Map(); // the column that the person has chosen, by bracket
		this.chosen = null; // the entry whose path stays marked; null: that of the person
		for (const kind of ["pointerover", "focusin"]) element.addEventListener(kind, (event) => this.mark(event.target.closest("[data-entry]")?.dataset.entry));
		for (const kind of ["pointerleave", "focusout"]) element.addEventListener(kind, () => this.mark());
	}

	// draw shows the matches; me is the entry of the person, or "".
	draw(view, matches, me) {
		Object.assign(this, { view, matches, me });
		const scrolls = new Map([...this.element.querySelectorAll(".wide")].map((e) => [e.dataset.key, e.scrollLeft]));
		const list = columnsOf(view, matches);
		const seeds = new Map(view.entries.map((e) => [e.name, e.seed]));
		fill(this.element, list.length === 0 ? h("p", { class: "hint" }, t("The first round is not paired yet.")) : [this.choice(), list.map((b) => this.bracket(b, seeds, list.length > 1)),
			h("p", { class: "hint" }, t("The number before a name is its seed. ▶ won the pairing, W won, D drawn, L lost, V void, ● running, · not played yet, * walkover; letters of replays come after a bar."))]);
		for (const e of this.element.querySelectorAll(".wide")) e.scrollLeft = scrolls.get(e.dataset.key) || 0;
		for (const e of this.element.querySelectorAll(".rounds-of")) e.scrollLeft = e.querySelector("[aria-pressed=true]").offsetLeft - e.offsetLeft - 40;
		this.mark();
	}

	// choice chooses the entry whose path is marked.
	choice() {
		const select = h("select", { "data-key": "path", onchange: () => {
			this.chosen = select.value;
			this.mark();
			this.reveal();
		} }, h("option", { value: "" }, t("nobody")), this.view.entries.map((e) => h("option", { value: e.name, selected: e.name === (this.chosen ?? this.me) }, entryName(e.name))));
		return h("label", { class: "choose" }, t("The path of"), " ", select);
	}

	bracket({ name, columns, third }, seeds, several) {
		const fits = Math.max(0, columns.findIndex((c) => c.slots.length <= tall || c.slots.some((legs) => legs?.some((m) => m.state === "running"))));
		const from = Math.min(this.from.get(name) ?? fits, columns.length - 1);
		const heading = several ? "h4" : "h3";
		const key = `bracket ${name}`;
		return [several && h("h3", null, bracketName(name)),
			columns.length > 3 && h("div", { class: "rounds-of", role: "group", "aria-label": t("The first round that is shown") }, columns.map((c, i) => h("button", { type: "button", class: "quiet", "data-key": `${key} ${i}`, "aria-pressed": String(i === from), onclick: () => {
				this.from.set(name, i);
				this.draw(this.view, this.matches, this.me);
				const box = [...this.element.querySelectorAll(".wide")].find((e) => e.dataset.key === key);
				box.scrollLeft = 0;
			} }, c.title))),
			h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": several ? bracketName(name) : t("Bracket"), "data-key": key },
				h("div", { class: "bracket" }, columns.slice(from).map((c, i) => this.column(c, seeds, heading, columns.slice(from + i + 1))))),
			third && h("section", { class: "third" }, h(heading, null, t("third place")), h("ol", null, h("li", null, this.pairing(third, seeds, () => false))))];
	}

	column({ title, slots, straight, paired }, seeds, heading, later) {
		const on = new Set(later.flatMap((c) => c.slots.flatMap((legs) => legs?.[0].seats || []))); // who plays in a later round
		return h("section", { class: later.length === 0 ? "last" : straight ? "straight" : null }, h(heading, null, title),
			h("ol", null, slots.map((legs) => legs ? h("li", { class: "slot" }, this.pairing(legs, seeds, (name) => on.has(name)))
				: paired ? h("li", { class: "slot none", "aria-hidden": "true" }) : h("li", { class: "slot" }, h("span", { class: "pairing later" }, h("span", null, "–"), h("span", null, "–"))))));
	}

	// pairing shows a pairing with its replays.
	pairing(legs, seeds, later) {
		const names = legs[0].seats;
		const groups = [...new Set(legs.map((m) => m.replay || 0))].sort((a, b) => a - b).map((replay) => legs.filter((m) => (m.replay || 0) === replay));
		const over = legs.every((m) => m.state !== "planned" && m.state !== "running");
		const won = (name) => this.won(name, names, groups.at(-1), over, seeds, later);
		return h("div", { class: ["pairing", !over && "open", legs.some((m) => m.state === "running") && "now"].filter(Boolean).join(" ") },
			names.map((name) => h("span", { class: won(name) ? "side won" : "side", "data-entry": name },
				h("span", { class: "seed" }, seeds.get(name)), h("span", { class: "name", title: entryName(name) }, won(name) && h("span", { "aria-hidden": "true" }, "▶ "), entryName(name), won(name) && h("span", { class: "unseen" }, ` ${t("won the pairing")}`)),
				names.length > 1 && groups.map((group, i) => [i > 0 && h("span", { class: "bar", title: t("replay {number}", { number: i }) }, "|"), group.map((m) => chip(m, name))]),
				names.length > 1 ? h("b", null, points(total(legs, name))) : h("span", { class: "hint" }, t("bye")))));
	}

	won(name, names, last, over, seeds, later) {
		if (names.length === 1) return true;
		if (names.some(later) && !names.every(later)) return later(name); // both play again after the first final
		const mine = total(last, name);
		const other = Math.max(...names.filter((n) => n !== name).map((n) => total(last, n)));
		return over && (mine > other || mine === other && this.view.state === "ended" && names.every((n) => seeds.get(name) <= seeds.get(n)));
	}

	// mark marks the path of an entry, or of the chosen one.
	mark(name = this.chosen ?? this.me) {
		for (const side of this.element.querySelectorAll("[data-entry]")) {
			const on = Boolean(name) && side.dataset.entry === name;
			side.classList.toggle("on", on);
			if (on) side.closest(".slot")?.classList.add("on");
		}
		for (const slot of this.element.querySelectorAll(".slot.on")) {
			const side = slot.querySelector(".side.on");
			slot.classList.toggle("on", side !== null);
			slot.classList.toggle("goes", side?.classList.contains("won") || false);
		}
	}

	// reveal scrolls to the last pairing of the chosen entry that is shown.
	reveal() {
		const sides = [...this.element.querySelectorAll(".side.on")];
		sides.at(-1)?.scrollIntoView({ block: "nearest", inline: "center" });
	}
}
