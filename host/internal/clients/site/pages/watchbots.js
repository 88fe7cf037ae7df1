// Two bots that play with one click, in a game that the page chooses.
import { h } from "./dom.js";
import { watchBots } from "./form.js";

// watchSome creates a match of bots and opens its page. games are those of the API. If the host
// runs too many of them now, it opens the page of a match that runs already; running returns its
// ID, or undefined.
export async function watchSome(games, fault, running) {
	const list = games.filter((g) => g.viewer && !g.unavailable && !g.delay && g.max_bots >= 2 && g.min_players <= 2);
	if (list.length > 0) await watchBots(list[Math.floor(Math.random() * list.length)], fault);
	const id = (list.length === 0 || fault.textContent) && running();
	if (id) h("a", { href: `/match/${encodeURIComponent(id)}` }).click();
}
