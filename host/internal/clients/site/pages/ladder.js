// The page with the ratings of one game.
import { h, $, fill, versionMark } from "./dom.js";
import { poll } from "./poll.js";
import { games, compact, alone } from "./contests.js";
import { counts, entrant, rating, ratingHead, scale } from "./standings.js";
import * as person from "./person.js";
import { t, phrase } from "./i18n.js";
import { prefixed, pathPart } from "./path.js";

const most = 200; // rows shown at once
const name = pathPart(2);
let all = false;
let me = "";
let latest = null;

function draw() {
	const rows = latest.ratings;
	const range = rows.length > 0 ? scale(rows) : null;
	const shown = all ? rows : rows.filter((r, i) => i < most || r.name === me);
	fill($("ratings"), rows.length === 0 && h("p", { class: "hint" }, alone.has(name) ? t("In this game everybody plays alone, so there are no ratings. Contests by score compare its players.") : t("No rated match of this game has ended yet.")),
		rows.length > 0 && h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Ratings"), "data-key": "ratings" }, h("table", { class: "standings" },
			h("thead", null, h("tr", null, h("th", { scope: "col", class: "number", title: t("a dash: fixed, or too few matches") }, "#"), h("th", { scope: "col", class: "who" }, t("Name")), ratingHead.map((c) => c.cloneNode(true)), [t("Played"), t("W##won"), t("D##drawn"), t("L##lost")].map((text) => h("th", { scope: "col", class: "number" }, text)))),
			h("tbody", null, shown.map((r) => h("tr", { class: [r.name === me && "mine", r.bot && "bot"].filter(Boolean).join(" ") || null },
				h("td", { class: "number" }, r.rank || "–"), h("th", { scope: "row", class: "who" }, entrant(r.name, r.bot ? "" : "player"), versionMark(r.version), r.bot && h("span", { class: "tag", title: t("a bot of the game") }, t("bot")), r.name === me && h("span", { class: "tag" }, t("you"))),
				rating(r, range), counts(r)))))),
		shown.length < rows.length && h("button", { type: "button", "data-key": "all", onclick: () => {
			all = true;
			draw();
		} }, t("Show all {n}|Show all {n}", { n: rows.length })));
}

person.account();
person.onAccount((player) => {
	me = player;
	if (latest) draw();
});
$("csv").setAttribute("href", prefixed(`/api/ratings/${encodeURIComponent(name)}/ratings.csv`));
games().then((titles) => {
	document.title = `${t("Ratings of {game}", { game: titles.get(name) || name })} – Colosseum`;
	fill($("title"), phrase("Ratings of {game}", { game: h("a", { href: `/games/${encodeURIComponent(name)}` }, titles.get(name) || name) }));
	const failed = (error) => ($("fault").textContent = error ? t("{reason}. Trying again…", { reason: error.message }) : "");
	poll(`/api/ratings/${encodeURIComponent(name)}`, (answer) => {
		latest = answer;
		draw();
	}, failed);
	poll("/api/contests", ({ contests }) => {
		const list = contests.filter((c) => c.game === name && c.format === "ladder" && c.state !== "ended");
		$("contests-box").hidden = list.length === 0;
		fill($("contests"), list.map((c) => compact(c, titles)));
	}, () => {}, 10000);
});
