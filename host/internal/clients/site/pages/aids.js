// What a person can do who plays bots alone, where it harms nobody: take back a move, and see
// the move that the game finds best. And in the replay of any match: play on from a moment of it
// against bots.
import { h, fill } from "./dom.js";
import { branch, go } from "./branch.js";
import { t } from "./i18n.js";

const patience = 300; // seconds for a move of a person who plays on from a match of programs

export class Aids {
	// page, board, timeline and sides are those of the page of a match.
	constructor(element, id, page, board, timeline, sides) {
		Object.assign(this, { element, id, page, board, timeline, sides, shown: null, turn: [], hinted: null });
		this.fault = h("p", { class: "fault", role: "alert" });
		this.says = h("p", { class: "hint", role: "status" });
	}

	// status gets who is to move, and which seat is the person's.
	status(s) {
		this.turn = s?.turn ?? [];
		this.seat = s?.seat ?? null;
		this.show();
		if (this.hinted && this.timeline.length === this.hinted.at) this.mark();
		else this.unhint();
	}

	// show shows the aids of the page's state.
	show() {
		const { mode, info, game, seat } = this.page;
		const alone = mode === "playing" && seat && !info.contest && !info.verified && (info.players - info.bots === 1);
		const replayed = mode === "over" && info?.answers?.length && game && !game.missing && game.max_bots >= Math.max(1, info.seats.length - 1);
		const shown = alone ? "alone" : replayed ? "replayed" : null;
		if (shown !== this.shown) {
			this.shown = shown;
			this.fault.textContent = this.says.textContent = "";
			this.play = null;
			fill(this.element, shown === "alone" && this.controls());
			if (shown === "replayed") this.from().catch((error) => (this.fault.textContent = error.message));
		}
		if (shown === "alone") {
			this.back.disabled = this.busy || !seat.moved;
			if (this.hint) this.hint.disabled = this.busy || !this.turn.includes(this.seat) || !this.timeline.follow;
		}
		if (this.play) this.play.disabled = this.busy || this.timeline.at >= this.timeline.length;
	}

	controls() {
		this.back = h("button", { type: "button", "data-key": "takeback", onclick: () => this.act(() => this.takeBack()) }, t("Take back"));
		this.hint = this.page.game.judged && h("button", { type: "button", "data-key": "hint", onclick: () => this.act(() => this.help()) }, t("Hint"));
		return [h("div", { class: "buttons", role: "group", "aria-label": t("Help") }, this.back, this.hint), this.says, this.fault];
	}

	// from shows the controls to play on from the moment that is shown.
	async from() {
		const { levels, levelNames } = await import("./levels.js");
		if (this.shown !== "replayed") return;
		const { info, game } = this.page;
		const names = levels(game);
		const level = h("select", { id: "from-level" }, names.map((l) => h("option", { value: l, selected: l === "easy" }, levelNames[l])));
		const side = h("select", { id: "from-side" }, info.seats.map((s, i) => h("option", { value: i, selected: s.name === this.page.player }, this.sides.called(s.name))));
		this.play = h("button", { type: "button", "data-key": "from", onclick: () => this.act(async () => go(await branch(this.id, this.timeline.at, {
			game: info.game, seat: Number(side.value), level: level.value || null, bots: info.seats.length - 1, timeout: Math.max(game.timeout, patience),
		}))) }, t("Play from here"));
		fill(this.element, h("div", { class: "from" }, this.play,
			h("label", { for: "from-side" }, t("in the place of"), " ", side),
			names.length > 1 && h("label", { for: "from-level" }, t("against the bot"), " ", level)), this.fault);
		this.show();
	}

	async takeBack() {
		const again = await branch(this.id, 0, { game: this.page.info.game, back: true, ticket: this.page.seat.ticket });
		this.page.seat?.leave(); // it has just ended
		go(again, true);
	}

	async help() {
		const at = this.timeline.length;
		const line = await this.page.seat.hint();
		if (at !== this.timeline.length) return; // the person has moved
		this.hinted = { at, line };
		this.says.textContent = t("Hint: {move}", { move: await this.board.notation(at, line) });
		this.mark();
	}

	mark() {
		if (this.timeline.follow) this.board.mark([{ line: this.hinted.line, kind: "best" }]);
	}

	unhint() {
		if (!this.hinted) return;
		this.hinted = null;
		this.says.textContent = "";
	}

	async act(f) {
		this.busy = true;
		this.fault.textContent = "";
		this.show();
		try {
			await f();
		} catch (error) {
			this.fault.textContent = t("The host says: {reason}", { reason: error.message });
		} finally {
			this.busy = false;
			this.show();
		}
	}
}
