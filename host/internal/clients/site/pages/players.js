// The players of a match, with scores and clocks: two are above and below the board, the own
// side below it; more are in a list.
import { h, $, fill, mark, clock, bank, number, onlyWinner, winners, playerLink, registered, versionMark } from "./dom.js";
import { t, phrase } from "./i18n.js";
import { outcome as endName } from "./names.js";

const few = 10; // seconds: the clock warns

export class Players {
	// sides has the players, and clocks those of a running match.
	constructor(sides, clocks) {
		Object.assign(this, { sides, clocks });
		this.drawn = ""; // what the boxes show
		setInterval(() => this.tick(), 250);
	}

	draw() {
		const { players, turn, me, result, identities, versions, timeline } = this.sides;
		const bottom = Number((me > 0) !== timeline.flipped); // as the viewers draw the board
		const drawn = JSON.stringify([players, turn, me, bottom, result, [...identities], [...versions]]);
		if (drawn === this.drawn) return;
		this.drawn = drawn;
		const list = $("players");
		const home = players.length > 2 ? document.querySelector(".arena") : $("place");
		if (list.parentElement !== home) home.insertBefore(list, home.querySelector(":scope > .board, :scope > .stage"));
		list.classList.toggle("live", !result); // the clock has its place
		fill(list, players.map((p, i) => this.player(p, i, players.length > 2 ? "" : players.length === 1 || i === bottom ? "below" : "above")));
		fill($("faults"), result?.players?.map((p) => p.ended !== "forfeit: resigned" && fault(this.sides.called(p.name), p.fault)));
		this.tick();
	}

	player(p, i, where) {
		const { turn, me, result, identities, versions, called } = this.sides;
		const end = result?.players?.find((r) => r.name === p.name);
		const moves = turn.includes(i);
		return h("li", { class: [where, moves && "turn"].filter(Boolean).join(" ") },
			mark(i, p.marker),
			h("span", { class: "name", title: called(p.name) }, p.name ? playerLink(called(p.name), identities.get(p.name), { "data-key": `player ${p.name}` }) : "…", registered(identities.get(p.name)), versionMark(versions.get(p.name))),
			h("span", { class: "notes" },
				i === me && h("b", { class: "you" }, t("you")),
				h("span", { class: "tag away", "data-away": p.name, title: t("time in which the player can come back") }),
				winners(result?.players || []).includes(end) && h("span", { class: "tag good" }, t("winner")),
				end?.ended && end.ended !== "finished" && h("span", { class: "tag bad", title: endName(end.ended) }, endName(end.ended)),
				end?.missed > 0 && h("span", { class: "tag", title: t("lines that were not the answer to a tick: {n}", { n: end.dropped || 0 }) }, t("{n} tick missed|{n} ticks missed", { n: end.missed })),
				end?.refused > 0 && h("span", { class: "tag", title: t("answers that were not legal; the player could try again") }, t("answers refused: {n}", { n: end.refused })),
				end?.team && h("span", { class: "tag" }, t("team {number}", { number: end.team })),
				moves && h("span", { class: "tag turn" }, h("span", null, t("to move"))),
				p.note && h("span", { class: "note", title: p.note }, p.note),
				h("span", { class: "lag", "data-lag": p.name, title: t("time to the player and back") })),
			h("span", { class: "score" }, p.score === undefined || p.score === null ? (end && !onlyWinner(result.players) ? number(end.score) : "") : number(p.score), p.unit && h("span", { class: "unit" }, ` ${p.unit}`)),
			h("span", { class: "times" },
				h("span", { class: "clock", "data-clock": p.name, title: t("time left for this move") }),
				h("span", { class: "clock", "data-bank": p.name, title: t("time left for the match") })));
	}

	tick() {
		const { live, result } = this.sides;
		const draw = (kind, f, format) => {
			for (const e of document.querySelectorAll(`[data-${kind}]`)) {
				const value = f(e.dataset[kind]);
				const text = value === null ? "" : format(value);
				if (e.textContent !== text) e.textContent = text;
				if (kind === "clock" || kind === "bank") e.classList.toggle("short", live && value !== null && value < few);
			}
		};
		const now = (name, f) => (live ? this.clocks[f](name) : null);
		draw("clock", (name) => {
			if (this.sides.ticks) return null; // it is over at once
			const [left, all] = [now(name, "left"), now(name, "bank")];
			return left !== null && all !== null && left > all - 1 ? null : left; // the bank is the limit
		}, clock);
		draw("bank", (name) => now(name, "bank") ?? this.sides.leftAt(name), bank);
		draw("away", (name) => (result ? null : this.clocks.away(name)), (left) => t("away, {time}", { time: clock(left) }));
		draw("lag", (name) => now(name, "lag"), (ms) => `${ms} ms`);
	}
}

// fault explains the forfeit of a player.
function fault(name, f) {
	if (!f) return null;
	const line = h("code", null, f.line);
	return h("div", { class: "fault" }, `${name}: `,
		f.late_ms > 0 ? phrase("{line} came {seconds} s too late. ", { line, seconds: (f.late_ms / 1000).toFixed(f.late_ms < 10000 ? 3 : 1) }) : f.line && phrase("The host refused {line}. ", { line }),
		f.asked && [t("It had sent:"), h("pre", null, f.asked)]);
}
