// How a match begins with one click: the time that players have, and who moves first.
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { usualTimeout } from "./form.js";

const clocks = [[600, 0], [180, 2], [60, 0]]; // seconds for the match, and more for each turn
const timeouts = [30, 10]; // seconds for a move

// Start has the choices for a game; settings are those of the person.
export class Start {
	constructor(game) {
		const has = (name) => game.params.some((p) => p.name === name);
		const ticks = has("tick");
		const rounds = has("rounds"); // in which all answer together, so a clock for the match has no use
		const usual = Math.max(game.timeout, usualTimeout);
		this.name = `start ${game.name}`;
		this.kept = read(this.name);
		this.times = ticks ? [] : [
			[t("{n} min a move|{n} min a move", { n: Math.round(usual / 60) }), { timeout: usual }],
			...rounds ? timeouts.map((n) => [t("{n} s a move|{n} s a move", { n }), { timeout: n }]) : clocks.map(([bank, increment]) => [`${bank / 60}+${increment}`, { timeout: null, clock: { bank, increment } }, t("{minutes} min for the match, and {increment} s for each turn", { minutes: bank / 60, increment })]),
		];
		this.firsts = ticks || rounds || game.max_players !== 2 || !game.max_bots ? [] : [[t("By lot"), {}], [t("You"), { seat: 1 }], [t("The bot"), { seat: 2 }]];
		this.element = h("div", { class: "choose" }, this.choice("time", t("Time"), this.times), this.choice("first", t("Who begins"), this.firsts));
	}

	// time is the time that players have, in a match of people too.
	get time() {
		return this.chosen("time", this.times);
	}

	get settings() {
		return { ...this.time, ...this.chosen("first", this.firsts) };
	}

	chosen(name, list) {
		return list[Number(this.kept[name]) || 0]?.[1] ?? {};
	}

	choice(name, title, list) {
		if (!list.length) return null;
		const keep = (i) => {
			this.kept[name] = i;
			try {
				localStorage.setItem(this.name, JSON.stringify(this.kept));
			} catch {
				// the browser can forbid it
			}
		};
		const at = list[Number(this.kept[name])] ? Number(this.kept[name]) : 0;
		return h("fieldset", null, h("legend", { class: "hint" }, title), h("div", { class: "chips" }, list.map(([text, , about], i) =>
			h("label", { title: about }, h("input", { type: "radio", name, value: String(i), checked: i === at, onchange: () => keep(i) }), h("span", null, text)))));
	}
}

function read(name) {
	try {
		return JSON.parse(localStorage.getItem(name)) ?? {};
	} catch {
		return {};
	}
}
