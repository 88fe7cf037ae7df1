// Everything around the board: players with scores and clocks, the goal, the list
// of moves, the raw stream, and the choices as a list.
import { h, $, fill, mark, clock, bank, number, playerLink, registered } from "./dom.js";

const window_ = 300; // moves and lines listed at once

export class Sides {
	constructor(timeline, clocks) {
		this.timeline = timeline;
		this.clocks = clocks;
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
		this.record = null;
	}

	// replay sets the record of an ended match, for the times that it has.
	replay(record) {
		this.record = record;
		const list = (record.answers || []).filter((a) => a.left !== undefined);
		$("clock-box").hidden = list.length === 0;
		fill($("clock"), h("tr", null, ["Player", "Answer", "Left"].map((text) => h("th", { scope: "col" }, text))),
			list.slice(0, window_ * 10).map((a) => h("tr", null, h("td", null, record.seats[a.seat].name), h("td", null, a.line.slice(0, 40) || a.outcome), h("td", null, bank(a.left)))));
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
		if (anew) this.list = [];
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

	drawMoves(at) {
		const current = this.list.findLastIndex((m) => m.at <= at);
		const from = Math.max(0, Math.min(current - window_ / 2, this.list.length - window_));
		fill($("moves"), this.list.slice(from, from + window_).map((m, i) => h("li", { value: String(from + i + 1) },
			h("button", {
				type: "button", class: from + i === current ? "current" : "", "data-key": `move ${from + i}`, "aria-current": from + i === current ? "step" : null,
				onclick: () => this.timeline.jump(m.at),
			}, m.seat !== null && mark(m.seat, this.players[m.seat]?.marker), m.text))),
		this.list.length === 0 && h("li", { class: "hint" }, "none yet"));
		keepInView($("moves"), $("moves").querySelector(".current"));
	}

	drawStream(at) {
		const box = $("stream-box");
		if (!box.open) {
			box.ontoggle = () => this.drawStream(this.timeline.at);
			return;
		}
		const from = Math.max(0, Math.min(at - window_ / 2, this.all.length - window_));
		fill($("stream"), from > 0 && `… ${from} lines before\n`, this.all.slice(from, from + window_).map((l, i) =>
			h("span", { class: from + i < at ? "said" : "later" }, `${l.sent ? "> " : ""}${l.text}\n`)));
		keepInView($("stream"), [...$("stream").querySelectorAll(".said")].at(-1));
	}

	// waiting shows the players before the match begins.
	waiting(players) {
		if (this.players.length === 0 || this.early) {
			this.early = true;
			this.players = players;
			this.drawPlayers();
		}
	}

	// status shows the viewer's status, or nothing for null. me is the name of the
	// person who plays.
	status(s, { live, playing, me, outcome, send }) {
		if (s?.players.some((p) => p.name)) {
			const marks = (players) => players.map((p) => p.marker).join();
			if (marks(s.players) !== marks(this.players)) this.show(this.timeline.at);
			this.early = false;
			this.players = s.players;
		}
		this.turn = outcome ? [] : s?.turn || [];
		this.me = s ? s.seat : this.players.findIndex((p) => p.name === me);
		this.live = live;
		this.result = outcome;
		const mine = playing && s && (s.choices.length > 0 || this.turn.includes(s.seat));
		$("caption").textContent = [mine && !/^your\b/i.test(s.caption) && "Your move.", outcome ? verdict(outcome) : s?.caption].filter(Boolean).join(" ");
		$("caption").classList.toggle("mine", Boolean(mine));
		$("goal").hidden = !s?.goal;
		$("goal-text").textContent = s?.goal || "";
		this.drawPlayers();
		this.drawChoices(playing, s, send);
	}

	over(outcome) {
		this.result = outcome;
		if (outcome?.players) this.players = this.players.length && !this.early ? this.players : outcome.players.map((p) => ({ name: p.name, score: p.score }));
		$("caption").textContent = outcome ? verdict(outcome) : "The match is over.";
		$("caption").classList.remove("mine");
		this.turn = [];
		this.live = false;
		this.drawPlayers();
		fill($("choices"));
	}

	drawPlayers() {
		fill($("players"), this.players.map((p, i) => {
			const end = this.result?.players?.find((r) => r.name === p.name);
			const turn = this.turn.includes(i);
			return h("li", { class: turn ? "turn" : "" },
				mark(i, p.marker),
				h("span", { class: "name", title: p.name }, p.name ? playerLink(p.name, this.identities.get(p.name), { "data-key": `player ${p.name}` }) : "…", registered(this.identities.get(p.name))),
				h("span", { class: "score" }, p.score === undefined || p.score === null ? (end ? number(end.score) : "") : number(p.score)),
				h("span", { class: "notes" },
					i === this.me && h("b", { class: "you" }, "you"),
					p.note && h("span", null, p.note),
					end && end.ended !== "finished" && h("span", { class: "tag bad" }, end.ended),
					end && end.rank === 1 && this.result.players.filter((r) => r.rank === 1).length === 1 && h("span", { class: "tag good" }, "winner"),
					turn && h("span", { class: "tag turn" }, h("span", null, "to move")),
					fault(end?.fault),
					h("span", { class: "lag", "data-lag": p.name, title: "time to the player and back" }),
					h("span", { class: "clock", "data-bank": p.name, title: "time left for the match" }),
					h("span", { class: "clock", "data-clock": p.name, title: "time left for this move" })));
		}));
		this.tick();
	}

	tick() {
		const draw = (kind, f, format) => {
			for (const e of document.querySelectorAll(`[data-${kind}]`)) {
				const value = f(e.dataset[kind]);
				const text = value === null ? "" : format(value);
				if (e.textContent !== text) e.textContent = text;
				if (kind !== "lag") e.classList.toggle("short", this.live && value !== null && value < 10);
			}
		};
		const live = (name, f) => (this.live ? this.clocks[f](name) : null);
		draw("clock", (name) => live(name, "left"), clock);
		draw("bank", (name) => live(name, "bank") ?? this.leftAt(name), bank);
		draw("lag", (name) => live(name, "lag"), (ms) => `${ms} ms`);
	}

	// drawChoices lists the legal lines, for people who cannot or do not want to use
	// the board. Without a viewer it offers a field for any line.
	drawChoices(playing, s, send) {
		if (!playing) {
			fill($("choices"));
			return;
		}
		const open = $("choices").querySelector("details")?.open;
		if (s) {
			fill($("choices"), s.choices.length > 0 && h("details", { open }, h("summary", { "data-key": "choices" }, `Choices as a list (${s.choices.length})`),
				h("div", { class: "buttons" }, s.choices.map((c) => h("button", { type: "button", "data-key": `choice ${c.line}`, onclick: () => send(c.line) }, c.label)))));
			return;
		}
		if ($("line")) return;
		const rules = h("p", { class: "hint" }, "This game has no board. Its stream is above, and ", h("a", { href: $("about").querySelector("a").href, target: "_blank" }, "its rules"), " explain what to send.");
		const input = h("input", { id: "line", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "4096" });
		fill($("choices"), rules, h("form", { class: "say", onsubmit: (event) => {
			event.preventDefault();
			send(input.value);
			input.value = "";
		} }, h("label", { for: "line" }, "Your line"), input, h("button", { class: "main", type: "submit" }, "Send")));
	}
}

// fault explains a forfeit.
function fault(f) {
	if (!f) return null;
	return h("span", { class: "fault" },
		f.late_ms > 0 ? [h("code", null, f.line), ` came ${(f.late_ms / 1000).toFixed(f.late_ms < 10000 ? 3 : 1)} s too late. `] : f.line && ["The host refused ", h("code", null, f.line), ". "],
		f.asked && ["It had sent:", h("pre", null, f.asked)]);
}

function verdict(r) {
	if (r.aborted) return `The match was aborted: ${r.reason || "no reason was given"}.`;
	const best = r.players.filter((p) => p.rank === 1);
	const scores = [...r.players].sort((a, b) => a.rank - b.rank).map((p) => number(p.score)).join(" – ");
	const who = best.length === 1 ? `${best[0].name} wins` : "Draw";
	return `${who}, ${scores}${r.reason ? ` (${r.reason})` : ""}.`;
}

// keepInView scrolls a box to one of its children, without scrolling the page.
function keepInView(box, child) {
	if (!child) return;
	const top = child.offsetTop; // relative to the box, which is positioned
	if (top < box.scrollTop || top + child.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
}
