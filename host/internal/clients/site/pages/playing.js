// The person's seat in the match.
import { $ } from "./dom.js";
import { Seat } from "./seat.js";
import { remember } from "./verdict.js";
import { question } from "./question.js";
import { broken, connected } from "./unreachable.js";
import { id, page, board, timeline, clocks, notice, event, heading, begin, take, show, absences } from "./matchpage.js";
import { update, full, refuse, nothing } from "./waiting.js";
import { after, finish } from "./replaying.js";
import { play } from "./sound.js";
import * as person from "./person.js";
import { t } from "./i18n.js";

// join asks for a seat.
export async function join(password) {
	$("join").hidden = true; // a second click would ask for a second seat
	page.session?.close();
	if (location.hash) history.replaceState(null, "", location.pathname); // coming back means watching
	await person.known;
	page.player = sessionStorage.getItem(`name ${id}`) || person.name(); // a rematch keeps the seat for a name
	await begin("player");
	page.mode = "waiting";
	sit().join(page.player, password);
}

// resume takes the seat that the page had before it was loaded again.
export async function resume(mine) {
	page.player = mine.name;
	page.mode = "joined";
	await begin("player");
	page.synced = true;
	notice(t("Going back to your seat…"));
	for (const { text, sent } of sit().restore(mine)) take([text], sent);
}

// sit returns the person's seat.
function sit() {
	page.seat = new Seat(id, {
		joined: (latest) => {
			page.mode = "joined";
			$("join").hidden = true;
			remember(id, page.player);
			connected();
			event();
			update(latest);
		},
		refused: (reason) => {
			refuse(t("The host says: {reason}", { reason }));
			if (/already running$|are kept for/.test(reason)) full();
			page.load();
		},
		update,
		expired: (reason) => nothing(t("This match expired: {reason}.", { reason: reason || t("nobody joined in time") })),
		started: () => {
			page.mode = "playing";
			page.synced = true;
			clocks.restart(0);
			notice("");
			heading();
			show(false);
		},
		lines: (lines) => take(lines),
		sent: (line) => take([line], true),
		away: (name, seconds) => {
			clocks.setAway(name, seconds);
			absences();
		},
		broken: () => broken("seat"),
		back: (latest) => {
			connected();
			notice("");
			update(latest);
		},
		ended: (result) => {
			page.seat = null;
			page.mode = "over";
			page.outcome = result;
			play("end");
			finish();
			after(Date.now());
		},
		lost: (reason) => {
			page.mode = "loading";
			page.unseated = true;
			event(reason);
			page.load();
		},
	});
	return page.seat;
}

// leave gives up the seat, after a question if that loses the match.
export async function leave() {
	if (page.mode === "playing" && !await question(t("Leave the match? You lose it."), t("Leave"))) return;
	page.seat?.leave();
	page.load();
}

// send sends a line of the person, from the board or from the page, after a question if the
// viewer wants one.
export async function send(line, live = false) {
	const can = () => page.mode === "playing" && timeline.follow && (board.current || live) && !line.includes("\n");
	const choice = page.choices.find((c) => c.line === line);
	const refused = can() && choice?.confirm && !await question(choice.confirm, choice.label);
	if (refused || !can()) {
		board.unsent();
		return;
	}
	page.seat.send(line);
	take([line], true);
}
