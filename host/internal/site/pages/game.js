// The page of one game: its rules, a form for a new match, what was played.
import { h, $, fill, copyable, cocoCommand } from "./dom.js";
import { api } from "./host.js";
import { form, playBot } from "./form.js";
import { results } from "./results.js";
import * as person from "./person.js";

async function show() {
	const game = await api(`/api/games/${encodeURIComponent(decodeURIComponent(location.pathname.split("/")[2]))}`);
	document.title = `${game.title || game.name} – Colosseum`;
	$("title").textContent = game.title || game.name;
	const fault = h("p", { class: "fault", role: "alert" });
	fill($("start"),
		game.unavailable && h("p", { class: "fault" }, `Unavailable: ${game.unavailable}`),
		game.max_bots > 0 && h("p", null, h("button", { class: "main big", type: "button", disabled: Boolean(game.unavailable), onclick: () => playBot(game, fault) }, "Play against the bot"), h("span", { class: "hint" }, " five minutes for each move"), fault),
		h("details", { open: game.max_bots === 0 }, h("summary", null, "New match with other options"), form(game)),
		h("details", null, h("summary", null, "With a program"), h("p", null, copyable(cocoCommand("new", game.name)))));
	// The host has rendered it, without any markup of the game's own.
	$("rules").innerHTML = game.html;
	$("about").hidden = false;
	await results($("recent"), { game: game.name }, new Map([[game.name, game.title || game.name]]));
}

person.field();
show().catch((error) => {
	document.title = "No such game – Colosseum";
	$("title").textContent = error.status === 404 ? "There is no such game" : error.message;
	fill($("start"), h("a", { href: "/#games" }, "All matches and games"));
});
