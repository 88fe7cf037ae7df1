// The shapes of boards and pieces that viewers share, so that all games look as the user has
// chosen: the frame's style sheet (looks.css) has their materials. docs/viewers.md describes them.
"use strict";

// shapes returns functions that describe shapes, by the function that describes an SVG element.
const shapes = (svg) => {
	const g = (attributes, ...children) => svg("g", attributes, ...children);
	const octagon = (r) => `M${-0.414 * r} ${-r} H${0.414 * r} L${r} ${-0.414 * r} V${0.414 * r} L${0.414 * r} ${r} H${-0.414 * r} L${-r} ${0.414 * r} V${-0.414 * r} Z`;
	const outlines = {
		second: (r) => ["path", { d: octagon(r) }],
		third: (r) => ["path", { d: `M0 ${-1.15 * r} L${1.1 * r} ${0.8 * r} H${-1.1 * r} Z` }],
		fourth: (r) => ["rect", { x: -0.9 * r, y: -0.9 * r, width: 1.8 * r, height: 1.8 * r, rx: 0.1 * r }],
	};
	const outline = (kind, r, name, y) => {
		const [tag, attributes] = outlines[kind]?.(r) ?? ["circle", { r }];
		return svg(tag, { ...attributes, class: `${name} ${kind}`, transform: y ? `translate(0 ${y})` : null });
	};

	// tile is a part of the board: kind is "light", "dark" or "rim". It is a square unless the
	// attributes have points or a path, d.
	const tile = (kind, { size, ...attributes }) => svg(attributes.points ? "polygon" : attributes.d ? "path" : "rect", { width: size, height: size, ...attributes, class: `tile ${kind} ${attributes.class ?? ""}` });

	// played is the mark of a square of the last move, from its top left corner, or of a cell of
	// another shape: played({points}).
	const played = (size) => (size.points ? svg("polygon", { ...size, class: "played" }) : svg("rect", { class: "played", x: 1.5, y: 1.5, width: size - 3, height: size - 3 }));

	// board is a rim with coordinates around columns and rows of squares, counted from the top
	// left. square(column, row) returns {name, kind, fill, played, draw}: draw are elements on
	// it, from its top left corner. below and left have the coordinates in this order.
	const board = ({ columns, rows = columns, cell = 80, edge = 20, square, below = [], left = [] }) => {
		const [width, height] = [columns * cell, rows * cell];
		const squares = [...Array(columns * rows).keys()].map((i) => {
			const [column, row] = [i % columns, Math.floor(i / columns)];
			const s = square(column, row);
			return g({ square: s.name, transform: `translate(${edge + column * cell} ${edge + row * cell})` },
				tile(s.kind, { size: cell, style: s.fill && `fill: ${s.fill}` }), s.played && played(cell), s.draw);
		});
		const font = (text) => Math.max((text.length > 1 ? 0.7 : 0.81) * edge, 0.25 * cell); // so that phones can read it on a narrow rim
		const word = (text, x, y) => svg("text", { class: "coordinate", x, y: y + 0.34 * font(text), "text-anchor": "middle", "font-size": font(text) }, text);
		return g({ "aria-hidden": "true" },
			tile("rim", { width: width + 2 * edge, height: height + 2 * edge, rx: 0.4 * edge }),
			squares,
			svg("rect", { class: "grain", width: width / cell * 80, height: height / cell * 80, transform: `translate(${edge} ${edge}) scale(${cell / 80})` }),
			svg("rect", { class: "inset", x: edge - 1, y: edge - 1, width: width + 2, height: height + 2 }),
			below.map((text, i) => word(text, edge + (i + 0.5) * cell, 1.5 * edge + height)),
			left.map((text, i) => word(text, edge / 2, edge + (i + 0.5) * cell)));
	};

	// disc is a piece of the height of one disc, or of two if it is high. kind is "white" or
	// "black", or for players without these colours "first" to "fourth", which have the outlines
	// that the page gives to them. What is on it is drawn around its middle.
	const disc = (kind, { r = 31, high = false } = {}, ...on) => {
		const up = 0.17 * r, top = high ? -1.6 * up : 0;
		return g({ class: "disc" },
			svg("ellipse", { class: "shade", cx: 0.06 * r, cy: 0.28 * r, rx: 1.08 * r, ry: r }),
			outline(kind, r, "side", up), high && [outline(kind, r, "face", 0), outline(kind, r, "side", top + up)], outline(kind, r, "face", top),
			outline(kind, 0.74 * r, "groove", top),
			on.length > 0 && g({ transform: `translate(0 ${top})` }, on));
	};

	// crown is the sign of a king, for a disc.
	const crown = (r = 31) => svg("path", { class: "crown", transform: `scale(${r / 31})`, d: "M-13 10 L-15 -7 L-7 0 L0 -12 L7 0 L15 -7 L13 10 Z" });

	// ring is around a piece that can be chosen, or that is chosen.
	const ring = ({ r = 36, chosen = false } = {}) => svg("circle", { class: chosen ? "ring chosen" : "ring", r });

	// target is where a chosen piece can go: a dot, or a ring around a piece that it captures. It
	// is a square unless it has points.
	const target = ({ size = 80, capture = false, points } = {}) => g({ class: "target" },
		points ? svg("polygon", { class: "area", points }) : svg("rect", { class: "area", x: -size / 2, y: -size / 2, width: size, height: size }),
		capture ? svg("circle", { class: "capture", r: 0.44 * size, "stroke-width": 0.08 * size }) : svg("circle", { class: "dot", r: 0.16 * size }));

	// note is the one mark of an event, at the top right corner of a square of this size: "captured",
	// "promoted", "again" for another turn, or "won"; "check" is around the piece.
	const note = (kind, { size = 80 } = {}) => (kind === "check"
		? g({ class: "note check" }, svg("circle", { class: "glow", r: 0.56 * size }), svg("circle", { class: "around", r: 0.46 * size }), svg("circle", { class: "alarm", r: 0.46 * size }))
		: g({ class: `note ${kind}`, transform: `translate(${0.33 * size} ${-0.33 * size}) scale(${size / 80})`, "pointer-events": "none" },
			svg("circle", { r: 11 }), svg("path", { d: { captured: "M-4.5 -4.5 L4.5 4.5 M4.5 -4.5 L-4.5 4.5", promoted: "M0 5.5 V-5 M-4.5 -1 L0 -5.5 L4.5 -1", again: "M4.5 -3.5 A5.6 5.6 0 1 0 5.5 1.5 M5.5 -7 V-2.5 H1", won: "M-5.5 0.5 L-1.5 4.5 L6 -4" }[kind] })));

	return { tile, played, board, disc, crown, ring, target, note };
};
