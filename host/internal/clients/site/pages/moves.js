// The list of moves: two columns and a row for each round if the match has two players, else
// a row for each move; with the times that moves took, notes, and judgements.
import { h, fill, clock, mark, number } from "./dom.js";
import { Rows, keepInView } from "./rows.js";
import { t } from "./i18n.js";

// MoveList shows moves in an element, and the names of two players in another one. note(i)
// returns the notes about a move, and player(seat) {name, marker}.
export class MoveList {
	constructor(box, head, timeline, { note, player }) {
		Object.assign(this, { box, head, timeline, note, player });
		this.rows = new Rows(box, box, (row, i) => this.row(row, i), (li, current) => {
			for (const button of li.querySelectorAll("button")) {
				const on = Number(button.value) === current;
				button.classList.toggle("current", on);
				button.tabIndex = on || current === -1 ? 0 : -1;
				if (on) button.setAttribute("aria-current", "step");
				else button.removeAttribute("aria-current");
			}
		});
		box.dataset.empty = t("none yet");
		box.addEventListener("keydown", (event) => this.key(event));
		this.clear(0);
	}

	// clear removes all moves; the next ones are those of a number of players.
	clear(players) {
		this.two = players === 2;
		this.judged = new Map(); // judgements, by the lines of the moves
		this.times = []; // seconds by move; undefined: not known
		this.restart();
	}

	// restart removes the moves before a viewer lists them again.
	restart() {
		this.list = []; // {at, text, seat}
		this.rounds = []; // of moves: [i, j] by seat, or [i] in both columns
		this.current = undefined;
		this.rows.clear();
	}

	// together lists the moves in one column, since both players answer in each turn: seat is
	// then not the one that has moved.
	together() {
		if (!this.two) return;
		this.two = false;
		const { list } = this;
		this.restart();
		this.add(list);
		if (this.at !== undefined) this.show(this.at);
	}

	// add adds moves. seconds is the time that they took, if it is known.
	add(moves, seconds) {
		for (const move of moves) {
			const i = this.list.push(move) - 1;
			if (moves.length === 1 && seconds !== undefined) this.times[i] = seconds;
			const round = this.rounds.at(-1);
			const seat = this.two && (move.seat === 0 || move.seat === 1) ? move.seat : null;
			if (seat === null) this.rounds.push([i]);
			else if (seat === 1 && round?.length === 2 && round[1] === null) {
				round[1] = i;
				this.rows.renew(this.rounds.length - 1);
			} else this.rounds.push(seat === 0 ? [i, null] : [null, i]);
		}
	}

	// judge shows judgements of moves, {mark, text} by the number of lines after which a move is
	// complete: mark is a short sign, such as "?", and text explains it.
	judge(judged) {
		this.judged = judged;
		this.renew();
	}

	// renew makes the rows anew, after a change of what they show beside the moves.
	renew() {
		this.rows.clear();
		if (this.current !== undefined) this.show(this.at);
	}

	// show marks the last move that is complete after a number of lines.
	show(at) {
		this.at = at;
		const current = this.list.findLastIndex((m) => m.at <= at);
		const index = Math.max(0, this.rounds.findLastIndex((r) => r.some((i) => i !== null && i <= current)));
		const focus = this.box.contains(document.activeElement);
		// The first move takes the focus of the Tab key as long as no move is made.
		this.rows.show(this.rounds, index, (i) => (current < 0 ? (i === 0 ? -1 : null) : this.rounds[i].includes(current) ? current : null));
		this.name();
		if (current !== this.current) {
			keepInView(this.box, this.rows.at(index));
			if (focus) (this.box.querySelector("button.current") ?? this.box.querySelector("button"))?.focus({ preventScroll: true });
		}
		this.current = current;
	}

	// name shows whose the columns are.
	name() {
		const names = this.rounds.some((r) => r.length === 2) ? [0, 1].map((seat) => this.player(seat)) : [];
		const text = JSON.stringify(names);
		if (text === this.named) return;
		this.named = text;
		this.head.hidden = names.length === 0;
		fill(this.head, names.map(({ name, marker }, seat) => h("span", null, mark(seat, marker), h("span", { class: "name" }, name))));
	}

	row(round, n) {
		return h("li", { value: String(n + 1), "data-number": String(n + 1), class: round.length === 2 ? "two" : "" }, round.map((i) => (i === null ? h("span") : this.move(i, round.length === 1))));
	}

	move(i, alone) {
		const { at, text, seat } = this.list[i];
		const note = this.note(i);
		const judged = this.judged.get(at);
		return h("button", { type: "button", value: String(i), tabindex: "-1", "data-key": `move ${i}`, onclick: () => this.timeline.jump(at) },
			h("span", { class: "line" }, alone && seat !== null && mark(seat, this.player(seat)?.marker), text, judged && h("b", { class: "sign", title: judged.text }, judged.mark)),
			this.times[i] !== undefined && h("span", { class: "took", title: t("time that the move took") }, took(this.times[i])),
			note && h("span", { class: "noted" }, note));
	}

	// key moves up and down between rounds. The timeline handles the other keys.
	key(event) {
		const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
		if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		const from = this.list[this.current];
		const here = this.rounds.findIndex((r) => r.includes(this.current));
		const round = this.rounds[here < 0 ? 0 : here + by];
		const i = round?.[round.length === 2 ? from?.seat ?? 0 : 0] ?? round?.find((m) => m !== null);
		if (i !== undefined) this.timeline.jump(this.list[i].at);
	}
}

// bothAnswer reports whether both players of an ended match answered in each turn.
export const bothAnswer = (list, answers) => list.length > 0 && answers.length > 1.5 * list.length;

// took writes seconds as 0.3 s, 12 s or 2:05.
const took = (s) => (s >= 60 ? clock(s) : t("{n} s|{n} s", { n: s < 10 ? number(s.toFixed(1)) : Math.round(s) }));

// timesOf returns the seconds that the moves of an ended match took, from its answers. seats
// has the seat in the record of each seat of the viewer. Empty if the moves are not the
// answers of one player each.
export function timesOf(list, answers, seats) {
	const timed = answers.map((a, i) => ({ ...a, took: a.wall || a.at - (answers[i - 1]?.at ?? 0) })).filter((a) => !a.outcome);
	if (seats.some((seat, i) => timed.filter((a) => a.seat === seat).length !== list.filter((m) => m.seat === i).length)) return [];
	const queues = seats.map((seat) => timed.filter((a) => a.seat === seat));
	return list.map((m) => queues[m.seat]?.shift()?.took);
}
