// The page on which the organizers of a contest run it.
import { h, $, fill } from "./dom.js";
import { api } from "./host.js";
import { poll } from "./poll.js";
import { progress } from "./contests.js";
import { Fixtures, says } from "./fixtures.js";
import { entrant, points } from "./standings.js";
import { drawDecisions } from "./decisions.js";
import { classList } from "./classlist.js";
import * as person from "./person.js";
import { t, language } from "./i18n.js";
import { prefixed, pathPart } from "./path.js";

const name = pathPart(2);
const path = `/api/contests/${encodeURIComponent(name)}`;
const most = 200; // matches shown at once

let view = null; // from the API
let me = ""; // the player that is logged in
let round = 0; // whose results are shown; 0: the newest
let fixtures = null;
let listed = ""; // the organizer for whom the class list is shown
let now = () => {};

const failed = (error) => ($("fault").textContent = error ? t("{reason}. Trying again…", { reason: error.message }) : "");

async function order(action, fields) {
	await api(`${path}/organize`, "POST", { action, ...fields });
	now();
}

// decide asks for a reason, and then gives an order. What the person has typed stays if the host
// refuses it. fields() returns the rest of the order.
function decide(title, verb, action, { inputs = [], fields = () => ({}), optional = false } = {}) {
	const reason = h("input", { id: "reason", type: "text", required: !optional, maxlength: "200", autocomplete: "off" });
	person.ask(title, verb, [inputs, h("label", { for: "reason" }, optional ? t("Reason, which everybody sees, if there is one") : t("Reason, which everybody sees")), reason], () => order(action, { ...fields(), reason: reason.value.trim() }));
}

const button = (key, text, onclick) => h("button", { type: "button", class: "quiet", "data-key": key, onclick }, text);

async function take(latest) {
	view = latest;
	await draw();
}

async function draw() {
	document.title = `${view.title} – Colosseum`;
	$("title").textContent = view.title;
	$("progress").textContent = [progress(view), view.reason].filter(Boolean).join(" · ");
	const allowed = view.organizers.some((o) => o.toLowerCase() === me.toLowerCase());
	$("refused").hidden = allowed;
	$("desk").hidden = !allowed;
	if (!allowed) return;
	drawCourse();
	drawEntries();
	drawDates();
	if (listed !== me) classList($("class"), name).catch(failed);
	listed = me;
	drawDecisions($("decisions"), view.rulings, (d) => !d.contest && !d.undone_by && !["undo", "forgive", "organizers"].includes(d.kind) && [" ", button(`undo ${d.event}`, t("Undo"), () => decide(t("Undo decision {number}?", { number: d.event }), t("Undo"), "undo", { fields: () => ({ event: d.event }) }))]);
	$("decisions-box").hidden = view.rulings.length === 0;
	await drawResults();
}

// drawCourse shows what can be done with the contest as a whole.
function drawCourse() {
	const open = view.state === "open";
	fill($("course"),
		open && button("start", t("Start"), () => confirm(t("Start the contest now?")) && order("start").catch((error) => alert(error.message))),
		view.state === "running" && button("pause", t("Pause"), () => decide(t("Pause the contest? Matches that have begun go on."), t("Pause"), "pause", { optional: true })),
		view.state === "paused" && button("resume", t("Go on"), () => order("resume").catch((error) => alert(error.message))),
		view.state !== "ended" && button("end", t("End"), () => decide(t("End the contest with the standings of now?"), t("End"), "end", { optional: true })),
		view.state === "ended" && h("p", { class: "hint" }, t("It has ended. Results can still be set and annulled.")));
}

const newcomers = h("input", { id: "new-players", type: "text", autocomplete: "off", spellcheck: "false" });
const refusal = h("p", { class: "fault", role: "alert" });
$("newcomers").append(h("form", { class: "newcomers", onsubmit: async (event) => {
	event.preventDefault();
	refusal.textContent = "";
	try {
		await order("enter", { entries: newcomers.value.split(/[\s,]+/).filter(Boolean) });
		newcomers.value = "";
	} catch (error) {
		refusal.textContent = error.message;
	}
} }, h("label", { for: "new-players" }, t("Enter registered players")), newcomers, h("button", { type: "submit" }, t("Enter##organizer")), refusal));

function drawEntries() {
	$("newcomers").hidden = view.state === "ended";
	const actions = (e) => [
		e.kind === "player" && view.format !== "ladder" && button(`rename ${e.name}`, t("Rename"), () => {
			const input = h("input", { id: "new-name", type: "text", required: true, maxlength: "16", value: e.name, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*", autocomplete: "off", spellcheck: "false" });
			decide(t("Rename {name}", e), t("Rename"), "rename", { inputs: [h("label", { for: "new-name" }, t("Name in this contest")), input], fields: () => ({ entries: [e.name], name: input.value }) });
		}),
		view.state !== "ended" && e.barred && button(`forgive ${e.name}`, t("Let play again"), () => decide(t("Let {name} play again?", e), t("Let play again"), "forgive", { fields: () => ({ entries: [e.name] }) })),
		view.state !== "ended" && !e.withdrawn && button(`bar ${e.name}`, t("Bar"), () => decide(t("Bar {name}? It is not paired again, and its opponents win what was not played.", e), t("Bar"), "bar", { fields: () => ({ entries: [e.name] }) })),
	];
	fill($("entries"), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Entries"), "data-key": "entries" }, h("table", null,
		h("thead", null, h("tr", null, [t("Name"), t("Player"), t("State"), t("Decide")].map((text) => h("th", { scope: "col" }, text)))),
		h("tbody", null, view.entries.map((e) => h("tr", { class: e.withdrawn ? "gone" : null }, h("th", { scope: "row", class: "who" }, entrant(e.name, e.kind, e.player)), h("td", null, e.player || ""),
			h("td", null, e.withdrawn ? (e.barred ? t("barred") : t("withdrawn")) : ""), h("td", null, actions(e))))))));
}

// drawDates shows when the rounds are played. Those that are over stay.
function drawDates() {
	const windows = view.windows || [];
	$("dates-box").hidden = windows.length === 0 || view.state === "ended";
	if ($("dates-box").hidden) return;
	const dateless = view.state === "running" && !view.window && { round: view.round + 1 };
	const shown = (time) => (time ? new Date(time).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "");
	fill($("dates"), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Dates"), "data-key": "dates" }, h("table", null,
		h("thead", null, h("tr", null, [t("Round"), t("Opens"), t("Closes"), t("Decide")].map((text) => h("th", { scope: "col" }, text)))),
		h("tbody", null, [...windows, dateless].filter(Boolean).map((w) => h("tr", null, h("th", { scope: "row" }, w.round), h("td", null, shown(w.opens)), h("td", null, shown(w.closes)),
			h("td", null, w.round >= (view.window || w).round && button(`shift ${w.round}`, t("Shift"), () => shift(w)))))))));
}

// shift asks for other dates of a round. A date that stays is not sent: it can have seconds.
function shift(w) {
	const local = (time) => (time ? new Date(Date.parse(time) - new Date(time).getTimezoneOffset() * 60000).toISOString().slice(0, 16) : "");
	const field = (id, time) => h("input", { id, type: "datetime-local", value: local(time), required: !time });
	const opens = field("opens", w.opens);
	const closes = field("closes", w.closes);
	const changed = (input) => (input.value && input.value !== input.defaultValue ? new Date(input.value).toISOString() : undefined);
	decide(t("Other dates for round {round}", w), t("Shift"), "shift", {
		inputs: [h("label", { for: "opens" }, t("Opens")), opens, h("label", { for: "closes" }, t("Closes")), closes], optional: true,
		fields: () => ({ round: w.round, opens: changed(opens), closes: changed(closes) }),
	});
}

async function drawResults() {
	$("results-box").hidden = view.round === 0 || view.format === "ladder";
	if ($("results-box").hidden) return;
	const shown = Math.min(round || view.round, view.round);
	if (fixtures?.round !== shown) fixtures = new Fixtures(name, shown);
	const mine = fixtures;
	const matches = await mine.update(view);
	if (fixtures !== mine) return; // the person has chosen another round since
	const list = matches.filter((m) => m.leg > 0);
	drawRounds(shown);
	fill($("results"), h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Results"), "data-key": "results" }, h("table", null,
		h("thead", null, h("tr", null, [t("Match"), t("Result"), t("Decide")].map((text) => h("th", { scope: "col" }, text)))),
		h("tbody", null, list.slice(0, most).map((m) => h("tr", null, h("td", { class: "number" }, m.id ? h("a", { href: `/match/${encodeURIComponent(m.id)}`, "data-key": `match ${m.pairing} ${m.leg}` }, `${m.pairing}.${m.leg}`) : `${m.pairing}.${m.leg}`),
			h("td", null, says(m)), h("td", null, button(`rule ${m.pairing} ${m.leg}`, t("Decide"), () => rule(m)))))))),
	list.length > most && h("p", { class: "hint" }, t("The first {n} matches of the round are shown.|The first {n} matches of the round are shown.", { n: most })));
}

// drawRounds shows the choice of the round. A list that is open must not be replaced.
let drawn = "";
function drawRounds(shown) {
	if (drawn === `${shown} ${view.round}`) return;
	drawn = `${shown} ${view.round}`;
	const select = h("select", { "aria-label": t("Round"), "data-key": "round", onchange: () => {
		round = Number(select.value) === view.round ? 0 : Number(select.value);
		draw().catch(failed);
	} }, Array.from({ length: view.round }, (_, i) => h("option", { value: String(i + 1), selected: i + 1 === shown }, t("Round {round}", { round: i + 1 }))));
	fill($("choose"), select);
}

// rule asks what an organizer decides about a match.
function rule(m) {
	const sets = m.seats.length === 2 ? [[t("{name} wins", { name: m.seats[0] }), [1, 0]], [t("draw"), [0.5, 0.5]], [t("{name} wins", { name: m.seats[1] }), [0, 1]]] : [];
	const choices = [...sets.map(([text, list]) => [text, { action: "set", points: list }]), [m.seats.length === 1 ? t("another score") : t("other points"), null],
		[t("annulled: it counts for nobody"), { action: "annul" }], view.state !== "ended" && [t("played again, with another seed"), { action: "replay" }]].filter(Boolean);
	const boxes = m.seats.map((seat, i) => h("input", { id: `points-${i}`, type: "number", step: "any", min: m.seats.length > 1 ? 0 : null, max: m.seats.length > 1 ? 1 : null, value: m.points?.[i] ?? 0 }));
	const scores = h("div", { class: "scores" }, m.seats.map((seat, i) => [h("label", { for: `points-${i}` }, seat), boxes[i]]));
	const select = h("select", { id: "ruling", onchange: () => (scores.hidden = choices[Number(select.value)][1] !== null) }, choices.map(([text], i) => h("option", { value: String(i) }, text)));
	scores.hidden = choices[0][1] !== null;
	decide(t("Match {match}: {names}", { match: `${m.pairing}.${m.leg}`, names: m.seats.join(" – ") }), t("Decide"), "rule", {
		inputs: [m.points && h("p", { class: "hint" }, t("Now: {points}", { points: m.points.map(points).join(" – ") })), h("label", { for: "ruling" }, t("Result")), select, scores],
		fields: () => ({ pairing: m.pairing, leg: m.leg, ruling: choices[Number(select.value)][1] || { action: "set", points: boxes.map((box) => Number(box.value)) } }),
	});
}

$("back").setAttribute("href", prefixed(`/contests/${encodeURIComponent(name)}`));
person.account();
now = poll(path, take, failed);
person.onAccount((player) => {
	me = player;
	if (view) draw().catch(failed);
});
