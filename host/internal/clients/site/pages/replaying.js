// A match that has ended: its replay, and what comes after it.
import { h, $, fill, copyable, cocoCommand } from "./dom.js";
import { playedAs } from "./verdict.js";
import { After } from "./rematch.js";
import { connected } from "./unreachable.js";
import { isBot } from "./names.js";
import { autoplay } from "./autoplay.js";
import { id, page, timeline, clocks, sides, analysis, notices, share, notice, heading, begin, take, show, absences } from "./matchpage.js";
import { t } from "./i18n.js";

// replay shows the record of the match.
export async function replay(record) {
	page.mode = "over";
	page.synced = false;
	page.outcome = { players: record.seats, reason: record.reason, aborted: record.state === "aborted" };
	await begin("spectator");
	timeline.complete = true;
	page.player = playedAs(id, record.seats, page.account);
	sides.identities = new Map(record.seats.filter((s) => s.player).map((s) => [s.name, s.player]));
	sides.versions = new Map(record.seats.map((s) => [s.name, s.version]));
	sides.replay(record);
	const lines = record.stream.split("\n");
	lines.pop();
	take(lines);
	page.synced = true;
	finish();
	if (page.player) after(Date.parse(record.ended));
	analysis.offer(record, page.game);
	fill($("links"),
		h("p", { class: "hint" }, `${t("Version {version} · seed {seed}", { version: record.version, seed: String(record.seed) })} · `, copyable(cocoCommand("history", id))),
		record.commitment && h("p", { class: "hint" }, t("Salt {salt} · commitment {commitment}", { salt: record.salt, commitment: record.commitment })));
	share.ended();
	autoplay(timeline);
}

// after offers the next steps after a match that ended at a time.
export function after(since) {
	page.next?.close();
	const others = page.outcome.players.filter((p) => p.name !== page.player);
	page.next = new After($("after"), {
		id, game: page.game.name, info: { ...page.info, players: page.outcome.players.length, bots: page.outcome.players.filter((p) => isBot(p.name)).length },
		me: page.player, account: page.outcome.players.find((p) => p.name === page.player)?.player, contest: page.info.contest, alone: others.every((p) => isBot(p.name)), seat: page.outcome.players.findIndex((p) => p.name === page.player), since,
	});
}

// finish shows the result of a match.
export function finish() {
	$("join").hidden = true;
	clocks.stop();
	notice("");
	connected();
	notices.turn(false);
	absences();
	sides.over(page.outcome);
	heading();
	timeline.stop();
	show(false);
}
