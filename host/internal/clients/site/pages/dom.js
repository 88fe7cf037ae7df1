// Helpers for building pages. Untrusted text always becomes a text node, never
// markup.
import { t, language, number as decimal } from "./i18n.js";
import { prefixed, socket } from "./path.js";

// h creates an element: h("a", {href: "/", class: "x"}, "text", child). It skips
// null and false.
export function h(tag, attrs, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attrs || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
		else if (name in e && typeof value === "boolean") e[name] = value;
		else e.setAttribute(name, name === "href" || name === "src" || name === "action" ? prefixed(String(value)) : value);
	}
	e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
	return e;
}

// svg creates an element of a picture.
export function svg(tag, attrs, ...children) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attrs)) e.setAttribute(name, value);
	e.append(...children);
	return e;
}

// mark draws the mark of a player, as boards draw it: a disc for the first, an octagon for
// the second, and other shapes for the next four. In games that use colours, colour is "white"
// or "black", and both are discs.
export function mark(seat, colour) {
	const shape = colour ? "" : shapes[seat % shapes.length];
	return svg("svg", { viewBox: "-17 -17 34 34", class: `seat s${seat} ${colour || ""}`, ...(colour ? { role: "img", "aria-label": colour === "white" ? t("white") : t("black") } : { "aria-hidden": "true" }) },
		shape ? svg("path", { d: shape }) : svg("circle", { r: 14 }));
}

const shapes = ["", "M-6 -14 H6 L14 -6 V6 L6 14 H-6 L-14 6 V-6 Z", "M0 -15 L15 11 H-15 Z", "M0 -16 L16 0 L0 16 L-16 0 Z", "M-12 -12 H12 V12 H-12 Z", "M-5 -15 H5 V-5 H15 V5 H5 V15 H-5 V5 H-15 V-5 H-5 Z"]; // by seat; empty: a circle

// registered returns the mark of a registered player; nothing without a name.
export const registered = (player) => player && h("span", { class: "registered", title: t("registered player {player}", { player }) }, "\u00a0✓", h("span", { class: "unseen" }, ` ${t("registered")}`));

// person returns the name of a player, with a link to its page if it is registered.
export const playerLink = (name, player, attrs) => (player ? h("a", { href: `/players/${encodeURIComponent(player)}`, ...attrs }, name) : name);

// versionMark returns the version of a program that was handed in; nothing without one.
export const versionMark = (version) => version > 0 && h("span", { class: "version" }, ` v${version}`);

export const $ = (id) => document.getElementById(id);

// fill replaces the children of an element and keeps the focus.
export function fill(element, ...children) {
	const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
	element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
	if (key) [...element.querySelectorAll("[data-key]")].find((e) => e.dataset.key === key)?.focus({ preventScroll: true });
}

// duration formats seconds: 9 s, 3 min, 2 h.
export function duration(seconds) {
	const s = Math.max(0, Math.round(seconds));
	if (s < 100) return t("{n} s|{n} s", { n: s });
	if (s < 6000) return t("{n} min|{n} min", { n: Math.round(s / 60) });
	return s < 172800 ? t("{n} h|{n} h", { n: Math.round(s / 3600) }) : t("{n} day|{n} days", { n: Math.round(s / 86400) });
}

// clock formats seconds as 1:05.
export function clock(seconds) {
	const s = Math.max(0, Math.ceil(seconds));
	return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

// bank formats the seconds of a whole match as 1:05, and the last ones with tenths.
export function bank(seconds) {
	return seconds < 10 ? tenths.format(Math.max(0, Math.floor(seconds * 10) / 10)) : clock(Math.floor(seconds));
}

// timing describes how long players can think.
export function timing({ timeout, clock: c }) {
	const move = timeout < 10 ? t("{n} s|{n} s", { n: timeout }) : duration(timeout);
	if (!c) return t("{time} for a move", { time: move });
	const bank = duration(c.bank);
	return c.increment ? t("{bank} + {increment} s a turn for the match, {move} for a move", { bank, increment: c.increment, move }) : t("{bank} for the match, {move} for a move", { bank, move });
}

// number formats a score with at most three decimals. A viewer's score can be a text with
// a number or a fraction, such as 365/2; other texts stay as they are.
export function number(n) {
	if (n === null || n === undefined || n === "") return "–";
	const fraction = /^([−-]?)(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(n);
	if (!fraction) return String(n);
	const value = fraction[2] / (fraction[3] ?? 1);
	const text = Number.isFinite(value) ? decimal(value) : String(n);
	return fraction[1] && text !== "0" ? `−${text}` : text;
}

// sides groups the seats of a result: those of each team, and each of the others alone.
export function sides(seats) {
	const groups = new Map();
	seats.forEach((s, i) => {
		const key = s.team ? `team ${s.team}` : i;
		groups.set(key, [...(groups.get(key) || []), s]);
	});
	return [...groups.values()];
}

// winners returns the seats of a result that have won: the only one on the first rank, or
// those of one team. There are none if others share the first rank.
export function winners(seats) {
	const first = seats.filter((s) => s.rank === 1);
	return first.length === 1 || (first[0]?.team && first.every((s) => s.team === first[0].team)) ? first : [];
}

// onlyWinner reports whether the scores of a result only repeat who has won: 1 and 0, or
// the same for all. They are not what the game counted, so they are not shown.
export function onlyWinner(seats) {
	const shared = seats.every((s) => s.rank === 1);
	return seats.length > 1 && seats.every((s) => (shared ? [0, 0.5, 1].includes(s.score) && s.score === seats[0].score : winners(seats).length > 0 && s.score === (s.rank === 1 ? 1 : 0)));
}

// copyable returns a command line with a button that copies it.
export function copyable(text, label) {
	const code = h("code", null, text);
	const button = h("button", { class: "quiet", type: "button", "data-key": `copy ${text}`, "aria-label": t("Copy: {text}", { text: label || text }), onclick: copy }, t("Copy"));
	async function copy() {
		try {
			await navigator.clipboard.writeText(text);
			button.textContent = t("Copied");
		} catch {
			getSelection().selectAllChildren(code); // without https there is no clipboard
			button.textContent = t("Selected");
		}
		setTimeout(() => (button.textContent = t("Copy")), 1500);
	}
	return h("span", { class: "copyable" }, code, button);
}

// cocoCommand returns a coco command line for this host, with -s unless it is
// coco's default.
export function cocoCommand(...words) {
	const url = socket();
	return ["coco", ...(url === "ws://127.0.0.1:8088/" ? [] : ["-s", url]), ...words].join(" ");
}
