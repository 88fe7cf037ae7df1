// What stands around the board: players with scores and clocks, the list of
// moves, the raw stream, the choices as a list.
import { h, $, fill, clock, number } from "./dom.js";

const window_ = 300; // moves and lines that are listed at once

export class Sides {
	constructor(timeline) {
		this.timeline = timeline;
		this.reset();
		setInterval(() => this.tick(), 250);
	}

	reset() {
		this.all = [];
		this.list = [];
		this.since = null; // when the last line came, while it happens live
		this.players = [];
		this.turn = [];
		this.live = null;
		this.result = null;
	}

	restart() {
		this.since = performance.now();
	}

	lines(lines) {
		for (const line of lines) this.all.push(line);
	}

	moves(moves, anew) {
		if (anew) this.list = [];
		for (const move of moves) this.list.push(move);
		this.show(this.timeline.at);
	}

	// show lists what has come, around the moment that is shown.
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
			}, m.seat !== null && h("span", { class: `seat s${m.seat}`, "aria-hidden": "true" }), m.text))),
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

	// waiting shows who is there before the match begins.
	waiting(players) {
		if (this.players.length === 0 || this.early) {
			this.early = true;
			this.players = players;
			this.drawPlayers();
		}
	}

	// status takes over what the viewer says; null: it says nothing.
	status(s, { live, playing, limit, outcome, send }) {
		if (s?.players.some((p) => p.name)) {
			this.early = false;
			this.players = s.players;
		}
		this.turn = outcome ? [] : s?.turn || [];
		this.me = s ? s.seat : null;
		this.live = live ? { limit } : null;
		this.result = outcome;
		const mine = playing && s && (s.choices.length > 0 || this.turn.includes(s.seat));
		$("caption").textContent = [mine && !/^your\b/i.test(s.caption) && "Your move.", outcome ? verdict(outcome) : s?.caption].filter(Boolean).join(" ");
		$("caption").classList.toggle("mine", Boolean(mine));
		this.drawPlayers();
		this.drawChoices(playing, s, send);
	}

	over(outcome) {
		this.result = outcome;
		if (outcome?.players) this.players = this.players.length && !this.early ? this.players : outcome.players.map((p) => ({ name: p.name, score: p.score }));
		$("caption").textContent = outcome ? verdict(outcome) : "The match is over.";
		$("caption").classList.remove("mine");
		this.turn = [];
		this.live = null;
		this.drawPlayers();
		fill($("choices"));
	}

	drawPlayers() {
		fill($("players"), this.players.map((p, i) => {
			const end = this.result?.players?.find((r) => r.name === p.name);
			const turn = this.turn.includes(i);
			return h("li", { class: turn ? "turn" : "" },
				h("span", { class: `seat s${i}`, "aria-hidden": "true" }),
				h("span", { class: "name" }, p.name || "…", i === this.me && " (you)"),
				p.note && h("span", { class: "tag" }, p.note),
				end && end.ended !== "finished" && h("span", { class: "tag bad" }, end.ended),
				end && end.rank === 1 && this.result.players.filter((r) => r.rank === 1).length === 1 && h("span", { class: "tag good" }, "winner"),
				turn && h("span", { class: "tag" }, "to move"),
				turn && h("span", { class: "clock", "data-clock": "1" }),
				h("span", { class: "score" }, p.score === undefined || p.score === null ? (end ? number(end.score) : "") : number(p.score)));
		}));
		this.tick();
	}

	tick() {
		for (const e of document.querySelectorAll("[data-clock]")) {
			const left = this.live && this.since !== null ? this.live.limit - (performance.now() - this.since) / 1000 : null;
			e.textContent = left === null ? "" : clock(left);
			e.classList.toggle("short", left !== null && left < 10);
		}
	}

	// drawChoices lists what may be said now, for those who can't or don't want
	// to use the board; without a viewer's help, any line.
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
		const input = h("input", { id: "line", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "4096" });
		fill($("choices"), h("form", { class: "say", onsubmit: (event) => {
			event.preventDefault();
			send(input.value);
			input.value = "";
		} }, h("label", { for: "line" }, "Your line"), input, h("button", { class: "main", type: "submit" }, "Send")));
	}
}

function verdict(r) {
	if (r.aborted) return `The match was aborted: ${r.reason || "no reason is known"}.`;
	const best = r.players.filter((p) => p.rank === 1);
	const scores = r.players.map((p) => number(p.score)).join(" – ");
	const who = best.length === 1 ? `${best[0].name} wins` : "Draw";
	return `${who}, ${scores}${r.reason ? ` (${r.reason})` : ""}.`;
}

// keepInView scrolls a box, and only the box, to one of its children.
function keepInView(box, child) {
	if (!child) return;
	const top = child.offsetTop; // boxes are positioned, so this counts from theirs
	if (top < box.scrollTop || top + child.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
}
