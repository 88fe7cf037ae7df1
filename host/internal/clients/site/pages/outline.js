// The outline of a board, which the page shows until the board is drawn. It has the place
// of the picture when the board was shown last.
import { h } from "./dom.js";

const key = "boards";
const most = 40; // places kept

// places returns what the browser's storage has of the boards that were shown last, the newest
// last: [name, width, room, {x, y, width, height, all}], where all is the height of the frame.
function places() {
	try {
		const list = JSON.parse(localStorage.getItem(key));
		return Array.isArray(list) ? list.filter(valid) : [];
	} catch {
		return []; // the browser can forbid it
	}
}

const valid = (p) => Array.isArray(p) && p.length === 4 && p[3] && ["x", "y", "width", "height", "all"].every((k) => Number.isFinite(p[3][k]) && p[3][k] >= 0 && p[3][k] < 10000) && p[3].width > 0 && p[3].height > 0;

// keep notes where the picture of a board is, in a frame of some width with some room.
export function keep(name, width, room, { x, y, width: w, height: h, all }) {
	const place = { x, y, width: w, height: h, all };
	if (!valid([name, width, room, place])) return;
	const list = places();
	const old = list.findIndex((p) => p[0] === name && p[1] === width);
	if (old >= 0 && JSON.stringify(list[old]) === JSON.stringify([name, width, room, place])) return;
	if (old >= 0) list.splice(old, 1);
	list.push([name, width, room, place]);
	try {
		localStorage.setItem(key, JSON.stringify(list.slice(-most)));
	} catch {
		// as above
	}
}

// expected returns the place that a picture is expected to have: that of the last time, or
// one of the same shape. Without a name it is that of the board that was shown last.
export function expected(name, width, room) {
	const list = places();
	const same = list.findLast((p) => p[0] === name && p[1] === width && Math.abs(p[2] - room) < 2);
	if (same) return same[3];
	const last = (list.findLast((p) => p[0] === name) ?? list.at(-1))?.[3] ?? { x: 0, y: 0, width: 1, height: 1, all: 1 };
	const ratio = last.width / last.height;
	const w = Math.min(width, room * ratio);
	return { x: (width - w) / 2, y: 0, width: w, height: w / ratio, all: Math.ceil(w / ratio + Math.max(0, last.all - last.y - last.height)) };
}

// outline draws a place.
export function outline(place) {
	const e = h("div", { class: "outline", "aria-hidden": "true" });
	for (const side of ["x", "y", "width", "height"]) e.style[{ x: "left", y: "top" }[side] ?? side] = `${place[side]}px`;
	return e;
}
