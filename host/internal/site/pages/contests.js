// The list of contests, and what all pages of contests share.
import { h, $, fill, duration } from "./dom.js";
import { api } from "./host.js";
import { poll } from "./poll.js";

export const formats = { "round-robin": "round robin", swiss: "Swiss", knockout: "knockout", "double-elimination": "double elimination", gauntlet: "gauntlet", ladder: "ladder" };
export const states = { open: "○ open", running: "● running", paused: "‖ paused", ended: "■ ended" };

// progress describes how far a contest has come.
export function progress(c) {
	const now = Date.now();
	return [
		states[c.state] || c.state,
		c.state === "open" && c.start && (Date.parse(c.start) > now ? `starts in ${duration((Date.parse(c.start) - now) / 1000)}` : "starts soon"),
		c.round > 0 && (c.rounds ? `round ${c.round} of ${c.rounds}` : `round ${c.round}`),
		c.all > 0 && `${c.done} of ${c.all} matches`,
		c.state === "ended" && c.ended && `${duration((now - Date.parse(c.ended)) / 1000)} ago`,
	].filter(Boolean).join(" · ");
}

// compact shows a contest in a list.
export function compact(c, titles) {
	return h("li", { class: `contest ${c.state}` },
		h("div", { class: "what" }, h("a", { class: "name", href: `/contests/${encodeURIComponent(c.name)}`, "data-key": `contest ${c.name}` }, c.title), c.open && h("span", { class: "tag good" }, "you can enter")),
		h("div", null, titles.get(c.game) || c.game, h("span", { class: "hint" }, ` · ${formats[c.format] || c.format} · ${c.entrants} entrants`)),
		h("div", { class: "hint" }, progress(c)),
		h("div", { class: "who" }, c.leaders?.length > 0 && [c.state === "ended" ? "won by " : "leading: ", c.leaders.slice(0, 3).join(", "), c.leaders.length > 3 && " …"]));
}

// games returns the titles of all games.
export async function games() {
	const { games: list } = await api("/api/games").catch(() => ({ games: [] }));
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
	}, (error) => ($("fault").textContent = error ? `${error.message}. Trying again…` : ""));
	const rated = [...titles].sort((a, b) => a[1].localeCompare(b[1]));
	fill($("ladders"), rated.map(([name, title]) => h("li", null, h("a", { href: `/ladder/${encodeURIComponent(name)}` }, title))));
}
