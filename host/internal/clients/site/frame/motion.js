// The motion of pieces. An element with the attribute piece is the same piece in the next
// drawing: it goes there from its last place, along the squares of the move if it is known.
// What is gone fades, and what is new appears. The drawing itself is never late: motion only
// shifts what is drawn already.
"use strict";
class Motion {
	constructor(root) {
		this.root = root;
		this.still = false; // the page shows too many boards
		this.places = null; // of the pieces in the drawing, by name; null if nobody has measured them
		this.moment = null; // of the drawing: {at, paths, flipped}
		this.turns = []; // times of the last drawings of another moment
		this.running = new Map(); // by piece: {frames, options, animation}
		this.ghosts = []; // pieces that are gone and fade
		this.calm = matchMedia("(prefers-reduced-motion: reduce)");
	}

	static step = 150; // milliseconds to the next place
	static hop = 80; // for each further one of a path
	static longest = 480;
	static most = 40; // pieces in motion
	static rate = 4; // moments a second: more are not shown in motion

	// before looks where the pieces are, before the drawing of a moment replaces them.
	before(moment) {
		const now = performance.now();
		this.turned = this.moment === null || this.moment.flipped !== moment.flipped;
		if (this.moment?.at !== moment.at) this.turns = [...this.turns, now].slice(-Motion.rate - 1);
		const quick = this.turns.length > Motion.rate && now - this.turns[0] < 1000;
		this.moment = moment;
		this.on = !this.still && !quick && !document.hidden && !this.calm.matches;
		this.root.classList.toggle("still", !this.on);
		if (!this.on) {
			this.finish();
			this.places = null;
			return;
		}
		this.places ??= this.measure();
		this.gone = new Map([...this.root.querySelectorAll("svg [piece]")].map((e) => [e.getAttribute("piece"), e]));
	}

	// after moves the pieces of the new drawing, except the one that a person is dragging.
	after(dragged) {
		if (!this.on) return;
		const old = this.places, now = this.places = this.measure();
		if (!old?.size || !this.picture || this.turned) return;
		const paths = this.moment.paths.map((path) => path.map((name) => squareNamed(this.picture, name))).filter((path) => path.length > 1 && path.every(Boolean));
		const moves = [];
		for (const [piece, place] of now) {
			if (piece === dragged) continue;
			const was = old.get(piece);
			const away = was && Math.hypot(was.x - place.x, was.y - place.y) > 0.5;
			const running = this.running.get(piece);
			if (was && !away) {
				if (running?.animation.playState === "running") moves.push({ piece, place, ...running, from: running.animation.currentTime });
			} else moves.push({ piece, place, ...this.way(was, place, paths) });
		}
		this.running.clear();
		if (moves.length > Motion.most) return;
		const duration = moves.reduce((most, m) => Math.max(most, m.options.duration), Motion.step);
		for (const m of moves) this.run(m);
		for (const [piece, e] of this.gone) if (!now.has(piece)) this.fade(e, duration);
		for (const ghost of this.ghosts) this.under(ghost);
	}

	measure() {
		const places = new Map(), all = this.root.querySelectorAll("svg [piece]");
		this.picture = pictureOf(this.root);
		if (!all.length || !this.picture || !this.root.clientWidth) return places;
		const inverse = this.picture.getScreenCTM()?.inverse(), outer = new Map(); // asked once: they are slow
		if (!inverse) return places;
		for (const e of all) {
			const parent = e.parentNode, own = e.transform?.baseVal;
			if (own?.numberOfItems === 1) {
				if (!outer.has(parent)) outer.set(parent, inverse.multiply(parent.getScreenCTM()));
				const o = outer.get(parent), { e: x, f: y } = own.getItem(0).matrix;
				places.set(e.getAttribute("piece"), { x: o.a * x + o.c * y + o.e, y: o.b * x + o.d * y + o.f, element: e });
			} else places.set(e.getAttribute("piece"), { ...placeOf(this.picture, e), element: e });
		}
		return places;
	}

	// way returns how a piece comes to its place: along a path that leads there, or straight. A
	// new one without a path appears.
	way(was, place, paths) {
		const near = (a, b, far) => Math.hypot(a.x - b.x, a.y - b.y) < far;
		const path = paths.find((p) => {
			const last = p.at(-1), far = Math.min(last.width, last.height);
			if (!near(last, place, far)) return false;
			const shift = { x: place.x - last.x, y: place.y - last.y };
			return !was || near(was, { x: p[0].x + shift.x, y: p[0].y + shift.y }, far / 4);
		});
		if (!was && !path) return { frames: [{ opacity: 0 }, {}], options: { duration: Motion.step } };
		const stops = path ? path.map((s) => ({ x: s.x - path.at(-1).x, y: s.y - path.at(-1).y })) : [{ x: was.x - place.x, y: was.y - place.y }, { x: 0, y: 0 }];
		const duration = Math.min(Motion.longest, Motion.step + Motion.hop * (stops.length - 2));
		return { stops, options: { duration, easing: stops.length > 2 ? "linear" : "ease-out" } };
	}

	// run shows the motion of a piece, or what is left of it after another drawing.
	run({ piece, place, stops, frames, options, from }) {
		const e = place.element;
		const units = unitsOf(this.picture, e);
		frames ??= stops.map(({ x, y }) => ({ translate: `${x * units.x}px ${y * units.y}px` }));
		if (stops && !e.classList.contains("choice")) e.parentNode.append(e); // over the others; a choice keeps its place for the keyboard
		const animation = e.animate(frames, options);
		if (from) animation.currentTime = from;
		this.running.set(piece, { frames, options, animation });
	}

	// fade shows a piece that is gone a little longer.
	fade(e, duration) {
		const ghost = document.createElementNS("http://www.w3.org/2000/svg", "g");
		for (const name of ["piece", "id", "tabindex", "role", "aria-label", "class"]) e.removeAttribute(name);
		ghost.setAttribute("aria-hidden", "true");
		ghost.setAttribute("pointer-events", "none");
		ghost.append(e);
		this.ghosts.push(ghost);
		this.under(ghost);
		ghost.animate([{}, { opacity: 1, offset: 0.5 }, { opacity: 0 }], { duration, fill: "forwards" }).onfinish = () => {
			ghost.remove();
			this.ghosts = this.ghosts.filter((g) => g !== ghost);
		};
	}

	// under puts a ghost below the pieces.
	under(ghost) {
		const first = this.picture.querySelector("[piece]");
		if (first) first.before(ghost);
		else this.picture.append(ghost);
	}

	// put says where a piece is that a person has dropped: it moves from there.
	put(piece, place) {
		this.places?.set(piece, { ...this.places.get(piece), ...place });
	}

	// back moves a piece from a place to where it is drawn.
	back(piece, from) {
		const place = this.places?.get(piece);
		if (place?.element && this.on) this.run({ piece, place, ...this.way(from, place, []) });
	}

	// finish ends all motion and reports whether there was some: a person acts on what is drawn.
	finish() {
		const some = [...this.running.values()].some((r) => r.animation.playState === "running") || this.ghosts.length > 0;
		for (const { animation } of this.running.values()) animation.finish();
		for (const ghost of this.ghosts) ghost.remove();
		this.running.clear();
		this.ghosts = [];
		return some;
	}
}
