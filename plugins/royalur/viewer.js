// The viewer of the Royal Game of Ur. docs/viewers.md describes the exported functions.

const tokens = 7;
const home = 15; // the cell of tokens that have left the track; 0 is the start
const rosette = (cell) => cell === 4 || cell === 8 || cell === 14;
const shared = (cell) => cell >= 5 && cell <= 12;

export const texts = {
	it: {
		start: "via", home: "casa",
		"at home": "a casa",
		forfeits: "perde per forfait",
		"{heads}: no move": "{heads}: nessuna mossa",
		"{heads}: {from} → {to}": "{heads}: {from} → {to}",
		"{heads}: {from} → {to} captures": "{heads}: {from} → {to} cattura",
		"{heads}: {from} → {to} rosette": "{heads}: {from} → {to} rosetta",
		"{name} forfeited": "{name} ha perso per forfait",
		"All seven tokens of {name} are home": "Tutte e sette le pedine di {name} sono a casa",
		"{name} tossed {heads}": "{name} ha fatto {heads}",
		"{name} tossed {heads}: no move": "{name} ha fatto {heads}: nessuna mossa",
		"You tossed {heads}": "Hai fatto {heads}",
		"You tossed {heads}: no move": "Hai fatto {heads}: nessuna mossa",
		"You tossed {n}: choose the token that moves {n} cell|You tossed {n}: choose the token that moves {n} cells": "Hai fatto {n}: scegli la pedina che avanza di {n} casella|Hai fatto {n}: scegli la pedina che avanza di {n} caselle",
		"Bring your seven tokens from start to home, along the numbers, before your opponent does. Landing on an opponent's token sends it back to its start; a flower is safe and gives another turn.":
			"Porta le tue sette pedine dal via a casa, lungo i numeri, prima dell'avversario. Chi arriva su una pedina avversaria la rimanda al via; su un fiore una pedina è al sicuro, e chi ci arriva tira ancora.",
		"Token {token} from {from} to {to}": "Pedina {token} da {from} a {to}",
		"{move}, captures": "{move}, cattura",
		"{move}, rosette: another turn": "{move}, rosetta: un altro lancio",
		Board: "Tavoliere",
		"no move": "nessuna mossa",
	},
};

export function start(match) {
	return {
		player: match.role === "player", me: null, names: [],
		at: [Array(tokens).fill(0), Array(tokens).fill(0)], // cell of each token, by seat
		mover: 0, roll: null, // the last roll: {by, coins, heads, passed}
		legal: [], // tokens that the mover can move now
		last: null, // the last move: {seat, token, from, to, captured}
		retired: null,
	};
}

export function read(state, line) {
	if (state.names.length < 2) {
		state.names.push(line);
		return;
	}
	if (state.player && state.me === null) {
		state.me = Number(line);
		return;
	}
	if (/^[01]( [01]){3}$/.test(line)) return roll(state, line.split(" ").map(Number));
	if (line === "RETIRE") {
		state.retired = state.mover;
		state.legal = [];
		return { text: t("forfeits"), seat: state.mover };
	}
	return move(state, Number(line));
}

function roll(state, coins) {
	const by = state.mover;
	const heads = coins.reduce((a, b) => a + b);
	state.legal = legal(state, by, heads);
	state.roll = { by, coins, heads, passed: state.legal.length === 0 };
	if (!state.roll.passed) return;
	state.mover = 1 - by;
	return { text: t("{heads}: no move", { heads }), seat: by, sound: "roll" };
}

function legal(state, seat, heads) {
	const mine = state.at[seat];
	const other = state.at[1 - seat];
	return mine.map((_, i) => i).filter((i) => {
		const to = mine[i] + heads;
		if (heads === 0 || mine[i] === home || to > home) return false;
		if (to === home) return true;
		return !mine.includes(to) && !(shared(to) && rosette(to) && other.includes(to));
	});
}

function move(state, token) {
	const seat = state.mover;
	const { heads } = state.roll;
	const from = state.at[seat][token];
	const to = from + heads;
	const victim = shared(to) ? state.at[1 - seat].indexOf(to) : -1;
	if (victim >= 0) state.at[1 - seat][victim] = 0;
	state.at[seat][token] = to;
	state.last = { seat, token, from, to, captured: victim >= 0 };
	state.legal = [];
	if (!rosette(to)) state.mover = 1 - seat;
	const way = { heads, from: place(from), to: place(to) };
	return { path: track(seat, from, to), sound: victim >= 0 ? "capture" : "move", text: victim >= 0 ? t("{heads}: {from} → {to} captures", way) : rosette(to) ? t("{heads}: {from} → {to} rosette", way) : t("{heads}: {from} → {to}", way), seat };
}

// track returns the names of a seat's cells from one to another.
const track = (seat, from, to) => Array.from({ length: to - from + 1 }, (_, i) => spot(seat, from + i));
const spot = (seat, cell) => (shared(cell) ? String(cell) : "ab"[seat] + cell);

// path returns the cells of a line that the player could send.
export function path(state, line) {
	const token = state.legal.find((i) => String(i) === line), from = state.at[state.mover][token];
	return token === undefined ? null : track(state.mover, from, from + state.roll.heads);
}

const place = (cell) => (cell === 0 ? t("start") : cell === home ? t("home") : String(cell));
const finished = (state, seat) => state.at[seat].filter((c) => c === home).length;

// ending returns why the match ended, or "".
function ending(state) {
	if (state.retired !== null) return t("{name} forfeited", { name: state.names[state.retired] });
	const winner = [0, 1].find((seat) => finished(state, seat) === tokens);
	return winner === undefined ? "" : t("All seven tokens of {name} are home", { name: state.names[winner] });
}

// tossed says what the last roll is, to a user who is not asked for a token.
function tossed({ names, me, roll: { by, heads, passed } }) {
	if (by === me) return passed ? t("You tossed {heads}: no move", { heads }) : t("You tossed {heads}", { heads });
	return passed ? t("{name} tossed {heads}: no move", { name: names[by], heads }) : t("{name} tossed {heads}", { name: names[by], heads });
}

export function status(state) {
	const known = state.names.length === 2;
	const choosing = state.legal.length > 0;
	const r = state.roll;
	return {
		players: [0, 1].map((s) => ({ name: state.names[s], score: known ? finished(state, s) : null, unit: t("at home") })),
		seat: state.me,
		turn: choosing ? [state.mover] : [],
		caption: !known || !r ? "" : ending(state)
			|| (choosing && r.by === state.me ? t("You tossed {n}: choose the token that moves {n} cell|You tossed {n}: choose the token that moves {n} cells", { n: r.heads }) : tossed(state)),
		end: ending(state),
		goal: t("Bring your seven tokens from start to home, along the numbers, before your opponent does. Landing on an opponent's token sends it back to its start; a flower is safe and gives another turn."),
		choices: choosing && state.me === state.mover ? distinct(state).map((i) => ({ line: String(i), label: label(state, i) })) : [],
	};
}

// distinct keeps only one of the tokens at the start, because they are all equal.
function distinct(state) {
	const mine = state.at[state.mover];
	return state.legal.filter((i) => mine[i] !== 0 || i === mine.indexOf(0));
}

function label(state, token) {
	const from = state.at[state.mover][token];
	const to = from + state.roll.heads;
	const captures = shared(to) && state.at[1 - state.mover].includes(to);
	let move = t("Token {token} from {from} to {to}", { token, from: place(from), to: place(to) });
	if (captures) move = t("{move}, captures", { move });
	return rosette(to) ? t("{move}, rosette: another turn", { move }) : move;
}

// The place of a seat's cell: column 0 to 7, row 0 (top) to 2 (bottom). The start and home
// are in the gap of the seat's own row. near is the seat at the bottom.
function square(near, seat, cell) {
	const row = seat === near ? 2 : 0;
	if (cell === 0) return { x: 4, y: row };
	if (cell === home) return { x: 5, y: row };
	if (cell <= 4) return { x: 4 - cell, y: row };
	return shared(cell) ? { x: cell - 5, y: 1 } : { x: 20 - cell, y: row };
}

const size = 80;
const middle = ({ x, y }) => ({ x: 10 + x * size + size / 2, y: 10 + y * size + size / 2 });
const colour = (seat) => (seat === 0 ? "var(--first)" : "var(--second)");

const bottom = (state, page) => (page.flipped ? 1 - (state.me ?? 0) : state.me ?? 0);

export function draw(state, page) {
	const { svg, html, ui } = page;
	const near = bottom(state, page);
	const held = (i) => ui.held === undefined || ui.held === i; // a dragged token has only its own target
	const mine = page.playing && state.me === state.mover ? distinct(state) : [];
	const hint = state.legal.length > 0 ? distinct(state).filter(held) : [];
	const goals = hint.map((i) => ({ token: i, cell: state.at[state.mover][i] + state.roll.heads }));

	const cells = [];
	for (const seat of [0, 1]) {
		for (let cell = 0; cell <= home; cell++) {
			if (shared(cell) && seat === 1) continue;
			const { x, y } = middle(square(near, seat, cell));
			const pile = cell === 0 || cell === home;
			cells.push(svg("rect", { square: spot(seat, cell), x: x - 37, y: y - 37, width: 74, height: 74, rx: 10, fill: pile ? "none" : "var(--field)", stroke: pile ? "none" : "var(--line)", "stroke-width": 2 }));
			if (pile) cells.push(heap(state, svg, seat, cell, x, y));
			else if (rosette(cell)) cells.push(flower(svg, x, y));
			else cells.push(svg("text", { x, y: y + 9, "text-anchor": "middle", "font-size": 25, fill: "var(--soft)" }, String(cell)));
		}
	}

	const marks = [];
	if (state.last) {
		for (const cell of [state.last.from, state.last.to]) {
			const { x, y } = middle(square(near, state.last.seat, cell));
			marks.push(svg("rect", { x: x - 35, y: y - 35, width: 70, height: 70, rx: 9, fill: "none", stroke: colour(state.last.seat), "stroke-width": 3, "stroke-dasharray": cell === state.last.to ? null : "3 6", opacity: 0.8 }));
		}
	}
	for (const goal of goals) {
		const { x, y } = middle(square(near, state.mover, goal.cell));
		marks.push(svg("rect", { x: x - 36, y: y - 36, width: 72, height: 72, rx: 9, fill: "var(--accent)", "fill-opacity": 0.08, stroke: "var(--accent)", "stroke-width": 3, "stroke-dasharray": "9 6" }));
	}

	// The first token of a pile lies on top, with their number.
	const pieces = [0, 1].flatMap((seat) => state.at[seat].map((cell, i) => {
		const p = middle(square(near, seat, cell)), above = state.at[seat].slice(i).filter((c) => c === cell).length;
		const text = cell === home ? String(above) : cell > 0 || ui.held === i && seat === state.mover ? String(i) : `×${above}`;
		return token(page, { seat, i, x: p.x, y: p.y, pile: cell === 0 || cell === home, text, ready: seat === state.mover && hint.includes(i), label: seat === state.me && mine.includes(i) && label(state, i) });
	}).reverse());
	// A click on the target moves, too. The keyboard needs only the token.
	const targets = mine.filter(held).map((i) => {
		const { x, y } = middle(square(near, state.me, state.at[state.me][i] + state.roll.heads));
		return svg("rect", { x: x - size / 2, y: y - size / 2, width: size, height: size, fill: "transparent", class: "goal", tabindex: "-1", onclick: () => {
			ui.held = undefined;
			page.send(String(i));
		} });
	});

	return html("div", null, html("style", null, style),
		svg("svg", { viewBox: "0 0 660 360", role: "group", "aria-label": t("Board"), tabindex: state.player && "0" }, cells, marks, pieces, targets, coins(state, page)));
}

// token draws a piece: a disc for the first player, an octagon for the second. The whole cell
// of a choice reacts.
function token(page, { seat, i, x, y, pile, text, ready, label }) {
	const { svg, ui } = page;
	const r = pile ? 22 : 27, down = pile ? 10 : 0;
	return svg("g", {
		id: label && `token-${i}`, piece: "ab"[seat] + i, transform: `translate(${x} ${y})`, label,
		onclick: label && (() => page.send(String(i))),
		onhold: label && (({ end }) => {
			ui.held = end ? undefined : i;
			page.redraw();
		}),
	}, label && svg("rect", { x: -size / 2, y: -size / 2, width: size, height: size, fill: "transparent" }),
	shape(svg, seat, 0, down, r, { fill: colour(seat), stroke: "var(--paper)", "stroke-width": 2 }),
	ready && shape(svg, seat, 0, down, r + 4, { fill: "none", stroke: "var(--accent)", "stroke-width": 5 }),
	svg("text", { y: down + 9, "text-anchor": "middle", "font-size": pile ? 23 : 26, "font-weight": 700, fill: "var(--on)" }, text));
}

const shape = (svg, seat, x, y, r, attributes) => (seat === 0
	? svg("circle", { cx: x, cy: y, r, ...attributes })
	: svg("path", { d: `M${x - 0.414 * r} ${y - r} h${0.828 * r} l${0.586 * r} ${0.586 * r} v${0.828 * r} l${-0.586 * r} ${0.586 * r} h${-0.828 * r} l${-0.586 * r} ${-0.586 * r} v${-0.828 * r} Z`, ...attributes }));

// heap draws the place of the tokens at the start or at home.
const heap = (state, svg, seat, cell, x, y) => [
	svg("text", { x, y: y - 20, "text-anchor": "middle", "font-size": 22, fill: "var(--soft)" }, place(cell)),
	cell === home && !state.at[seat].includes(home) && [
		shape(svg, seat, x, y + 10, 22, { fill: "none", stroke: colour(seat), "stroke-width": 2, "stroke-dasharray": "4 4" }),
		svg("text", { x, y: y + 18, "text-anchor": "middle", "font-size": 23, "font-weight": 700, fill: "var(--soft)" }, "0"),
	],
];

function flower(svg, x, y) {
	return svg("g", { transform: `translate(${x} ${y})`, fill: "var(--accent)", "fill-opacity": 0.38, stroke: "var(--accent)", "stroke-width": 1.5 },
		[0, 45, 90, 135, 180, 225, 270, 315].map((a) => svg("ellipse", { cx: 0, cy: -20, rx: 7.5, ry: 14, transform: `rotate(${a})` })),
		svg("circle", { r: 6, "fill-opacity": 1 }));
}

// coins draws the last roll: heads are filled, with a dot.
function coins(state, { svg, fresh }) {
	const r = state.roll;
	if (!r) return null;
	const fall = fresh && (state.legal.length > 0 || r.passed) && "enter"; // they have just been tossed
	return svg("g", { role: "img", "aria-label": t("{name} tossed {heads}", { name: state.names[r.by], heads: r.heads }) },
		shape(svg, r.by, 38, 308, 14, { fill: colour(r.by) }),
		r.coins.map((heads, i) => svg("g", { class: fall, transform: `translate(${100 + i * 66} 308)` },
			svg("circle", { r: 27, fill: heads ? "var(--ink)" : "none", stroke: "var(--ink)", "stroke-width": 3 }),
			heads ? svg("circle", { r: 9, fill: "var(--paper)" }) : svg("path", { d: "M-10 0 H10", stroke: "var(--ink)", "stroke-width": 3 }))),
		svg("text", { x: 350, y: 320, "font-size": 34, "font-weight": 700, fill: "var(--ink)" }, `= ${r.heads}`),
		r.passed && svg("text", { x: 430, y: 319, "font-size": 26, fill: "var(--soft)" }, t("no move")));
}

const style = `
.goal { cursor: pointer; }
`;
