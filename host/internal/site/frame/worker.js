// The runtime of a viewer, in a worker of the frame: it has no document, no
// events, and by the frame's policy no network. A viewer describes a picture, and
// the frame draws it. docs/viewers.md describes what a viewer exports and
// receives.
"use strict";
{
	let viewer = null;
	let match = null;
	const lines = []; // {text, sent}
	let shown = null; // the state after the first `read` lines
	let read = 0;
	let ahead = null; // the state after all lines, which finds the moves
	let scouted = 0;
	let view = { show: 0, playing: false, ended: false, result: null };
	let ui = {}; // the choice that the person has begun; lines reset it
	const wishes = {}; // the person's options; kept while the board is open
	let waiting = false; // a line was sent, and none has arrived since
	let acts = []; // handlers of the last drawing, by number
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

	const fail = (error) => postMessage({ error: String(error?.stack || error).slice(0, 2000) });

	async function receive(message) {
		if (message.ping) postMessage({ pong: message.ping });
		if (message.code !== undefined) await load(message);
		if (message.lines) append(message.lines);
		if (message.view) {
			view = message.view;
			show(Boolean(view.fresh));
		}
		if (message.act && message.act.drawing === drawing) acts[message.act.number]?.(message.act);
	}

	async function load(message) {
		match = Object.freeze(message.match);
		viewer = await import(URL.createObjectURL(new Blob([message.code], { type: "text/javascript" })));
		for (const name of ["start", "read", "draw"]) {
			if (typeof viewer[name] !== "function") throw new Error(`viewer.js does not export a function ${name}`);
		}
		ahead = viewer.start(match);
		postMessage({ ready: true });
	}

	function append(more) {
		waiting = false;
		for (const line of more) lines.push(line);
		const moves = [];
		while (scouted < lines.length) {
			const line = lines[scouted++];
			const move = viewer.read(ahead, line.text, line.sent);
			if (move) moves.push({ at: scouted, text: String(move.text ?? move), seat: move.seat ?? null });
		}
		if (moves.length) postMessage({ moves });
	}

	// show draws the moment that the page has chosen.
	function show(fresh) {
		const to = Math.min(view.show, lines.length);
		if (!shown || to < read) {
			shown = viewer.start(match);
			read = 0;
		}
		if (read !== to) ui = {};
		while (read < to) {
			const line = lines[read++];
			viewer.read(shown, line.text, line.sent);
		}
		draw(fresh);
		const status = viewer.status ? viewer.status(shown) : null;
		postMessage({ status: status ? JSON.parse(JSON.stringify(status)) : null });
	}

	function draw(fresh) {
		const last = read === lines.length;
		acts = [];
		drawing++;
		const tree = viewer.draw(shown, {
			match, html, svg, ui, wishes, send, last, fresh,
			playing: view.playing && last && !waiting, ended: view.ended && last, result: view.result,
			redraw: () => guard(() => draw(false)),
		});
		postMessage({ tree: tree ?? "", drawing });
	}

	function send(line) {
		if (waiting || !view.playing) return;
		waiting = true;
		postMessage({ send: String(line) });
	}

	// html and svg describe elements: html("b", {class: "x"}, "text", child).
	const html = (tag, attrs, ...children) => describe({ tag, svg: false }, attrs, children);
	const svg = (tag, attrs, ...children) => describe({ tag, svg: true }, attrs, children);

	function describe(element, attrs, children) {
		element.attrs = {};
		element.acts = {};
		for (const [name, value] of Object.entries(attrs || {})) {
			if (value === undefined || value === null || value === false) continue;
			if (name === "onclick" || name === "onchange") element.acts[name.slice(2)] = acts.push(value) - 1;
			else element.attrs[name] = value === true ? "" : String(value);
		}
		element.children = children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false).map((c) => (typeof c === "object" ? c : String(c)));
		return element;
	}
}
