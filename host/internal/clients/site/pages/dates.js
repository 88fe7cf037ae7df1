// What a player does while its round of a contest with dates is open.
import { h, fill } from "./dom.js";
import { api } from "./host.js";
import { Fixtures } from "./fixtures.js";
import { list } from "./names.js";
import { at } from "./timetable.js";
import { t, language } from "./i18n.js";

const times = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const isOpen = ({ opens, closes }) => Date.parse(opens) <= Date.now() && Date.now() < Date.parse(closes);
const same = (a, b) => a.toLowerCase() === b.toLowerCase();

export class Dates {
	// changed is called after the player has said that it is there.
	constructor(turn, contest, changed) {
		Object.assign(this, { turn, contest, changed, fixtures: null, answer: "" });
	}

	// update shows the matches that me can play now.
	async update(view, me) {
		const windows = view.windows || [];
		if (windows.length === 0) return;
		const inside = me && view.state === "running" && view.entries.some((e) => !e.withdrawn && [e.name, ...(e.team?.players || [])].some((p) => same(p, me)));
		const open = inside ? windows.filter(isOpen) : [];
		const mine = open.length > 0 ? await this.mine(view, me, open) : [];
		this.turn.hidden = mine.length === 0;
		fill(this.turn, mine.map((m) => this.match(view, m)), mine.length > 0 && h("p", { class: "fault", role: "alert" }, this.answer));
	}

	// mine returns the matches of a player that are not over, one of each pairing.
	async mine(view, me, open) {
		const round = open.length === 1 ? open[0].round : 0;
		if (this.fixtures?.round !== round) this.fixtures = new Fixtures(this.contest, round);
		const running = new Set(view.running.map((m) => m.id));
		const found = new Map();
		for (const m of await this.fixtures.update(view)) {
			const w = open.find((o) => o.round === m.round);
			const players = m.players || m.seats; // of teams, those of the board
			const seat = players.findIndex((p) => same(p, me));
			if (!w || seat < 0 || !["planned", "running"].includes(m.state)) continue;
			const begun = m.state === "running" && running.has(m.id);
			if (begun || !found.has(m.pairing)) found.set(m.pairing, { ...m, begun, closes: w.closes, me: players[seat], others: players.filter((p, i) => p && i !== seat) });
		}
		return [...found.values()];
	}

	match(view, m) {
		const names = list(m.others);
		if (m.begun) {
			return h("p", null, h("a", { class: "button", href: `/match/${encodeURIComponent(m.id)}`, "data-key": `go ${m.id}` }, names ? t("To your match against {names}", { names }) : t("To your match")));
		}
		const there = (player) => view.here?.find((x) => same(x.player, player) && x.round === m.round && Date.parse(x.until) > Date.now());
		const said = there(m.me);
		const waiting = list(m.others.filter(there));
		return [
			h("p", null, names ? t("Round {round}: play against {names} until {time}.", { round: m.round, names, time: at(m.closes) }) : t("Round {round}: play until {time}.", { round: m.round, time: at(m.closes) }), " ",
				waiting && h("b", null, t("{names}: waiting for you now.", { names: waiting }))),
			said ? h("p", null, t("You have said that you are here until {time}. The match begins when everybody is: stay on this page.", { time: times.format(new Date(said.until)) }))
				: h("p", null, h("button", { type: "button", class: "main", "data-key": "here", onclick: () => this.here() }, t("I am here to play")), " ",
					h("span", { class: "hint" }, t("It counts for half an hour. A program that serves needs no button."))),
		];
	}

	async here() {
		try {
			await api(`/api/contests/${encodeURIComponent(this.contest)}/here`, "POST");
			this.answer = "";
		} catch (error) {
			this.answer = error.message;
		}
		this.changed();
	}
}
