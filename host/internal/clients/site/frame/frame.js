// The frame of a board. It has its own origin, no network, and a port to the page. The
// untrusted viewer of a game runs in a worker (worker.js); the frame checks and draws what
// the viewer describes. So the viewer never has a document, with which it could reach the
// network in ways that no policy forbids: links, frames, WebRTC and navigation.
"use strict";
{
	const root = document.getElementById("board");
	let port = null;
	let worker = null;
	let drawing = 0; // number of the current drawing
	let room = 400; // height available for the board, in pixels
	let gap = 0; // pixels that stay free below the picture, for what the page shows there
	let sent = ""; // the height and the picture, as the page knows them
	let focused = null; // id of the element that had the focus last
	let wanted = null; // the picture that the page has asked for
	let from = null; // the place where the stroke of a finger or the mouse began
	const clicks = new WeakSet(); // elements with a handler of clicks
	const holds = new WeakMap(); // numbers of the handlers of drags

	addEventListener("message", (event) => {
		if (port || event.source !== parent || !event.ports[0]) return;
		port = event.ports[0];
		port.onmessage = ({ data }) => guard(() => receive(data));
		worker = new Worker(URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" })));
		worker.onmessage = ({ data }) => guard(() => hear(data));
		worker.onerror = (event) => fail(event.message || "could not load it");
		new ResizeObserver(() => guard(fit)).observe(document.documentElement);
	});
	addEventListener("keydown", key);
	const motion = new Motion(root);
	const drag = new Drag(root, motion, {
		click: (e) => e.dispatchEvent(new MouseEvent("click", { bubbles: true })),
		clickable: (e) => clicks.has(e),
		holds: (e) => holds.has(e),
		hold: (e, event) => act(holds.get(e), event),
		guard: (f) => guard(f),
	});
	const hints = new Hints(root, motion);
	const marks = new Marks(root, { cancel: () => cancel(), guard: (f) => guard(f) });
	root.addEventListener("pointerdown", touch);
	root.addEventListener("pointermove", swipe);
	for (const kind of ["pointerup", "pointercancel"]) root.addEventListener(kind, () => (from = null));

	const guard = (f) => {
		try {
			f();
		} catch (error) {
			fail(error);
		}
	};

	const fail = (error) => port.postMessage({ error: String(error?.stack || error).slice(0, 2000) });

	// receive handles a message of the page and passes it on to the viewer.
	function receive(message) {
		if (message.room) {
			({ room, gap = 0 } = message);
			sent = ""; // the page gets the height for this room in any case
			fit();
		}
		if (message.capture) wanted = message.capture;
		if (message.look) document.documentElement.dataset.look = message.look;
		if (message.view) motion.still = Boolean(message.view.still);
		worker.postMessage(message);
	}

	// hear draws the tree in a message of the viewer; the page gets and checks the rest.
	function hear({ tree, side, drawing: number, shaped, moment = { at: 0, paths: [], flipped: false }, marks: given, key, height, shape, capture: drawn, stale, ...rest }) {
		if (tree !== undefined) {
			drawing = number;
			document.documentElement.classList.toggle("shaped", Boolean(shaped));
			draw(tree, side, moment);
		}
		if (stale) drag.again();
		if (given) marks.give(given);
		if (drawn && wanted) { // the page chooses the size, and asks for one picture at a time
			motion.finish();
			marks.remove();
			hints.show(null);
			capture(root, wanted).then((captured) => port.postMessage({ captured }, [captured.pixels])).catch(fail);
			wanted = null;
			marks.draw();
		}
		if (Object.keys(rest).length) port.postMessage(rest);
	}

	// draw shows a board at a moment of the match, and what the viewer draws at its side, if side is defined.
	function draw(tree, side, moment) {
		const next = moment.at !== motion.moment?.at;
		motion.before(moment);
		if (root.contains(document.activeElement)) focused = document.activeElement.id;
		root.className = side === undefined ? "" : "parts";
		root.replaceChildren(...side === undefined ? [build(tree)] : [part("picture", tree), ...side ? [part("side", side)] : []]);
		root.classList.toggle("keyed", root.querySelector("[data-keys]") !== null);
		fit();
		motion.after(drag.dragged);
		drag.drawn(next);
		marks.drawn(next, moment);
		hints.draw();
		if (document.hasFocus()) refocus(); // never take the focus from the page
	}

	function part(name, tree) {
		const e = document.createElement("div");
		e.className = name;
		e.append(build(tree));
		return e;
	}

	// refocus returns the focus to the element that had it before the drawing, or
	// else to the board. If neither takes it, a later drawing tries again.
	function refocus() {
		if (focused === null || root.contains(document.activeElement)) return;
		for (const e of [document.getElementById(focused), root.querySelector("svg[tabindex]")]) {
			e?.focus({ preventScroll: true });
			if (root.contains(document.activeElement)) return;
		}
	}

	const measure = (name, pixels) => {
		const value = `${Math.floor(pixels)}px`;
		if (document.documentElement.style.getPropertyValue(name) !== value) document.documentElement.style.setProperty(name, value);
	};

	const narrow = 600; // pixels: the width of a phone
	const beside = 256; // pixels for the part at the side, with its margin
	const below = 96; // pixels that it needs below the board, at least

	// fit makes the picture as large as the width and the room allow. On a phone the
	// picture has the whole width, and everything else is below it. Otherwise the
	// side is where it leaves more room for the picture; this depends only on the
	// window and the picture's shape, so that the side does not jump.
	function fit() {
		const width = root.clientWidth;
		if (!width || !root.hasChildNodes()) return; // the page keeps the place of what is drawn next
		const parts = root.className !== "" && root.querySelector(":scope > .picture");
		const picture = (parts || root).querySelector(":scope > svg, :scope > * > svg");
		const box = picture?.viewBox.baseVal;
		const ratio = box?.height > 0 ? box.width / box.height : 0;
		const side = parts && root.querySelector(":scope > .side");
		const free = room - gap;
		const wide = Boolean(side) && ratio > 0 && width >= narrow && Math.min(width - beside, free * ratio) >= Math.min(width, (room - below) * ratio);
		root.classList.toggle("wide", wide);
		if (wide) measure("--picture", Math.min(width - beside, free * ratio));
		if (picture) picture.style.marginBottom = `${gap}px`;
		const rest = picture && width >= narrow ? (wide ? gap : root.offsetHeight - picture.getBoundingClientRect().height) : 0; // what is below the picture
		measure("--room", Math.max(240, room - rest));
		const { x, y, width: w, height: h } = picture?.getBoundingClientRect() ?? {};
		const state = { height: Math.ceil(root.getBoundingClientRect().height), room, picture: picture && { x, y, width: w, height: h }, shape: ratio > 0 ? shape(picture, ratio, side) : null };
		const text = JSON.stringify(state);
		if (text !== sent) port?.postMessage(state);
		sent = text;
	}

	// shape returns where the picture is in the frame, and how wide the frame must be for a
	// picture of a height: that times the ratio, and more.
	function shape(picture, ratio, side) {
		const r = picture.getBoundingClientRect();
		const width = Math.min(r.width, r.height * ratio);
		return { left: Math.round(r.left + (r.width - width) / 2), width: Math.round(width), bottom: Math.round(r.bottom), ratio, more: side ? beside : 0 };
	}

	// tags are the allowed elements: those that load nothing. An address can only be
	// that of a part of the picture, or an embedded image.
	const tags = {
		html: new Set("b br button code div em h2 h3 h4 hr i input label li meter ol optgroup option p pre progress s select small span strong style sub sup table tbody td tfoot th thead tr u ul".split(" ")),
		svg: new Set("circle clipPath defs desc ellipse g image line linearGradient marker mask path pattern polygon polyline radialGradient rect stop svg symbol text textPath title tspan use".split(" ")),
	};
	const address = /^(href|xlink:href|src)$/i;
	const harmless = /^(#|data:image\/)/i;
	const never = /^(on.*|action|background|formaction|ping|srcdoc|srcset|target)$/i;

	// build creates the element that a viewer has described. SVG elements with a
	// handler are choices, which can also be reached and pressed with the keyboard.
	function build(node) {
		if (typeof node !== "object") return document.createTextNode(String(node));
		const { tag, svg, attrs, acts, children } = node;
		if (!tags[svg ? "svg" : "html"].has(tag)) throw new Error(`a viewer cannot draw <${tag}>: docs/viewers.md lists what it can draw`);
		const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
		for (const [name, value] of Object.entries(attrs)) {
			if (never.test(name) || address.test(name) && !harmless.test(value)) throw new Error(`a viewer cannot use ${name}="${value}"`);
			if (name === "label") e.setAttribute("aria-label", value);
			else if (name === "style") e.style.cssText = value;
			else e.setAttribute(name, value);
		}
		for (const [kind, number] of Object.entries(acts)) {
			if (kind === "hold") {
				holds.set(e, number);
				continue;
			}
			if (kind === "click") clicks.add(e);
			// What has keys acts as soon as it is touched: the next drawing can replace it before the click.
			e.addEventListener(kind, (event) => "data-keys" in attrs && event.detail > 0 || act(number, { value: e.value, checked: e.checked }));
			if (!svg || attrs.tabindex === "-1") continue;
			e.setAttribute("tabindex", "0");
			e.setAttribute("role", "button");
			e.classList.add("choice");
			e.addEventListener("keydown", (event) => {
				if (event.key !== "Enter" && event.key !== " ") return;
				event.preventDefault();
				motion.finish();
				act(number, {});
			});
		}
		if (svg && "piece" in attrs && ("click" in acts || "hold" in acts)) e.classList.add("grab");
		e.append(...children.map(build));
		return e;
	}

	const act = (number, event) => worker.postMessage({ act: { ...event, drawing, number } });

	// cancel takes back what the person has begun or planned.
	function cancel() {
		drag.cancel();
		worker?.postMessage({ cancel: true });
	}

	const replay = new Set(["ArrowLeft", "ArrowRight", "Home", "End", " "]); // keys of the page's timeline

	// press acts on a key if an element of the board has it, and reports whether one has.
	function press(name, repeated = false) {
		const key = name.length === 1 ? name.toLowerCase() : name;
		if (!root.querySelector(`[data-keys~="${CSS.escape(key)}"]`)) return false;
		if (!repeated) worker.postMessage({ key });
		return true;
	}

	// touch presses an element with keys, or begins a stroke.
	function touch(event) {
		const keys = event.target.closest("[data-keys]")?.dataset.keys;
		if (!event.isPrimary || !root.classList.contains("keyed") || !keys && event.target.closest(".choice, button, input, select, textarea")) return;
		if (keys) press(keys.split(" ")[0]);
		else {
			from = [event.clientX, event.clientY];
			if (event.isTrusted) root.setPointerCapture(event.pointerId); // the drawing below it is replaced
		}
	}

	const stroke = 24; // pixels

	// swipe presses the arrow key of a stroke, which can turn and go on.
	function swipe(event) {
		if (!from || !event.isPrimary) return;
		const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
		if (Math.max(Math.abs(x), Math.abs(y)) < stroke) return;
		from = [event.clientX, event.clientY];
		press(Math.abs(x) > Math.abs(y) ? (x < 0 ? "ArrowLeft" : "ArrowRight") : y < 0 ? "ArrowUp" : "ArrowDown");
	}

	// key presses a key of the board, or moves the focus with an arrow key to the nearest
	// choice in its direction. The page gets the keys of its timeline that the board does not
	// use.
	function key(event) {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
		if (event.key === "Escape") cancel();
		if (press(event.key, event.repeat)) {
			event.preventDefault();
			return;
		}
		if (arrow(event) || !replay.has(event.key) || event.key === " " && event.target.closest("button, .choice")) return;
		event.preventDefault();
		port?.postMessage({ key: event.key });
	}

	// arrow reports whether there are choices for an arrow key.
	function arrow(event) {
		const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
		const choices = [...root.querySelectorAll(".choice, button:enabled")];
		if (!way || choices.length === 0) return false;
		const middle = (e) => {
			const r = e.getBoundingClientRect();
			return [r.x + r.width / 2, r.y + r.height / 2];
		};
		const from = middle(event.target);
		const far = (e) => {
			const [x, y] = middle(e).map((v, i) => v - from[i]);
			const ahead = x * way[0] + y * way[1];
			return ahead > 1 ? ahead + 2 * Math.abs(x * way[1] - y * way[0]) : Infinity;
		};
		const best = choices.reduce((a, b) => (far(b) < far(a) ? b : a));
		event.preventDefault();
		if (far(best) < Infinity || !choices.includes(event.target)) best.focus();
		return true;
	}
}
