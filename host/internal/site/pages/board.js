// The board: a game's viewer in a sandboxed frame, or the text of the stream if
// there is no viewer or it fails. The frame is untrusted: the page checks and
// truncates everything that it sends.
import { h, fill } from "./dom.js";

const timeout = 6000; // milliseconds for an answer of a viewer
const tallest = 2000; // pixels
const most = 100000; // moves kept
const flood = 1000; // messages per second

const text = (v, max) => (typeof v === "string" || typeof v === "number" ? String(v).slice(0, max) : "");
const index = (v) => (Number.isInteger(v) && v >= 0 && v < 100 ? v : null);
const list = (v) => (Array.isArray(v) ? v : []);

// settings returns the parameters of a match that is not in the record yet.
export const settings = (game, info) => ({ ...game.fixed, ...Object.fromEntries(game.params.map((p) => [p.name, p.default])), ...info.args });

export class Board {
	// on has the functions moves(list), status(status), send(line) and
	// failed(reason). A board that shows text passes an empty list and null. height
	// returns the available height in pixels; without it, it is that of resize.
	constructor(element, on, height) {
		this.element = element;
		this.on = on;
		this.height = height;
		this.lines = [];
		this.view = null;
		this.pending = 0;
	}

	// open shows a match with a viewer, or as text if code is empty. It keeps the
	// lines, so it can also replace the viewer by a new version.
	open(match, code) {
		this.close();
		this.match = match;
		this.on.moves([], true);
		if (!code) {
			this.asText();
			return;
		}
		const frame = h("iframe", { class: "viewer", sandbox: "allow-scripts", title: "Board", src: "/frame" });
		const channel = new MessageChannel();
		this.frame = frame;
		this.port = channel.port1;
		this.moves = 0;
		this.ready = false;
		this.port.onmessage = (event) => {
			if (this.frame === frame) this.receive(event.data ?? {});
		};
		frame.addEventListener("load", () => {
			if (this.frame !== frame) return;
			if (this.greeted) {
				this.fail("it navigated away");
				return;
			}
			this.greeted = true;
			frame.contentWindow.postMessage(null, "*", [channel.port2]);
			this.port.postMessage({ code, match, room: this.resize() });
			this.expect();
		});
		this.element.replaceChildren(frame);
		this.expect();
	}

	// clear removes all lines.
	clear() {
		this.lines = [];
		this.view = null;
	}

	append(lines) {
		for (const line of lines) this.lines.push(line);
		if (this.ready) this.port.postMessage({ lines });
		if (!this.frame) this.asText();
	}

	show(view) {
		this.view = view;
		if (this.ready) {
			this.resize();
			this.port.postMessage({ view });
			this.pending++;
			this.expect();
		}
		if (!this.frame) {
			this.asText();
			this.on.status(null);
		}
	}

	// current reports whether the board shows all lines. Before that, a click could be
	// meant for an earlier position.
	get current() {
		return this.pending === 0;
	}

	// resize sends the frame the available height when it changes: the rest of the
	// window, with the timeline still visible. On a phone it is nearly the whole
	// window, which can be scrolled.
	resize() {
		const above = this.element.getBoundingClientRect().top + scrollY;
		const height = this.height ? this.height() : Math.max(320, Math.round(innerWidth > 960 ? innerHeight - above - 120 : 0.72 * innerHeight));
		if (this.ready && height !== this.room) this.port.postMessage({ room: height });
		this.room = height;
		return height;
	}

	receive(message) {
		const second = Math.floor(performance.now() / 1000);
		this.heard = this.second === second ? this.heard + 1 : 1;
		this.second = second;
		if (this.heard > flood) return this.fail("it sends too many messages");
		if (message.error !== undefined) return this.fail(text(message.error, 2000));
		if (message.ready && !this.ready) {
			this.ready = true;
			this.expected();
			this.port.postMessage({ lines: this.lines });
			if (this.view) this.show({ ...this.view, fresh: false });
		}
		if (message.height !== undefined) this.frame.style.height = `${Math.min(tallest, Math.max(40, Number(message.height) || 0))}px`;
		if (message.moves) {
			const moves = list(message.moves).slice(0, most - this.moves);
			this.moves += moves.length;
			this.on.moves(moves.map((m) => ({ at: Math.min(this.lines.length, Math.max(0, Number(m?.at) | 0)), text: text(m?.text, 80), seat: index(m?.seat) })), false);
		}
		if (message.status !== undefined) {
			this.expected();
			this.pending = Math.max(0, this.pending - 1);
			this.on.status(clean(message.status));
		}
		if (message.send !== undefined) this.on.send(text(message.send, 4096));
	}

	// expect starts the timeout for an answer of the frame; expected stops it.
	expect() {
		this.timer ??= setTimeout(() => this.fail("it does not answer"), timeout);
	}

	expected() {
		clearTimeout(this.timer);
		this.timer = null;
	}

	fail(reason) {
		console.error("viewer:", reason);
		this.close();
		this.asText();
		this.on.status(null);
		this.on.failed(reason);
	}

	close() {
		this.expected();
		this.port?.close();
		this.frame = this.port = null;
		this.ready = this.greeted = false;
		this.pending = 0;
	}

	// asText shows the last lines before the chosen moment.
	asText() {
		const to = this.view ? this.view.show : this.lines.length;
		const from = Math.max(0, to - 200);
		const pre = h("pre", { class: "text", tabindex: "0", "aria-label": "Stream of the match" },
			from > 0 && `… ${from} lines before\n`, this.lines.slice(from, to).map((l) => `${l.sent ? "> " : ""}${l.text}\n`));
		fill(this.element, pre);
		pre.scrollTop = pre.scrollHeight;
	}
}

// clean copies the fields of a status that the page can show.
function clean(s) {
	if (!s || typeof s !== "object") return null;
	return {
		caption: text(s.caption, 120),
		goal: text(s.goal, 400),
		seat: index(s.seat),
		turn: [s.turn].flat().map(index).filter((v) => v !== null),
		players: list(s.players).slice(0, 100).map((p) => ({ name: text(p?.name, 64), marker: ["white", "black"].includes(p?.marker) ? p.marker : null, note: text(p?.note, 40), score: typeof p?.score === "number" ? p.score : p?.score == null ? null : text(p.score, 20) })),
		choices: list(s.choices).slice(0, 300).map((c) => ({ line: text(c?.line, 4096), label: text(c?.label ?? c?.line, 80) })).filter((c) => c.line),
	};
}
