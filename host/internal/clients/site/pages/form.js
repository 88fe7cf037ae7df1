// New matches, with a form made from the game's parameters or with one click.
import { h, fill } from "./dom.js";
import { t, known } from "./i18n.js";
import { newMatch, refusal } from "./host.js";
import { title, valueText } from "./names.js";
import * as person from "./person.js";
import { prefixed } from "./path.js";

// usualTimeout is the time for a move in matches that begin with one click, in seconds. It
// is long, because the person might be learning the game.
export const usualTimeout = 300;

// playBot creates a match against the game's bot and opens its page. level is a value of
// the parameter bot; null: its default. settings are more parameters of the match, see
// create.
export const playBot = (game, fault, level = null, settings = {}) => begin(game, fault, game.max_bots, level, settings);

// playFriend creates a match that waits for another player, and opens its page.
export const playFriend = (game, fault, settings = {}) => begin(game, fault, 0, null, settings);

// watchBots creates a match of bots alone, and opens its page. It pauses between moves, so that
// people can follow.
export async function watchBots(game, fault) {
	try {
		fault.textContent = "";
		const n = Math.max(game.min_players, 2);
		const pace = game.params.find((p) => p.name === "pace");
		await create({ game: game.name, players: n, bots: n, timeout: null, args: pace && Number(pace.default) === 0 ? { pace: String(Math.min(1, pace.max)) } : {}, password: null }, false);
	} catch (error) {
		fault.textContent = refusal(error);
	}
}

async function begin(game, fault, bots, level, settings) {
	try {
		fault.textContent = "";
		const players = Math.min(game.max_players, Math.max(game.min_players, 2));
		await create({ game: game.name, players, bots: Math.min(players - 1, bots), timeout: Math.max(game.timeout, usualTimeout), args: level ? { bot: level } : {}, password: null, ...settings }, true);
	} catch (error) {
		fault.textContent = refusal(error);
	}
}

let creating = null; // a match, until its page opens
addEventListener("pageshow", () => (creating = null)); // the person has come back

// create creates a match and opens its page, to play or to watch. A second click before
// that creates no other match.
export function create(match, play) {
	creating ??= request(match, play).catch((error) => {
		creating = null;
		throw error;
	});
	return creating;
}

async function request({ game, players, bots, levels, timeout, clock, seat, args, password }, play) {
	await person.known;
	const params = { players, bots, timeout, ...(clock ? { clock } : {}), ...(levels?.length ? { levels } : {}), ...(seat ? { seat } : {}) };
	const id = await newMatch({ name: `${person.name()}'s match`.slice(0, 24), game, params, args, password, verification: null });
	if (password) sessionStorage.setItem(`password ${id}`, password);
	location.href = prefixed(`/match/${id}${play ? "#play" : ""}`);
}

// form returns the form for a game. The opponents come first; what most people leave as it
// is, is folded.
export function form(game) {
	const fault = h("p", { class: "fault", role: "alert" });
	const row = (id, label, input, hint) => h("div", { class: "row" }, h("label", { for: id }, label), input, h("span", { class: "hint" }, hint));
	const numeric = (id, value, min, max, step) => h("input", { id, name: id, type: "number", value, min, max, step, required: true, inputmode: "decimal" });
	const select = (id, options) => h("select", { id, name: id }, options.map(([value, text, selected]) => h("option", { value, selected }, text)));
	const optional = (id, min, max) => h("input", { id, name: id, type: "number", min, max, step: "any", inputmode: "decimal", placeholder: t("none"), oninput: () => (bank.required = Boolean(bank.value || increment.value)) });

	const opponents = [];
	if (game.min_players !== game.max_players) {
		opponents.push(row("players", t("Players"), numeric("players", game.min_players, game.min_players, game.max_players, 1), t("{min} to {max}, bots included", { min: game.min_players, max: game.max_players })));
	}
	if (game.max_bots > 0 && game.max_players === 2) {
		opponents.push(row("bots", t("Opponent"), select("bots", [["1", t("the host's bot")], ["0", t("another player")], game.max_bots > 1 && ["2", t("none: two bots play, and you watch")]].filter(Boolean)), t("another person or a program can join from the list of matches")));
	} else if (game.max_bots > 0) {
		opponents.push(row("bots", t("Bots"), numeric("bots", 1, 0, game.max_bots, 1), t("0 to {max}; 0 waits for other players", { max: game.max_bots })));
	}

	const bank = optional("bank", 1, 86400);
	const increment = optional("increment", 0, 600);
	const more = [
		row("timeout", t("Time for a move"), numeric("timeout", game.timeout, 0.1, 600, "any"), t("seconds, {min} to {max}; matches that begin with one click have {usual}", { min: 0.1, max: 600, usual: Math.max(game.timeout, usualTimeout) })),
		row("bank", t("Time for the match"), bank, t("seconds for all moves of a player together; empty: no such limit")),
		row("increment", t("More for each turn"), increment, t("seconds that each turn adds to it")),
		row("password", t("Password"), h("input", { id: "password", name: "password", type: "text", maxlength: "32", pattern: "[!-~]*", autocomplete: "off", placeholder: t("none") }), t("needed to join, but not to watch")),
	];
	const parameters = game.params.map((p) => {
		const id = `param-${p.name}`;
		const { owner, value, text } = condition(p, game.params);
		const [input, hint] = {
			choice: () => [select(id, p.choices.map((c) => [c, known(title(c)), c === p.default])), known(text)],
			text: () => [h("input", { id, name: id, type: "text", value: p.default, maxlength: p.max, autocomplete: "off", spellcheck: "false" }), `${known(text)}; ${t("at most {max} bytes", { max: p.max })}`],
		}[p.kind]?.() || [numeric(id, p.default, p.min, p.max, p.kind === "int" ? 1 : "any"), `${known(text)}; ${t("{min} to {max}", { min: p.min, max: p.max })}`];
		const element = row(id, known(title(p.name)), input, hint);
		(p.name === "bot" ? opponents : more).push(element);
		return { ...p, id, owner, value, element };
	});

	// Each of several bots has a level of its own.
	const { choices, default: usual } = game.params.find((p) => p.name === "bot") || {};
	const levels = h("div", { class: "options" });
	const level = (i) => row(`level-${i}`, t("Bot {i}", { i: i + 1 }), select(`level-${i}`, choices.map((c) => [c, known(title(c)), c === usual])), "");
	const fields = (id) => element.elements[id]?.value;
	const bots = () => Number(fields("bots") || 0);
	const several = () => choices && bots() > 1;
	const plays = (p) => (p.name === "bot" ? bots() > 0 && !several() : p.name === "think" ? bots() > 0 : !p.owner || fields(`param-${p.owner}`) === p.value);
	const update = () => {
		const n = several() ? Math.min(bots(), game.max_bots) : 0;
		while (levels.children.length < n) levels.append(level(levels.children.length));
		while (levels.children.length > n) levels.lastChild.remove();
		for (const p of parameters) {
			p.element.hidden = !plays(p);
			element.elements[p.id].disabled = p.element.hidden; // and so not checked
		}
	};
	const always = Object.entries(game.fixed).filter(([, v]) => v !== "");
	const options = h("details", null, h("summary", null, t("More options")), h("div", { class: "options" },
		always.length > 0 && h("p", { class: "hint" }, t("Always: {values}", { values: always.map(([k, v]) => `${known(title(k))}: ${valueText(v)}`).join(", ") })), more));
	const element = h("form", { class: "create", onsubmit: submit, oninput: update, onchange: update },
		opponents, levels, options, fault,
		h("div", { class: "buttons" },
			h("button", { class: "main", type: "submit", value: "play" }, t("Create and play")),
			h("button", { type: "submit", value: "watch" }, t("Create for programs"))));
	element.addEventListener("invalid", () => (options.open = true), true); // else the browser could not show the field
	update();

	async function submit(event) {
		event.preventDefault();
		const args = {};
		for (const p of parameters) {
			if (plays(p) && fields(p.id) !== p.default) args[p.name] = fields(p.id);
		}
		fill(fault);
		const timeout = Number(fields("timeout"));
		const bankValue = fields("bank");
		const players = fields("players") ? Number(fields("players")) : null;
		try {
			await create({
				game: game.name, args, players, bots: bots(), levels: Array.from(levels.children, (_, i) => fields(`level-${i}`)),
				timeout: bankValue && timeout === game.timeout ? null : timeout, clock: bankValue ? { bank: Number(bankValue), increment: Number(fields("increment") || 0) } : null, password: fields("password") || null,
			}, event.submitter?.value !== "watch" && bots() < (players ?? game.max_players));
		} catch (error) {
			fault.textContent = refusal(error);
		}
	}
	return element;
}

// condition returns when a parameter matters: if its description begins with a value of
// another one and a colon, like "damath: …", only with that value. text is the rest.
function condition(p, all) {
	const [, value, text] = /^(\S+): (.*)$/s.exec(p.description) || [];
	const owner = value && all.find((q) => q !== p && q.choices?.includes(value))?.name;
	return owner ? { owner, value, text } : { text: p.description };
}
