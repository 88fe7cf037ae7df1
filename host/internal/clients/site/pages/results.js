// The list of ended matches.
import { h, number, onlyWinner, sides, winners, duration, playerLink, versionMark } from "./dom.js";
import { t } from "./i18n.js";
import { api } from "./host.js";
import { botName, levelsOf, list } from "./names.js";
import { verdict } from "./verdict.js";

const size = 10; // matches per page

const most = 5; // requests for a page: the host looks at a bounded number of matches for each

// results fills an element with pages of ended matches and their filters. games are
// titles, or games of the API, by name. It returns a function that adds matches that have
// ended since, whose function filter chooses a result. got is called with the latest ones
// whenever they are loaded. Matches of one player have filters by opponent and result, and show
// why they ended.
export async function results(element, filter, games, got = () => {}) {
	let after = "";
	let known = new Set(); // IDs that are listed
	const title = (name) => games.get(name)?.title || (typeof games.get(name) === "string" ? games.get(name) : name);
	const linked = (m) => !filter.game && games.has(m.game);
	const player = h("input", { type: "search", maxlength: "16", placeholder: t("whole name"), autocomplete: "off", spellcheck: "false", oninput: soon });
	const select = (options) => h("select", { onchange: () => renew() }, options.map(([value, text]) => h("option", { value }, text)));
	const state = select([["", t("all")], ["finished", t("finished")], ["aborted", t("aborted")]]);
	const game = select([["", t("all")], ...[...games.keys()].map((name) => [name, title(name)])]);
	const opponent = h("input", { type: "search", maxlength: "32", value: filter.opponent ?? "", placeholder: t("whole name"), autocomplete: "off", spellcheck: "false", oninput: soon });
	const result = select([["", t("all")], ["lost", t("lost##filter")], ["drawn", t("drawn##filter")], ["won", t("won##filter")]]);
	const body = h("ul", { class: "results" });
	const more = h("button", { type: "button", hidden: true, onclick: () => load(after).catch(fail) }, t("Show more"));
	const fault = h("p", { class: "fault", role: "alert" });
	const label = (text, input) => h("label", null, text, " ", input);
	element.replaceChildren(h("div", { class: "filters" },
		!filter.game && games.size > 1 && label(t("Game"), game),
		filter.player ? [label(t("Opponent"), opponent), label(t("Result"), result)] : [label(t("Player"), player), label(t("State"), state)]), body, more, fault);

	let timer = 0;
	function soon() {
		clearTimeout(timer);
		timer = setTimeout(renew, 300);
	}

	let turn = 0; // identifies the current request; answers to earlier ones are dropped
	async function read(from) {
		const mine = ++turn;
		const query = { game: game.value, ...filter, player: filter.player || player.value.trim(), opponent: opponent.value.trim(), result: result.value, state: state.value };
		const page = { matches: [], next: from };
		for (let i = 0; i < most && mine === turn; i++) {
			const { matches, next } = await api(`/api/matches?${new URLSearchParams(Object.entries({ ...query, after: page.next, limit: size - page.matches.length }).filter(([, v]) => v))}`);
			page.matches.push(...matches);
			page.next = next;
			if (!next || page.matches.length === size) break;
		}
		fault.textContent = "";
		return mine === turn ? page : null;
	}

	async function load(from) {
		const page = await read(from);
		if (!page) return;
		if (!from) {
			got(page.matches);
			body.replaceChildren();
			known = new Set();
		}
		for (const m of page.matches) known.add(m.id);
		body.append(...page.matches.map((m) => row(m, title, linked(m), filter.player)));
		if (!body.children.length) body.append(h("li", { class: "hint" }, page.next ? t("None among the latest matches. There are older ones.") : player.value || state.value || game.value || opponent.value || result.value ? t("No match for these filters.") : t("No match has ended yet.")));
		after = page.next;
		more.hidden = !after;
	}

	const fail = (error) => (fault.textContent = error.message);
	const renew = () => load("").catch(fail);

	// New matches come first; the pages that the person has opened stay.
	async function refresh() {
		const page = await read("");
		if (!page) return;
		const fresh = page.matches.filter((m) => !known.has(m.id));
		got(page.matches);
		if (fresh.length === page.matches.length) return load("");
		for (const m of fresh) known.add(m.id);
		body.prepend(...fresh.map((m) => row(m, title, linked(m), filter.player)));
	}
	await renew();
	const add = () => refresh().catch(fail);
	add.filter = (value) => {
		result.value = value;
		renew();
	};
	return add;
}

// brief says in a line who played and how it ended.
export function brief(m) {
	const seats = [...m.seats].sort((a, b) => a.rank - b.rank);
	const bots = seats.filter((s) => s.bot).length;
	const name = (s) => botName(s.name, m.params, bots, levelsOf(m));
	return `${sides(seats).map((side) => side.map(name).join(" + ")).join(" – ")}: ${outcome(m, seats, name).text}`;
}

// row shows a match. The whole row leads to its replay, and the game's name to the game, if it
// is linked. With why, it says why the match ended.
export function row(m, title, linked, why) {
	const seats = [...m.seats].sort((a, b) => a.rank - b.rank);
	const plain = m.state === "aborted" || onlyWinner(seats);
	const bots = seats.filter((s) => s.bot).length;
	const levels = levelsOf(m);
	const name = (s) => botName(s.name, m.params, bots, levels);
	const won = outcome(m, seats, name);
	const { reason } = why ? verdict({ players: m.seats, reason: m.reason, aborted: m.state === "aborted" }, { called: (of) => botName(of, m.params, bots, levels) }) : {};
	return h("li", { class: reason ? "why" : null },
		h("span", { class: "game" }, linked ? h("a", { href: `/games/${encodeURIComponent(m.game)}`, "data-key": `game ${m.id}` }, title(m.game)) : title(m.game)),
		h("span", { class: "who" }, sides(seats).map((side, i) => side.map((s, j) => [j > 0 ? " + " : i > 0 && " – ", h(won.by?.includes(s) ? "strong" : "span", null, playerLink(name(s), s.player)), versionMark(s.version), !plain && ` ${number(s.score)}`]))),
		h("span", { class: "hint" }, h("span", { class: "outcome" }, reason || won.text, " · "), t("{time} ago", { time: duration((Date.now() - Date.parse(m.ended)) / 1000) })),
		h("a", { class: "replay", href: `/match/${m.id}`, "data-key": `replay ${m.id}` }, t("Replay"), h("span", { class: "unseen" }, ` ${title(m.game)}, ${seats.map(name).join(" – ")}`)));
}

// outcome says how a match ended; by are its only winner or the team that won, if there is
// one.
function outcome(m, seats, name) {
	if (m.state === "aborted") return { text: t("aborted") };
	const first = seats.filter((s) => s.rank === seats[0]?.rank);
	const by = winners(seats);
	if (by.length === seats.length) return { text: t("finished") };
	if (by.length > 0) return { text: by.length === 1 ? t("{name} won", { name: name(by[0]) }) : t("{names} won", { names: list(by.map(name)) }), by };
	if (first.length === seats.length) return { text: t("draw") };
	return { text: t("{names} share first place", { names: list(first.map(name)) }) };
}
