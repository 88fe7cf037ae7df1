// The runtime of a viewer, in a worker of the frame: it has no document, no
// events, and by the frame's policy no network. A viewer describes a picture, and
// the frame draws it. docs/viewers.md describes what a viewer exports and
// receives.
"use strict";
{
	const firstGap = 16; // lines between two copies of the state
	const mostKept = 500000; // values in all copies
	const mostCopied = 20000; // values in one copy
	let viewer = null;
	let code = "";
	let address = "viewer.js"; // of the code
	let match = null;
	let called = {}; // names of bots for people, by their names in the stream
	const lines = []; // {text, sent}
	let shown = null; // the state after the first `read` lines
	let read = 0;
	let ahead = null; // the state after all lines, which finds the moves
	let scouted = 0;
	const ways = []; // {at, path}: the squares along which a piece has gone
	let kept = []; // copies of earlier states, for steps back: {at, state, size}
	let keptSize = 0; // values in them
	let gap = firstGap; // lines between two of them
	let flips = false; // the viewer can draw the board from the other side
	let view = { show: 0, playing: false, ended: false, result: null };
	let shaped = false; // the viewer has used a shape of the frame
	let letters = false; // the user wants letters and patterns on squares and pieces
	let ui = {}; // the choice that the person has begun; lines reset it
	const wishes = {}; // the person's options; kept while the board is open
	let waiting = false; // a line was sent, and none has arrived since
	let said = {}; // the status of the shown state
	let plan = null; // a line for the user's next turn: {line, paths, due, sent, tries}
	let acts = []; // handlers of the last drawing, by number
	let keyed = new Map(); // those with keys, by key
	let drawing = 0; // its number

	onmessage = (event) => guard(() => receive(event.data));
	addEventListener("error", (event) => fail(event.error || event.message));
	addEventListener("unhandledrejection", (event) => fail(event.reason));

	const guard = (f) => {
		try {
			const later = f();
			if (later instanceof Promise) later.catch(fail);
		} catch (error) {
			fail(error);
		}
	};

	// fail reports an error with its places in the viewer, as viewer.js:LINE:COLUMN.
	async function fail(error) {
		let text = String(error?.stack || error);
		if (!text.includes(String(error))) text = `${error}\n${text}`; // in Firefox and Safari a stack has no message
		if (error?.lineNumber && !text.includes(address)) text += `\n${address}:${error.lineNumber}:${error.columnNumber}`; // in Firefox
		if (error instanceof SyntaxError && !text.includes(address)) text = await unparsed(text);
		postMessage({ error: text.replaceAll(address, "viewer.js").slice(0, 2000) });
	}

	// unparsed adds the place to the text of an error of the parser. No browser has it in the
	// error of a module, but Chromium in that of a worker's script; export has no meaning there.
	const unparsed = (text) => new Promise((done) => {
		const script = code.replace(/^(\s*)export (?!default)/gm, "$1       ");
		const parser = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
		const end = (text) => {
			parser.terminate();
			done(text);
		};
		parser.onerror = (event) => end(event.lineno ? `${text}\n${address}:${event.lineno}:${event.colno}` : text);
		setTimeout(() => end(text), 1000);
	});

	async function receive(message) {
		if (message.ping) postMessage({ pong: message.ping });
		if (message.code !== undefined) await load(message);
		if (message.letters !== undefined && message.letters !== letters) {
			letters = message.letters;
			if (shown) draw(false);
		}
		if (message.lines) append(message.lines);
		if (message.view) {
			view = message.view;
			show(Boolean(view.fresh));
		}
		if (message.unsent) {
			waiting = false;
			if (plan?.sent) Object.assign(plan, { sent: false, tries: plan.tries + 1 });
			perform(() => draw(false));
		}
		if (message.cancel) cancel();
		if (message.marks) postMessage({ marks: message.marks.flatMap(({ squares, line, kind }) => pathsOf(squares ?? viewer.path?.(shown, String(line))).map((squares) => ({ squares, kind }))) });
		if (message.capture) postMessage({ capture: message.capture }); // after the drawing of this moment
		if (message.name) postMessage({ named: { number: message.name.number, text: say(message.name) } });
		if (message.files) postMessage({ files: { number: message.files.number, list: files(message.files.about) } });
		if (message.act && message.act.drawing === drawing) {
			const planned = plan && !plan.sent;
			if (planned) drop("cancelled");
			acts[message.act.number]?.(message.act);
			if (planned && message.act.drawing === drawing) draw(false);
		} else if (message.act) postMessage({ stale: true }); // it was meant for an earlier drawing
		if (message.key !== undefined) acts[keyed.get(message.key)]?.({}); // of the newest drawing, whichever the person saw
	}

	async function load(message) {
		match = Object.freeze(message.match);
		called = message.called || {};
		code = message.code;
		address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
		viewer = await import(address);
		for (const name of ["start", "read", "draw"]) {
			if (typeof viewer[name] !== "function") throw new Error(`viewer.js does not export a function ${name}`);
		}
		ahead = viewer.start(match);
		postMessage({ ready: true });
	}

	function append(more) {
		for (const line of more) lines.push(line);
		const moves = [];
		while (scouted < lines.length) {
			const line = lines[scouted++];
			const move = viewer.read(ahead, line.text, line.sent);
			if (move) moves.push({ at: scouted, text: people(String(move.text ?? move)), seat: move.seat ?? null, path: move.path, sound: move.sound });
			for (const path of pathsOf(move?.path)) ways.push({ at: scouted, path });
			if (plan) follow(line);
			if (scouted % gap === 0) keep();
		}
		waiting = Boolean(plan?.sent);
		if (moves.length) postMessage({ moves });
	}

	// keep keeps a copy of the state after all lines. When there are too many, it drops
	// every second one. States that are large or cannot be copied are read again instead.
	function keep() {
		const size = sizeOf(ahead, new Set(), 0);
		if (size > mostCopied) {
			gap *= 2;
			return;
		}
		kept.push({ at: scouted, state: structuredClone(ahead), size });
		keptSize += size;
		while (keptSize > mostKept) {
			gap *= 2;
			kept = kept.filter((k) => k.at % gap === 0);
			keptSize = kept.reduce((sum, k) => sum + k.size, 0);
		}
	}

	// sizeOf returns the number of values in a state, or Infinity if a copy would not be
	// the same: it would lose functions and classes.
	function sizeOf(value, seen, depth) {
		if (typeof value === "function" || typeof value === "symbol" || depth > 50) return Infinity;
		if (typeof value === "string") return 1 + value.length / 16;
		if (typeof value !== "object" || value === null || seen.has(value)) return 1;
		seen.add(value);
		const kind = Object.getPrototypeOf(value);
		let inside = [];
		if (kind === Map.prototype || kind === Set.prototype) inside = [...value].flat();
		else if (kind === Array.prototype || kind === Object.prototype || kind === null) inside = Object.values(value);
		else return Infinity;
		let size = 1;
		for (const v of inside) {
			size += sizeOf(v, seen, depth + 1);
			if (size > mostCopied) return size;
		}
		return size;
	}

	// files returns the whole match in the formats of other programs, from a state of its own.
	function files(about) {
		if (!viewer?.files) return [];
		const state = viewer.start(match);
		for (const line of lines) viewer.read(state, line.text, line.sent);
		return (viewer.files(state, about) ?? []).map(({ name, text }) => ({ name: String(name), text: people(String(text)) }));
	}

	// say returns the text that a line would have in the list of moves after so many lines.
	function say({ at, line }) {
		const from = kept.findLast((k) => k.at <= at);
		const state = from ? structuredClone(from.state) : viewer.start(match);
		for (const l of lines.slice(from ? from.at : 0, at)) viewer.read(state, l.text, l.sent);
		const move = viewer.say ? viewer.say(state, line) : viewer.read(state, line, false);
		return people(String(move?.text ?? move ?? ""));
	}

	// show draws the moment that the page has chosen.
	function show(fresh) {
		const to = Math.min(view.show, lines.length);
		if (read !== to) ui = {};
		const before = read;
		const from = kept.findLast((k) => k.at <= to);
		if (!shown || to < read || from?.at > read) {
			shown = from ? structuredClone(from.state) : viewer.start(match);
			read = from ? from.at : 0;
		}
		while (read < to) {
			const line = lines[read++];
			viewer.read(shown, line.text, line.sent);
		}
		const status = viewer.status ? viewer.status(shown) : null;
		said = status || {};
		perform(() => {
			draw(fresh, between(before, to));
			postMessage({ status: status ? JSON.parse(JSON.stringify(status)) : null });
		});
	}

	// A user can plan a line in the opponent's turn. It is sent in the user's next turn if it
	// is legal there, and in no other one: follow looks at the turn after each line, so that
	// none is missed when many arrive at once.
	const asked = ({ choices, turn, seat }) => choices?.length > 0 || [turn].flat().includes(seat);
	const others = ({ turn, seat }) => Number.isInteger(seat) && [turn].flat().some((t) => Number.isInteger(t) && t !== seat);
	const planning = () => Boolean(viewer.path) && view.playing && !view.ended && read === lines.length && !waiting && !asked(said) && others(said);

	function follow(line) {
		const mine = asked(viewer.status(ahead) ?? {});
		if (line.sent || plan.due && !mine) drop(line.sent ? "sent" : "missed");
		else plan.due = mine;
	}

	function drop(why) {
		postMessage({ plan: { why, paths: plan.paths } });
		plan = null;
	}

	// cancel drops a plan that was not sent yet, because the user wants it.
	function cancel() {
		if (!plan || plan.sent) return;
		drop("cancelled");
		draw(false);
	}

	// perform draws the newest moment, and sends the planned line if it is the user's turn.
	function perform(draws) {
		const now = view.playing && !view.ended && read === lines.length;
		if (plan && !now) drop("cancelled"); // the match is over, or the user looks at the past
		if (!plan?.due || plan.sent) return draws();
		if (plan.tries > 2 || !legal(plan.line)) {
			drop("illegal");
			return draws();
		}
		waiting = plan.sent = true;
		draws();
		postMessage({ send: plan.line, live: false });
	}

	const legal = (line) => (Array.isArray(said.choices) ? said.choices.some((c) => c.line === line && !c.confirm) : Boolean(viewer.legal?.(shown, line)));

	// pathsOf returns the paths of a move: one, or one for each of several pieces.
	const pathsOf = (path) => (Array.isArray(path?.[0]) ? path : path?.length ? [path] : []);

	// between returns the paths of the moves from one moment to another, backwards for a step back.
	function between(from, to) {
		const paths = [];
		for (let i = ways.length - 1; i >= 0 && ways[i].at > Math.min(from, to); i--) {
			if (ways[i].at <= Math.max(from, to)) paths.push(from > to ? [...ways[i].path].reverse() : ways[i].path);
		}
		return paths;
	}

	function draw(fresh, paths = []) {
		const last = read === lines.length;
		acts = [];
		keyed = new Map();
		drawing++;
		const drawn = viewer.draw(shown, {
			...drawings, match, html, svg, ui, wishes, send, last, fresh, letters,
			playing: view.playing && last && !waiting, premove: planning(), planned: plan?.line ?? null, ended: view.ended && last, result: view.result,
			get flipped() {
				if (!flips) postMessage({ flips: (flips = true) });
				return Boolean(view.flipped);
			},
			redraw: () => guard(() => draw(false)),
		});
		const parts = drawn && typeof drawn === "object" && "board" in drawn;
		postMessage({ tree: (parts ? drawn.board : drawn) ?? "", side: parts ? drawn.side || null : undefined, drawing, shaped, moment: { at: read, paths, flipped: Boolean(view.flipped), planned: plan?.paths } });
	}

	function send(line) {
		if (waiting || !view.playing) return;
		const paths = planning() ? pathsOf(viewer.path(shown, String(line))) : [];
		if (paths.length) { // other lines, such as those that are sent while it is another's turn, are none to plan
			plan = { line: String(line), paths, due: false, sent: false, tries: 0 };
			ui = {};
			postMessage({ plan: { why: "kept", paths } });
			draw(false);
			return;
		}
		waiting = true;
		postMessage({ send: String(line), live: keyed.size > 0 });
	}

	// once keeps what knows a language, by language: it takes longer to make than a piece to draw.
	const once = (make, made = {}) => (language) => (made[language] ??= make(language));
	const numbers = once((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 3, useGrouping: false }));
	const plurals = once((language) => {
		const rules = new Intl.PluralRules(language), { pluralCategories } = rules.resolvedOptions();
		const order = ["zero", "one", "two", "few", "many", "other"].filter((c) => pluralCategories.includes(c));
		return (n) => (n === undefined ? 0 : order.indexOf(rules.select(Number(n))));
	});

	// t translates a text of the viewer, by the texts that it exports. It is the t of the
	// pages (i18n.js), which a worker without a network cannot import.
	self.t = (key, values = {}) => {
		const language = match?.language || "en";
		const translated = viewer?.texts?.[language]?.[key];
		const forms = (translated || key).split("|");
		const form = forms.length === 1 ? forms[0] : forms[Math.min(forms.length - 1, plurals(translated ? language : "en")(values.n))];
		return form.replace(/\{(\w+)\}/g, (all, name) => {
			const value = values[name];
			return value === undefined ? all : typeof value === "number" ? numbers(language).format(value) : String(value);
		});
	};

	// people returns a text for people, with the names of bots that the page shows.
	const people = (text) => (text.includes("$") ? text.replace(/ServerBot\$\d+/g, (name) => called[name] ?? name) : text);

	// html and svg describe elements: html("b", {class: "x"}, "text", child).
	const html = (tag, attrs, ...children) => describe({ tag, svg: false }, attrs, children);
	const svg = (tag, attrs, ...children) => describe({ tag, svg: true }, attrs, children);
	const drawings = Object.fromEntries(Object.entries(shapes(svg)).map(([name, f]) => [name, (...args) => {
		shaped = true;
		return f(...args);
	}]));

	function describe(element, attrs, children) {
		element.attrs = {};
		element.acts = {};
		for (const [name, value] of Object.entries(attrs || {})) {
			if (value === undefined || value === null || value === false) continue;
			if (name === "onclick" || name === "onchange" || name === "onhold") element.acts[name.slice(2)] = acts.push(value) - 1;
			else if (name === "keys") element.attrs["data-keys"] = String(value);
			else if (name === "goes") element.attrs["data-goes"] = JSON.stringify(value.map((to) => [to].flat().map(String)));
			else element.attrs[name] = value === true ? "" : people(String(value));
		}
		if ("click" in element.acts) for (const key of element.attrs["data-keys"]?.split(" ") ?? []) keyed.set(key, element.acts.click);
		element.children = children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false).map((c) => (typeof c === "object" ? c : people(String(c))));
		return element;
	}
}
