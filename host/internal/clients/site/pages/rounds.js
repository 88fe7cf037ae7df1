// The rounds of a contest with their results.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { entryName, outcome } from "./names.js";
import { pairings, chip, total } from "./fixtures.js";
import { points } from "./standings.js";
import { bracketName } from "./bracket.js";
import { boardsOf } from "./teams.js";

const most = 100; // pairings shown at once

export class Rounds {
	// changed(round) is called when the person chooses another one.
	constructor(element, changed) {
		this.changed = changed;
		this.head = h("div", { class: "choose" });
		this.body = h("div");
		element.replaceChildren(this.head, this.body);
		this.round = 0; // the one that is shown; 0: the newest
		this.all = false;
	}

	// of returns the number of the round to be shown.
	of = (view) => Math.min(this.round || view.running[0]?.round || view.round, view.round);

	draw(view, matches, me) {
		const round = this.of(view);
		const list = pairings(matches.filter((m) => m.round === round)).sort((a, b) => a.bracket === b.bracket ? a.slot - b.slot || a.replay - b.replay || a.pairing - b.pairing : 0);
		const shown = this.all ? list : list.filter((p, i) => i < most || p.seats.includes(me));
		this.drawHead(view, round);
		fill(this.body, h("ol", { class: "pairings" }, shown.map((p) => h("li", { class: p.seats.includes(me) ? "mine" : null },
				p.state === "bye" ? [p.seats[0], " ", h("span", { class: "hint" }, t("has a bye"))] : h("span", { class: "sides" },
					[...new Set(p.legs[0].seats)].map((name) => h("span", null, h("span", { class: "name", title: entryName(name) }, entryName(name)), !view.teams && h("span", { class: "chips" }, p.legs.map((m) => chip(m, name))), h("b", null, p.legs.some((m) => m.points) ? points(total(p.legs, name)) : "")))),
				view.teams && p.state !== "bye" && boardsOf(p),
				h("span", { class: "hint" }, [p.bracket && bracketName(p.bracket), p.replay > 0 && t("replay {number}", { number: p.replay }), state(p)].filter(Boolean).join(" · "),
					p.legs.flatMap((m) => m.earlier || []).filter((e) => e.id).map((e) => [" · ", h("a", { href: `/match/${encodeURIComponent(e.id)}`, "data-key": `earlier ${e.id}` }, t("before: {points}", { points: e.points.map(points).join(" – ") }))]))))),
			list.length === 0 && h("p", { class: "hint" }, t("This round has no pairings.")),
			shown.length < list.length && h("button", { type: "button", "data-key": "all", onclick: () => {
				this.all = true;
				this.draw(view, matches, me);
			} }, t("Show all {n} pairings|Show all {n} pairings", { n: list.length })));
	}

	// drawHead shows the buttons. A list that is open must not be replaced.
	drawHead(view, round) {
		const now = `${round} ${view.round}`;
		if (this.drawn === now) return;
		this.drawn = now;
		const go = (n, text, label) => h("button", { type: "button", class: "quiet", "data-key": label, "aria-label": label, disabled: n < 1 || n > view.round, onclick: () => this.choose(n, view) }, text);
		const select = h("select", { "aria-label": t("Round"), "data-key": "round", onchange: () => this.choose(Number(select.value), view) },
			Array.from({ length: view.round }, (_, i) => h("option", { value: String(i + 1), selected: i + 1 === round }, t("Round {round}", { round: i + 1 }))));
		fill(this.head, go(round - 1, "◀", t("round before")), select, go(round + 1, "▶", t("round after")));
	}

	choose(round, view) {
		this.round = round === view.round ? 0 : round;
		this.changed(round);
	}
}

function state(p) {
	const running = p.legs.filter((m) => m.state === "running").length;
	const missing = p.legs.filter((m) => m.state === "planned").length;
	const forfeits = p.legs.flatMap((m) => (m.outcomes || []).flatMap((o, i) => (o === "finished" ? [] : [`${(m.players || m.seats)[i]}: ${outcome(o)}`])));
	const earlier = p.legs.some((m) => m.ruling);
	return [running > 0 && t("running now"), missing > 0 && (missing === p.legs.length ? t("planned") : t("{n} to play|{n} to play", { n: missing })), p.legs.some((m) => m.state === "walkover") && t("walkover"), earlier && t("the organizer has decided"), ...forfeits].filter(Boolean).join(" · ");
}
