// What a contest is for one of its entrants: the next match, the last results, and its place.
import { h, fill, duration, copyable, cocoCommand } from "./dom.js";
import { Fixtures, chip } from "./fixtures.js";
import { at } from "./timetable.js";
import { label, points, rounded } from "./standings.js";
import { entryName, list } from "./names.js";
import { t } from "./i18n.js";

const few = 5; // results

// The browser remembers the entrant that was logged in last, for the time after.
const key = "entrant";
export function remembered() {
	try {
		return localStorage.getItem(key) || "";
	} catch {
		return ""; // the browser can forbid it
	}
}
export function remember(player) {
	try {
		if (player) localStorage.setItem(key, player);
		else localStorage.removeItem(key);
	} catch {
		// the browser can forbid it
	}
}

const same = (a, b) => a.toLowerCase() === b.toLowerCase();

export class Mine {
	constructor(box, contest, forgotten) {
		Object.assign(this, { box, contest, forgotten, fixtures: null });
	}

	// update shows the games of a player, whose entry has a name. In a contest of teams these
	// are those of its boards. known is false for one that is not logged in.
	async update(view, player, entry, known) {
		this.box.hidden = !entry || view.cup || view.state === "open";
		if (this.box.hidden) return;
		const who = view.teams ? player : entry;
		if (this.fixtures?.player !== who) this.fixtures = new Fixtures(this.contest, 0, who);
		const mine = this.fixtures;
		const matches = (await mine.update(view)).filter((m) => this.seat(m, who) >= 0);
		if (this.fixtures !== mine) return;
		const over = matches.filter((m) => m.state !== "planned" && m.state !== "running" && m.state !== "bye").sort((a, b) => (Date.parse(b.ended) || 0) - (Date.parse(a.ended) || 0) || b.pairing - a.pairing || b.leg - a.leg);
		fill(this.box, h("h2", null, t("Your games")),
			!known && h("p", { class: "hint" }, t("For {name}, who was logged in here.", { name: player }), " ", h("button", { type: "button", class: "quiet", "data-key": "forget", onclick: () => {
				remember("");
				this.forgotten();
			} }, t("That is not me"))),
			this.place(view, entry), this.next(view, matches, who),
			view.state !== "ended" && !view.local && known && h("p", { class: "hint" }, t("Your program plays with"), " ", copyable(cocoCommand("serve", view.game, "--contest", view.name, "--", "PROGRAM"))),
			over.length > 0 && [h("h3", null, t("Last results")), h("ul", { class: "last" }, over.slice(0, few).map((m) => this.result(m, who)))]);
	}

	seat = (m, who) => (m.players || m.seats).findIndex((name) => name && same(name, who));
	others = (m, who) => list((m.players || m.seats).filter((name, i) => name && i !== this.seat(m, who)).map(entryName));

	place(view, entry) {
		const row = view.standings.find((r) => same(r.name, entry));
		if (!row) return null;
		const rated = ["ladder", "league"].includes(view.format);
		const among = view.standings.filter((r) => r.rank > 0 && r.division === row.division).length;
		return h("p", { class: "place" }, h("b", null, row.rank > 0 ? t("Place {rank} of {n}", { rank: row.rank, n: among }) : t("No place yet")), [
			row.division, rated ? row.played > 0 && t("rating {rating}", { rating: rounded(row.rating) }) : !view.pass && t("{points} point|{points} points", { n: row.points, points: points(row.points) }),
			...view.tie_breaks.map((tb, i) => row.tie_breaks?.[i] !== undefined && `${label(tb)} ${points(row.tie_breaks[i])}`),
		].filter(Boolean).map((text) => ` · ${text}`));
	}

	next(view, matches, who) {
		const running = matches.find((m) => m.state === "running" && m.id);
		if (running) {
			const names = this.others(running, who);
			return h("p", null, h("a", { class: "button main", href: `/match/${encodeURIComponent(running.id)}`, "data-key": "mine" }, names ? t("To your match against {names}", { names }) : t("To your match")));
		}
		if (view.state === "ended" || view.pass) return null;
		const [m] = matches.filter((one) => one.state === "planned").sort((a, b) => a.round - b.round || a.pairing - b.pairing);
		if (!m) return h("p", null, t("No match is planned for you now."));
		const window = view.windows?.find((w) => w.round === m.round);
		const opens = window && Date.parse(window.opens) > Date.now();
		const names = this.others(m, who);
		return h("p", null, h("b", null, names ? t("Next: round {round} against {names}", { round: m.round, names }) : t("Next: round {round}", m)), " · ",
			opens ? t("opens {time}", { time: at(window.opens) }) : window ? t("until {time}", { time: at(window.closes) }) : t("it begins when all its players are there"));
	}

	result(m, who) {
		const names = this.others(m, who);
		return h("li", null, chip(m, m.seats[this.seat(m, who)]), h("span", null, names && t("against {names}", { names })), h("span", { class: "hint" }, [t("Round {round}", m), m.ended && t("{time} ago", { time: duration((Date.now() - Date.parse(m.ended)) / 1000) })].filter(Boolean).join(" · ")));
	}
}
