// The page of one player: its ratings, whom it met, its contests and matches.
import { h, $, fill, duration } from "./dom.js";
import { poll } from "./poll.js";
import { games, formats, states } from "./contests.js";
import { points, rounded, bar, entrant } from "./standings.js";
import { chart } from "./chart.js";
import { results } from "./results.js";
import * as person from "./person.js";

const name = decodeURIComponent(location.pathname.split("/")[2]);

function draw(p, titles) {
	document.title = `${p.name} – Colosseum`;
	$("title").textContent = p.name;
	$("kind").textContent = p.bot ? "a bot of the host" : "registered player ✓";
	fill($("games"), p.games.length === 0 && h("p", { class: "hint" }, "No rated match has ended yet."), p.games.map((g) => game(g, titles.get(g.game) || g.game)));
	$("contests-box").hidden = p.contests.length === 0;
	fill($("contests"), p.contests.map((c) => h("li", { class: "contest" },
		h("div", { class: "what" }, h("a", { class: "name", href: `/contests/${encodeURIComponent(c.contest)}`, "data-key": `contest ${c.contest}` }, c.title)),
		h("div", null, titles.get(c.game) || c.game, h("span", { class: "hint" }, ` · ${formats[c.format] || c.format}`)),
		h("div", { class: "hint" }, `${states[c.state] || c.state} · ${duration((Date.now() - Date.parse(c.created)) / 1000)} ago`),
		h("div", null, c.rank > 0 && `rank ${c.rank} of ${c.entrants}, ${points(c.points)} points`))));
}

function game(g, title) {
	const count = (n, text) => [h("b", null, n), ` ${text}`];
	return h("section", { class: "rated" },
		h("h3", null, h("a", { href: `/ladder/${encodeURIComponent(g.game)}`, "data-key": `ladder ${g.game}` }, title)),
		h("p", null, h("b", { class: "figure" }, rounded(g.rating)), ` `, g.low === g.high ? "fixed" : `between ${rounded(g.low)} and ${rounded(g.high)} with 95 % `, g.low < g.high && bar(g, { low: Math.min(g.low, -400), high: Math.max(g.high, 400) }),
			g.rank > 0 && h("span", null, ` rank ${g.rank} `), h("span", { class: "hint" }, count(g.played, "matches: "), count(g.wins, "won, "), count(g.draws, "drawn, "), count(g.losses, "lost"))),
		g.history.length > 1 && chart(g.history, `The rating of ${name} in ${title}: ${g.history.length} points, from ${rounded(g.history[0].rating)} to ${rounded(g.history.at(-1).rating)}. The band is the interval of 95 %.`),
		g.opponents.length > 0 && h("details", { open: true }, h("summary", { "data-key": `met ${g.game}` }, "Head to head"),
			h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Opponents in ${title}`, "data-key": `opponents ${g.game}` },
				h("table", null, h("thead", null, h("tr", null, [["Opponent", "who"], ["Played", "number"], ["W", "number"], ["D", "number"], ["L", "number"], ["Share", "number"]].map(([text, className]) => h("th", { scope: "col", class: className }, text)))),
					h("tbody", null, g.opponents.map((o) => h("tr", null, h("th", { scope: "row", class: "who" }, entrant(o.name, o.bot ? "bot" : "player")), [o.played, o.wins, o.draws, o.losses].map((n) => h("td", { class: "number" }, n)),
						h("td", { class: "number", title: "of the points" }, `${Math.round(100 * (o.wins + o.draws / 2) / Math.max(1, o.played))} %`))))))));
}

person.account();
games().then((titles) => {
	let refresh = () => {};
	poll(`/api/players/${encodeURIComponent(name)}`, (p) => {
		draw(p, titles);
		refresh();
	}, (error) => ($("fault").textContent = error ? `${error.message}. Trying again…` : ""), 10000);
	results($("recent"), { player: name }, titles).then((f) => (refresh = f)).catch(() => {}); // the list is not the main thing here
});
