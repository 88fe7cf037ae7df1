// Everything around the board: players with scores and clocks, the goal, the list
// of moves, the raw stream, and the choices as a list.
import { h, $, fill, mark, clock, bank, number, onlyWinner, winners, playerLink, registered, versionMark } from "./dom.js";
import { t, phrase } from "./i18n.js";
import { outcome as endName } from "./names.js";
import { Rows } from "./rows.js";

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
		this.moveRows = new Rows($("moves"), (m, i) => this.move(m, i), (li, on) => {
			const button = li.firstChild;
			button.classList.toggle("current", on);
			if (on) button.setAttribute("aria-current", "step");
			else button.removeAttribute("aria-current");
		});
		const lines = h("span");
		this.lineRows = new Rows(lines, (l) => h("span", { class: "later" }, `${l.sent ? "> " : ""}${l.text}` || "\u00a0"), (line, on) => (line.className = on ? "said" : "later"));
		$("moves").dataset.empty = t("none yet");
		this.skipped = h("span");
		fill($("stream"), this.skipped, lines);
		$("stream-box").addEventListener("toggle", () => this.drawStream(this.timeline.at));
		this.reset();
		setInterval(() => this.tick(), 250);
	}

	reset() {
		this.all = [];
		this.list = [];
		this.players = [];
		this.turn = [];
		this.live = false; // the newest moment is shown
		this.result = null;
		this.identities = new Map(); // the registered player of each name that has one
		this.versions = new Map(); // of the programs that the host runs, by name
		this.record = null;
		this.notes = []; // {name, text, lines} of bots
		this.marks = new Map(); // of mistakes, by the index of the move
		this.drawn = ""; // what the players' boxes show
		this.moveRows.clear();
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
		const since = i > 0 ? this.list[i - 1].at : 0;
		const notes = this.notes.filter((n) => n.lines >= since && n.lines < this.list[i].at);
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
		const moves = answers.length === this.list.length ? this.list : this.list.filter((m) => m.seat === shown);
		if (answers.length !== moves.length) return null;
		const last = moves.findLastIndex((m) => m.at <= this.timeline.at);
		return last < 0 ? this.record.clock.bank : answers[last].left ?? null;
	}

	lines(lines) {
		for (const line of lines) this.all.push(line);
	}

	moves(moves, anew) {
		if (anew) {
			this.list = [];
			this.moveRows.clear();
		}
		for (const move of moves) this.list.push(move);
		this.show(this.timeline.at);
	}

	// show lists moves and lines around the moment that is shown.
	show(at) {
		cancelAnimationFrame(this.frame);
		this.frame = requestAnimationFrame(() => {
			this.drawMoves(at);
			this.drawStream(at);
		});
	}

	// move returns the row of a move.
	move(m, i) {
		const note = this.noteOf(i);
		return h("li", { value: String(i + 1) }, h("button", { type: "button", "data-key": `move ${i}`, "data-number": String(i + 1), onclick: () => this.timeline.jump(m.at) },
			m.seat !== null && mark(m.seat, this.players[m.seat]?.marker), h("span", null, m.text),
			note && h("span", { class: "noted" }, note),
			this.marks.has(i) && h("b", { class: "sign", title: t("a mistake, by the analysis") }, this.marks.get(i))));
	}

	// mark shows the marks of mistakes, by the index of the move.
	mark(marks) {
		if (marks.size === 0 && this.marks.size === 0) return;
		this.marks = marks;
		this.moveRows.clear();
		this.show(this.timeline.at);
	}

	drawMoves(at) {
		const current = this.list.findLastIndex((m) => m.at <= at);
		this.moveRows.show(this.list, current, (i) => i === current);
		keepInView($("moves"), this.moveRows.at(current) ?? this.moveRows.at(0));
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
		this.drawPlayers();
	}

	// waiting shows the players before the match begins.
	waiting(players) {
		if (!this.early && this.players.length) return;
		this.early = true;
		this.players = [...players, ...this.players.slice(players.length).map(() => ({ name: "" }))];
		this.drawPlayers();
	}

	// status shows the viewer's status, or nothing for null. me is the name of the
	// person who plays.
	// failed says that the game's viewer does not work.
	status(s, { live, playing, me, outcome, send, failed }) {
		if (s?.players.some((p) => p.name)) {
			const marks = (players) => players.map((p) => p.marker).join();
			if (marks(s.players) !== marks(this.players)) {
				this.moveRows.clear();
				this.show(this.timeline.at);
			}
			this.early = false;
			this.players = s.players;
		}
		this.turn = outcome ? [] : s?.turn || [];
		this.me = s?.seat ?? this.players.findIndex((p) => p.name === me);
		this.live = live;
		this.result = outcome;
		const mine = playing && this.asks(s);
		$("caption").textContent = [mine && !/^your\b/i.test(s.caption) && t("Your move."), s?.caption.replace(/ServerBot\$\d+/g, this.called)].filter(Boolean).join(" ");
		$("caption").classList.toggle("mine", Boolean(mine));
		$("goal").hidden = !s?.goal;
		if ($("goal-text").textContent !== (s?.goal || "")) $("goal-text").textContent = s?.goal || "";
		this.drawPlayers();
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
		this.drawPlayers();
		fill($("choices"));
	}

	drawPlayers() {
		const drawn = JSON.stringify([this.players, this.turn, this.me, this.result, [...this.identities], [...this.versions]]);
		if (drawn === this.drawn) return;
		this.drawn = drawn;
		fill($("players"), this.players.map((p, i) => {
			const end = this.result?.players?.find((r) => r.name === p.name);
			const turn = this.turn.includes(i);
			return h("li", { class: turn ? "turn" : "" },
				mark(i, p.marker),
				h("span", { class: "name", title: this.called(p.name) }, p.name ? playerLink(this.called(p.name), this.identities.get(p.name), { "data-key": `player ${p.name}` }) : "…", registered(this.identities.get(p.name)), versionMark(this.versions.get(p.name))),
				h("span", { class: "score" }, p.score === undefined || p.score === null ? (end && !onlyWinner(this.result.players) ? number(end.score) : "") : number(p.score), p.unit && h("span", { class: "unit" }, ` ${p.unit}`)),
				h("span", { class: "notes" },
					i === this.me && h("b", { class: "you" }, t("you")),
					h("span", { class: "tag away", "data-away": p.name, title: t("time in which the player can come back") }),
					p.note && h("span", { class: "note", title: p.note }, p.note),
					end?.ended && end.ended !== "finished" && h("span", { class: "tag bad", title: endName(end.ended) }, endName(end.ended)),
					end?.missed > 0 && h("span", { class: "tag", title: t("lines that were not the answer to a tick: {n}", { n: end.dropped || 0 }) }, t("{n} tick missed|{n} ticks missed", { n: end.missed })),
					end?.refused > 0 && h("span", { class: "tag", title: t("answers that were not legal; the player could try again") }, t("answers refused: {n}", { n: end.refused })),
					end?.team && h("span", { class: "tag" }, t("team {number}", { number: end.team })),
					winners(this.result?.players || []).includes(end) && h("span", { class: "tag good" }, t("winner")),
					turn && h("span", { class: "tag turn" }, h("span", null, t("to move"))),
					h("span", { class: "lag", "data-lag": p.name, title: t("time to the player and back") }),
					h("span", { class: "clock", "data-bank": p.name, title: t("time left for the match") }),
					h("span", { class: "clock", "data-clock": p.name, title: t("time left for this move") })));
		}));
		fill($("faults"), this.result?.players?.map((p) => p.ended !== "forfeit: resigned" && fault(this.called(p.name), p.fault)));
		this.tick();
	}

	tick() {
		const draw = (kind, f, format) => {
			for (const e of document.querySelectorAll(`[data-${kind}]`)) {
				const value = f(e.dataset[kind]);
				const text = value === null ? "" : format(value);
				if (e.textContent !== text) e.textContent = text;
				if (kind === "clock" || kind === "bank") e.classList.toggle("short", this.live && value !== null && value < 10);
			}
		};
		const live = (name, f) => (this.live ? this.clocks[f](name) : null);
		draw("clock", (name) => live(name, "left"), clock);
		draw("bank", (name) => live(name, "bank") ?? this.leftAt(name), bank);
		draw("away", (name) => (this.result ? null : this.clocks.away(name)), (left) => t("away, {time}", { time: clock(left) }));
		draw("lag", (name) => live(name, "lag"), (ms) => `${ms} ms`);
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

// fault explains the forfeit of a player.
function fault(name, f) {
	if (!f) return null;
	const line = h("code", null, f.line);
	return h("div", { class: "fault" }, `${name}: `,
		f.late_ms > 0 ? phrase("{line} came {seconds} s too late. ", { line, seconds: (f.late_ms / 1000).toFixed(f.late_ms < 10000 ? 3 : 1) }) : f.line && phrase("The host refused {line}. ", { line }),
		f.asked && [t("It had sent:"), h("pre", null, f.asked)]);
}

// keepInView scrolls a box to one of its children, without scrolling the page.
function keepInView(box, child) {
	if (!child) return;
	const top = child.offsetTop; // relative to the box, which is positioned
	if (top < box.scrollTop || top + child.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
}
