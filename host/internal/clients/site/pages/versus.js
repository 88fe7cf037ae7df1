// Two players compared: their ratings and the score in each game.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { chart } from "./chart.js";
import { rounded } from "./standings.js";

// score returns how often a player has won, drawn and lost against another in a game. The
// profiles list only those that each has met most often.
function score(a, b, game) {
	const of = (p) => p.games.find((g) => g.game === game);
	const against = (p, other) => of(p)?.opponents.find((o) => o.name.toLowerCase() === other.name.toLowerCase());
	const met = against(a, b);
	if (met) return [met.wins, met.draws, met.losses];
	const back = against(b, a);
	return back ? [back.losses, back.draws, back.wins] : null;
}

// versus fills an element. a and b are profiles of the API, and titles those of games by name.
export function versus(element, a, b, titles) {
	const names = [...new Set([...a.games, ...b.games].map((g) => g.game))].sort();
	const rating = (p, game) => {
		const g = p.games.find((x) => x.game === game);
		return g ? [h("b", null, rounded(g.rating)), h("span", { class: "hint" }, ` ${g.low === g.high ? t("fixed") : t("{low} to {high}", { low: rounded(g.low), high: rounded(g.high) })}`)] : "–";
	};
	const head = (text, name = "number") => h("th", { scope: "col", class: name }, text);
	const history = (p, game) => p.games.find((g) => g.game === game)?.history ?? [];
	const label = t("Comparison of {a} and {b}", { a: a.name, b: b.name });
	fill(element,
		names.length === 0 ? h("p", { class: "hint" }, t("No rated match has ended yet.")) : h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label, "data-key": "versus" },
			h("table", null, h("thead", null, h("tr", null, head(t("Game"), "who"), head(h("span", { class: "one" }, a.name)), head(h("span", { class: "two" }, b.name)), head(t("Wins of {name}", { name: a.name })), head(t("D##drawn")), head(t("Wins of {name}", { name: b.name })))),
				h("tbody", null, names.map((game) => h("tr", null, h("th", { scope: "row", class: "who" }, h("a", { href: `/ladder/${encodeURIComponent(game)}`, "data-key": `ladder ${game}` }, titles.get(game) || game)),
					[a, b].map((p) => h("td", { class: "number" }, rating(p, game))), (score(a, b, game) ?? ["–", "–", "–"]).map((n) => h("td", { class: "number" }, n))))))),
		names.filter((game) => history(a, game).length > 1 && history(b, game).length > 1).map((game) => [h("h3", null, titles.get(game) || game), chart([history(a, game), history(b, game)], `${label}: ${titles.get(game) || game}`)]));
}
