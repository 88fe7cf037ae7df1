// The list of contests, and what all pages of contests share.
import { h, $, fill, duration } from "./dom.js";
import { api } from "./host.js";
import { poll } from "./poll.js";
import { t } from "./i18n.js";
import { entryName } from "./names.js";

export const formats = { "round-robin": t("round robin"), swiss: t("Swiss"), knockout: t("knockout"), "double-elimination": t("double elimination"), gauntlet: t("gauntlet"), score: t("by score"), ladder: t("ladder"), league: t("league"), cup: t("cup"), pass: t("pass mark") };
export const states = { open: t("○ open"), running: t("● running"), paused: t("‖ paused"), ended: t("■ ended") };

// progress describes how far a contest has come.
export function progress(c) {
	const now = Date.now();
	return [
		c.state === "ended" && c.ended ? `${states.ended} ${t("{time} ago", { time: duration((now - Date.parse(c.ended)) / 1000) })}` : states[c.state] || c.state,
		c.state === "open" && c.start && (Date.parse(c.start) > now ? t("starts in {time}", { time: duration((Date.parse(c.start) - now) / 1000) }) : t("starts soon")),
		c.state === "running" && c.ends && Date.parse(c.ends) > now && t("ends in {time}", { time: duration((Date.parse(c.ends) - now) / 1000) }),
		c.round > 0 && (c.rounds ? t("round {round} of {rounds}", c) : t("round {round}", c)),
		c.window && c.state === "running" && (Date.parse(c.window.opens) > now ? t("the next one opens in {time}", { time: duration((Date.parse(c.window.opens) - now) / 1000) })
			: Date.parse(c.window.closes) > now && t("open for {time} more", { time: duration((Date.parse(c.window.closes) - now) / 1000) })),
		["ladder", "league", "pass"].includes(c.format) ? c.done > 0 && t("{n} match|{n} matches", { n: c.done }) : c.all > 0 && t("{done} of {n} match|{done} of {n} matches", { done: c.done, n: c.all }),
	].filter(Boolean).join(" · ");
}

function first({ state, leaders }) {
	const names = leaders.slice(0, 3).map(entryName).join(", ") + (leaders.length > 3 ? " …" : "");
	return state === "ended" ? t("won by {names}", { names }) : t("leading: {names}", { names });
}

// compact shows a contest in a list.
export function compact(c, titles) {
	return h("li", { class: `contest ${c.state}` },
		h("div", { class: "what" }, h("a", { class: "name", href: `/contests/${encodeURIComponent(c.name)}`, "data-key": `contest ${c.name}` }, c.title), c.open && h("span", { class: "tag good" }, t("you can enter"))),
		h("div", null, c.game && (titles.get(c.game) || c.game), h("span", { class: "hint" }, `${c.game && " · "}${formats[c.format] || c.format} · ${t("{n} entrant|{n} entrants", { n: c.entrants })}`)),
		h("div", { class: "hint" }, progress(c)),
		h("div", { class: "who" }, c.leaders?.length > 0 && first(c)));
}

// alone has the names of games for one player, once games has returned. They have no ratings.
export const alone = new Set();

// games returns the titles of all games.
export async function games() {
	const { games: list } = await api("/api/games").catch(() => ({ games: [] }));
	for (const g of list) if (g.max_players === 1) alone.add(g.name);
	return new Map(list.map((g) => [g.name, g.title || g.name]));
}

// start shows the list on its page.
export async function start() {
	const titles = await games();
	poll("/api/contests", ({ contests }) => {
		for (const [id, wanted] of [["now", (c) => c.state === "running" || c.state === "paused"], ["open", (c) => c.state === "open"], ["ended", (c) => c.state === "ended"]]) {
			const list = contests.filter(wanted);
			$(id).parentElement.hidden = list.length === 0;
			fill($(id), list.map((c) => compact(c, titles)));
		}
		$("none").hidden = contests.length > 0;
	}, (error) => ($("fault").textContent = error ? t("{reason}. Trying again…", { reason: error.message }) : ""));
	const rated = [...titles].filter(([name]) => !alone.has(name)).sort((a, b) => a[1].localeCompare(b[1]));
	fill($("ladders"), rated.map(([name, title]) => h("li", null, h("a", { href: `/ladder/${encodeURIComponent(name)}` }, title))));
}
