// What is around the board: the players, the goal, the list of moves, the raw stream, and the
// choices as a list.
import { h, $, fill, bank, number } from "./dom.js";
import { t, phrase } from "./i18n.js";
import { Rows, keepInView } from "./rows.js";
import { MoveList, bothAnswer, timesOf } from "./moves.js";
import { Players } from "./players.js";

const mostAnswers = 3000; // listed with their times

// spent describes the time that a program took for an answer.
function spent(a) {
	const ms = (s) => `${number((s * 1000).toFixed(1))} ms`;
	return a.cpu === undefined ? ms(a.wall) : t("{cpu} of CPU time, {wall} in all", { cpu: ms(a.cpu), wall: ms(a.wall) });
}

export class Sides {
	constructor(timeline, clocks) {
		this.timeline = timeline;
		this.clocks = clocks;
		this.moveList = new MoveList($("moves"), $("movers"), timeline, { note: (i) => this.noteOf(i), player: (seat) => ({ name: this.called(this.players[seat]?.name ?? ""), marker: this.players[seat]?.marker }) });
		this.playerList = new Players(this, clocks);
		const lines = h("span");
		this.lineRows = new Rows(lines, $("stream"), (l) => h("span", { class: "later" }, `${l.sent ? "> " : ""}${l.text}` || "\u00a0"), (line, on) => (line.className = on ? "said" : "later"));
		this.skipped = h("span");
		fill($("stream"), this.skipped, lines);
		$("stream-box").addEventListener("toggle", () => this.drawStream(this.timeline.at));
		this.reset();
	}

	reset() {
		this.all = [];
		this.players = [];
		this.turn = [];
		this.ticks = false; // the match has ticks
		this.live = false; // the newest moment is shown
		this.result = null;
		this.identities = new Map(); // the registered player of each name that has one
		this.versions = new Map(); // of the programs that the host runs, by name
		this.record = null;
		this.notes = []; // {name, text, lines} of bots
		this.heard = 0; // time of the last move of a running match, as performance.now; 0: not known
		this.moveList.clear(0);
		this.lineRows.clear();
		this.called = (name) => name; // the name of a player for people
	}

	// replay sets the record of an ended match, for the times and notes that it has.
	replay(record) {
		this.record = record;
		const name = (a) => this.called(record.seats[a.seat].name);
		const table = (id, answers, title, value) => {
			$(`${id}-box`).hidden = answers.length === 0;
			fill($(id), h("tr", null, [t("Player"), t("Answer"), title].map((text) => h("th", { scope: "col" }, text))),
				answers.slice(0, mostAnswers).map((a) => h("tr", null, [name(a), a.line.slice(0, 40) || a.outcome, value(a)].map((text) => h("td", null, text)))));
		};
		const all = record.answers || [];
		table("clock", all.filter((a) => a.left !== undefined), t("Left"), (a) => bank(a.left));
		table("spent", all.filter((a) => a.wall !== undefined), t("Time"), (a) => spent(a));
		table("note", all.filter((a) => a.note), t("Note"), (a) => a.note);
		this.notes = all.filter((a) => a.note).map((a) => ({ name: name(a), text: a.note, lines: a.lines }));
	}

	// noteOf returns the notes about a move: those of the answers that came after the move
	// before it and led to this one.
	noteOf(i) {
		const { list } = this.moveList;
		const since = i > 0 ? list[i - 1].at : 0;
		const notes = this.notes.filter((n) => n.lines >= since && n.lines < list[i].at);
		return notes.map((n) => (notes.length > 1 ? `${n.name}: ${n.text}` : n.text)).join("\n");
	}

	// leftAt returns the seconds that a player of an ended match had left at the shown
	// moment, or null. Except at the end, it needs a viewer whose moves are the answers of
	// one player each, or of all players.
	leftAt(name) {
		const end = this.result?.players?.find((p) => p.name === name);
		if (this.timeline.follow && end?.left_ms !== undefined) return end.left_ms / 1000;
		if (!this.record?.clock) return null;
		const seat = this.record.seats.findIndex((s) => s.name === name && !s.bot);
		const shown = this.players.findIndex((p) => p.name === name);
		if (seat < 0 || shown < 0) return null;
		const answers = (this.record.answers || []).filter((a) => a.seat === seat);
		if (this.timeline.follow) return answers.at(-1)?.left ?? null;
		const { list } = this.moveList;
		const moves = answers.length === list.length ? list : list.filter((m) => m.seat === shown);
		if (answers.length !== moves.length) return null;
		const last = moves.findLastIndex((m) => m.at <= this.timeline.at);
		return last < 0 ? this.record.clock.bank : answers[last].left ?? null;
	}

	lines(lines) {
		for (const line of lines) this.all.push(line);
	}

	// moves adds moves; anew: a viewer lists all again. live: they have just been made.
	moves(moves, anew, live) {
		const now = performance.now();
		if (anew) this.moveList.restart();
		this.moveList.add(moves, live && this.heard ? (now - this.heard) / 1000 : undefined);
		if (moves.length) this.heard = live ? now : 0;
		if (moves.length && this.record) this.setTimes();
		this.show(this.timeline.at);
	}

	// setTimes shows the times of the moves of an ended match.
	setTimes() {
		const { seats, answers = [] } = this.record;
		if (bothAnswer(this.moveList.list, answers)) this.moveList.together();
		this.moveList.times = timesOf(this.moveList.list, answers, this.players.map((p) => seats.findIndex((s) => s.name === p.name)));
		this.moveList.renew();
	}

	// show lists moves and lines around the moment that is shown.
	show(at) {
		cancelAnimationFrame(this.frame);
		this.frame = requestAnimationFrame(() => {
			this.moveList.show(at);
			this.drawStream(at);
		});
	}

	// mark shows the marks of mistakes, by the index of the move.
	mark(marks) {
		this.moveList.judge(new Map([...marks].map(([i, mark]) => [this.moveList.list[i].at, { mark, text: t("a mistake, by the analysis") }])));
	}

	drawStream(at) {
		if (!$("stream-box").open) return;
		this.lineRows.show(this.all, at, (i) => i < at);
		this.skipped.textContent = this.lineRows.from > 0 ? `${t("… {n} lines before", { n: this.lineRows.from })}\n` : "";
		keepInView($("stream"), this.lineRows.at(at - 1) ?? this.lineRows.at(0));
	}

	// expect shows empty boxes for a number of players.
	expect(n) {
		this.early = true;
		this.players = Array.from({ length: n }, () => ({ name: "" }));
		this.moveList.clear(n);
		this.playerList.draw();
	}

	// waiting shows the players before the match begins.
	waiting(players) {
		if (!this.early && this.players.length) return;
		this.early = true;
		this.players = [...players, ...this.players.slice(players.length).map(() => ({ name: "" }))];
		this.playerList.draw();
	}

	// status shows the viewer's status, or nothing for null. me is the name of the
	// person who plays.
	// failed says that the game's viewer does not work.
	status(s, { live, playing, me, outcome, send, failed }) {
		if (s?.players.some((p) => p.name)) {
			const marks = (players) => players.map((p) => `${p.name} ${p.marker}`).join();
			const other = marks(s.players) !== marks(this.players);
			this.early = false;
			this.players = s.players;
			if (other) {
				if (this.record) this.setTimes();
				else this.moveList.renew();
			}
		}
		if (s?.turn.length > 1) this.moveList.together();
		this.turn = outcome ? [] : s?.turn || [];
		this.me = s?.seat ?? this.players.findIndex((p) => p.name === me);
		this.live = live;
		this.result = outcome;
		const mine = playing && this.asks(s);
		const caption = [mine && !/^your\b/i.test(s.caption) && t("Your move."), s?.caption.replace(/ServerBot\$\d+/g, this.called)].filter(Boolean).join(" ");
		if ($("caption").textContent !== caption) $("caption").textContent = $("caption").title = caption;
		$("caption").classList.toggle("mine", Boolean(mine));
		$("goal").hidden = !s?.goal;
		if ($("goal-text").textContent !== (s?.goal || "")) $("goal-text").textContent = s?.goal || "";
		this.playerList.draw();
		this.drawChoices(playing, s, send, failed);
	}

	// asks reports whether the person must send a line.
	asks(s) {
		return Boolean(s) && (s.choices.length > 0 || s.turn.includes(s.seat));
	}

	over(outcome) {
		this.result = outcome;
		if (outcome?.players) this.players = this.players.length && !this.early ? this.players : outcome.players.map((p) => ({ name: p.name, score: p.score }));
		if (!outcome) $("caption").textContent = t("The match is over.");
		$("caption").classList.remove("mine");
		this.turn = [];
		this.live = false;
		this.playerList.draw();
		fill($("choices"));
	}

	// drawChoices lists the legal lines, for people who cannot or do not want to use
	// the board. Without a viewer that lists them it offers a field for any line.
	drawChoices(playing, s, send, failed) {
		if (!playing) {
			fill($("choices"));
			return;
		}
		const open = $("choices").querySelector("details")?.open;
		if (s) {
			fill($("choices"), s.choices.length > 0 && h("details", { open }, h("summary", { "data-key": "choices" }, t("Choices as a list ({count})", { count: s.choices.length })),
				h("div", { class: "buttons" }, s.choices.map((c) => h("button", { type: "button", "data-key": `choice ${c.line}`, onclick: () => send(c.line) }, c.label)))));
			return;
		}
		const kind = failed ? "failed" : document.querySelector("iframe.viewer") ? "board" : "none";
		if ($("line")?.dataset.kind === kind) return;
		const link = { rules: h("a", { href: $("about").querySelector("a").href, target: "_blank" }, t("its rules")) };
		const rules = h("p", { class: "hint" }, kind === "failed" ? phrase("The board does not work now. The stream is shown instead, and {rules} explain what to send.", link)
			: kind === "board" ? phrase("You can also send any line: {rules} explain them.", link)
			: phrase("This game has no board. Its stream is shown instead, and {rules} explain what to send.", link));
		const input = h("input", { id: "line", "data-kind": kind, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "4096" });
		fill($("choices"), rules, h("form", { class: "say", onsubmit: (event) => {
			event.preventDefault();
			send(input.value);
			input.value = "";
		} }, h("label", { for: "line" }, t("Your line")), input, h("button", { class: "main", type: "submit" }, t("Send"))));
	}
}
