// The page of one game: its picture, its rules, a form for new matches, and results.
import { h, $, fill } from "./dom.js";
import { t, known } from "./i18n.js";
import { unavailable } from "./unavailable.js";
import { api } from "./host.js";
import { bring } from "./bring.js";
import { handIn } from "./handin.js";
import { form } from "./form.js";
import { otherButtons, playButtons, picture, players } from "./levels.js";
import { Start } from "./start.js";
import { results } from "./results.js";
import * as person from "./person.js";
import { pathPart } from "./path.js";

const read = () => api(`/api/games/${encodeURIComponent(pathPart(2))}`);

async function show() {
	const game = await read();
	if (game.unavailable) wait(game);
	const title = game.title || game.name;
	document.title = `${title} – Colosseum`;
	$("title").textContent = title;
	$("summary").textContent = known(game.summary || "");
	fill($("picture"), picture(game));
	const start = new Start(game);
	fill($("start"),
		game.unavailable && h("p", { class: game.preparing ? "hint" : "fault" }, unavailable(game)),
		game.max_players > 0 && start.element,
		playButtons(game, () => start.settings),
		otherButtons(game, () => start.time),
		h("p", { class: "foot hint" }, game.max_players > 0 && players(game),
			game.max_players > 1 && [" · ", h("a", { href: `/ladder/${encodeURIComponent(game.name)}` }, t("Ratings"))]));
	fill($("new"),
		game.max_players > 0 && h("details", { open: game.max_bots === 0 }, h("summary", null, t("New match with other options")), form(game)));
	await bring($("bring"), [game]).catch(() => {}); // the rest of the page works without it
	await handIn($("hand-in"), game).catch(() => {});
	// The host has rendered it without any HTML of the game.
	$("rules").innerHTML = game.html;
	$("about").hidden = false;
	await results($("recent"), { game: game.name }, new Map([[game.name, game]]));
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
	document.title = `${t("No such game")} – Colosseum`;
	$("title").textContent = error.status === 404 ? t("There is no such game") : error.message;
	$("picture").hidden = true;
	fill($("start"), h("a", { href: "/#games" }, t("All matches and games")));
}

person.field();
show().catch(failed);
