// The timeline chooses the moment of the match that is shown. It knows how many
// lines there are, and after which of them a move is complete.
import { h } from "./dom.js";
import { t } from "./i18n.js";

const speeds = [0.5, 1, 2, 5, 10]; // moves per second

export class Timeline {
	// changed(position, fresh) is called to show another moment, and turned() to turn the
	// board.
	constructor(element, changed, turned = () => {}) {
		this.changed = changed;
		this.timer = null;
		this.flipped = false; // the board is drawn from the other side
		const button = (key, label, sign, act) => h("button", { type: "button", "data-key": key, "aria-label": label, title: label, onclick: () => act() }, sign);
		this.first = button("first", t("To the beginning"), "|◀", () => this.jump(0));
		this.back = button("back", t("One move back"), "◀", () => this.step(-1));
		this.play = button("play", t("Replay"), t("Replay"), () => this.toggle());
		this.next = button("next", t("One move on"), "▶", () => this.step(1));
		this.last = button("last", t("To the end"), "▶|", () => this.jump(this.length));
		this.flip = button("flip", t("Turn the board"), "⇅", () => {
			this.flipped = !this.flipped;
			this.flip.setAttribute("aria-pressed", String(this.flipped));
			turned();
		});
		this.flip.setAttribute("aria-pressed", "false");
		this.flip.classList.add("idle"); // until the viewer can do it
		this.slider = h("input", { type: "range", min: "0", value: "0", "aria-label": t("Moment of the match"), oninput: () => this.jump(this.stops()[Number(this.slider.value)]) });
		this.speed = h("select", { "aria-label": t("Speed"), onchange: () => this.timer && this.start() }, speeds.map((s) => h("option", { value: s, selected: s === 2 }, `${s}/s`)));
		this.where = h("output", { class: "hint" });
		element.append(this.first, this.back, this.play, this.next, this.last, this.flip, this.slider, this.where, this.speed);
		this.element = element;
		this.reset();
		addEventListener("keydown", (event) => {
			if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, summary, pre")) return;
			if (event.key === " " && event.target.closest?.("button, a, [tabindex]")) return;
			if (this.key(event.key)) event.preventDefault();
		});
	}

	// key acts on a key, and reports whether it is one of the timeline's.
	key(name) {
		if (this.element.classList.contains("idle")) return false;
		const act = {
			ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.jump(0), End: () => this.jump(this.length),
			" ": this.element.classList.contains("short") ? null : () => this.toggle(),
		}[name];
		act?.();
		return Boolean(act);
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
		this.length = 0; // lines
		this.moves = []; // {at, text, seat}
		this.at = 0; // lines shown
		this.known = -1;
		this.follow = true; // always show the newest moment
		this.wanted = null; // number of the move to show as soon as it is known
		this.complete = false; // no more lines come
		this.draw();
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
		this.settle(false);
	}

	// number returns the number of the last move shown, or of lines if there are no
	// moves; 0 is the start.
	get number() {
		return this.moves.length ? this.moves.findLastIndex((m) => m.at <= this.at) + 1 : this.at;
	}

	// want shows the position after a move, now or when the move arrives. It does not
	// follow a match that runs.
	want(number) {
		this.stop();
		this.wanted = number;
		this.follow = false;
		this.settle(false);
	}

	// settle shows the wanted move if it is there. If all moves up to now are known, it
	// shows the newest moment instead.
	settle(all) {
		if (this.wanted === null) return;
		const known = this.wanted === 0 ? 0 : this.moves.length || !all ? this.moves[this.wanted - 1]?.at : this.wanted > this.length ? undefined : this.wanted;
		if (known === undefined && !all) return;
		this.wanted = null;
		this.jump(known ?? this.length);
		if (known !== undefined && !this.complete) this.follow = false;
	}

	jump(to, fresh = false) {
		this.wanted = null;
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

	// start plays the moves from the shown one on, or from the beginning at the end. speed
	// is in moves per second; without it, it is the chosen one.
	start(speed = Number(this.speed.value)) {
		this.stop();
		if (this.at === this.length) this.jump(0);
		const rate = Math.min(20, Math.max(0.1, speed || 2));
		this.speed.value = String(speeds.findLast((s) => s <= rate) ?? speeds[0]);
		this.timer = setInterval(() => this.step(1) || this.stop(), 1000 / rate);
		this.draw();
	}

	stop() {
		clearInterval(this.timer);
		this.timer = null;
		this.draw();
	}

	toggle() {
		if (this.timer) this.stop();
		else this.start();
	}

	draw() {
		if (!this.moves) return; // not ready yet
		const stops = this.stops();
		const i = stops.findLastIndex((s) => s <= this.at);
		this.slider.max = String(stops.length - 1);
		this.slider.value = String(i);
		write(this.where, t("{i} of {all}", { i, all: stops.length - 1 }));
		const label = this.timer ? t("Pause") : t("Replay");
		if (!write(this.play, label)) return;
		this.play.setAttribute("aria-label", label);
		this.play.title = label;
	}
}

// write changes the text of an element, and reports whether it was another.
function write(element, text) {
	if (element.textContent === text) return false;
	element.textContent = text;
	return true;
}
