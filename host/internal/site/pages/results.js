// The list of ended matches.
import { h, number, duration, playerLink } from "./dom.js";
import { api } from "./host.js";

const size = 10; // matches per page

// results fills an element with pages of ended matches and their filters. It
// returns a function that adds matches that have ended since; its argument, if
// any, replaces the filter.
export async function results(element, filter, titles) {
	let after = "";
	let known = new Set(); // IDs that are listed
	const player = h("input", { type: "search", maxlength: "16", placeholder: "whole name", autocomplete: "off", spellcheck: "false", oninput: soon });
	const onlyPlayer = filter.player; // of one player only
	const state = h("select", { onchange: () => renew() }, [["", "all"], ["finished", "finished"], ["aborted", "aborted"]].map(([value, text]) => h("option", { value }, text)));
	const body = h("ul", { class: "results" });
	const more = h("button", { type: "button", hidden: true, onclick: () => load(after).catch(fail) }, "Show more");
	const fault = h("p", { class: "fault", role: "alert" });
	element.replaceChildren(h("div", { class: "filters" }, !onlyPlayer && h("label", null, "Player ", player), h("label", null, "Ended ", state)), body, more, fault);

	let timer = 0;
	function soon() {
		clearTimeout(timer);
		timer = setTimeout(renew, 300);
	}

	let turn = 0; // identifies the current request; answers to earlier ones are dropped
	async function read(from) {
		const mine = ++turn;
		const query = { ...filter, player: onlyPlayer || player.value.trim(), state: state.value, after: from, limit: size };
		const page = await api(`/api/matches?${new URLSearchParams(Object.entries(query).filter(([, v]) => v))}`);
		fault.textContent = "";
		return mine === turn ? page : null;
	}

	async function load(from) {
		const page = await read(from);
		if (!page) return;
		if (!from) {
			body.replaceChildren();
			known = new Set();
		}
		for (const m of page.matches) known.add(m.id);
		body.append(...page.matches.map((m) => row(m, titles)));
		if (!body.children.length) body.append(h("li", { class: "hint" }, player.value || state.value ? "No match for these filters." : "No match has ended yet."));
		after = page.next;
		more.hidden = !after;
	}

	const fail = (error) => (fault.textContent = error.message);
	const renew = () => load("").catch(fail);

	// New matches come first; the pages that the person has opened stay.
	async function refresh(other) {
		if (other) {
			filter = other;
			return load("");
		}
		const page = await read("");
		if (!page) return;
		const fresh = page.matches.filter((m) => !known.has(m.id));
		if (fresh.length === page.matches.length) return load("");
		for (const m of fresh) known.add(m.id);
		body.prepend(...fresh.map((m) => row(m, titles)));
	}
	await load("");
	return (other) => refresh(other).catch(fail);
}

function row(m, titles) {
	const seats = [...m.seats].sort((a, b) => a.rank - b.rank);
	const draw = seats.length > 1 && seats[0].rank === seats[1].rank;
	return h("li", null,
		h("a", { href: `/match/${m.id}` }, titles.get(m.game) || m.game),
		h("span", { class: "who" }, seats.map((s, i) => [i > 0 && " – ", h(m.state === "finished" && s.rank === 1 && !draw ? "strong" : "span", null, playerLink(s.name, s.player)), ` ${number(s.score)}`])),
		h("span", { class: "hint" }, m.state === "aborted" ? "aborted" : draw ? "draw" : `${seats[0]?.name} won`, ` · ${duration((Date.now() - Date.parse(m.ended)) / 1000)} ago`));
}
