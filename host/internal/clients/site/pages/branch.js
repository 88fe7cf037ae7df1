// Matches that begin with the moves of another one, and go on against bots.
import { newMatch } from "./host.js";
import * as person from "./person.js";

// branch creates a match that begins as another one did, up to a line of its stream for
// spectators, and returns its ID. game is the name of the game, seat the person's, level that
// of the bots (null: as they were), and timeout the seconds for a move (null: as it was). With
// back, the match begins before the seat's last move instead. ticket is that of the person's
// seat if the other match runs; that ends then. The error has the host's message.
export async function branch(match, line, { game, seat = 0, level = null, bots = 1, timeout = null, back = false, ticket = "" }) {
	await person.known;
	const levels = level ? Array(bots).fill(level) : [];
	return newMatch({ name: "", game, params: { players: null, bots: 0, timeout, levels }, args: {}, password: null, verification: null, branch: { match, line, seat, back, ticket, name: person.name() } });
}

// go opens a branch, in which the host keeps the seat for the person's name. A match that was
// taken back is not a place to come back to.
export function go(id, replace = false) {
	sessionStorage.setItem(`name ${id}`, person.name());
	location[replace ? "replace" : "assign"](`/match/${id}#play`);
}
