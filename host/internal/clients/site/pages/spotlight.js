// What a visitor sees first: the most interesting match that runs, on a live board, or a replay
// of a good one that has ended. There is one board, and nobody polls for it.
import { h, fill } from "./dom.js";
import { t, known } from "./i18n.js";
import { api } from "./host.js";
import { Board } from "./board.js";
import { Live, load } from "./live.js";
import { botName, levelsOf, people, settings } from "./names.js";
import { verdict } from "./verdict.js";
import { picture } from "./levels.js";

const step = 1200; // ms for each move of a replay
const pause = 8000; // ms for which its end stays
const linger = 5000; // ms for which the end of a live match stays
const away = 5000; // ms out of sight after which a board is closed
const shown = 5; // matches in the rotation of replays

const still = matchMedia("(prefers-reduced-motion: reduce)");

// room returns the height of the board in pixels.
const room = () => Math.min(340, innerWidth - 26);

// interest says how much people want to see a running match: others watch it, people play it,
// it counts in a contest, or leaders of one meet.
function interest(m, leaders = new Set()) {
	const people = m.connected.length;
	return 4 * Math.min(m.spectators || 0, 10) + 3 * people + (m.contest ? 4 : 0) + 3 * m.connected.filter((name) => leaders.has(name)).length + (m.clock ? 1 : 0);
}

// quality says how much people want to see a match that has ended.
function quality(m) {
	if (m.state !== "finished" || m.seats.some((s) => s.ended !== "finished")) return -1;
	return 3 * m.seats.filter((s) => !s.bot).length + (m.contest ? 2 : 0) + m.seats.filter((s) => s.level === "strong" || m.params?.bot === "strong").length;
}

// Spotlight shows a match in an element. games are those of the API and titles those of
// contests, both by name.
export class Spotlight {
	constructor(element, games, titles) {
		Object.assign(this, { element, games, titles });
		this.running = []; // the matches of the lobby that run
		this.ended = []; // the latest ones that have ended
		this.leaders = new Set(); // of contests
		this.seen = true; // the board is in the window
		this.stopped = false; // nothing moves
		this.held = false; // the person has stopped it
		this.next = 0; // of the replays
		this.last = ""; // ID of the last match that has ended on the board
		this.box = h("ul", { class: "boards" }, h("li", { class: "live" }, h("div", { class: "versus" }, "\u00a0"), this.picture = h("div", { class: "board idle" })));
		this.button = h("button", { type: "button", class: "quiet", hidden: true, "data-key": "still", onclick: () => {
			this.held = !this.stopped;
			this.stop(this.held);
		} });
		fill(element, this.box, h("p", { class: "under" }, this.what = h("span", { class: "hint" }), this.button));
		new IntersectionObserver(([entry]) => this.sight(entry.isIntersecting)).observe(element);
		document.addEventListener("visibilitychange", () => this.sight(this.seen));
		addEventListener("resize", () => this.board?.resize());
	}

	// sight closes the board when nobody has seen it for some time.
	sight(seen) {
		this.seen = seen;
		clearTimeout(this.leaving);
		if (this.visible) this.choose();
		else this.leaving = setTimeout(() => this.close(), away);
	}

	get visible() {
		return this.seen && document.visibilityState === "visible";
	}

	// lobby gets the running and waiting matches.
	lobby(matches) {
		this.running = matches.filter((m) => m.running && this.games.get(m.game)?.viewer && !(this.games.get(m.game).delay > 0));
		this.choose();
	}

	results(matches) {
		this.ended = matches.filter((m) => quality(m) >= 0 && this.games.get(m.game)?.viewer).sort((a, b) => quality(b) - quality(a)).slice(0, shown);
		this.choose();
	}

	// best returns the most interesting running match, or undefined.
	best() {
		return this.running.filter((m) => m.id !== this.last).reduce((best, m) => (!best || interest(m, this.leaders) > interest(best, this.leaders) ? m : best), undefined);
	}

	// choose shows another match if that is better than the current one: a live one rather
	// than a replay, and a new one when the current one is over.
	choose() {
		if (!this.visible || this.held && this.board) return;
		const live = this.board instanceof Live;
		if (live && !this.over()) return;
		const best = this.best();
		if (best) return this.show(best);
		if (this.board) return;
		if (this.ended.length > 0) return this.replay(this.ended[this.next++ % this.ended.length]);
		this.nothing();
	}

	// over reports whether the live match ended some time ago, and looks again later if not.
	over() {
		const { id, ended, opened } = this.board;
		if (ended && (!opened || performance.now() - ended >= linger)) { // it can end before the board is open
			this.last = id;
			this.close();
			return true;
		}
		clearTimeout(this.later);
		if (ended) this.later = setTimeout(() => this.choose(), linger + 50);
		return false;
	}

	show(m) {
		this.close();
		const bots = Array.from({ length: m.bots }, (_, i) => botName(`ServerBot$${i}`, settings(this.games.get(m.game), m.args), m.bots, m.levels));
		this.board = new Live({ id: m.id, seats: [...m.connected, ...bots] }, room, () => setTimeout(() => this.choose(), 0));
		this.stopped = false;
		this.place(this.board.element, t("● live"), m);
	}

	async replay(m) {
		this.close();
		this.stopped = still.matches;
		const board = this.board = new Replay(m, () => {
			if (this.board !== board) return;
			if (this.ended.length > 1 && !this.stopped) this.close();
			this.choose();
		});
		this.place(board.element, t("A replay"), m);
		await board.start(this.stopped).catch(() => {});
	}

	place(element, kind, m) {
		fill(this.box, element);
		const game = this.games.get(m.game);
		fill(this.what, kind, " · ", h("a", { href: `/games/${encodeURIComponent(m.game)}`, "data-key": "spotlight game" }, game?.title || m.game), m.contest && [" · ", h("a", { href: `/contests/${encodeURIComponent(m.contest)}`, "data-key": "spotlight contest" }, this.titles.get(m.contest) || m.contest)]);
		this.button.hidden = false;
		this.stop(this.stopped);
	}

	// nothing shows the picture of a game on a host without matches.
	nothing() {
		const game = [...this.games.values()].find((g) => g.picture);
		if (!game || this.picture.firstChild) return;
		fill(this.picture, picture(game));
		this.what.textContent = known(game.summary || "");
	}

	// stop stops or goes on with what moves.
	stop(on) {
		this.button.textContent = on ? t("Go on") : t("Pause");
		if (this.stopped === on) return;
		this.stopped = on;
		if (this.board instanceof Replay) this.board.stop(on);
		else if (on) this.board?.session.close();
		else this.close();
		if (!on) this.choose();
	}

	close() {
		clearTimeout(this.later);
		this.board?.close();
		this.board = null;
	}
}

// Replay plays a match that has ended, slowly.
class Replay {
	constructor(m, over) {
		Object.assign(this, { match: m, over });
		const bots = m.seats.filter((s) => s.bot).length;
		this.called = (name) => botName(name, m.params, bots, levelsOf(m));
		this.stage = h("div", { class: "board" });
		this.stage.style.height = `${room()}px`;
		this.caption = h("p", { class: "hint" });
		this.element = h("li", { class: "live" }, h("div", { class: "versus" }, h("a", { href: `/match/${encodeURIComponent(m.id)}`, "data-key": `live ${m.id}` }, m.seats.map((s) => this.called(s.name)).join(" – "))), this.stage, this.caption);
		this.board = new Board(this.stage, { moves: (list, anew) => this.moves(list, anew), send() {}, failed() {}, status: (s) => this.status(s) }, room);
		this.places = []; // numbers of lines after each move
		this.at = 0; // index of the move that is shown
	}

	async start(stopped) {
		this.stopped = stopped;
		const [{ match }, { game, code }] = await Promise.all([api(`/api/matches/${encodeURIComponent(this.match.id)}`), load(this.match.game)]);
		if (this.closed) return;
		const lines = match.stream.split("\n").slice(0, -1);
		this.lines = lines.length;
		this.outcome = { players: match.seats, reason: match.reason, aborted: false };
		this.board.open({ role: "spectator", me: null, game: game.name, plugin: game.plugin, params: match.params, timeout: match.timeout, seats: match.seats.length, bots: match.seats.filter((s) => s.bot).length, levels: levelsOf(match) }, code);
		this.board.append(lines.map((text) => ({ text, sent: false })));
		this.show(stopped ? this.lines : 0, false);
		this.tick();
	}

	moves(list, anew) {
		this.places = [...(anew ? [] : this.places), ...list.map((m) => m.at)];
	}

	show(to, fresh) {
		this.ended = to >= this.lines;
		this.board.show({ show: to, playing: false, ended: this.ended, result: this.ended ? this.outcome : null, fresh });
	}

	status(s) {
		this.caption.textContent = this.ended ? verdict(this.outcome, { end: s?.end ?? "", called: this.called }).text : people(s?.caption, this.called);
	}

	// tick shows the next move; after the last one the match is over.
	tick() {
		clearTimeout(this.timer);
		if (this.closed || this.stopped) return;
		if (this.ended) {
			this.timer = setTimeout(() => {
				this.at = 0;
				this.over();
				if (!this.closed) {
					this.show(0, false);
					this.tick();
				}
			}, pause);
			return;
		}
		this.timer = setTimeout(() => {
			if (document.visibilityState === "visible") this.show(this.places[this.at++] ?? this.lines, true);
			this.tick();
		}, step);
	}

	stop(on) {
		this.stopped = on;
		this.tick();
	}

	resize() {
		this.stage.style.height = `${room()}px`;
		this.board.resize();
	}

	close() {
		this.closed = true;
		clearTimeout(this.timer);
		this.board.close();
		this.element.remove();
	}
}
