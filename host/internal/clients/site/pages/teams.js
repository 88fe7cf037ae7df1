// Contests of teams: how to enter with one, and its boards.
import { h, fill, copyable, cocoCommand } from "./dom.js";
import { api } from "./host.js";
import { chip, total } from "./fixtures.js";
import { entrant, points, rating } from "./standings.js";
import { t } from "./i18n.js";

const same = (a, b) => a.toLowerCase() === b.toLowerCase();
const has = (list, name) => (list || []).some((one) => same(one, name));

// members are the players of a team that have accepted, in the order of the boards.
const members = (team) => (team.players || []).filter((p) => !has(team.invited, p));

// own returns the name of the entry of a player: the player itself, or its team; "" for none.
export function own(view, me) {
	if (!view.teams || !me) return me;
	return view.entries.find((e) => !e.withdrawn && e.team && has(members(e.team), me))?.name || "";
}

// describe names the boards of a contest.
export const describe = (view) => view.teams && ` · ${t("{n} board|{n} boards", { n: view.teams.size })}`;

// TeamRows are the rows of the players in the standings, below those of their teams.
export class TeamRows {
	constructor(changed) {
		this.open = new Set(); // names of teams
		this.changed = changed; // called after a click
	}

	// button opens and closes a team.
	button(row) {
		if (!row.boards) return null;
		const open = this.open.has(row.name);
		return h("button", { type: "button", class: "quiet open-team", "data-key": `boards ${row.name}`, "aria-expanded": String(open), "aria-label": t("Players of {team}", { team: row.name }), onclick: () => {
			if (!this.open.delete(row.name)) this.open.add(row.name);
			this.changed();
		} }, open ? "▾" : "▸");
	}

	rows(row, view, range) {
		if (!row.boards || !this.open.has(row.name)) return [];
		return row.boards.map((b) => h("tr", { class: "member" }, h("td", { class: "number hint" }, b.board || "–"), h("th", { scope: "row", class: "who" }, entrant(b.player, "player"), !b.board && h("span", { class: "hint" }, ` ${t("reserve")}`)),
			h("td", { class: "number" }, points(b.points)), view.tie_breaks.map(() => h("td")), [b.played, b.wins, b.draws, b.losses, b.forfeits].map((n) => h("td", { class: "number" }, n)), rating(b, range)));
	}
}

const opened = new Set(); // numbers of pairings whose boards are shown

// boardsOf lists the boards of a pairing of two teams, with their players.
export function boardsOf(pairing) {
	const [a, b] = pairing.legs[0].seats;
	const boards = new Map();
	for (const m of pairing.legs) boards.set(m.board, [...(boards.get(m.board) || []), m]);
	const player = (m, team) => {
		const name = m.players?.[m.seats.indexOf(team)];
		return h("span", { class: "name", title: name }, name ? entrant(name, "player") : h("span", { class: "hint" }, t("nobody")));
	};
	const score = (legs, team) => (legs.some((m) => m.points) ? points(total(legs, team)) : "");
	const box = h("details", { class: "boards-of", open: opened.has(pairing.pairing) }, h("summary", { "data-key": `boards of ${pairing.pairing}` }, t("Boards")),
		h("ol", null, [...boards.values()].map((legs) => h("li", null, player(legs[0], a), h("span", { class: "chips" }, legs.map((m) => chip(m, a))), h("b", null, [score(legs, a), score(legs, b)].filter(Boolean).join(" : ")), player(legs[0], b)))));
	box.addEventListener("toggle", () => (box.open ? opened.add(pairing.pairing) : opened.delete(pairing.pairing)));
	return box;
}

// TeamEntry shows in an element how the player takes part with a team.
export class TeamEntry {
	constructor(element, path, changed) {
		Object.assign(this, { element, path, changed }); // changed is called after a request to the host
		this.drafts = {}; // what the person has typed, by field
		this.answer = ""; // of the host to the last change
	}

	draw(view, me) {
		const mine = me && view.entries.find((e) => !e.withdrawn && e.team && has(members(e.team), me));
		const left = me && !mine && view.entries.find((e) => e.withdrawn && e.team?.captain && same(e.team.captain, me));
		const invitations = me && !mine ? view.entries.filter((e) => !e.withdrawn && has(e.team?.invited, me)) : [];
		this.element.hidden = view.state === "ended" || !view.open && !mine && invitations.length === 0;
		const shown = JSON.stringify([me, mine, left, invitations, view.open, view.state, this.answer]);
		if (this.shown === shown) return; // a field in which the person types stays
		this.shown = shown;
		fill(this.element, !me && h("p", null, t("Log in at the top of this page to enter with your player.")),
			invitations.map((e) => this.invitation(e)),
			mine ? this.member(view, me, mine) : me && view.open && (left ? this.back(left) : this.found(view)),
			h("p", { class: "fault", role: "alert" }, this.answer));
	}

	async send(method, part, body) {
		try {
			await api(this.path + part, method, body);
			this.answer = "";
			this.drafts = {};
		} catch (error) {
			this.answer = error.message;
		}
		this.changed();
	}

	button(key, text, click, attrs) {
		return h("button", { type: "button", "data-key": key, onclick: click, ...attrs }, text);
	}

	invitation(e) {
		return h("p", null, t("The team {team} invites you.", { team: e.name }), " ",
			this.button(`accept ${e.name}`, t("Play for {team}", { team: e.name }), () => this.send("POST", "/entry", { team: e.name }), { class: "main" }), " ",
			this.button(`decline ${e.name}`, t("Decline"), () => this.send("DELETE", "/entry", {})));
	}

	// field is a text that stays when the page draws again.
	field(name, label, value, hint) {
		const input = h("input", { type: "text", id: `team-${name}`, value: this.drafts[name] ?? value, autocomplete: "off", spellcheck: "false", "data-key": `field ${name}`, oninput: () => (this.drafts[name] = input.value) });
		return { input, row: h("p", null, h("label", { for: input.id }, label), " ", input, hint && h("span", { class: "hint" }, ` ${hint}`)) };
	}

	form(key, text, fields, submit) {
		return h("form", { class: "team", onsubmit: (event) => {
			event.preventDefault();
			submit();
		} }, fields.map((f) => f.row), h("p", null, h("button", { type: "submit", class: "main", "data-key": key }, text)));
	}

	// found enters a new team.
	found(view) {
		const team = this.field("name", t("Name of your team"), "");
		const others = this.field("others", t("Other players"), "", t("in the order of the boards after you; they have to accept"));
		return [h("p", null, t("A team has {n} board, and you lead it.|A team has {n} boards, and you lead it.", { n: view.teams.size }), view.teams.reserves > 0 && ` ${t("It can have {n} reserve.|It can have {n} reserves.", { n: view.teams.reserves })}`),
			this.form("enter", t("Enter with a team"), [team, others], () => this.send("POST", "/entry", { team: team.input.value.trim(), players: words(others.input.value) }))];
	}

	back(e) {
		return h("p", null, t("{team} has withdrawn.", { team: e.name }), e.reason && ` ${e.reason}.`, " ", this.button("enter", t("Bring {team} back", { team: e.name }), () => this.send("POST", "/entry", { team: e.name }), { class: "main" }));
	}

	member(view, me, e) {
		const captain = same(e.team.captain || "", me);
		const place = members(e.team).findIndex((p) => same(p, me)) + 1;
		const question = captain ? t("Withdraw {team}? It is not paired again, and loses the matches that are planned.", { team: e.name }) : t("Leave {team}?", { team: e.name });
		const players = captain && this.field("players", t("Players in the order of the boards"), (e.team.players || []).join(" "), t("It holds from the next pairing on. Those that you add have to accept."));
		return [h("p", null, place <= view.teams.size ? t("You play for {team} on board {place}.", { team: e.name, place }) : t("You are a reserve of {team}.", { team: e.name }), " ",
			this.button("withdraw", captain ? t("Withdraw {team}", { team: e.name }) : t("Leave {team}", { team: e.name }), () => confirm(question) && this.send("DELETE", "/entry", {}))),
		e.team.invited?.length > 0 && h("p", { class: "hint" }, t("They have not accepted yet: {names}", { names: e.team.invited.join(", ") })),
		captain && this.form("line-up", t("Change the line-up"), [players], () => this.send("POST", "/lineup", { team: e.name, players: words(players.input.value) })),
		view.state === "open" && h("p", { class: "hint" }, t("Your program plays with"), " ", copyable(cocoCommand("serve", view.game, "--contest", view.name, "--", "PROGRAM")))];
	}
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);
