// The page of one game: its rules, a form for new matches, and results.
import { h, $, fill, copyable, cocoCommand } from "./dom.js";
import { api } from "./host.js";
import { form, playBot } from "./form.js";
import { results } from "./results.js";
import * as person from "./person.js";

const read = () => api(`/api/games/${encodeURIComponent(decodeURIComponent(location.pathname.split("/")[2]))}`);

async function show() {
	const game = await read();
	if (game.unavailable) wait(game);
	document.title = `${game.title || game.name} – Colosseum`;
	$("title").textContent = game.title || game.name;
	const fault = h("p", { class: "fault", role: "alert" });
	fill($("start"),
		game.unavailable && h("p", { class: "fault" }, `Unavailable: ${game.unavailable}`),
		game.max_bots > 0 && h("p", null, h("button", { class: "main big", type: "button", disabled: Boolean(game.unavailable), onclick: () => playBot(game, fault) }, "Play against the bot"), h("span", { class: "hint" }, " five minutes for each move"), fault),
		game.max_players > 0 && h("details", { open: game.max_bots === 0 }, h("summary", null, "New match with other options"), form(game)),
		h("details", null, h("summary", null, "With a program"), h("p", null, copyable(cocoCommand("new", game.name)))));
	// The host has rendered it without any HTML of the game.
	$("rules").innerHTML = game.html;
	$("about").hidden = false;
	await results($("recent"), { game: game.name }, new Map([[game.name, game.title || game.name]]));
}

// wait shows the game again when its availability changes.
function wait(game) {
	setTimeout(async () => {
		const now = await read().catch(() => game);
		if (now.unavailable === game.unavailable) wait(game);
		else await show().catch(failed);
	}, 3000);
}

function failed(error) {
	document.title = "No such game – Colosseum";
	$("title").textContent = error.status === 404 ? "There is no such game" : error.message;
	fill($("start"), h("a", { href: "/#games" }, "All matches and games"));
}

person.field();
show().catch(failed);
