// The podium of a contest that has ended: who is on the first three places.
import { h, fill } from "./dom.js";
import { entrant, label, points, rounded } from "./standings.js";
import { entryName, list } from "./names.js";
import { t } from "./i18n.js";

const most = 4; // names on a step

// byPlace are formats in which other things than points decide the places.
const byPlace = ["knockout", "double-elimination"];

// steps returns the first places with their rows. Those that share a place stand together, and
// leave the next places free.
function steps(view) {
	const rows = view.season ? view.standings.filter((r) => r.division === view.season.divisions[0].name) : view.standings;
	return [1, 2, 3].map((rank) => ({ rank, rows: rows.filter((r) => r.rank === rank) })).filter((s) => s.rows.length > 0);
}

export const hasPodium = (view) => view.state === "ended" && !view.pass && steps(view).length > 0;

// decided returns the tie-break that put a row before or behind others with the same points.
function decided(view, row) {
	const equal = view.standings.filter((r) => r.rank > 0 && r.rank !== row.rank && r.points === row.points);
	const at = view.tie_breaks.findIndex((_, i) => equal.some((r) => r.tie_breaks?.[i] !== row.tie_breaks?.[i]));
	return at < 0 ? "" : t("by {rule}: {value}", { rule: label(view.tie_breaks[at]), value: points(row.tie_breaks[at]) });
}

function result(view, row) {
	if (view.season || view.format === "ladder") return t("rating {rating}", { rating: rounded(row.rating) });
	if (view.format === "score") return t("mean {score}", { score: points(row.points) });
	if (byPlace.includes(view.format)) return "";
	return t("{points} point|{points} points", { n: row.points, points: points(row.points) });
}

// drawPodium draws the steps, the first place first; the page puts it in the middle.
export function drawPodium(element, view) {
	const entries = new Map(view.entries.map((e) => [e.name, e]));
	const winner = (row) => {
		const entry = entries.get(row.name);
		return h("li", null, h("span", { class: "name", title: entryName(row.name) }, entrant(row.name, entry?.kind, entry?.player)), entry?.team && h("span", { class: "hint" }, list(entry.team.players || [])));
	};
	fill(element, h("ol", { class: "podium" }, steps(view).map(({ rank, rows }) => h("li", { class: `step place-${rank}`, value: rank },
		h("ul", null, rows.slice(0, most).map(winner), rows.length > most && h("li", { class: "hint" }, t("and {n} more|and {n} more", { n: rows.length - most }))),
		h("p", { class: "hint" }, [result(view, rows[0]), rows.length > 1 ? t("shared") : !byPlace.includes(view.format) && decided(view, rows[0])].filter(Boolean).join(" · ")),
		h("b", { class: "block" }, h("span", { class: "unseen" }, t("Place {rank}", { rank })), h("span", { "aria-hidden": "true" }, rank))))));
}
