// Where a piece can go: dots on its squares while the mouse, a finger or the keyboard's focus
// is on it. The viewer says so with the attribute goes, so nothing has to be drawn anew.
"use strict";
class Hints {
	constructor(root, motion) {
		this.root = root;
		this.motion = motion;
		this.piece = null; // that is touched
		const at = (event) => this.show(event.target.closest?.("[data-goes]")?.getAttribute("piece") ?? null);
		for (const kind of ["pointerover", "pointerdown", "focusin"]) root.addEventListener(kind, at);
		root.addEventListener("pointerleave", () => this.show(null));
		root.addEventListener("focusout", () => this.show(null));
	}

	static most = 64;

	show(piece) {
		if (piece === this.piece) return;
		this.piece = piece;
		this.draw();
	}

	// draw shows the places of the piece in the newest drawing, unless the viewer shows them
	// since it is chosen.
	draw() {
		this.root.querySelector(".goes")?.remove();
		const e = this.piece !== null && this.root.querySelector(`[data-goes][piece="${CSS.escape(this.piece)}"]`);
		if (!e || e.getAttribute("aria-pressed") === "true") return;
		const picture = pictureOf(this.root);
		const ways = JSON.parse(e.dataset.goes).slice(0, Hints.most).map((way) => way.map((name) => squareNamed(picture, name)).filter(Boolean)).filter((way) => way.length);
		const taken = [...this.motion.measure().values()].filter((p) => p.element !== e); // where they are after their motion
		const layer = svgElement("g", { class: "goes", "aria-hidden": "true", "pointer-events": "none" });
		for (const way of ways) {
			const { x, y, width, height } = way.at(-1), size = Math.min(width, height);
			for (const stop of way.slice(0, -1)) layer.append(svgElement("circle", { class: "way", cx: stop.x, cy: stop.y, r: 0.07 * size }));
			layer.append(taken.some((p) => Math.hypot(p.x - x, p.y - y) < size / 4)
				? svgElement("circle", { class: "capture", cx: x, cy: y, r: 0.44 * size, "stroke-width": 0.08 * size })
				: svgElement("circle", { class: "dot", cx: x, cy: y, r: 0.16 * size }));
		}
		picture.append(layer);
	}
}
