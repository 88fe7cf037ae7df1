// The runs of one entry in a contest by score: its matches with their scores.
import { h, fill } from "./dom.js";
import { api } from "./host.js";
import { points } from "./standings.js";
import { says } from "./fixtures.js";
import { outcome } from "./names.js";
import { t } from "./i18n.js";

const most = 1000; // runs that are shown

export class Runs {
	// changed() is called when the person chooses another entry.
	constructor(element, contest, changed) {
		this.path = `/api/contests/${encodeURIComponent(contest)}/matches`;
		this.changed = changed;
		this.select = h("select", { "aria-label": t("Entry"), "data-key": "runs of", onchange: () => {
			this.chosen = this.select.value;
			this.changed();
		} });
		this.body = h("div");
		element.replaceChildren(h("div", { class: "choose" }, this.select), this.body);
		this.chosen = ""; // empty: the person's own, or those of the first place
	}

	async update(view, me) {
		const names = view.standings.map((r) => r.name);
		const name = [this.chosen, me, names[0]].find((n) => names.includes(n));
		if (this.drawn !== names.join()) { // a list that is open must not be replaced
			this.drawn = names.join();
			fill(this.select, names.map((n) => h("option", { value: n }, n)));
		}
		this.select.value = name;
		const { matches } = await api(`${this.path}?${new URLSearchParams({ player: name, limit: most })}`);
		if (this.select.value !== name) return; // the person has chosen another one since
		const runs = matches.filter((m) => m.state === "finished" || m.state === "walkover" || m.state === "void").sort((a, b) => a.round - b.round || a.leg - b.leg);
		const best = Math.max(...runs.filter((m) => m.points).map((m) => m.points[0]));
		fill(this.body, runs.length === 0 ? h("p", { class: "hint" }, t("No run has ended yet.")) : h("ol", { class: "pairings" }, runs.map((m) => h("li", null,
			m.id ? h("a", { href: `/match/${encodeURIComponent(m.id)}`, "data-key": `run ${m.id}` }, t("Round {round}", m)) : t("Round {round}", m),
			" ", m.points ? h("b", null, points(m.points[0])) : h("span", { class: "hint" }, says(m)),
			m.points?.[0] === best && h("span", { class: "tag good" }, t("best run")),
			m.outcomes?.[0] && m.outcomes[0] !== "finished" && h("span", { class: "hint" }, ` ${outcome(m.outcomes[0])}`)))));
	}
}
