// New matches, with a form made from the game's parameters or with one click.
import { h, fill } from "./dom.js";
import { newMatch } from "./host.js";
import * as person from "./person.js";

// botTimeout is the time for a move against a bot, in seconds. It is long, because
// the person might be learning the game, and nobody else waits.
const botTimeout = 300;

// playBot creates a match against the game's bot and opens its page.
export async function playBot(game, fault) {
	try {
		fault.textContent = "";
		const players = Math.max(game.min_players, 2);
		await create({ game: game.name, players, bots: Math.min(players - 1, game.max_bots), timeout: Math.max(game.timeout, botTimeout), args: {}, password: null }, true);
	} catch (error) {
		fault.textContent = error.message;
	}
}

// create creates a match and opens its page, to play or to watch.
export async function create({ game, players, bots, timeout, clock, args, password }, play) {
	await person.known;
	const params = { players, bots, timeout, ...(clock ? { clock } : {}) };
	const id = await newMatch({ name: `${person.name()}'s match`.slice(0, 24), game, params, args, password, verification: null });
	if (password) sessionStorage.setItem(`password ${id}`, password);
	location.href = `/match/${id}${play ? "#play" : ""}`;
}

// form returns the form for a game.
export function form(game) {
	const fault = h("p", { class: "fault", role: "alert" });
	const row = (id, label, input, hint) => h("div", { class: "row" }, h("label", { for: id }, label), input, h("span", { class: "hint" }, hint));
	const numeric = (id, value, min, max, step) => h("input", { id, name: id, type: "number", value, min, max, step, required: true, inputmode: "decimal" });

	const rows = [];
	if (game.min_players !== game.max_players) {
		rows.push(row("players", "Players", numeric("players", game.min_players, game.min_players, game.max_players, 1), `${game.min_players} to ${game.max_players}, bots included`));
	}
	if (game.max_bots === 1 && game.max_players === 2) {
		rows.push(row("bots", "Opponent", h("select", { id: "bots", name: "bots" }, h("option", { value: "1" }, "the host's bot"), h("option", { value: "0" }, "whoever joins")), "a program or another person can join from the list of matches"));
	} else if (game.max_bots > 0) {
		rows.push(row("bots", "Server bots", numeric("bots", 1, 0, game.max_bots, 1), `0 to ${game.max_bots}; 0 waits for another player`));
	}
	rows.push(row("timeout", "Time for a move", numeric("timeout", game.timeout, 0.1, 600, "any"), "seconds, 0.1 to 600"));
	const optional = (id, min, max) => h("input", { id, name: id, type: "number", min, max, step: "any", inputmode: "decimal", placeholder: "none", oninput: () => (bankField.required = Boolean(bankField.value || incrementField.value)) });
	const bankField = optional("bank", 1, 86400);
	const incrementField = optional("increment", 0, 600);
	rows.push(row("bank", "Time for the match", bankField, "seconds for all moves of a player together; empty: no such limit"));
	rows.push(row("increment", "More for each turn", incrementField, "seconds that each turn adds to it"));
	for (const p of game.params) {
		const id = `param-${p.name}`;
		rows.push(p.kind === "choice"
			? row(id, title(p.name), h("select", { id, name: id }, p.choices.map((c) => h("option", { value: c, selected: c === p.default }, c))), p.description)
			: row(id, title(p.name), numeric(id, p.default, p.min, p.max, p.kind === "int" ? 1 : "any"), `${p.description}, ${p.min} to ${p.max}`));
	}
	rows.push(row("password", "Password", h("input", { id: "password", name: "password", type: "text", maxlength: "32", pattern: "[!-~]*", autocomplete: "off", placeholder: "none" }), "needed to join, but not to watch"));

	const element = h("form", { class: "create", onsubmit: submit },
		Object.keys(game.fixed).length > 0 && h("p", { class: "hint" }, "Always: ", Object.entries(game.fixed).map(([k, v]) => `${k} ${v}`).join(", ")),
		rows, fault,
		h("div", { class: "buttons" },
			h("button", { class: "main", type: "submit", value: "play" }, "Create and play"),
			h("button", { type: "submit", value: "watch" }, "Create for programs")));

	async function submit(event) {
		event.preventDefault();
		const value = (id) => element.elements[id]?.value;
		const args = {};
		for (const p of game.params) {
			if (value(`param-${p.name}`) !== p.default) args[p.name] = value(`param-${p.name}`);
		}
		fill(fault);
		try {
			await create({
				game: game.name, args, players: value("players") ? Number(value("players")) : null, bots: Number(value("bots") || 0),
				timeout: value("bank") && Number(value("timeout")) === game.timeout ? null : Number(value("timeout")), clock: value("bank") ? { bank: Number(value("bank")), increment: Number(value("increment") || 0) } : null, password: value("password") || null,
			}, event.submitter?.value !== "watch");
		} catch (error) {
			fault.textContent = `The host says: ${error.message}`;
		}
	}
	return element;
}

// title formats the name of a parameter: draw_after becomes Draw after.
const title = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
