// The boards of the matches that are running, on a page of a contest.
import { h, clock, bank, winners } from "./dom.js";
import { api } from "./host.js";
import { Board } from "./board.js";
import { Clocks } from "./clocks.js";
import { Watch } from "./watch.js";
import { botName, entryName, settings } from "./names.js";
import { verdict } from "./verdict.js";
import { t } from "./i18n.js";

const linger = 5000; // milliseconds for which the end of a match stays visible
const calm = 8; // boards: with more of them, nothing moves
const pause = 100; // milliseconds between two drawings of a board, for each board of the page
const patience = 500; // milliseconds without a line before the times are asked for, at most, for each board of the page

const games = new Map(); // description and viewer by name; a page is short-lived

async function load(name) {
	const game = await api(`/api/games/${encodeURIComponent(name)}`).catch(() => ({ name, title: name, params: [], fixed: {} }));
	const reply = game.viewer && await fetch(game.viewer, { cache: "no-cache" });
	return { game, code: reply?.ok ? await reply.text() : "" };
}

// Cell is the board of one match, with its players, their clocks, and the result.
class Cell {
	constructor(boards, m) {
		this.boards = boards;
		this.id = m.id;
		this.names = m.players || m.seats;
		this.ended = 0; // when, in the time of performance.now
		this.caption = "";
		this.turn = []; // seats
		this.result = null;
		this.lines = 0;
		this.waiting = []; // lines for the board until it is open
		this.synced = this.opened = this.visible = false;
		this.stage = h("div", { class: "board" });
		this.players = this.names.map((name) => ({ name: h("span", { class: "name", title: entryName(name) }, entryName(name)), time: h("span", { class: "time" }) }));
		this.note = h("p", { class: "hint" });
		this.element = h("li", { class: "live" },
			h("a", { class: "versus", href: `/match/${encodeURIComponent(m.id)}`, "data-key": `live ${m.id}` },
				this.players.map((p, i) => [i > 0 && h("span", { "aria-hidden": "true" }, "–"), h("span", { class: "player" }, p.name, p.time)]), m.division && h("span", null, `(${m.division})`)),
			this.stage, this.note);
		this.stage.style.minHeight = `${boards.height()}px`; // so that the board moves nothing when it arrives
		this.board = new Board(this.stage, { moves() {}, send() {}, failed() {}, status: (s) => this.status(s) }, boards.height);
		this.clocks = new Clocks(m.id, () => null, () => this.tick(), () => {});
		boards.watch.add(m.id, {
			joined: (info) => Object.assign(this, { info, lost: false }),
			started: () => {
				Object.assign(this, { lines: 0, synced: false, waiting: [] });
				this.board.clear();
				this.open();
			},
			synced: () => {
				this.synced = true;
				this.clocks.restart(this.boards.list.length * patience);
				this.show(false);
			},
			lines: (list) => {
				this.lines += list.length;
				this.append(list.map((text) => ({ text, sent: false })));
				if (!this.synced) return;
				this.clocks.restart(this.boards.list.length * patience);
				this.show(true);
			},
			lost: () => {
				this.lost = true;
				this.clocks.stop();
				this.tick();
			},
			ended: (result) => this.end(result),
		});
	}

	// sight says whether the board is visible. If not, it is not drawn.
	sight(visible) {
		this.visible = visible;
		if (!visible) return;
		this.open();
		if (this.synced) this.show(false);
	}

	// open opens the board when it is visible for the first time: each takes memory.
	async open() {
		if (this.opened || !this.visible || !this.info) return;
		this.opened = true;
		const { info } = this;
		if (!games.has(info.game)) games.set(info.game, load(info.game));
		const { game, code } = await games.get(info.game);
		if (this.closed) return;
		this.board.open({ role: "spectator", me: null, game: game.name, plugin: game.plugin, params: settings(game, info.args), timeout: info.timeout, seats: info.players, bots: info.bots, levels: info.levels }, code);
		this.append(this.waiting.splice(0));
		if (this.synced) this.show(false);
	}

	append(lines) {
		if (this.board.match) this.board.append(lines);
		else this.waiting.push(...lines);
	}

	// show draws the newest moment, less often the more boards there are.
	show(fresh) {
		this.fresh ||= fresh;
		const wait = this.boards.list.length * pause - (performance.now() - (this.drawn || 0));
		this.drawing ||= setTimeout(() => requestAnimationFrame(() => {
			this.drawing = 0;
			if (this.closed || !this.board.match || !this.visible) return;
			this.drawn = performance.now();
			this.board.resize();
			this.board.show({ show: this.lines, playing: false, ended: this.ended > 0, result: null, fresh: this.fresh && this.boards.list.length <= calm });
			this.fresh = false;
		}), Math.max(0, wait));
	}

	called(name) {
		const { args, bots, levels } = this.info || {};
		return botName(name, args, bots, levels);
	}

	status(s) {
		const scores = s?.players.filter((p) => p.score !== null).map((p) => `${this.called(p.name)} ${p.score}`).join(", ");
		this.caption = [s?.caption, scores].filter(Boolean).join(" · ");
		this.turn = s?.turn || [];
		this.said = s?.end || "";
		this.tick();
	}

	// tick shows what has changed: clocks, whose turn it is, and the end.
	tick() {
		const won = this.result ? winners(this.result.players) : [];
		this.players.forEach((p, i) => {
			const name = this.names[i];
			const left = this.ended ? null : this.clocks.bank(name);
			const move = this.ended ? null : this.clocks.left(name);
			const text = left !== null ? bank(left) : move !== null ? clock(move) : "";
			if (p.time.textContent !== text) p.time.textContent = text;
			p.name.parentElement.className = ["player", !this.ended && this.turn.includes(i) && "turn", won.includes(this.result?.players[i]) && "won"].filter(Boolean).join(" ");
		});
		const text = !this.ended ? (this.lost ? t("The connection was lost. Trying again…") : this.caption) : !this.result ? t("The match is over.")
			: `${t("The match is over.")} ${verdict(this.result, { end: this.said, called: (name) => this.called(name) }).text}`;
		if (this.note.textContent !== text) this.note.textContent = text;
	}

	end(result) {
		if (this.ended) return;
		this.ended = performance.now();
		this.result = result;
		this.clocks.stop();
		this.tick();
		if (this.synced) this.show(true);
	}

	close() {
		this.closed = true;
		clearTimeout(this.drawing);
		this.clocks.stop();
		this.boards.watch.remove(this.id);
		this.board.close();
		this.element.remove();
	}
}

// Boards show running matches over one connection.
export class Boards {
	// height returns the height of a board in pixels.
	constructor(element, height) {
		Object.assign(this, { element, height, list: [], over: new Set(), watch: new Watch() });
		this.eyes = new IntersectionObserver((entries) => {
			for (const e of entries) this.list.find((c) => c.element === e.target)?.sight(e.isIntersecting);
		}, { rootMargin: "200px" });
		addEventListener("resize", () => this.resize());
		setInterval(() => !document.hidden && this.list.forEach((c) => c.tick()), 500);
	}

	resize() {
		for (const c of this.list) {
			c.stage.style.minHeight = `${this.height()}px`;
			c.board.resize();
		}
	}

	// set shows at most some of the matches, the first ones first. A match that is shown
	// stays until some time after its end, and while it is listed and no other needs its place.
	// It returns the IDs that are shown.
	set(matches, most) {
		const before = this.list.length;
		const waiting = matches.filter((m) => !this.over.has(m.id) && !this.list.some((c) => c.id === m.id));
		while (this.list.length > most) this.list.pop().close();
		this.list = this.list.flatMap((cell) => {
			const listed = matches.some((m) => m.id === cell.id);
			if (!cell.ended || performance.now() - cell.ended <= linger || listed && waiting.length === 0) return [cell];
			this.over.add(cell.id);
			const next = waiting.length > 0 ? [this.add(waiting.shift(), cell.element)] : [];
			cell.close();
			return next;
		});
		while (this.list.length < most && waiting.length > 0) this.list.push(this.add(waiting.shift()));
		if (this.list.length !== before) this.resize();
		return this.list.map((c) => c.id);
	}

	// add shows a match before an element, or last.
	add(m, element = null) {
		const cell = new Cell(this, m);
		this.element.insertBefore(cell.element, element);
		this.eyes.observe(cell.element);
		return cell;
	}
}
