// The tables of the divisions of a league, and who went from one to another.
import { h, fill, versionMark } from "./dom.js";
import { entrant, rating, ratingHead, scale, points } from "./standings.js";
import { t, language } from "./i18n.js";

const when = (time) => new Date(time).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });

// inDivision returns the rows of a division.
export const inDivision = (view, division) => view.standings.filter((r) => r.division === division.name);

// arrow marks who would go up or down now, or went at the end.
export const arrow = (row) => row.move > 0 ? h("span", { class: "moves up", title: t("goes up") }, "▲") : row.move < 0 ? h("span", { class: "moves down", title: t("goes down") }, "▼") : null;

// lines returns the classes of the rows: after the places that can go up, and before those that
// can go down, there is a line. The boss of the division is a line itself.
function lines(view, division, rows) {
	const { divisions, promote } = view.season;
	const at = divisions.indexOf(division);
	const ranked = rows.filter((r) => r.rank > 0 && !r.withdrawn);
	const up = at > 0 && ranked.length > promote ? ranked[promote - 1] : null;
	const down = at < divisions.length - 1 && ranked.length > promote ? ranked[ranked.length - promote - 1] : null;
	return (r) => r === up || r === down ? "line" : r.name === division.boss ? "boss" : null;
}

// rule says in words who goes up and down.
function rule(view, division) {
	const { divisions, promote, matches } = view.season;
	const at = divisions.indexOf(division);
	const below = divisions[at + 1];
	return [
		at > 0 && (division.boss ? t("At each date up to {n} goes up that is surely stronger than {boss}.|At each date up to {n} go up that are surely stronger than {boss}.", { n: promote, boss: division.boss }) : t("At each date up to {n} goes up that is surely stronger than the next one.|At each date up to {n} go up that are surely stronger than the next one.", { n: promote })),
		below && (below.boss ? t("Up to {n} goes down that is surely weaker than {boss}.|Up to {n} go down that are surely weaker than {boss}.", { n: promote, boss: below.boss }) : t("Up to {n} goes down that is surely weaker than the one above.|Up to {n} go down that are surely weaker than the one above.", { n: promote })),
		divisions.length > 1 && t("Who moves has played at least {n} match in its division.|Who moves has played at least {n} matches in its division.", { n: matches }),
	].filter(Boolean).join(" ");
}

// drawDivisions draws a table for each division, one under the other.
export function drawDivisions(element, view, me) {
	const kinds = new Map(view.entries.map((e) => [e.name, e.kind]));
	const range = scale(view.standings);
	const head = (text, title, className = "number") => h("th", { scope: "col", class: className, title }, text);
	const left = [...element.querySelectorAll(".wide")].map((box) => box.scrollLeft);
	fill(element, view.season.divisions.map((division) => {
		const rows = inDivision(view, division);
		const line = lines(view, division, rows);
		return h("section", { class: "division" }, h("h3", null, division.name),
			rows.length === 0 ? h("p", { class: "hint" }, t("Nobody is in this division now.")) : h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": division.name, "data-key": `division ${division.name}` }, h("table", { class: "standings" },
				h("thead", null, h("tr", null, head("#", t("rank")), head(t("Name"), null, "who"), ratingHead.map((c) => c.cloneNode(true)), head(t("Played"), t("matches of the season")), head(t("W##won"), t("wins")), head(t("D##drawn"), t("draws")), head(t("L##lost"), t("losses")), head(t("F##forfeits"), t("forfeits among the losses")))),
				h("tbody", null, rows.map((r) => h("tr", { class: [r.name === me && "mine", r.withdrawn && "gone", line(r)].filter(Boolean).join(" ") || null },
					h("td", { class: "number" }, r.rank || "–"), h("th", { scope: "row", class: "who" }, entrant(r.name, kinds.get(r.name)), versionMark(r.version), " ", arrow(r), r.name === me && h("span", { class: "tag" }, t("you")), r.name === division.boss && h("span", { class: "tag" }, t("boss")), r.withdrawn && h("span", { class: "hint" }, ` ${t("withdrawn")}`)),
					rating(r, range), [r.played, r.wins, r.draws, r.losses, r.forfeits].map((n) => h("td", { class: "number" }, n))))))),
			h("p", { class: "hint" }, rule(view, division)));
	}), h("details", { class: "hint", open: element.querySelector("details")?.open || false }, h("summary", { "data-key": "how" }, t("How this is computed")),
		h("p", null, t("The ranks are by rating."), " ", t("The ratings are those of the matches of this contest alone."), " ", t("On their scale 400 points are ten to one. The interval holds the true rating with 95 %."), " ", t("An entry is surely stronger or weaker if 0 is not in the interval of 95 % of the difference."))));
	[...element.querySelectorAll(".wide")].forEach((box, i) => (box.scrollLeft = left[i] || 0));
}

// drawDates shows the next date, and who has moved at those before.
export function drawDates(element, view) {
	const { dates, next, end, after, follows } = view.season;
	fill(element,
		view.state !== "ended" && h("p", null, [
			next && t("The next date is {time}.", { time: when(next) }),
			after > 0 && t("The next date is when everybody has played {n} match on average.|The next date is when everybody has played {n} matches on average.", { n: after }),
			end && t("The season ends at {time}.", { time: when(end) }),
		].filter(Boolean).join(" ")),
		follows && h("p", null, h("a", { href: `/contests/${encodeURIComponent(follows)}`, "data-key": "follows" }, t("The season before"))),
		h("ul", { class: "dates" }, dates.toReversed().map((d) => h("li", null, h("b", null, when(d.due || d.at)), " ", d.final && `${t("The end of the season")} `, d.reason && `${d.reason} `,
			d.moves.length === 0 ? h("span", { class: "hint" }, t("nobody moved")) : h("ul", null, d.moves.map((m) => h("li", null, t("{name}: from {from} to {to}", m))))))));
}

// drawCup draws the table of a cup: a column for each contest.
export function drawCup(element, view, me) {
	const left = element.querySelector(".wide")?.scrollLeft || 0;
	const kinds = new Map(view.entries.map((e) => [e.name, e.kind]));
	const missing = view.cup.filter((c) => !c.state);
	const decided = view.cup.filter((c) => c.decided);
	fill(element,
		view.standings.length === 0 ? h("p", { class: "hint" }, t("No match of its contests has ended yet.")) : h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Standings"), "data-key": "standings" }, h("table", { class: "standings" },
			h("thead", null, h("tr", null, h("th", { scope: "col", class: "number", title: t("rank") }, "#"), h("th", { scope: "col", class: "who" }, t("Name")), h("th", { scope: "col", class: "number" }, t("Points")),
				view.cup.map((c) => h("th", { scope: "col", class: "number" }, c.state ? h("a", { href: `/contests/${encodeURIComponent(c.name)}`, "data-key": `part ${c.name}` }, c.title) : c.title)))),
			h("tbody", null, view.standings.map((r) => h("tr", { class: r.name === me ? "mine" : null },
				h("td", { class: "number" }, r.rank), h("th", { scope: "row", class: "who" }, entrant(r.name, kinds.get(r.name)), r.name === me && h("span", { class: "tag" }, t("you"))),
				h("td", { class: "number" }, h("b", null, points(r.points))), view.cup.map((_, i) => h("td", { class: "number" }, typeof r.parts?.[i] === "number" ? points(r.parts[i]) : "–"))))))),
		missing.length > 0 && h("p", { class: "hint" }, t("These contests do not exist, or are cups themselves, and do not count: {names}", { names: missing.map((c) => c.name).join(", ") })),
		decided.length > 0 && h("p", { class: "notice" }, t("Decided again after the end of the cup, and so counted here: {names}", { names: decided.map((c) => c.title).join(", ") })),
		h("p", { class: "hint" }, [view.places ? t("The places in each contest get these points: {points}.", { points: view.places.map(points).join(", ") }) : t("The points of the contests are added."), t("Bots do not count."), t("Those that are equal in everything share a rank.")].join(" ")));
	const box = element.querySelector(".wide");
	if (box) box.scrollLeft = left;
}
