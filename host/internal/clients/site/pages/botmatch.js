// One match of a person's bot against the bots of the host.
import { t } from "./i18n.js";
import { newMatch } from "./host.js";
import { Seat } from "./seat.js";
import { winners, number } from "./dom.js";
import { settings } from "./names.js";
import * as person from "./person.js";

const patience = 600; // seconds for a move when the person looks at each turn: as many as a host allows

// seats is the number of players of a match of the game here.
export const seats = (game) => Math.min(game.max_players, Math.max(2, game.min_players));

// BotMatch plays with {game, viewer, args, seconds, source}, where source is {text, language},
// on a board with a bot. turns is what shows each turn and lets the person go on, or null. It calls
// on.line(text) for each line received or sent, on.report(outcome, own, scores, why) at the end, and on.failed(why, details).
export class BotMatch {
	constructor({ board, bot, turns }, choice, on) {
		Object.assign(this, { board, bot, turns, on }, choice);
		this.lines = 0; // on the board
		this.over = false;
		this.done = new Promise((resolve) => (this.finish = resolve));
	}

	async play() {
		const { game, args } = this;
		await Promise.all([person.known, this.bot.prepare(this.source.language)]);
		if (this.over) return;
		this.name = person.name();
		const players = seats(game);
		const timeout = this.turns ? patience : this.seconds;
		this.id = await newMatch({ name: `${this.name}'s bot`.slice(0, 24), game: game.name, params: { players, bots: players - 1, timeout }, args, password: null, verification: null });
		if (this.over) return;
		this.board.clear();
		this.board.open({ role: "player", me: this.name, game: game.name, plugin: game.plugin, params: settings(game, args), timeout, seats: players, bots: players - 1 }, this.viewer);
		this.show();
		this.seat = new Seat(this.id, {
			joined: () => this.bot.run(this.source.text, this.source.language, this.seconds), // a line that it writes now is sent
			update() {}, started() {}, away() {}, broken() {}, back() {},
			refused: (reason) => this.stop(t("The host says: {reason}", { reason })),
			expired: (reason) => this.stop(t("This match expired: {reason}", { reason: reason || "" })),
			lines: (lines) => this.take(lines),
			ended: (result) => this.end(result),
			lost: (reason) => this.stop(reason),
		});
		this.seat.join(this.name, null);
		await this.done;
	}

	take(lines) {
		for (const line of lines) this.on.line(`← ${line}`);
		this.append(lines.map((text) => ({ text, sent: false })));
		this.turns?.read(lines, this.lines);
		this.bot.lines(lines);
	}

	// write sends a line of the bot, which it wrote some milliseconds after it was asked.
	write(line, took) {
		if (this.over || !this.seat) return;
		line = line.replace(/\r?\n$/, "");
		if (line.includes("\n")) return this.stop(t("Your bot failed:"), t("write takes one line at a time: {line}", { line: JSON.stringify(line.slice(0, 80)) }));
		this.on.line(`→ ${line}`);
		this.append([{ text: line, sent: true }]);
		if (this.turns) this.turns.wrote(line, took, this.lines, () => this.over || this.seat.send(line));
		else this.seat.send(line);
	}

	append(lines) {
		this.lines += lines.length;
		this.board.append(lines);
		this.show();
	}

	// show draws a moment, the newest one by default, at most once for each frame of the screen.
	show(at = null) {
		this.at = at;
		this.drawing ||= requestAnimationFrame(() => {
			this.drawing = 0;
			const newest = this.at === null;
			if (!this.replaced) this.board.show({ show: newest ? this.lines : this.at, playing: false, ended: newest && this.over, result: (newest && this.result) || null, fresh: newest });
		});
	}

	end(result) {
		if (this.over) return;
		this.over = true;
		this.result = result;
		this.bot.end();
		this.bot.stop();
		const own = result?.players?.find((p) => p.name === this.name);
		let outcome = own?.rank === 1 ? (winners(result.players).length === 0 ? "drawn" : "won") : "lost";
		if (own && result.players.length === 1) outcome = own.ended === "finished" ? "finished" : "lost"; // alone: there is nobody to beat
		if (!own || result.aborted) outcome = "aborted";
		const why = own && own.ended !== "finished" ? `${own.ended}${own.fault?.line ? `: ${own.fault.line}` : ""}` : result?.reason;
		this.turns?.end();
		this.on.report(outcome, own, result?.players?.map((p) => `${p.name} ${number(p.score)}`).join(", "), why);
		this.show();
		this.finish();
	}

	// seen waits until the board has shown the end for a moment. Boards load more slowly
	// than fast bots play.
	async seen() {
		const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
		await Promise.race([new Promise((resolve) => (this.drawn = resolve)), pause(1500)]);
		await pause(300);
	}

	// stop ends this match: the bot or the person has given up.
	stop(why, details = "") {
		if (this.over) return;
		this.over = true;
		this.bot.stop();
		this.seat?.leave();
		this.turns?.end();
		this.on.failed(why, details);
		this.on.report("stopped", this.seat, "", "");
		this.finish();
	}
}
