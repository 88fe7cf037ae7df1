// The page with the programs that a player has handed in, and what the host does for all.
import { h, $, fill } from "./dom.js";
import { poll } from "./poll.js";
import { games } from "./contests.js";
import { ProgramRow } from "./programrow.js";
import { number, t } from "./i18n.js";
import * as person from "./person.js";

let rows = new Map(); // by game and version
let sections = new Map(); // by game
let ask = null; // asks for the programs at once

const failed = (error) => ($("fault").textContent = error && error.status !== 401 ? t("{reason}. Trying again…", { reason: error.message }) : "");

// draw shows the versions of each game. The element of a version stays, with what the person
// has opened in it.
function draw({ submissions, games: open, languages }, titles) {
	const list = submissions.filter((v) => v.state !== "removed");
	const kept = new Map();
	for (const v of list) {
		const key = `${v.game} ${v.version}`;
		const row = rows.get(key) || new ProgramRow(ask);
		row.show(v, languages.find((l) => l.name === v.language)?.title ?? v.language);
		kept.set(key, row);
	}
	rows = kept;
	const names = [...new Set(list.map((v) => v.game))].sort();
	sections = new Map(names.map((name) => [name, sections.get(name) || h("section", null, h("h2", null, h("a", { href: `/games/${encodeURIComponent(name)}`, "data-key": `game ${name}` }, titles.get(name) || name)), h("ul", { class: "programs" }))]));
	for (const [name, section] of sections) replace(section.lastChild, list.filter((v) => v.game === name).map((v) => rows.get(`${name} ${v.version}`).element));
	replace($("programs"), [...sections.values()]);
	$("none").hidden = list.length > 0;
	$("games-box").hidden = open.length === 0;
	fill($("games"), open.map((name) => h("li", null, h("a", { href: `/games/${encodeURIComponent(name)}#hand-in`, "data-key": `hand in ${name}` }, titles.get(name) || name))));
}

// replace sets the children of an element, unless they are there already.
function replace(element, children) {
	if (children.length === element.children.length && children.every((c, i) => element.children[i] === c)) return;
	element.replaceChildren(...children);
}

function work(w) {
	fill($("work"), [
		[t("Programs in the queue"), w.queued], [t("Programs being built or tried"), w.building],
		[t("Cores in use"), t("{busy} of {cores}", w)], [t("Matches in the last hour"), w.matches],
	].map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, typeof value === "number" ? number(value) : value))));
}

person.account();
const titles = await games();
await person.known;
person.onAccount((player) => {
	$("log-in-first").hidden = Boolean(player);
	$("own").hidden = !player;
	if (!player) document.querySelector("main").classList.remove("loading");
	else if (ask) ask();
	else ask = poll("/api/submissions", (answer) => draw(answer, titles), failed, 3000);
});
poll("/api/submissions/work", work, failed, 10000);
