// The place of the board: as high as the window allows, and as wide as the board then needs, so
// that the column at its side has the rest. The players are directly above and below the
// picture, also where the viewer draws more below it.
import { $ } from "./dom.js";

const phone = 600; // pixels: narrower windows are phones

let shape = null; // of the picture; see fit in frame.js
let below = true; // the lower player is in the gap below the picture

const arena = document.querySelector(".arena");
const beside = () => getComputedStyle(arena).display === "grid"; // the column is at the board's side
const height = (e) => e?.offsetHeight ?? 0;

// gap returns the height that must stay free below the picture.
export const gap = () => (below ? height($("place").querySelector(".players > .below")) : 0);

// room returns the height for the board, so that it is visible with the players and the
// controls. On a phone it can be as high as it is wide.
export function room() {
	const place = $("place");
	const { clientWidth } = document.documentElement;
	const players = [...place.querySelectorAll(".players > li")].reduce((sum, e) => sum + (below && e.className.includes("below") ? 0 : e.offsetHeight), 0);
	const controls = Math.max(height(document.querySelector(".controls")), height($("caption")));
	const top = (beside() ? arena : place).getBoundingClientRect().top + scrollY;
	return Math.round(Math.max(clientWidth < phone ? clientWidth + gap() : 240, innerHeight - top - players - controls - 8));
}

// place puts the players at the picture, or around the board if it has none.
export function place(found) {
	shape = found;
	below = found !== null;
	const { style, classList } = $("place");
	classList.toggle("picture", below);
	const pixels = (name, value) => style.setProperty(name, `${value}px`);
	pixels("--left", found?.left ?? 0);
	pixels("--bottom", found?.bottom ?? 0);
	if (found) pixels("--width", found.width);
	else style.removeProperty("--width");
	fit();
}

// fit makes the board's column as wide as the board needs.
export function fit() {
	if (shape?.ratio > 0) arena.style.setProperty("--stage", `${Math.ceil((room() - gap()) * shape.ratio + shape.more)}px`);
	else arena.style.removeProperty("--stage");
}
