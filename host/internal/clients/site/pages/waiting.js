// A match that waits for players: how to join it, and who is missing.
import { h, $, fill, copyable, cocoCommand } from "./dom.js";
import { list } from "./names.js";
import { id, page, sides, heading, event } from "./matchpage.js";
import * as person from "./person.js";
import { t, phrase } from "./i18n.js";

// update shows a change of the match in the lobby.
export function update(latest) {
	page.info = latest;
	if (page.mode === "waiting") offer();
	if (page.mode === "joined" || page.mode === "waiting") {
		const missing = page.info.players - page.info.bots - page.info.connected.length;
		const asked = page.info.rematch && page.info.reserved;
		fill($("notice"), page.mode !== "joined" || missing === 0 ? "" : asked?.length ? t("You have a seat. Waiting for {names} to accept the rematch…", { names: list(asked) })
			: t("You have a seat. Waiting for {n} more player: share this page's address.|You have a seat. Waiting for {n} more players: share this page's address.", { n: missing }),
		page.mode === "joined" && missing > 0 && !asked?.length && h("div", null, copyable(location.origin + location.pathname)));
	}
	heading();
	sides.identities = new Map(Object.entries(page.info.identities || {}));
	sides.waiting([...page.info.connected.map((name) => ({ name })), ...Array.from({ length: page.info.bots }, (_, i) => ({ name: `ServerBot$${i}`, bot: true }))]);
}

let refusal = "";

// refuse notes why the host has refused a seat.
export const refuse = (reason) => (refusal = reason);

// offer shows how to join a waiting match. The form stays the same element, so
// that typed text survives updates.
export function offer() {
	const box = $("join");
	box.hidden = page.mode !== "waiting";
	if (box.hidden) return;
	if (!box.children.length) {
		const password = h("input", { id: "join-password", type: "password", maxlength: "32", autocomplete: "off" });
		fill(box,
			h("p", { id: "seats-taken" }),
			h("form", { onsubmit: (event) => {
				event.preventDefault();
				refusal = "";
				page.join(page.info.password ? password.value : null);
			} },
				page.info.password && h("label", { for: "join-password" }, t("Password"), " ", password),
				h("button", { class: "main big", type: "submit" }, t("Play here"))),
			h("p", null, t("Or join with a program:"), " ", copyable(cocoCommand("connect", id, "--", "PROGRAM"))),
			h("p", { class: "fault", role: "alert" }));
	}
	$("seats-taken").textContent = t("Waiting for players: {here} of {all} are here.", { here: page.info.connected.length + page.info.bots, all: page.info.players });
	box.querySelector(".fault").textContent = refusal;
}

// full explains that a match which the person wants to join has no free seat.
export function full() {
	const { title, name } = page.game;
	event(phrase("This match is full. You can watch it, or {start}.", { start: h("a", { href: `/games/${name}` }, t("start a match of {game}", { game: title || name })) }));
}

// nothing explains why there is no match.
export function nothing(why) {
	page.mode = "over";
	page.seat = null;
	person.lock(false);
	$("join").hidden = true;
	document.querySelector(".arena").classList.add("gone");
	fill($("notice"), `${why} `, h("a", { href: "/" }, t("All matches and games")));
}
