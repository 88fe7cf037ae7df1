// The timeline chooses the moment of the match that is shown. It knows how many
// lines there are, and after which of them a move is complete.
import { h, fill } from "./dom.js";

const speeds = [0.5, 1, 2, 5, 10]; // moves per second

export class Timeline {
	// changed(position, fresh) is called to show another moment.
	constructor(element, changed) {
		this.changed = changed;
		this.length = 0; // lines
		this.moves = []; // {at, text, seat}
		this.at = 0; // lines shown
		this.follow = true; // always show the newest moment
		this.timer = null;
		const button = (key, label, sign, act) => h("button", { type: "button", "data-key": key, "aria-label": label, title: label, onclick: () => act() }, sign);
		this.first = button("first", "To the beginning", "|◀", () => this.jump(0));
		this.back = button("back", "One move back", "◀", () => this.step(-1));
		this.play = button("play", "Replay", "Replay", () => (this.timer ? this.stop() : this.start()));
		this.next = button("next", "One move on", "▶", () => this.step(1));
		this.last = button("last", "To the end", "▶|", () => this.jump(this.length));
		this.slider = h("input", { type: "range", min: "0", value: "0", "aria-label": "Moment of the match", oninput: () => this.jump(this.stops()[Number(this.slider.value)]) });
		this.speed = h("select", { "aria-label": "Speed", onchange: () => this.timer && this.start() }, speeds.map((s) => h("option", { value: s, selected: s === 2 }, `${s}/s`)));
		this.where = h("output", { class: "hint" });
		element.append(this.first, this.back, this.play, this.next, this.last, this.slider, this.speed, this.where);
		this.element = element;
		addEventListener("keydown", (event) => {
			if (element.hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, summary, pre")) return;
			const act = { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.jump(0), End: () => this.jump(this.length) }[event.key];
			if (!act) return;
			event.preventDefault();
			act();
		});
	}

	// stops returns the moments of the replay, in lines: the beginning, after each
	// move (or line), and the end.
	stops() {
		if (this.known !== this.length + this.moves.length) {
			this.known = this.length + this.moves.length;
			const list = this.moves.length ? [0, ...this.moves.map((m) => m.at), this.length] : Array.from({ length: this.length + 1 }, (_, i) => i);
			this.cached = list.filter((v, i) => i === 0 || v > list[i - 1]);
		}
		return this.cached;
	}

	reset() {
		this.stop();
		this.length = 0;
		this.moves = [];
		this.at = 0;
		this.known = -1;
		this.follow = true;
	}

	// grow adds new lines.
	grow(lines) {
		this.length += lines;
		if (this.follow) this.at = this.length;
		this.draw();
	}

	addMoves(moves, anew) {
		if (anew) this.moves = [];
		for (const move of moves) this.moves.push(move);
		this.known = -1;
		this.draw();
	}

	jump(to, fresh = false) {
		this.at = Math.min(this.length, Math.max(0, to));
		this.follow = this.at === this.length;
		this.draw();
		this.changed(this.at, fresh);
	}

	step(by) {
		if (by < 0) this.stop();
		const stops = this.stops();
		const to = by > 0 ? stops.find((s) => s > this.at) : stops.findLast((s) => s < this.at);
		if (to === undefined) return false;
		this.jump(to, by > 0);
		return true;
	}

	start() {
		this.stop();
		if (this.at === this.length) this.jump(0);
		this.timer = setInterval(() => this.step(1) || this.stop(), 1000 / Number(this.speed.value));
		this.draw();
	}

	stop() {
		clearInterval(this.timer);
		this.timer = null;
		this.draw();
	}

	draw() {
		const stops = this.stops();
		const i = stops.findLastIndex((s) => s <= this.at);
		this.slider.max = String(stops.length - 1);
		this.slider.value = String(i);
		fill(this.where, `${i} of ${stops.length - 1}`);
		fill(this.play, this.timer ? "Pause" : "Replay");
		this.play.setAttribute("aria-label", this.timer ? "Pause" : "Replay");
		this.play.title = this.timer ? "Pause" : "Replay";
	}
}
