// What comes after a match: the same settings again, and a rematch with the same players on
// swapped seats.
import { h, fill, clock } from "./dom.js";
import { newMatch, Session } from "./host.js";
import { branch, go } from "./branch.js";
import { t } from "./i18n.js";
import { prefixed } from "./path.js";

const listen = 180000; // milliseconds after the end of the match in which offers are shown

// After shows the next steps after a match in an element. match is {id, game, info, me,
// account, contest, alone, seat, since}, where me is the name of the person in the match, account its
// registered player there, if any, alone is true if all others are bots, seat is the person's, and since
// is when the match ended, in milliseconds like Date.now.
export class After {
	constructor(element, match) {
		Object.assign(this, { element, match, offer: null, session: null, timer: null });
		this.fault = h("p", { class: "fault", role: "alert" });
		this.box = h("div");
		fill(element, this.box, h("div", { class: "buttons" },
			h("button", { class: "main", type: "button", "data-key": "again", onclick: () => this.act(() => this.again()) }, t("Play again")),
			!match.contest && h("button", { type: "button", "data-key": "rematch", title: t("with the same players, who change their seats"), onclick: () => this.act(() => this.rematch()) }, t("Rematch")),
			match.alone && match.seat >= 0 && !match.contest && h("button", { type: "button", "data-key": "takeback", onclick: () => this.act(async () => go(await branch(match.id, 0, { game: match.game, seat: match.seat, back: true }), true)) }, t("Take back")),
			h("a", { class: "button", href: `/match/${match.id}` }, t("Replay")),
			h("a", { class: "button", href: "/" }, t("Other games"))), this.fault);
		const rest = match.since + listen - Date.now();
		if (match.contest || match.alone || rest <= 0) return;
		this.subscribe();
		this.end = setTimeout(() => this.close(), rest);
	}

	async act(f) {
		this.fault.textContent = "";
		try {
			await f();
		} catch (error) {
			this.fault.textContent = error.message;
		}
	}

	// again creates a match with the same settings, which anybody can join.
	async again() {
		const { create } = await import("./form.js");
		const { game, info, id } = this.match;
		await create({ game, players: info.players, bots: info.bots, levels: info.levels, timeout: info.timeout, clock: info.clock, args: info.args, password: sessionStorage.getItem(`password ${id}`) }, true);
	}

	async rematch() {
		const { id, game, info } = this.match;
		this.open(await newMatch({ name: info.name, game, params: { players: null, bots: 0, timeout: null }, args: {}, password: null, verification: null, rematch: id }));
	}

	// open takes the person's seat in a rematch, under the name that it has been kept for.
	open(id) {
		sessionStorage.setItem(`name ${id}`, this.match.me);
		location.href = prefixed(`/match/${id}#play`);
	}

	// subscribe waits for the offer of another player.
	subscribe() {
		this.session = new Session({
			Handshake: () => this.session.send("LobbySubscribe"),
			LobbySubscribed: ({ seed }) => seed.forEach((info) => this.hear(info)),
			LobbyNew: ({ info }) => this.hear(info),
			LobbyUpdate: ({ info }) => this.hear(info),
			LobbyDelete: ({ id }) => {
				if (this.offer?.id === id) this.withdraw(t("The rematch is no longer offered."));
			},
		});
	}

	hear(info) {
		const { id, me, account } = this.match;
		if (info.rematch !== id) return;
		const kept = info.reserved?.some((name) => name === me || name === account);
		const others = info.connected.filter((name) => name !== me);
		if (info.running || !kept || others.length === 0) {
			if (this.offer?.id === info.id) this.withdraw("");
			return;
		}
		this.offer = info;
		clearInterval(this.timer);
		const left = h("span", { role: "timer" });
		const tick = () => (left.textContent = clock(info.time - Date.now() / 1000));
		tick();
		this.timer = setInterval(tick, 500);
		this.element.querySelector("[data-key=rematch]").hidden = true;
		fill(this.box, h("div", { class: "offer", role: "alert" },
			h("p", null, t("{name} wants a rematch.", { name: others[0] })),
			h("div", { class: "buttons" },
				h("button", { class: "main", type: "button", "data-key": "accept", onclick: () => this.open(info.id) }, t("Accept"), " (", left, ")"),
				h("button", { type: "button", "data-key": "decline", onclick: () => this.withdraw("") }, t("No, thanks")))));
	}

	withdraw(text) {
		clearInterval(this.timer);
		this.offer = null;
		this.element.querySelector("[data-key=rematch]").hidden = false;
		fill(this.box, text && h("p", { class: "hint", role: "status" }, text));
	}

	close() {
		clearTimeout(this.end);
		clearInterval(this.timer);
		this.session?.close();
		this.session = null;
	}
}
