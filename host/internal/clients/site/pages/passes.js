// A pass mark: who has passed, one's own tries, and the tries of each entry.
import { h, fill } from "./dom.js";
import { api } from "./host.js";
import { points, entrant } from "./standings.js";
import { pairings, chip } from "./fixtures.js";
import { entryName } from "./names.js";
import { t, language } from "./i18n.js";

const time = (at) => new Date(at).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });

// mark says what is to be reached.
export const mark = (p) => [t("{wins} wins of {of} against {against}", { ...p, against: entryName(p.against) }), p.draws && t("a draw is half a win"), { fresh: t("other seeds in each try"), same: t("the same seeds in each try"), published: t("published seeds") }[p.seeds]].filter(Boolean).join(" · ");

// bar shows how far the best try came.
const bar = (row, p) => h("span", { class: "passing" }, h("progress", { max: String(p.wins), value: String(Math.min(row.pass.best, p.wins)), "aria-label": t("{best} of the {wins} wins that are needed", { best: points(row.pass.best), wins: p.wins }) }), " ", t("{best} of {of}##wins", { best: points(row.pass.best), of: p.of }));

// passTable is the table of standings.
export function passTable(element, view, me) {
	const head = (text, className = "number") => h("th", { scope: "col", class: className }, text);
	const kinds = new Map(view.entries.map((e) => [e.name, e.kind]));
	const box = element.querySelector(".wide");
	const left = box?.scrollLeft || 0;
	fill(element, view.standings.length === 0 ? h("p", { class: "hint" }, t("Nobody has entered yet.")) : h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Standings"), "data-key": "standings" },
		h("table", { class: "standings" },
			h("thead", null, h("tr", null, head("#"), head(t("Name"), "who"), head(t("Passed"), null), head(t("Best##try"), null), head(t("Tries")), head(t("Played")))),
			h("tbody", null, view.standings.map((r) => h("tr", { class: [r.name === me && "mine", r.withdrawn && "gone"].filter(Boolean).join(" ") || null },
				h("td", { class: "number" }, r.rank), h("th", { scope: "row", class: "who" }, entrant(r.name, kinds.get(r.name)), r.name === me && h("span", { class: "tag" }, t("you")), r.withdrawn && h("span", { class: "hint" }, ` ${t("withdrawn")}`)),
				h("td", null, r.pass.passed_at ? [h("b", { class: "good" }, "✓"), " ", time(r.pass.passed_at)] : r.pass.trying ? h("span", { class: "hint" }, t("trying now")) : "–"),
				h("td", null, bar(r, view.pass)), h("td", { class: "number" }, r.pass.tries), h("td", { class: "number" }, r.played)))))),
		h("details", { class: "hint", open: element.querySelector("details")?.open || false }, h("summary", { "data-key": "how" }, t("How this is computed")),
			h("p", null, t("The first try that reaches the mark decides; later ones take nothing away. Those that have passed come first, in the order of the time, then the others by their best try. Matches that were missed are not won.")),
			view.pass.values && h("p", null, t("The seeds of the matches of each try:"), " ", h("code", null, view.pass.values.join(" ")))));
	const wide = element.querySelector(".wide");
	if (wide) wide.scrollLeft = left;
}

// myTry shows the tries of the person, and begins one with start().
export function myTry(view, me, start) {
	const row = view.standings.find((r) => r.name.toLowerCase() === me.toLowerCase());
	if (!row || view.state === "ended") return null;
	const again = row.pass.next_try && new Date(row.pass.next_try);
	const waits = row.pass.left_today === 0 && again > new Date();
	return [
		h("p", null, row.pass.passed_at && [h("b", { class: "good" }, t("✓ You have passed.")), " "], bar(row, view.pass)),
		row.pass.trying ? h("p", { role: "status" }, t("Your try is being played.")) : h("p", null,
			h("button", { type: "button", class: row.pass.passed_at ? null : "main", "data-key": "try", disabled: waits || view.state !== "running", onclick: start }, t("Begin a try")), " ",
			h("span", { class: "hint" }, waits ? t("You have begun all tries of a day. The next one can begin at {time}.", { time: time(again) }) : [t("{n} try left in these 24 hours|{n} tries left in these 24 hours", { n: row.pass.left_today }), ". ", t("Your program must be handed in, or connected: matches that it misses are lost.")])),
	];
}

// Tries are the tries of one entry.
export class Tries {
	// changed() is called when the person chooses another entry.
	constructor(element, contest, changed) {
		this.path = `/api/contests/${encodeURIComponent(contest)}/matches`;
		this.select = h("select", { "aria-label": t("Entry"), "data-key": "tries of", onchange: () => {
			this.chosen = this.select.value;
			changed();
		} });
		this.body = h("div");
		element.replaceChildren(h("div", { class: "choose" }, this.select), this.body);
		this.chosen = ""; // empty: the person's own, or those of the first place
	}

	async update(view, me) {
		const names = view.standings.filter((r) => r.pass.tries > 0).map((r) => r.name);
		if (names.length === 0) return;
		const name = [this.chosen, me, names[0]].find((n) => names.includes(n));
		if (this.drawn !== names.join()) { // a list that is open must not be replaced
			this.drawn = names.join();
			fill(this.select, names.map((n) => h("option", { value: n }, entryName(n))));
		}
		this.select.value = name;
		const { matches } = await api(`${this.path}?${new URLSearchParams({ player: name, limit: 5000 })}`);
		if (this.select.value !== name) return; // the person has chosen another one since
		fill(this.body, h("ol", { class: "pairings" }, pairings(matches).reverse().map((p) => h("li", null,
			t("Try {n}", { n: p.round }), " ", h("span", { class: "chips" }, p.legs.map((m) => chip(m, name))), " ",
			reached(p, name, view.pass) && h("span", { class: "tag good" }, t("passed"))))));
	}
}

// reached reports whether a try has reached the mark.
function reached(p, name, { wins, draws }) {
	const worth = (m) => m.state !== "finished" ? 0 : m.points[m.seats.indexOf(name)] > 0.5 ? 1 : draws && m.points[m.seats.indexOf(name)] === 0.5 ? 0.5 : 0;
	return p.legs.reduce((sum, m) => sum + worth(m), 0) >= wins;
}
