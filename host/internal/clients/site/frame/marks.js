// Arrows and circles on the squares of a board. A person draws them with the right mouse
// button, in other colours with Shift or Ctrl, Alt, and both; a click or the next move removes
// them. The page and the viewer have theirs: the better move, and a move that is planned.
"use strict";
class Marks {
	// board has the functions cancel(), for a click with the right button, and guard.
	constructor(root, board) {
		this.root = root;
		this.own = []; // {squares, kind}
		this.given = [];
		this.planned = [];
		this.from = null; // the square where an arrow begins
		root.addEventListener("contextmenu", (event) => pictureOf(root)?.querySelector("[square]") && event.preventDefault());
		root.addEventListener("pointerdown", (event) => board.guard(() => {
			this.from = null;
			if (event.button === 0 && this.own.length) this.set([]);
			if (event.button !== 2) return;
			board.cancel();
			this.from = this.square(event);
		}));
		root.addEventListener("pointerup", (event) => board.guard(() => event.button === 2 && this.end(event)));
	}

	static kinds = ["green", "red", "blue", "yellow", "best", "planned"];
	static most = 60;

	square(event) {
		const picture = pictureOf(this.root);
		return picture && squareAt(picture, event.clientX, event.clientY);
	}

	// end draws the mark of a person, or removes the same one.
	end(event) {
		const from = this.from, to = this.square(event);
		this.from = null;
		if (from === null || to === null) return;
		const kind = Marks.kinds[(event.shiftKey || event.ctrlKey ? 1 : 0) + (event.altKey || event.metaKey ? 2 : 0)];
		const squares = from === to ? [from] : [from, to], same = (m) => m.squares.join("\n") === squares.join("\n");
		const old = this.own.find(same), rest = this.own.filter((m) => !same(m));
		this.set(old?.kind === kind ? rest : [...rest, { squares, kind }].slice(-Marks.most));
	}

	set(own) {
		this.own = own;
		this.draw();
	}

	// give shows the marks of the page for this moment.
	give(list) {
		this.given = this.checked(list);
		this.draw();
	}

	checked(list) {
		return list.slice(0, Marks.most).filter((m) => Array.isArray(m?.squares)).map((m) => ({ squares: m.squares.slice(0, 64).map(String), kind: Marks.kinds.includes(m.kind) ? m.kind : "best" }));
	}

	// drawn adds the marks to a new drawing. Those of another moment are gone.
	drawn(newMoment, { planned }) {
		if (newMoment) this.own = this.given = [];
		this.planned = this.checked((planned ?? []).map((squares) => ({ squares, kind: "planned" })));
		this.draw();
	}

	remove() {
		this.root.querySelector(".marks")?.remove();
	}

	draw() {
		this.remove();
		const picture = pictureOf(this.root), all = [...this.planned, ...this.given, ...this.own];
		if (!picture || !all.length) return;
		const layer = svgElement("g", { class: "marks", "aria-hidden": "true", "pointer-events": "none" });
		for (const { squares, kind } of all) {
			const stops = squares.map((name) => squareNamed(picture, name)).filter(Boolean);
			if (stops.length) layer.append(svgElement("g", { class: kind }, stops.length > 1 ? this.arrow(stops) : this.circle(stops[0])));
		}
		picture.append(layer);
	}

	circle({ x, y, width, height }) {
		const size = Math.min(width, height);
		return [1.8, 1].map((line, i) => svgElement("circle", { class: i ? "line" : "edge", cx: x, cy: y, r: size * 0.44, "stroke-width": size * 0.06 * line }));
	}

	// arrow draws a line along the squares with a head at the end, on a light or dark edge.
	arrow(stops) {
		const last = stops.at(-1), before = stops.at(-2), size = Math.min(last.width, last.height);
		const length = Math.hypot(last.x - before.x, last.y - before.y) || 1;
		const [x, y] = [(last.x - before.x) / length, (last.y - before.y) / length];
		const at = (along, across) => `${last.x + size * (along * x - across * y)},${last.y + size * (along * y + across * x)}`;
		const points = [...stops.slice(0, -1).map((s) => `${s.x},${s.y}`), at(-0.35, 0)].join(" ");
		return [1.8, 1].flatMap((line, i) => [
			svgElement("polyline", { class: i ? "line" : "edge", points, "stroke-width": size * (0.12 + 0.05 * (line - 1)) }),
			svgElement("polygon", { class: i ? "head" : "edge", points: [at(0.08, 0), at(-0.36, 0.22), at(-0.36, -0.22)].join(" "), "stroke-width": size * 0.05 * (line - 1) }),
		]);
	}
}

// svgElement returns an element of what the frame draws itself.
function svgElement(tag, attributes, children = []) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
	e.append(...children);
	return e;
}
