// Runs a viewer in Node with the matches on the standard input, {code, shapes, matches}, and prints
// the faults that it finds. CheckViewer describes them.
import { readFileSync } from "node:fs";

const { code, shapes, matches, places } = JSON.parse(readFileSync(0, "utf8"));
const faults = new Set();
const fault = (text) => faults.add(text.slice(0, 500).replaceAll("\n", " "));

const lettered = (key) => /\p{L}/u.test(key.replace(/\{\w+\}/g, ""));
const holes = (text) => [...new Set(text.match(/\{\w+\}/g) || [])].sort().join(" ");

// form returns the form of a text for its values, and checks that they are complete.
function form(text, values) {
	const forms = text.split("|");
	if (forms.length > 1 && values.n === undefined) fault(`t(${JSON.stringify(text)}) has no n`);
	for (const hole of text.match(/\{\w+\}/g) || []) {
		const value = values[hole.slice(1, -1)];
		if (value === undefined || value === null || Number.isNaN(value)) fault(`t(${JSON.stringify(text)}) has ${hole} = ${value}`);
	}
	return forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
}

const insert = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// The languages: each is a t().
const languages = {
	en: (key, values = {}) => insert(form(key, values), values),
	it: (key, values = {}) => insert(form(viewer.texts.it[key] ?? key, values), values),
	// Everything that is not translated remains outside of the brackets.
	brackets: (key, values = {}) => insert(form(key, values).split(/(\{\w+\})/).map((part, i) => (i % 2 ? part : part && `⟦${part}⟧`)).join(""), values),
};
let viewer = null;
globalThis.t = languages.en;
viewer = await import(`data:text/javascript,${encodeURIComponent(code)}`);

// Each text that is passed to t() is a literal and has an Italian translation.
const used = new Set();
for (const [, literal] of code.matchAll(/\bt\(("(?:[^"\\]|\\.)*")?/g)) {
	if (!literal) fault("a call of t() has no literal text");
	else used.add(JSON.parse(literal));
}
const italian = viewer.texts?.it ?? {};
for (const key of used) {
	if (!lettered(key)) continue;
	const translated = italian[key];
	if (translated === undefined) fault(`${JSON.stringify(key)} has no Italian text`);
	else if (holes(translated) !== holes(key) || translated.split("|").length !== key.split("|").length) fault(`the Italian text of ${JSON.stringify(key)} is ${JSON.stringify(translated)}, with other values or forms`);
}
for (const key of Object.keys(italian)) {
	if (!used.has(key)) fault(`the Italian text of ${JSON.stringify(key)} is not used`);
}

const split = (stream) => stream.split("\n").slice(0, -1).map((l) => (l.startsWith(">") ? { text: l.slice(1), sent: true } : { text: l, sent: false }));

// collect returns the texts, labels and handlers of a drawing, and checks its letters.
function collect(tree) {
	const texts = [], acts = [];
	const visit = (node, box) => {
		if (node === null || node === undefined || node === false) return;
		if (Array.isArray(node)) return node.forEach((n) => visit(n, box));
		if (typeof node !== "object") return void texts.push(String(node));
		if (!("tag" in node)) return visit(Object.values(node), box); // {board, side}
		const { tag, attributes: a, children } = node;
		if (tag === "style" || a.lang) return;
		if (a.onclick) acts.push(a.onclick);
		for (const name of ["label", "aria-label", "title", "alt"]) if (a[name]) texts.push(String(a[name]));
		const inside = a.viewBox && !box ? Number(a.viewBox.split(" ")[2]) : box;
		if (tag === "text" && inside > 100) { // not a picture on a button
			const pixels = a["font-size"] * 375 / inside;
			if (!(pixels >= 11)) fault(`${JSON.stringify(children)} has ${pixels} pixels on a board of 375, want 11`);
		}
		visit(children, inside);
	};
	visit(tree, 0);
	return { texts, acts };
}

const element = (tag, attributes, ...children) => ({ tag, attributes: attributes || {}, children });
const drawings = new Function(`${shapes}; return shapes;`)()(element);

// draw returns the texts of a picture, and of those after clicks on some of its choices.
function draw(state, match, flipped) {
	const page = { ...drawings, svg: element, html: element, playing: match.role === "player", letters: !flipped, ui: {}, wishes: {}, send() {}, redraw() {}, fresh: true, last: true, ended: false, result: null, flipped, match };
	const { texts, acts } = collect(viewer.draw(state, page));
	for (const act of acts.filter((_, i) => i % 5 === 0)) {
		page.ui = {};
		act({ value: "", checked: true });
		texts.push(...collect(viewer.draw(state, page)).texts);
	}
	return texts;
}

const limits = { caption: 120, goal: 400, end: 160 };

// parts returns the texts of a status, and checks that the page does not cut them.
function parts(status) {
	const texts = [];
	const add = (what, text, most) => {
		if (text === null || text === undefined || text === "") return;
		if (typeof text === "string" && text.length > most) fault(`${what} has ${text.length} characters, want at most ${most}: ${text}`);
		texts.push(String(text));
	};
	for (const [name, most] of Object.entries(limits)) add(name, status[name], most);
	for (const p of status.players) {
		add("a note", p.note, 40);
		add("a unit", p.unit, 20);
		if (p.score !== null && p.score !== undefined && !Number.isFinite(p.score)) fault(`the score is ${p.score}, want a number`);
	}
	for (const c of status.choices || []) {
		add("a label", c.label, 80);
		add("a question", c.confirm, 200);
	}
	return texts;
}

// replay reads a stream in a language. It returns why the match ended and, if every is not 0, the
// texts that were shown, with those of the drawing after every so many lines and at the end.
function replay(match, stream, language, every) {
	globalThis.t = languages[language];
	const state = viewer.start(match);
	const texts = [];
	let end = "";
	const lines = split(stream);
	for (const [i, line] of lines.entries()) {
		const move = viewer.read(state, line.text, line.sent);
		if (move && end) fault(`the move ${move.text ?? move} comes after the end: ${end}`);
		const last = i === lines.length - 1;
		if (every) texts.push(...move ? [move.text ?? move] : [], ...parts(viewer.status(state)));
		if (every && (i % every === 0 || last)) texts.push(...draw(state, match, (i / every) % 2 === 1));
		if (!every && i % 9 && !last) continue; // it takes long
		const now = viewer.status(state).end || "";
		if (end && now !== end) fault(`the end was ${end}, and then ${now}`);
		end = now;
	}
	return { end, texts };
}

// untranslated returns a text without what is translated, names and notation.
const untranslated = (text, names) => names.reduce((rest, name) => rest.replaceAll(name, ""), text.replace(/⟦[^⟦⟧]*⟧/g, "")).replace(/[a-zA-I]*\d[a-zA-I\d]*/g, "").replace(/(?<!\p{L})\p{Lu}(?!\p{L})/gu, "").replace(/(?<!\p{L})[a-h](?!\p{L})/gu, "");

for (const [m, { names, params, streams, ends, drawn }] of matches.entries()) {
	for (const [seat, stream] of streams.entries()) {
		const match = { role: seat < names.length ? "player" : "spectator", me: names[seat] ?? null, game: "", plugin: "", params, timeout: 30, seats: names.length, bots: 0 };
		const who = `match ${m}, ${seat < names.length ? `seat ${seat}` : "spectators"}`;
		const { end } = replay(match, stream, "en", drawn ? Infinity : 0);
		if (end !== ends[seat]) fault(`${who}: the end is ${JSON.stringify(end)}, want ${JSON.stringify(ends[seat])}`);
		if (!drawn) continue;
		const every = Math.max(3, Math.ceil(split(stream).length / places));
		for (const text of replay(match, stream, "it", every).texts) if (/[{}|⟦]/.test(text)) fault(`in Italian: ${text}`);
		for (const text of new Set(replay(match, stream, "brackets", every).texts)) {
			const rest = untranslated(text, names);
			if (/\p{L}/u.test(rest)) fault(`not translated: ${text} (${rest.trim()})`);
		}
	}
}
console.log([...faults, `checked ${matches.length} matches`].join("\n"));
