// The list of matches that have ended.
import { h, number, duration } from "./dom.js";
import { api } from "./host.js";

// results fills an element with a page of matches and a button for more.
export async function results(element, filter, titles) {
	let after = "";
	const body = h("ul", { class: "results" });
	const more = h("button", { type: "button", onclick: load }, "Show more");
	element.replaceChildren(body, more);
	async function load() {
		const page = await api(`/api/matches?${new URLSearchParams({ ...filter, limit: 10, ...(after && { after }) })}`);
		body.append(...page.matches.map((m) => row(m, titles)));
		if (!body.children.length) body.append(h("li", { class: "hint" }, "No match has ended yet."));
		after = page.next;
		more.hidden = !page.next;
	}
	await load();
}

function row(m, titles) {
	const seats = [...m.seats].sort((a, b) => a.rank - b.rank);
	const draw = seats.length > 1 && seats[0].rank === seats[1].rank;
	return h("li", null,
		h("a", { href: `/match/${m.id}` }, titles.get(m.game) || m.game),
		h("span", { class: "who" }, seats.map((s, i) => [i > 0 && " – ", h(m.state === "finished" && s.rank === 1 && !draw ? "strong" : "span", null, s.name), ` ${number(s.score)}`])),
		h("span", { class: "hint" }, m.state === "aborted" ? "aborted" : draw ? "draw" : `${seats[0]?.name} won`, ` · ${duration((Date.now() - Date.parse(m.ended)) / 1000)} ago`));
}
