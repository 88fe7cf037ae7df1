// The table of standings, and ratings with their intervals.
import { h, svg, fill, versionMark } from "./dom.js";
import { t, number } from "./i18n.js";
import { entryName } from "./names.js";

const most = 100; // rows shown at once
const tall = 10; // rows after which the own one stays in sight below the table

// The tie-breaks by name: what they are called, and what they are.
const tieBreaks = {
	direct: [t("Direct"), t("the points from the matches of those that are equal so far, if all of them have met")],
	buchholz: [t("Buchholz"), t("the sum of the points of all opponents")],
	"buchholz-cut-1": [t("Buchholz cut 1"), t("the sum of the points of all opponents except the lowest")],
	"median-buchholz": [t("Median Buchholz"), t("the sum of the points of all opponents except the lowest and the highest")],
	"sonneborn-berger": [t("Sonneborn-Berger"), t("the sum of the points of all opponents, each times what the entry scored against it")],
	wins: [t("Wins"), t("the matches won")],
	"match-points": [t("Match points"), t("1 for a pairing that was won, half a point for a tied one")],
	"board-points": [t("Board points"), t("the points of all boards")],
	progressive: [t("Progressive"), t("the sum of the points after each round")],
};
export const label = (name) => tieBreaks[name]?.[0] || name.replaceAll("-", " ").replace(/^./, (c) => c.toUpperCase());
const meaning = (name) => tieBreaks[name]?.[1] || label(name);

// What decides the ranks, by format.
const ranked = {
	knockout: t("The ranks are how far each entry came."),
	"double-elimination": t("The ranks are how far each entry came."),
	ladder: t("The ranks are by rating."),
	score: t("The ranks are by the mean score; between equal ones the best score decides. A match that was missed counts 0, or as the worst score of its round if that is less."),
};

// What decides the ranks of teams, by what ranks them.
const byTeams = {
	boards: t("The ranks are by board points: 1 for each match won, half a point for a draw."),
	match: t("The ranks are by match points: 1 for a pairing that was won, half a point for a tied one."),
};

export const points = (n) => (n === undefined || n === null ? "" : number(Math.round(n * 100) / 100));
export const rounded = (n) => String(Math.round(n)).replace("-", "−");

// known reports whether there is anything to rate an entry by.
export const known = (row) => row.played > 0 && !row.scores;

// scale returns the range of the ratings in a list.
export function scale(list) {
	const rows = list.filter(known);
	if (rows.length === 0) return { low: -1, high: 1 };
	const low = Math.min(...rows.map((r) => r.low));
	const high = Math.max(...rows.map((r) => r.high));
	return high > low ? { low, high } : { low: low - 1, high: low + 1 };
}

// bar draws a rating with its interval.
export function bar(row, { low, high }) {
	const x = (v) => 4 + 112 * Math.min(1, Math.max(0, (v - low) / (high - low)));
	return svg("svg", { class: "interval", viewBox: "0 0 120 14", "aria-hidden": "true" },
		svg("line", { class: "whole", x1: 0, x2: 120, y1: 7, y2: 7 }),
		svg("line", { class: "range", x1: x(row.low), x2: x(row.high), y1: 7, y2: 7 }),
		svg("line", { class: "end", x1: x(row.low), x2: x(row.low), y1: 3, y2: 11 }),
		svg("line", { class: "end", x1: x(row.high), x2: x(row.high), y1: 3, y2: 11 }),
		svg("circle", { cx: x(row.rating), cy: 7, r: 4 }));
}

// rating returns the cells of a rating: a number, the interval, and the bar.
export const rating = (row, range) => !known(row) ? [h("td", { class: "number" }, "–"), h("td", { class: "number hint" }, "–"), h("td")] : [
	h("td", { class: "number" }, h("b", null, rounded(row.rating))),
	h("td", { class: "number hint" }, row.low === row.high ? t("fixed") : t("{low} to {high}", { low: rounded(row.low), high: rounded(row.high) })),
	h("td", null, bar(row, range)),
];
// counts returns the cells of the matches of an entry; dashes if it has never played.
export const counts = (row) => [row.played, row.wins, row.draws, row.losses].map((n) => h("td", { class: "number" }, row.played > 0 ? n : "–"));

export const ratingHead = [h("th", { scope: "col", class: "number" }, t("Rating")), h("th", { scope: "col", title: t("it holds the true rating with 95 %") }, t("Interval")), h("th", { scope: "col" }, h("span", { class: "unseen" }, t("Interval as a bar")))];

// entrant names an entry: a player's name is a link. An organizer can have given it another
// name than that of the player.
export function entrant(name, kind, player) {
	if (kind === "player") return h("a", { href: `/players/${encodeURIComponent(player || name)}`, "data-key": `entrant ${name}` }, name);
	return [entryName(name), kind === "bot" && !name.startsWith("bot:") && ` (${t("bot")})`];
}

// Standings is the table of a contest.
export class Standings {
	// teams are the rows of the players of teams; undefined: they are not shown.
	constructor(element, teams) {
		this.element = element;
		this.teams = teams;
		this.all = false;
	}

	draw(view, me) {
		const entries = new Map(view.entries.map((e) => [e.name, e]));
		const rows = view.standings;
		if (rows.length === 0) {
			fill(this.element, h("ol", { class: "entries" }, view.entries.map((e) => h("li", null, entrant(e.name, e.kind, e.player), e.withdrawn && ` (${t("withdrawn")})`))),
				view.entries.length === 0 && h("p", { class: "hint" }, t("Nobody has entered yet.")));
			return;
		}
		const range = scale(rows.flatMap((r) => [r, ...(r.boards || [])]));
		const shown = this.all ? rows : rows.filter((r, i) => i < most || r.name === me);
		const ladder = view.format === "ladder"; // it has no points
		const byScore = view.format === "score"; // nobody is beaten, so there are no ratings
		const head = (text, title, className = "number") => h("th", { scope: "col", class: className, title }, text);
		// The columns that a phone needs come first.
		const table = h("table", { class: "standings" },
			h("thead", null, h("tr", null, head("#", t("rank")), head(t("Name"), null, "who"), byScore ? [head(t("Mean##score"), t("the mean of all scores")), head(t("Best##score")), head(t("Sum##score"))] : !ladder && head(t("Points")), view.tie_breaks.map((tb) => head(label(tb), meaning(tb))),
				head(t("Played"), t("matches, without walkovers and byes")), byScore ? [head(t("Missed"), t("matches to which the entry did not come")), head(t("F##forfeits"), t("forfeits: the score until then counts"))] : [head(t("W##won"), view.players > 2 ? t("first place, alone") : t("wins")), head(t("D##drawn"), view.players > 2 ? t("first place, shared") : t("draws")), head(t("L##lost"), view.players > 2 ? t("all other places") : t("losses")), head(t("F##forfeits"), t("forfeits among the losses")), ratingHead.map((c) => c.cloneNode(true))])),
			h("tbody", null, shown.map((r) => [h("tr", { class: [r.name === me && "mine", r.withdrawn && "gone"].filter(Boolean).join(" ") || null },
				h("td", { class: "number" }, r.rank || "–"), h("th", { scope: "row", class: "who" }, this.teams?.button(r), entrant(r.name, entries.get(r.name)?.kind, entries.get(r.name)?.player), versionMark(r.version), r.name === me && h("span", { class: "tag" }, t("you")), r.withdrawn && h("span", { class: "hint" }, ` ${t("withdrawn")}`)),
				!ladder && h("td", { class: "number" }, h("b", null, points(r.points))), byScore && [r.scores.best, r.scores.sum].map((n) => h("td", { class: "number" }, points(n))), view.tie_breaks.map((_, i) => h("td", { class: "number" }, points(r.tie_breaks?.[i]))),
				(byScore ? [r.played, r.scores.missed, r.forfeits] : [r.played, r.wins, r.draws, r.losses, r.forfeits]).map((n) => h("td", { class: "number" }, n)), !byScore && rating(r, range)), this.teams?.rows(r, view, range)])));
		const mine = shown.length > tall && rows.find((r) => r.name === me);
		const box = this.element.querySelector(".wide");
		const left = box?.scrollLeft || 0;
		fill(this.element, h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Standings"), "data-key": "standings" }, table),
			mine && h("p", { class: "own-row", "aria-hidden": "true" }, h("b", null, mine.rank || "–"), h("span", { class: "name", title: mine.name }, mine.name), h("b", null, ladder ? rounded(mine.rating) : points(mine.points))), // the same as its row, in sight
			shown.length < rows.length && h("button", { type: "button", "data-key": "all", onclick: () => {
				this.all = true;
				this.draw(view, me);
			} }, t("Show all {n}|Show all {n}", { n: rows.length })),
			h("details", { class: "hint", open: this.element.querySelector("details")?.open || false }, h("summary", { "data-key": "how" }, t("How this is computed")),
				h("p", null, ranked[view.format] || byTeams[view.teams?.points] || (view.players > 2 ? t("The ranks are by points: in each match the share of the others that the entry was better than; an equal rank is half.") : t("The ranks are by points: 1 for a win, half a point for a draw.")), " ", view.tie_breaks.length > 0 && `${t("Between those that are equal, the tie-breaks decide in this order.")} `, t("Those that are equal in everything share a rank.")),
				view.tie_breaks.length > 0 && h("dl", null, view.tie_breaks.map((tb) => [h("dt", null, label(tb)), h("dd", null, meaning(tb))])),
				h("p", null, byScore ? t("There are no ratings: everybody plays alone, and beats nobody.") : [ladder ? t("The ratings are those of the game.") : t("The ratings are those of the matches of this contest alone."), " ", t("On their scale 400 points are ten to one. The interval holds the true rating with 95 %.")])));
		this.element.querySelector(".wide").scrollLeft = left;
	}
}
