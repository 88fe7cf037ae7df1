// The board: a game's viewer in a sandboxed frame, or the text of the stream if
// there is no viewer or it fails. The frame is untrusted: the page checks and
// truncates everything that it sends.
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { botName } from "./names.js";
import { clean, cleanMove, list, paths, text } from "./checked.js";
import { Wait } from "./late.js";
import { expected, keep, outline } from "./outline.js";
import { look, onLook } from "./looks.js";

const timeout = 6000; // milliseconds for a picture
const tallest = 2000; // pixels
const most = 100000; // moves kept
const flood = 1000; // messages per second
const largest = 1 << 20; // characters of a file

export class Board {
	// on has the functions moves(list), status(status), send(line, live), failed(reason), and
	// optionally key(name) for keys that the board does not use, flips() if the board can be
	// turned, slow() if its answer takes long, retried() if the person lets it begin anew, and
	// shape(shape), which gets where the picture is, {left, width, bottom, ratio, more}, in
	// pixels of the frame, or null if the board has none; see fit in frame.js. A board that
	// shows text passes an empty list and null. height returns the available height in pixels,
	// and gap those of it that must stay free below the picture.
	constructor(element, on, height, gap = () => 0) {
		this.element = element;
		this.on = on;
		this.height = height;
		this.gap = gap;
		this.fits = true; // the frame has the height for the room
		this.grown = 0; // height of the frame; it shrinks only with the window, so that nothing below it jumps
		this.lines = [];
		this.view = null;
		this.pending = 0;
		this.wait = new Wait(() => this.slow(), () => this.late());
		this.filed = 0; // calls of files and notation
		this.filing = new Map(); // by call: the function that gets the answer
		this.naming = new Map(); // likewise, of notation
		this.note = h("div", { class: "late", role: "status" });
		this.plan = h("div", { class: "unseen", role: "status" });
	}

	// sketch shows the outline of a match's board until open shows the board. Without a match
	// it is that of the board that was shown last.
	sketch(match) {
		this.match = match;
		const place = this.place(), room = h("div");
		room.style.height = `${place.all}px`;
		this.element.replaceChildren(room, outline(place));
	}

	// place returns where the picture is expected.
	place() {
		return expected(this.match && named(this.match), this.element.clientWidth, this.height());
	}

	// open shows a match with a viewer, or as text if code is empty. It keeps the
	// lines, so it can also replace the viewer by a new version.
	open(match, code) {
		this.match = match;
		this.code = code;
		this.again = false; // the viewer was late, and has begun anew
		this.begin();
	}

	begin() {
		const { match, code } = this;
		this.close();
		this.on.moves([], true);
		if (!code) {
			this.asText();
			return;
		}
		const frame = h("iframe", { class: "viewer", sandbox: "allow-scripts", title: t("Board"), src: document.body.dataset.frame });
		const channel = new MessageChannel();
		this.frame = frame;
		this.port = channel.port1;
		this.unlook = onLook((now) => this.port.postMessage(now));
		this.moves = 0;
		this.ready = false;
		this.port.onmessage = (event) => {
			if (this.frame === frame) this.receive(event.data ?? {});
		};
		frame.addEventListener("load", () => {
			if (this.frame !== frame) return;
			if (this.greeted) {
				this.fail(t("it navigated away"));
				return;
			}
			this.greeted = true;
			frame.contentWindow.postMessage(null, "*", [channel.port2]);
			this.port.postMessage({ code, match: { ...match, language: document.documentElement.lang }, called: called(match), room: this.resize(), gap: this.free, ...look() });
		});
		const place = this.place();
		frame.style.height = `${this.grown || place.all}px`;
		this.outline = outline(place);
		this.element.replaceChildren(frame, this.outline, this.note, this.plan);
		this.wait.begin();
	}

	// slow says that the board is slow, and offers to begin anew.
	slow() {
		this.say(t("The board is slow to answer…"));
		this.on.slow?.();
	}

	// late begins anew when a viewer has not answered, and shows the text when it does not
	// answer then either.
	late() {
		if (this.again) {
			this.fail(t("it does not answer"), true);
			return;
		}
		this.again = true;
		console.error("viewer: no answer, so it begins anew");
		this.begin();
		this.say(t("The board did not answer, and begins anew…"));
	}

	say(text) {
		this.note.replaceChildren(h("span", null, text), " ", this.retry());
	}

	retry() {
		return h("button", { type: "button", "data-key": "again", onclick: () => {
			this.on.retried?.();
			this.open(this.match, this.code);
		} }, t("Try again"));
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
			this.port.postMessage({ view: { ...view, still: document.querySelectorAll("iframe.viewer").length > 8 } });
			this.pending++;
			this.wait.begin();
		}
		if (!this.frame) {
			this.asText();
			this.on.status(null);
		}
	}

	// mark draws arrows and circles on the board until its next moment: each has squares, or the
	// line of a move in this position, and a kind, "best" or "planned".
	mark(list) {
		if (this.ready) this.port.postMessage({ marks: list });
	}

	// cancel drops the line that the person has planned.
	cancel() {
		if (this.ready) this.port.postMessage({ cancel: true });
	}

	// planned says for screen readers what happens with a planned line; others see it.
	planned(plan) {
		const move = paths(plan?.paths).map((squares) => squares.join(" ")).join(", ");
		const says = {
			kept: t("Planned: {move}. Escape cancels it.", { move }), cancelled: t("The plan is cancelled."),
			illegal: t("{move} is not possible now, so it was not sent.", { move }), missed: t("The turn has passed, so {move} was not sent.", { move }),
		};
		this.plan.textContent = Object.hasOwn(says, plan?.why) ? says[plan.why] : "";
	}

	// unsent informs the viewer that a line it has sent was not sent to the host.
	unsent() {
		if (this.ready) this.port.postMessage({ unsent: true });
	}

	// current reports whether the board shows all lines. Before that, a click could be
	// meant for an earlier position, except on a live board, which is played with keys while
	// lines arrive.
	get current() {
		return this.pending === 0;
	}

	// resize sends the frame the available height when it or the width changes.
	resize() {
		const room = this.height();
		const free = this.gap();
		if (room === this.room && free === this.free && innerWidth === this.width) return room;
		Object.assign(this, { room, free, width: innerWidth, grown: 0, fits: !this.frame });
		if (this.ready) this.port.postMessage({ room, gap: free });
		return room;
	}

	receive(message) {
		const second = Math.floor(performance.now() / 1000);
		this.heard = this.second === second ? this.heard + 1 : 1;
		this.second = second;
		if (this.heard > flood) return this.fail(t("it sends too many messages"));
		if (message.error !== undefined) return this.fail(text(message.error, 2000));
		if (message.ready && !this.ready) {
			this.ready = true;
			this.answered();
			this.port.postMessage({ room: this.room, gap: this.free }); // they can have changed since
			this.port.postMessage({ lines: this.lines });
			if (this.view) this.show({ ...this.view, fresh: false });
		}
		if (message.height !== undefined && message.room === this.room) { // else it was measured before the last resize
			this.grown = Math.max(this.grown, Math.min(tallest, Math.max(40, Number(message.height) || 0)));
			this.frame.style.height = `${this.grown}px`;
			this.picture = message.picture;
			this.fits = true;
			this.on.shape?.(shape(message.shape));
		}
		if (message.key !== undefined) this.on.key?.(text(message.key, 20));
		if (message.flips) this.on.flips?.();
		if (message.moves) {
			const moves = list(message.moves).slice(0, most - this.moves);
			this.moves += moves.length;
			this.on.moves(moves.map((m) => cleanMove(m, this.lines.length)), false);
		}
		if (message.status !== undefined) {
			this.pending = Math.max(0, this.pending - 1);
			this.answered();
			this.drawn();
			this.on.status(clean(message.status));
		}
		if (message.plan !== undefined) this.planned(message.plan);
		if (message.captured !== undefined) this.take(message.captured);
		if (message.files !== undefined) this.takeFiles(message.files);
		if (message.named !== undefined) {
			this.naming.get(message.named?.number)?.(text(message.named?.text, 80));
			this.naming.delete(message.named?.number);
		}
		if (message.send !== undefined) this.on.send(text(message.send, 4096), message.live === true);
	}

	// capture returns the pixels of the moment that is shown last, {width, height, pixels}.
	// Without a height, the picture has the shape of the board.
	capture(width, height) {
		return new Promise((resolve, reject) => {
			this.wanted = { number: (this.wanted?.number ?? 0) + 1, width, height, resolve, reject };
			this.port.postMessage({ capture: { number: this.wanted.number, width, height } });
			this.wait.begin();
			setTimeout(() => reject(new Error(t("The board shows no picture."))), timeout); // other answers end the other wait
		});
	}

	// take gets the pixels of a picture.
	take(captured) {
		const { number, width, height, resolve } = this.wanted ?? {};
		if (!resolve || captured?.number !== number) return;
		const { width: w, height: h, pixels } = captured;
		if (w !== width || !(h > 0 && h <= 2 * w) || height && h !== height || !(pixels instanceof ArrayBuffer) || pixels.byteLength !== 4 * w * h) return;
		this.answered();
		this.wanted = { number };
		resolve({ width: w, height: h, pixels: new Uint8ClampedArray(pixels) });
	}

	// files returns the whole match in other programs' formats, [{name, text}], with what
	// the viewer does not know about it (docs/viewers.md).
	files(about) {
		return new Promise((resolve) => {
			if (!this.ready) return resolve([]);
			const number = ++this.filed;
			this.filing.set(number, resolve);
			this.port.postMessage({ files: { number, about } });
			this.wait.begin();
		});
	}

	// notation returns the text that a line would have in the list of moves after so many lines of the
	// match, or the line itself if the viewer does not know.
	notation(at, line) {
		return new Promise((resolve) => {
			if (!this.ready) return resolve(line);
			const number = ++this.filed;
			this.naming.set(number, (named) => resolve(named || line));
			this.port.postMessage({ name: { number, at, line } });
		});
	}

	takeFiles(message) {
		const resolve = this.filing.get(message?.number);
		if (!resolve) return;
		this.filing.delete(message.number);
		this.answered();
		resolve(list(message.list).slice(0, 4).map((f) => ({ name: text(f?.name, 13), text: text(f?.text, largest + 1) })).filter((f) => /^[A-Za-z0-9]{1,12}$/.test(f.name) && f.text.length <= largest));
	}

	// answered ends the wait for an answer, or begins it again for the next one.
	answered() {
		this.wait.end();
		this.note.replaceChildren();
		if (this.pending > 0) this.wait.begin();
	}

	// drawn shows the first drawing instead of the outline.
	drawn() {
		if (this.pending === 0) this.again = false;
		if (!this.outline) return;
		this.outline.remove();
		this.outline = null;
		if (this.on.key && this.picture) keep(named(this.match), this.element.clientWidth, this.room, { ...this.picture, all: this.grown }); // small boards would replace the large ones
	}

	// fail shows the text instead of the board. A viewer that was late can be tried again.
	fail(reason, late = false) {
		console.error("viewer:", reason);
		this.close();
		this.retries = late;
		this.asText();
		this.on.status(null);
		this.on.failed(reason);
	}

	close() {
		this.wait.end();
		this.note.replaceChildren();
		this.plan.textContent = "";
		this.wanted?.reject?.(new Error(t("The board shows no picture.")));
		this.wanted = null;
		for (const resolve of this.filing.values()) resolve([]);
		this.filing.clear();
		for (const resolve of this.naming.values()) resolve("");
		this.naming.clear();
		this.port?.close();
		this.unlook?.();
		this.frame = this.port = null;
		this.ready = this.greeted = this.retries = false;
		this.fits = true;
		this.outline = this.picture = null;
		this.pending = 0;
	}

	// asText shows the last lines before the chosen moment.
	asText() {
		this.on.shape?.(null);
		const to = this.view ? this.view.show : this.lines.length;
		const from = Math.max(0, to - 200);
		const names = this.match ? called(this.match) : {};
		const people = (line) => line.replace(/ServerBot\$\d+/g, (name) => names[name] ?? name);
		const pre = h("pre", { class: "text", tabindex: "0", "aria-label": t("Stream of the match") },
			from > 0 && `${t("… {n} lines before", { n: from })}\n`, this.lines.slice(from, to).map((l) => `${l.sent ? "> " : ""}${people(l.text)}\n`));
		fill(this.element, this.retries && h("p", { class: "again" }, this.retry()), pre);
		pre.scrollTop = pre.scrollHeight;
	}
}

// named returns the name under which the place of a board is kept: players see other parts of
// it than spectators.
const named = ({ game, role }) => `${game} ${role}`;
// shape copies where the picture is, or returns null.
function shape(s) {
	const pixels = (v, most) => Math.min(most, Math.max(0, Number(v) || 0));
	return s ? { left: pixels(s.left, 4000), width: pixels(s.width, 4000), bottom: pixels(s.bottom, tallest), ratio: pixels(s.ratio, 10), more: pixels(s.more, 400) } : null;
}

// called has the names for people of the bots of a match, by their names in the stream.
const called = ({ bots, params, levels }) => Object.fromEntries(Array.from({ length: Math.min(100, bots) || 0 }, (_, i) => `ServerBot$${i}`).map((name) => [name, botName(name, params, bots, levels)]));
