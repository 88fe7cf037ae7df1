// A match turn by turn: what the bot read, printed and wrote, and how long it took. The lines
// that it writes are sent when the person goes on.
import { $, fill } from "./dom.js";
import { t, number } from "./i18n.js";

const most = 2000; // turns kept
const longest = 200; // lines of a turn

// Turns calls show(at) when the board is to show another moment: at is the number of lines on it,
// or null for the newest one.
export class Turns {
	constructor(show) {
		this.show = show;
		this.clear();
		$("next").addEventListener("click", () => this.next());
		$("go").addEventListener("click", () => this.go(!this.running));
		$("earlier").addEventListener("click", () => this.look(this.at - 1));
		$("later").addEventListener("click", () => this.look(this.at + 1));
	}

	clear() {
		Object.assign(this, { list: [], at: 0, running: false, over: false, held: [] });
		this.draw();
	}

	// read begins a turn, unless the bot has written nothing since the last one began.
	read(lines, at) {
		let turn = this.list.at(-1);
		if (!turn || turn.wrote.length > 0) this.list.push(turn = { read: [], printed: [], wrote: [], took: null, number: (turn?.number ?? 0) + 1 });
		if (this.list.length > most) this.list.shift();
		turn.read.push(...lines);
		if (turn.read.length > longest) turn.read.splice(0, turn.read.length - longest);
		turn.at = at;
		this.newest();
	}

	printed(text) {
		const turn = this.list.at(-1);
		if (!turn || turn.printed.length >= longest) return;
		turn.printed.push(text);
		this.draw();
	}

	// wrote shows a line of the bot, and calls send when the person goes on.
	wrote(line, took, at, send) {
		const turn = this.list.at(-1) ?? (this.read([], at), this.list.at(-1));
		turn.wrote.push(line);
		Object.assign(turn, { took, at });
		if (this.running) send();
		else this.held.push(send);
		this.newest();
	}

	end() {
		this.over = true;
		this.held = [];
		this.draw();
	}

	// newest shows the last turn. While the match runs by itself, it is drawn at most once for
	// each frame of the screen.
	newest() {
		this.at = this.list.length - 1;
		this.drawing ||= requestAnimationFrame(() => {
			this.drawing = 0;
			this.draw();
		});
	}

	next() {
		this.at = this.list.length - 1;
		this.show(null);
		for (const send of this.held.splice(0)) send();
		this.draw();
	}

	// go lets the match run by itself, or pauses it.
	go(running) {
		this.running = running;
		if (running) this.next();
		else this.draw();
	}

	look(at) {
		this.at = Math.max(0, Math.min(at, this.list.length - 1));
		this.show(this.at === this.list.length - 1 ? null : this.list[this.at].at);
		this.draw();
	}

	draw() {
		const turn = this.list[this.at];
		const last = this.at >= this.list.length - 1;
		$("turn").textContent = !turn ? t("The match begins…") : turn.took === null ? t("Turn {n}", { n: turn.number }) : t("Turn {n}, after {time} ms", { n: turn.number, time: number(Math.round(turn.took * 10) / 10) });
		fill($("read"), turn?.read.join("\n"));
		fill($("printed"), turn?.printed.join("\n"));
		fill($("wrote"), turn?.wrote.join("\n"));
		$("next").disabled = this.over || this.held.length === 0;
		$("go").disabled = this.over;
		$("go").textContent = this.running ? t("Pause") : t("Continue");
		$("earlier").disabled = this.at <= 0;
		$("later").disabled = last;
	}
}
