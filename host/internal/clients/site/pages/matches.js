// The list of waiting and running matches, of which it shows ten until the person asks
// for all.
import { h, $, duration, timing, registered } from "./dom.js";
import { t } from "./i18n.js";
import { botName, matchName, settings } from "./names.js";

const few = 10; // rows at first
const most = 200; // rows at once
const pause = 250; // ms between two drawings

export class Matches {
	// games are those of the API by name, and titles those of contests by name; named must be
	// called when they have changed.
	constructor(games, titles) {
		Object.assign(this, { games, titles });
		this.all = new Map(); // by ID
		this.changed = () => {}; // is called with all of them when they are drawn
		this.rows = new Map(); // by ID: {info, element}
		this.open = false; // all are shown
		this.drawn = -pause; // when it was last drawn
		this.planned = 0;
		$("all").addEventListener("click", () => {
			this.open = !this.open;
			this.draw();
		});
		for (const id of ["by-game", "by-state", "by-text"]) $(id).addEventListener("input", () => this.draw());
		setInterval(() => this.soon(), 5000); // the times
	}

	reset(list) {
		this.all = new Map(list.map((m) => [m.id, m]));
		this.draw();
	}

	set(info) {
		this.all.set(info.id, info);
		this.soon();
	}

	// remove returns the match that was removed.
	remove(id) {
		const info = this.all.get(id);
		this.all.delete(id);
		this.soon();
		return info;
	}

	named() {
		const chosen = $("by-game").value;
		$("by-game").replaceChildren(h("option", { value: "" }, t("all")), ...[...this.games].map(([name, g]) => h("option", { value: name }, g.title || name)));
		$("by-game").value = this.games.has(chosen) ? chosen : "";
		this.rows.clear();
		this.draw();
	}

	// soon draws at most four times a second.
	soon() {
		this.planned ||= setTimeout(() => this.draw(), Math.max(16, pause - (performance.now() - this.drawn)));
	}

	draw() {
		clearTimeout(this.planned);
		this.planned = 0;
		this.drawn = performance.now();
		const game = $("by-game").value;
		const what = $("by-state").value;
		const text = $("by-text").value.trim().toLowerCase();
		const list = [...this.all.values()].filter((m) =>
			(!game || m.game === game) && (!what || (what === "running") === m.running) &&
			(!text || [m.name, matchName(m, this.titles), m.id, ...m.connected].some((s) => s.toLowerCase().includes(text))));
		list.sort((a, b) => a.running - b.running || b.time - a.time);
		const shown = list.slice(0, this.open ? most : few);

		this.changed([...this.all.values()]);
		$("filters").hidden = this.all.size <= few && !game && !what && !text;
		$("now-matches").textContent = this.all.size ? t("{n} match|{n} matches", { n: this.all.size }) : t("No match now");
		$("now-matches").classList.toggle("live", this.all.size > 0);
		$("all").hidden = list.length <= few;
		$("all").textContent = this.open ? t("Show fewer") : list.length > most ? t("Show {most} of {all}", { most, all: list.length }) : t("Show all {all}", { all: list.length });

		const kept = new Map();
		for (const m of shown) kept.set(m.id, this.row(m));
		this.rows = kept;
		arrange($("matches"), [
			...[...kept.values()].map((r) => r.element),
			...(this.open && list.length > most ? [h("li", { class: "hint" }, t("… and {n} more", { n: list.length - most }))] : []),
			...(list.length === 0 ? [h("li", { class: "hint empty" }, this.all.size ? t("No match for these filters.") : t("There is no match now. Choose a game above and begin one."))] : []),
		]);
	}

	// row returns the row of a match. It stays the same element until the match changes, so
	// that a click is not lost.
	row(m) {
		let row = this.rows.get(m.id);
		if (row?.info !== m) row = { info: m, element: this.element(m) };
		const texts = timeOf(m);
		row.element.querySelectorAll(".time").forEach((e, i) => {
			if (e.textContent !== texts[i]) e.textContent = texts[i];
		});
		return row;
	}

	element(m) {
		const game = this.games.get(m.game);
		const name = matchName(m, this.titles);
		const bots = Array.from({ length: m.bots }, (_, i) => botName(`ServerBot$${i}`, settings(game, m.args), m.bots, m.levels));
		const people = m.connected.map((name) => [name, registered(m.identities?.[name])]);
		const names = [...people, ...bots].map((name, i) => [i > 0 && ", ", name]);
		const seated = m.connected.length + m.bots;
		return h("li", { class: m.running ? "match running" : "match waiting" },
			h("div", { class: "what" },
				h("a", { class: "name", href: `/match/${m.id}`, title: name, "data-key": `name ${m.id}` }, name),
				m.verified && h("span", { class: "tag", title: t("created by the tournament") }, t("verified")),
				m.contest && h("span", { class: "tag" }, name === m.name ? this.titles.get(m.contest) || m.contest : t("Contest")),
				m.password && h("span", { class: "tag" }, t("password")),
				m.clock && h("span", { class: "tag", title: timing(m) }, t("clock {clock}", { clock: `${m.clock.bank}+${m.clock.increment}` })),
				m.reserved?.length > 0 && h("span", { class: "tag", title: t("seats are kept for these players") }, t("for {names}", { names: m.reserved.join(", ") }))),
			h("div", { class: "game hint" }, game?.title || m.game),
			h("div", { class: "who", title: [...m.connected, ...bots].join(", ") }, seated === 0 && t("nobody yet"), names,
				!m.running && seated > 0 && h("span", { class: "hint" }, " (", t("{seated} of {players}", { seated, players: m.players }), ")")),
			h("div", { class: "hint state" }, h("span", { class: "time long" }), h("span", { class: "time short" }), m.spectators > 0 && h("span", { class: "watching" }, ` · ${t("{n} watching", { n: m.spectators })}`)),
			m.running || m.reserved?.length >= m.players - m.bots
				? h("a", { class: "button", href: `/match/${m.id}`, "data-key": `watch ${m.id}` }, t("Watch"))
				: h("a", { class: "button main", href: `/match/${m.id}${m.password ? "" : "#play"}`, "data-key": `join ${m.id}` }, t("Join")));
	}
}

// timeOf says how long a match has been running or will wait, in a long and a short form.
function timeOf(m) {
	const now = Date.now() / 1000;
	const time = duration(m.running ? now - m.time : m.time - now);
	return m.running ? [t("● running, {time}", { time }), `● ${time}`] : [t("○ waiting, {time} left", { time }), `○ ${time}`];
}

// arrange makes the elements the children of a list, and moves only those that are not in
// their places.
function arrange(list, elements) {
	const wanted = new Set(elements);
	const focus = list.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
	for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
	elements.forEach((e, i) => {
		if (list.children[i] !== e) list.insertBefore(e, list.children[i] || null);
	});
	if (focus && !list.contains(document.activeElement)) [...list.querySelectorAll("[data-key]")].find((e) => e.dataset.key === focus)?.focus({ preventScroll: true });
}
