// The page of one match: to join, watch and play it while it waits or runs, and to
// replay it when it has ended, all at one address.
import { h, $, fill } from "./dom.js";
import { api } from "./host.js";
import { stored, forget } from "./seat.js";
import { playedAs } from "./verdict.js";
import { broken, connected, refused } from "./unreachable.js";
import { id, page, board, timeline, clocks, notice, event, heading, renew, resize, judge, absences, notices } from "./matchpage.js";
import { full, nothing } from "./waiting.js";
import { join, resume, leave, send } from "./playing.js";
import { watch } from "./watching.js";
import { replay, after } from "./replaying.js";
import { play } from "./sound.js";
import * as person from "./person.js";
import { t } from "./i18n.js";

// load shows the match in its state.
async function load() {
	page.session?.close();
	page.session = null;
	page.seat = null;
	let found;
	try {
		found = await api(`/api/matches/${encodeURIComponent(id)}`);
	} catch (error) {
		if (error.status === 404) {
			nothing(page.mode === "waiting" ? t("This match expired: nobody joined in time.") : t("There is no such match. It may have expired before enough players joined."));
			return;
		}
		again(error);
		return;
	}
	connected("page");
	const ended = found.match;
	page.info = ended || found.lobby;
	page.game ??= await api(`/api/games/${encodeURIComponent(page.info.game)}`).catch((error) => ({ name: page.info.game, title: page.info.game, params: [], fixed: {}, plugin: page.info.plugin, missing: error.status === 404 }));
	heading();
	if (page.info.contest) title().catch(() => {}); // the name of the contest stays
	const mine = stored(id);
	if (ended && (mine || page.unseated)) event(t("The match ended while you were away."));
	if (ended) forget(id);
	if (ended && page.mode === "watching") play("end");
	if (ended) await replay(ended);
	else if (mine) await resume(mine);
	else if (location.hash === "#play" && !page.info.running) await join(sessionStorage.getItem(`password ${id}`));
	else {
		if (location.hash === "#play") full();
		await watch();
	}
}

// title shows the title of the match's contest.
async function title() {
	if (page.titles.size > 0) return;
	for (const c of (await api("/api/contests")).contests) page.titles.set(c.name, c.title);
	heading();
}

// again retries, with a longer wait each time. refusal: no live connection comes about.
function again(error, refusal = false) {
	if (refusal && !refused(page.load)) return;
	if (error instanceof Error && !(error instanceof TypeError)) notice(t("{reason}. Trying again…", { reason: error.message })); // else fetch has failed
	else if (!refusal) broken("page");
	page.wait = Math.min(10000, page.wait * 2 + 250);
	setTimeout(page.load, page.wait * (0.5 + Math.random()));
}

Object.assign(page, { load: () => load().catch(again), again, join: (password) => join(password).catch(again), send, leave });
person.field();
person.onAccount((name) => {
	page.account = name;
	if (page.mode !== "over" || page.player || !page.info?.stream) return;
	page.player = playedAs(id, page.outcome.players, page.account); // it was not known when the replay was shown
	if (page.player) {
		judge();
		after(Date.parse(page.info.ended));
	}
});
$("now").addEventListener("click", () => timeline.jump(timeline.length));
addEventListener("resize", resize);
for (const part of [document.querySelector(".heading"), $("place"), $("caption")]) new ResizeObserver(resize).observe(part);
addEventListener("beforeunload", (event) => {
	if (page.mode === "playing" && !page.seat.kept) event.preventDefault(); // this page could not come back to its seat
});
addEventListener("keydown", (event) => event.key === "Escape" && board.cancel());
addEventListener("online", () => page.seat?.resumeNow());
addEventListener("visibilitychange", () => {
	if (document.hidden || !page.seat) return;
	page.seat.resumeNow();
	if (page.mode === "playing") clocks.restart(0);
});
addEventListener("focus", () => renew().catch(() => {}));
document.addEventListener("visibilitychange", () => renew().catch(() => {}));
setInterval(() => {
	absences();
	notices.time(page.mode === "playing" ? clocks.bank(page.player) ?? clocks.left(page.player) : null);
}, 250);
// An author sees a saved viewer at once; spectators of a contest must cost little.
setInterval(() => page.game?.watched && renew().catch(() => {}), 400);
setInterval(() => renew().catch(() => {}), 8000 + Math.random() * 4000);
if (getComputedStyle($("board").parentElement).display !== "contents") board.sketch(); // otherwise the players move it when they come
page.load();
