// The analysis of an ended match: how the chances of its two players changed, as the game
// judges its positions, and the largest mistakes. The host computes it when a person asks.
import { h, svg, fill } from "./dom.js";
import { api } from "./host.js";
import { t } from "./i18n.js";

const pause = 1000; // milliseconds between two requests
const height = 132;
const edge = 10; // around the curve

// chance returns the chance of seat 0 to win, in percent; a draw is half of a win.
const chance = (value) => Math.round(50 + 50 * value);
const chanceOf = (seat, value) => (seat === 0 ? chance(value) : 100 - chance(value));

export class Analysis {
	constructor(element, timeline, sides, board) {
		Object.assign(this, { element, timeline, sides, board });
		new ResizeObserver(() => this.draw()).observe(element);
	}

	// close removes the analysis of another match.
	close() {
		this.found = this.record = null;
		this.sides.mark(new Map());
		this.element.classList.remove("open");
		fill(this.element);
	}

	// offer shows the button for the record of an ended match, if its game can judge it.
	offer(record, game) {
		this.close();
		if (!game.judged || game.version !== record.version || !record.answers?.length) return;
		if (record.seats.length !== 2) {
			fill(this.element, h("p", { class: "hint" }, t("Only matches between two players can be analysed.")));
			return;
		}
		this.record = record;
		const fault = h("p", { class: "fault", role: "alert" });
		const button = h("button", { type: "button", "data-key": "analyse", onclick: () => this.ask(record).catch((error) => {
			if (this.record !== record) return;
			this.offer(record, game);
			this.element.querySelector(".fault").textContent = t("The match was not analysed: {reason}.", { reason: error.message });
		}) }, t("Analyse the match"));
		fill(this.element, button, h("span", { class: "hint" }, " ", t("The game shows the chances of both players along the moves, and the largest mistakes.")), fault);
	}

	// ask begins the analysis and waits for it.
	async ask(record) {
		const progress = h("progress", { max: "1", value: "0", "aria-label": t("Analysis") });
		const state = h("p", { role: "status" }, t("Analysing…"));
		this.element.classList.add("open");
		fill(this.element, state, progress);
		while (this.record === record) {
			const found = await this.request(record.id);
			if (this.record !== record) return;
			if (found.state === "ready") {
				this.show(found);
				return;
			}
			state.textContent = found.state === "waiting" ? t("Waiting for other analyses…") : t("Analysing…");
			progress.max = found.all || 1;
			progress.value = found.done;
			await new Promise((resolve) => setTimeout(resolve, pause));
		}
	}

	// request asks once more after a refusal because of too many requests.
	async request(id) {
		try {
			return await api(`/api/matches/${encodeURIComponent(id)}/analysis`);
		} catch (error) {
			if (error.status !== 429) throw error;
			await new Promise((resolve) => setTimeout(resolve, 5 * pause));
			return api(`/api/matches/${encodeURIComponent(id)}/analysis`);
		}
	}

	show(found) {
		this.cursor = null;
		this.found = found;
		this.points = found.positions.map((p) => ({ ...p, stop: this.stop(p.lines) }));
		this.mistakes = (found.mistakes || []).map((m) => ({ ...m, ...this.move(m) }));
		this.better = new Map(this.mistakes.filter((m) => m.best).map((m) => [this.points[m.position - 1].stop, m])); // by the moment before the mistake
		this.picture = h("div", { class: "curve" });
		this.now = h("p", { class: "now" });
		this.width = 0;
		fill(this.element, h("h2", null, t("Chances")), this.picture, this.now,
			h("h3", null, this.mistakes.length ? t("The largest mistakes") : t("The game found no large mistakes.")),
			h("ul", { class: "mistakes" }, this.mistakes.map((m) => h("li", null, h("button", { type: "button", onclick: () => this.timeline.jump(m.at) }, this.describe(m))))),
			h("p", { class: "hint" }, t("By the game's own bot, which thought {ms} ms about each position. A draw counts as half of a win.", { ms: found.think_ms })));
		this.name().catch(() => {});
		this.draw();
		this.point();
		this.sides.mark(new Map(this.mistakes.filter((m) => m.number >= 0).map((m) => [m.number, m.blunder ? "??" : "?"])));
		this.at(this.timeline.at);
	}

	// stop returns the moment of the timeline at which a position is on the board.
	stop(lines) {
		return this.timeline.stops().findLast((s) => s <= lines) ?? 0;
	}

	// move finds the move of a mistake: the first after the position before it.
	move({ position }) {
		const before = this.stop(this.found.positions[position - 1].lines);
		const number = this.timeline.moves.findIndex((m) => m.at > before);
		return { number, at: number < 0 ? this.found.positions[position].lines : this.timeline.moves[number].at };
	}

	describe({ position, seat, blunder, number, best }) {
		const before = chanceOf(seat, this.points[position - 1].value);
		const after = chanceOf(seat, this.points[position].value);
		const values = { move: number + 1, name: this.called(seat), before, after };
		return [h("b", { class: "sign", "aria-hidden": "true" }, blunder ? "??" : "?"),
			h("span", null, blunder ? t("Move {move}, {name}: blunder, {before} → {after}\u00a0%", values) : t("Move {move}, {name}: mistake, {before} → {after}\u00a0%", values)),
			h("span", { class: "hint better" }, best && t("better: {move}", { move: best }))];
	}

	// name gives the better moves the text that they would have in the list of moves.
	async name() {
		const { mistakes } = this;
		for (const [i, m] of mistakes.entries()) {
			if (!m.best) continue;
			const text = await this.board.notation(this.points[m.position - 1].lines, m.best);
			if (this.mistakes !== mistakes) return;
			this.element.querySelectorAll(".mistakes .better")[i].textContent = t("better: {move}", { move: text });
		}
	}

	// point shows the better move as an arrow, at the moment before a mistake.
	point() {
		const better = this.found && this.better.get(this.timeline.at);
		if (better) this.board.mark([{ line: better.best, kind: "best" }]);
	}

	called(seat) {
		return this.sides.called(this.record.seats[seat].name);
	}

	// at marks the position that is shown.
	at(lines) {
		if (!this.found) return;
		const index = this.points.findLastIndex((p) => p.stop <= lines);
		const p = this.points[Math.max(0, index)];
		this.now.textContent = t("Here: {first} {a} %, {second} {b} %", { first: this.called(0), a: chance(p.value), second: this.called(1), b: 100 - chance(p.value) });
		if (!this.cursor) return;
		this.cursor.setAttribute("transform", `translate(${this.x(Math.max(0, index))} 0)`);
		this.dot.setAttribute("cy", this.y(p.value));
	}

	x(i) {
		return Math.round(10 * (edge + (this.width - 2 * edge) * i / Math.max(1, this.points.length - 1))) / 10;
	}

	y(value) {
		return Math.round(10 * (edge + (height - 2 * edge) * (1 - value) / 2)) / 10;
	}

	draw() {
		const width = this.found ? this.picture.clientWidth : 0;
		if (!width || width === this.width) return;
		this.width = width;
		const line = this.points.map((p, i) => `${this.x(i)},${this.y(p.value)}`);
		const middle = this.y(0);
		const label = (seat, y) => svg("text", { class: `s${seat}`, x: edge, y }, shorten(this.called(seat)));
		this.dot = svg("circle", { r: 5, cy: middle });
		this.cursor = svg("g", { class: "cursor" }, svg("line", { y1: 0, y2: height }), this.dot);
		const marks = this.mistakes.map((m) => svg("g", { class: `mistake s${m.seat}`, transform: `translate(${this.x(m.position)} ${this.y(this.points[m.position].value)})` },
			svg("circle", { r: 8 }), svg("text", { y: 4, "text-anchor": "middle" }, m.blunder ? "??" : "?")));
		const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": t("The chances along the match: at the top {first} wins, at the bottom {second}.", { first: this.called(0), second: this.called(1) }) },
			svg("rect", { class: "s0", x: 0, y: 0, width, height: middle }), svg("rect", { class: "s1", x: 0, y: middle, width, height: height - middle }),
			svg("line", { class: "even", x1: 0, x2: width, y1: middle, y2: middle }),
			label(0, edge + 8), label(1, height - edge),
			svg("polyline", { points: line.join(" ") }), this.cursor, ...marks);
		picture.addEventListener("click", (event) => {
			const part = (event.clientX - picture.getBoundingClientRect().left - edge) / (width - 2 * edge);
			const i = Math.round(part * (this.points.length - 1));
			this.timeline.jump(this.points[Math.min(this.points.length - 1, Math.max(0, i))].lines);
		});
		this.picture.replaceChildren(picture);
		this.at(this.timeline.at);
	}
}

const shorten = (name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);
