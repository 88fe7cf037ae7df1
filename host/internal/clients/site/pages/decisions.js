// The decisions of the organizers of a contest.
import { h, fill } from "./dom.js";
import { points } from "./standings.js";
import { t, language } from "./i18n.js";

// says describes a decision in words, without its reason.
export function says(d) {
	const values = { round: d.round, match: `${d.pairing}.${d.leg}`, names: (d.entries || []).join(" – "), number: d.undoes, from: d.from, name: d.name };
	const results = (d.entries || []).map((name, i) => `${name} ${points(d.points?.[i])}`).join(", ");
	return {
		set: () => t("Match {match} counts: {results}", { ...values, results }),
		annul: () => t("Match {match} is annulled: {names}", values),
		replay: () => t("Match {match} is played again: {names}", values),
		bar: () => t("{names} may not play on", values),
		forgive: () => t("{names} may play again", values),
		rename: () => t("{from} is now called {name}", values),
		shift: () => t("Round {round} is played from {opens} to {closes}", { ...values, opens: new Date(d.opens).toLocaleString(language), closes: new Date(d.closes).toLocaleString(language) }),
		organizers: () => (d.players ? t("{names} can organize it", { names: d.players.join(", ") }) : t("Nobody but the operator of the host can organize it")),
		undo: () => t("Decision {number} no longer holds", values),
	}[d.kind]?.() || d.kind;
}

// drawDecisions lists the decisions, the newest first. extra(decision) returns what follows one.
export function drawDecisions(list, decisions, extra = () => null) {
	fill(list, [...decisions].reverse().map((d) => h("li", { value: d.contest ? null : d.event, class: d.undone_by ? "undone" : null }, d.contest && [h("a", { href: `/contests/${encodeURIComponent(d.contest)}`, "data-key": `decided ${d.contest} ${d.event}` }, d.contest), ": "], h("span", { class: "what" }, says(d)), d.reason && `: ${d.reason}`,
		h("span", { class: "hint" }, ` · ${d.by || t("the operator of the host")} · ${new Date(d.at).toLocaleString(language)}`, d.undone_by && ` · ${t("no longer holds, by decision {number}", { number: d.undone_by })}`), extra(d))));
}
