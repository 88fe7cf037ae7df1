// Dragging. A piece that is a choice can be dragged with the mouse, a pen or a finger: the
// frame clicks it when the drag begins, so that the viewer shows its targets, and then the
// choice on which it is dropped. A piece with a handler hold is told of the drag instead.
"use strict";
class Drag {
	// board has the functions click(element), hold(element, event), clickable(element), and guard.
	constructor(root, motion, board) {
		this.root = root;
		this.motion = motion;
		this.board = board;
		this.held = null; // {piece, pointer, x, y, begun, clicked, home, lift, others}
		this.dropped = false; // the next click belongs to a drag
		for (const [kind, handle] of Object.entries({ pointerdown: this.down, pointermove: this.move, pointerup: this.up, pointercancel: this.cancel })) {
			root.addEventListener(kind, (event) => board.guard(() => handle.call(this, event)));
		}
		root.addEventListener("lostpointercapture", (event) => event.target === root && this.held?.pointer === event.pointerId && board.guard(() => this.cancel()));
		root.addEventListener("click", (event) => this.click(event), true);
		root.addEventListener("touchmove", (event) => this.held && event.cancelable && event.preventDefault(), { passive: false });
	}

	static slop = { mouse: 4, pen: 6, touch: 8 }; // pixels that a click may go

	// element returns the piece that is held, in the newest drawing.
	get element() {
		return this.root.querySelector(`[piece="${CSS.escape(this.held.piece)}"]`);
	}

	// dragged is the name of the piece that follows the pointer, or null.
	get dragged() {
		return this.held?.begun ? this.held.piece : null;
	}

	down(event) {
		if (this.held) { // by a second finger, or released where nobody saw it
			this.cancel();
			if (!event.isPrimary) return;
		}
		this.dropped = false;
		this.meant = null;
		if (event.button !== 0 || !event.isPrimary) return;
		let target = event.target;
		if (this.motion.finish()) { // the person has aimed at where things go
			target = document.elementFromPoint(event.clientX, event.clientY) ?? target;
			this.meant = this.choice(target);
		}
		const piece = target.closest(".grab")?.getAttribute("piece");
		if (piece) this.held = { piece, pointer: event.pointerId, x: event.clientX, y: event.clientY, begun: false, clicked: false };
	}

	move(event) {
		const { held } = this;
		if (!held || event.pointerId !== held.pointer) return;
		if (event.pointerType === "mouse" && !event.buttons) return this.cancel(); // released elsewhere
		const far = Math.hypot(event.clientX - held.x, event.clientY - held.y);
		if (!held.begun) {
			if (far < (Drag.slop[event.pointerType] ?? 4)) return;
			if (!this.element?.classList.contains("grab")) return void (this.held = null);
			if (event.isTrusted) this.root.setPointerCapture(event.pointerId); // the drawing below it is replaced
			// Other pieces that can be chosen are no targets.
			const others = new Set([...this.root.querySelectorAll(".grab")].map((e) => e.getAttribute("piece")));
			Object.assign(held, { begun: true, others, lift: event.pointerType === "touch" ? 0.35 : 0.06, home: placeOf(pictureOf(this.root), this.element) });
			this.hold();
		}
		[held.x, held.y] = [event.clientX, event.clientY];
		this.follow();
	}

	// hold tells the viewer that the person has taken the piece.
	hold() {
		const e = this.element;
		if (this.board.holds(e)) this.board.hold(e, {});
		else if (e.getAttribute("aria-pressed") !== "true") {
			this.held.clicked = true;
			this.board.click(e);
		}
	}

	// again tells the viewer once more: it has drawn anew before it has heard of the drag.
	again() {
		if (this.held?.begun && this.element?.classList.contains("grab")) this.hold();
	}

	// follow draws the piece at the pointer, a little larger and, for a finger, above it.
	follow() {
		const e = this.element, picture = pictureOf(this.root), { held } = this;
		const point = pointIn(picture, held.x, held.y);
		if (!point) return;
		if (e.nextSibling) e.parentNode.append(e);
		this.place(e, { x: point.x, y: point.y - held.lift * this.size(picture) }, 1.12);
		e.classList.add("held");
		const over = this.target(held.x, held.y);
		for (const old of this.root.querySelectorAll(".over")) if (old !== over) old.classList.remove("over");
		over?.classList.add("over");
	}

	// size returns the width of a square.
	size(picture) {
		const square = picture.querySelector("[square]");
		return square ? placeOf(picture, square).width : 0;
	}

	// place draws an element at a place in the picture instead of its own.
	place(e, { x, y }, scale = 1) {
		const units = unitsOf(pictureOf(this.root), e), { home } = this.held;
		const own = e.transform?.baseVal.consolidate()?.matrix ?? new DOMMatrix();
		e.style.transform = `translate(${(x - home.x) * units.x}px, ${(y - home.y) * units.y}px) matrix(${[own.a, own.b, own.c, own.d, own.e, own.f]}) scale(${scale})`;
	}

	choice(target) {
		for (let e = target; e && e !== this.root; e = e.parentElement) if (this.board.clickable(e)) return e;
		return null;
	}

	// target returns the choice at a point of the window on which the piece can be dropped.
	target(x, y) {
		const e = this.choice(document.elementFromPoint(x, y));
		return e && !this.held.others.has(e.getAttribute("piece")) ? e : null;
	}

	// up drops the piece: on a choice, or it goes back. On its own square it remains chosen.
	up(event) {
		const { held } = this;
		if (!held || event.pointerId !== held.pointer) return;
		if (!held.begun) return void (this.held = null);
		this.dropped = true;
		const e = this.element, target = this.target(event.clientX, event.clientY);
		if (!target) return this.letGo(squareAt(pictureOf(this.root), event.clientX, event.clientY));
		const place = placeOf(pictureOf(this.root), target);
		this.place(e, place);
		this.motion.put(held.piece, place);
		this.held = null;
		this.clear();
		this.board.click(target);
	}

	// cancel ends a drag that the person has not finished.
	cancel() {
		if (this.held?.begun) this.letGo(null);
		this.held = null;
	}

	letGo(square) {
		const { held } = this, e = this.element, picture = pictureOf(this.root);
		const point = pointIn(picture, held.x, held.y), home = squareNamed(picture, square ?? "");
		this.held = null;
		this.clear();
		if (!e) return;
		e.style.transform = "";
		e.classList.remove("held");
		if (point) {
			point.y -= held.lift * this.size(picture);
			this.motion.back(held.piece, point);
		}
		if (this.board.holds(e)) this.board.hold(e, { end: true });
		else if (held.clicked && e.getAttribute("aria-pressed") === "true" && !(home && Math.hypot(home.x - held.home.x, home.y - held.home.y) < home.width / 2)) this.board.click(e);
	}

	clear() {
		for (const e of this.root.querySelectorAll(".over")) e.classList.remove("over");
	}

	// drawn goes on with the drag in a new drawing. If the match has gone on, the viewer has
	// forgotten the choice, and the piece may be gone.
	drawn(newMoment) {
		if (!this.held?.begun) return;
		const e = this.element;
		if (!e || newMoment && !e.classList.contains("grab")) {
			this.held = null;
			this.dropped = true;
			return;
		}
		this.held.home = placeOf(pictureOf(this.root), e);
		this.follow();
		if (newMoment) this.hold();
	}

	// click takes the click at the end of a drag, and gives one that hit a piece in motion to the
	// choice that is there now.
	click(event) {
		const { meant } = this;
		if (event.detail === 0) return; // from the keyboard or a script
		this.meant = null;
		if (this.dropped) event.stopPropagation();
		else if (meant?.isConnected && meant !== this.choice(event.target)) {
			event.stopPropagation();
			this.board.click(meant);
		}
		this.dropped = false;
	}
}
