// The matches of a contest: what the page has loaded of them, and how they are shown.
import { h, sides } from "./dom.js";
import { api } from "./host.js";
import { points } from "./standings.js";
import { t } from "./i18n.js";
import { entryName, outcome } from "./names.js";

// Fixtures are the matches of one round, or of all, perhaps only those of a player.
export class Fixtures {
	constructor(contest, round, player = "") {
		this.player = player;
		this.path = `/api/contests/${encodeURIComponent(contest)}/matches`;
		this.round = round; // 0: all
		this.all = null; // of the view when everything was loaded
	}

	// update loads what has changed since the last call, and returns all matches.
	async update(view) {
		const state = `${view.all} ${view.state} ${view.rulings.length}`;
		if (this.all !== state) {
			this.byLeg = new Map();
			this.latest = "";
			for (let after = 0; after !== undefined;) {
				const page = await this.read({ limit: 5000, after: after || "" });
				this.add(page.matches);
				after = page.next;
			}
			this.all = state;
		} else {
			const page = await this.read({ since: this.latest });
			for (const m of this.byLeg.values()) if (m.state === "running") m.state = "planned";
			this.add(page.matches);
		}
		return [...this.byLeg.values()];
	}

	async read(query) {
		return api(`${this.path}?${new URLSearchParams(Object.entries({ round: this.round || "", player: this.player, ...query }).filter(([, v]) => v))}`);
	}

	add(list) {
		for (const m of list) {
			this.byLeg.set(`${m.pairing} ${m.leg}`, m);
			if (m.ended && Date.parse(m.ended) > (Date.parse(this.latest) || 0)) this.latest = m.ended;
		}
	}
}

// pairings groups matches by their pairing.
export function pairings(matches) {
	const groups = new Map();
	for (const m of matches) {
		if (!groups.has(m.pairing)) groups.set(m.pairing, { ...m, legs: [] });
		groups.get(m.pairing).legs.push(m);
	}
	return [...groups.values()].sort((a, b) => a.pairing - b.pairing);
}

// total returns the points of an entry in some matches.
export const total = (legs, name) => legs.reduce((sum, m) => sum + (m.points?.[m.seats.indexOf(name)] || 0), 0);

// seatsOf returns the seats of a match by sides: its teams, and the others alone.
const seatsOf = (m) => sides(m.seats.map((name, i) => ({ name: m.players?.[i] || name, team: m.teams?.[i], rank: m.ranks?.[i], points: m.points?.[i] })));

// letter returns how a match was for an entry: won, drawn, lost, or its place among more
// than two sides.
export function letter(m, name) {
	const i = m.seats.indexOf(name);
	switch (m.state) {
	case "planned": return "·";
	case "running": return "●";
	case "void": return t("V##void");
	case "bye": return t("B##bye");
	}
	if (m.seats.length === 1) return m.points ? points(m.points[0]) : "–"; // alone
	const all = seatsOf(m);
	if (all.length > 2 && m.ranks) return String(1 + all.filter(([s]) => s.rank < m.ranks[i]).length);
	return m.points[i] > 0.5 ? t("W##won") : m.points[i] < 0.5 ? t("L##lost") : t("D##drawn");
}

// says describes a match in words.
export function says(m) {
	const decided = m.ruling && m.ruling.action !== "replay";
	const result = m.ruling?.action === "annul" ? t("annulled by the organizer") : decided ? "" : { planned: t("not played yet"), running: t("running now"), void: t("void: it was aborted again and again"), bye: t("bye"), walkover: t("walkover: {names} did not come", { names: (m.absent || []).map(entryName).join(", ") }) }[m.state];
	const forfeits = decided ? t("set by the organizer") : (m.outcomes || []).flatMap((o, i) => (o === "finished" ? [] : [`${entryName((m.players || m.seats)[i])}: ${outcome(o)}`])).join(", ");
	const all = seatsOf(m);
	return `${all.map((side) => side.map((s) => entryName(s.name)).join(" + ")).join(" – ")}: ${result || `${all.map(([s]) => points(s.points)).join(" – ")}${forfeits && ` (${forfeits})`}`}`;
}

// chip shows one match as a letter, which is a link if the match has a page.
export function chip(m, name) {
	const text = letter(m, name);
	const attrs = { class: `chip ${{ [t("W##won")]: "won", [t("L##lost")]: "lost", 1: "won", "●": "now" }[text] || ""}`, title: says(m) };
	const spoken = h("span", { class: "unseen" }, ` ${says(m)}`);
	const mark = h("span", { "aria-hidden": "true" }, text, m.state === "walkover" && "*");
	return m.id ? h("a", { ...attrs, href: `/match/${encodeURIComponent(m.id)}`, "data-key": `${m.pairing} ${m.leg} ${name}` }, mark, spoken) : h("span", attrs, mark, spoken);
}
