// The runtime of a viewer. It stands in a sandboxed frame with an origin of its
// own and no network; a port to the page is all that it has. docs/viewers.md
// tells what a viewer exports and receives.
"use strict";
{
	const root = document.getElementById("board");
	let port = null;
	let viewer = null;
	let match = null;
	const lines = []; // {text, sent}
	let shown = null; // the state after the first `read` lines
	let read = 0;
	let ahead = null; // the state after all lines: it finds the moves
	let scouted = 0;
	let view = { show: 0, playing: false, ended: false, result: null };
	let ui = {}; // what the person has begun to choose; lines end it
	let waiting = false; // a line was sent and nothing has come since

	addEventListener("message", (event) => {
		if (port || event.source !== parent || !event.ports[0]) return;
		port = event.ports[0];
		port.onmessage = (e) => guard(() => receive(e.data));
		port.postMessage({ hello: true });
	});
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

	function fail(error) {
		if (port) port.postMessage({ error: String(error?.stack || error).slice(0, 2000) });
	}

	async function receive(message) {
		if (message.ping) port.postMessage({ pong: message.ping });
		if (message.room) document.documentElement.style.setProperty("--room", `${message.room}px`);
		if (message.code !== undefined) await load(message);
		if (message.lines) append(message.lines);
		if (message.view) {
			view = message.view;
			show(Boolean(view.fresh));
		}
	}

	async function load(message) {
		match = Object.freeze(message.match);
		const url = URL.createObjectURL(new Blob([message.code], { type: "text/javascript" }));
		viewer = await import(url);
		for (const name of ["start", "read", "draw"]) {
			if (typeof viewer[name] !== "function") throw new Error(`viewer.js exports no function ${name}`);
		}
		ahead = viewer.start(match);
		new ResizeObserver(() => port.postMessage({ height: Math.ceil(root.getBoundingClientRect().height) })).observe(root);
		port.postMessage({ ready: true });
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
		if (moves.length) port.postMessage({ moves });
	}

	// show brings the board to the view that the page asks for.
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
		port.postMessage({ status: status ? JSON.parse(JSON.stringify(status)) : null });
	}

	function draw(fresh) {
		const focus = document.activeElement?.id;
		const last = read === lines.length;
		root.replaceChildren(viewer.draw(shown, {
			match, html, svg, ui, send, last, fresh,
			playing: view.playing && last && !waiting, ended: view.ended && last, result: view.result,
			redraw: () => guard(() => draw(false)),
		}));
		if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
	}

	function send(line) {
		if (waiting || !view.playing) return;
		waiting = true;
		port.postMessage({ send: String(line) });
	}

	// html and svg make elements: html("b", {class: "x"}, "text", child). An SVG
	// element with onclick can be reached and pressed by keyboard; label is what
	// a screen reader says.
	const html = (tag, attrs, ...children) => fill(document.createElement(tag), attrs, children);
	const svg = (tag, attrs, ...children) => {
		const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
		if (attrs?.onclick) {
			e.setAttribute("tabindex", "0");
			e.setAttribute("role", "button");
			e.classList.add("choice");
			e.addEventListener("keydown", (event) => {
				if (event.key !== "Enter" && event.key !== " ") return;
				event.preventDefault();
				guard(() => attrs.onclick(event));
			});
		}
		return fill(e, attrs, children);
	};

	function fill(e, attrs, children) {
		for (const [name, value] of Object.entries(attrs || {})) {
			if (value === undefined || value === null || value === false) continue;
			if (name === "onclick") e.addEventListener("click", (event) => guard(() => value(event)));
			else if (name === "class") e.classList.add(...String(value).split(" ").filter(Boolean));
			else if (name === "label") e.setAttribute("aria-label", value);
			else if (name === "style") e.style.cssText = value;
			else e.setAttribute(name, value === true ? "" : value);
		}
		e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
		return e;
	}
}
