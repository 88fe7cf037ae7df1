// Places on a board, in the units of its picture, so that they stay right when the board gets
// another size.
"use strict";

const pictureOf = (root) => root.querySelector("[square], [piece]")?.ownerSVGElement ?? null;

// pointIn returns a point of the window in the units of a picture, and null if it is not shown.
function pointIn(picture, x, y) {
	const matrix = picture.getScreenCTM();
	return matrix?.a ? new DOMPoint(x, y).matrixTransform(matrix.inverse()) : null;
}

// placeOf returns the place of an element: the point to which its transform moves it, or else
// its middle; with its width.
function placeOf(picture, e) {
	const inverse = picture.getScreenCTM()?.inverse();
	if (!inverse) return null;
	if (e.hasAttribute("piece") && e.transform?.baseVal.numberOfItems) {
		const m = inverse.multiply(e.getScreenCTM());
		return { x: m.e, y: m.f };
	}
	const r = e.getBoundingClientRect();
	const { x, y } = new DOMPoint(r.x + r.width / 2, r.y + r.height / 2).matrixTransform(inverse);
	return { x, y, width: r.width * inverse.a, height: r.height * inverse.d };
}

// unitsOf returns how many units of the drawing around an element make one of the picture.
function unitsOf(picture, e) {
	const outer = picture.getScreenCTM(), inner = e.parentNode.getScreenCTM();
	return { x: outer.a / inner.a, y: outer.d / inner.d };
}

// squareNamed returns the place of a square, or null.
function squareNamed(picture, name) {
	const e = picture.querySelector(`[square="${CSS.escape(name)}"]`);
	return e && placeOf(picture, e);
}

// squareAt returns the name of the square at a point of the window, or null.
function squareAt(picture, x, y) {
	for (const e of picture.querySelectorAll("[square]")) {
		const r = e.getBoundingClientRect();
		const away = Math.hypot(x - r.x - r.width / 2, y - r.y - r.height / 2);
		if (away < Math.min(r.width, r.height) / 2 || !e.closest("[square] [square]") && document.elementsFromPoint(x, y).some((at) => e.contains(at))) return e.getAttribute("square");
	}
	return null;
}
