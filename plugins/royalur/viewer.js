// The viewer of the Royal Game of Ur. docs/viewers.md describes the exported functions.

const tokens = 7;
const home = 15; // the cell of tokens that have left the track; 0 is the start
const rosette = (cell) => cell === 4 || cell === 8 || cell === 14;
const kinds = ["white", "black"]; // by seat
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
	const way = { heads, from: name(from), to: name(to) };
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

const name = (cell) => (cell === 0 ? t("start") : cell === home ? t("home") : String(cell));
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
		players: [0, 1].map((s) => ({ name: state.names[s], score: known ? finished(state, s) : null, unit: t("at home"), marker: kinds[s] })),
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

function captures(state, token) {
	const to = state.at[state.mover][token] + state.roll.heads;
	return shared(to) && state.at[1 - state.mover].includes(to);
}

function label(state, token) {
	const from = state.at[state.mover][token];
	const to = from + state.roll.heads;
	let move = t("Token {token} from {from} to {to}", { token, from: name(from), to: name(to) });
	if (captures(state, token)) move = t("{move}, captures", { move });
	return rosette(to) ? t("{move}, rosette: another turn", { move }) : move;
}

// The patterns of the board in the British Museum, on a cell from (0, 0) to (80, 80), as lines:
// {d, stroke, width}. A line without a length is a dot.
const dots = (...at) => at.map(([x, y]) => `M${x} ${y}h0`).join("");
const five = (x, y, by) => dots([x, y], [x - by, y - by], [x + by, y - by], [x - by, y + by], [x + by, y + by]);
const [blue, red, light] = ["var(--inlay)", "var(--inlay-two)", "var(--light)"];
const four = [[23, 23], [57, 23], [23, 57], [57, 57]];
const teeth = ["6 8 6-8", "-8 6 8 6", "-6-8-6 8", "8-6-8-6"].map((tooth) => `l${tooth}`.repeat(6)).join("");
const petals = [...Array(8).keys()].map((i) => `rotate(${45 * i} 40 40)`);
const patterns = {
	eyes: [[four.map(([x, y]) => `M${x - 14} ${y}q14-15 28 0q-14 15-28 0z`).join(""), blue, 2.5], [dots(...four), blue, 11], [dots(...four), light, 4]],
	rings: [[five(40, 40, 20), blue, 20], [five(40, 40, 20), light, 14], [five(40, 40, 20), red, 8]],
	quarters: [["M40 6V74M6 40H74", blue, 2], [four.map(([x, y]) => five(x, y, 8)).join(""), red, 6]],
	frame: [["M16 16H64V64H16Z", blue, 3], [five(40, 40, 14), red, 9]],
	teeth: [[`M4 4${teeth}z`, blue, 2.5], [five(40, 40, 13), red, 8]],
};
const patternOf = [, "eyes", "rings", "eyes", "rosette", "frame", "rings", "quarters", "rosette", "rings", "quarters", "eyes", "rings", "teeth", "rosette"]; // by cell

const inlays = (svg) => svg("defs", null,
	Object.entries(patterns).map(([name, lines]) => svg("g", { id: `ur-${name}`, fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" }, lines.map(([d, stroke, width]) => svg("path", { d, stroke, "stroke-width": width })))),
	svg("g", { id: "ur-rosette", stroke: light, "stroke-width": 1.5 },
		svg("circle", { cx: 40, cy: 40, r: 35, fill: "none", stroke: blue, "stroke-width": 2.5 }),
		petals.map((transform, i) => svg("path", { d: "M40 36C30 27 31 15 40 7C49 15 50 27 40 36", fill: i % 2 ? red : blue, transform })),
		svg("circle", { cx: 40, cy: 40, r: 7, fill: light, stroke: blue, "stroke-width": 3 })));

// The top left corner of a seat's cell, by columns and rows of 80 units. The start and home are
// in the gap of the seat's own row. near is the seat at the bottom.
const size = 80;
function corner(near, seat, cell) {
	const at = (x, y) => ({ x: 14 + x * size, y: 14 + y * size });
	if (shared(cell)) return at(cell - 5, 1);
	const row = seat === near ? 2 : 0;
	if (cell === 0 || cell === home) return at(cell ? 4.91 : 4.09, row ? 2.1 : -0.1);
	return at(cell <= 4 ? 4 - cell : 20 - cell, row);
}

const outline = "M10 0H338q10 0 10 10V80H480V10q0-10 10-10H658q10 0 10 10V258q0 10-10 10H490q-10 0-10-10V188H348V258q0 10-10 10H10q-10 0-10-10V10Q0 0 10 0Z";

export function draw(state, page) {
	const { svg, html, ui, playing } = page;
	const { me, mover, at, last } = state;
	const near = page.flipped ? 1 - (me ?? 0) : me ?? 0;
	const mine = playing && me === mover ? distinct(state) : [];
	const numbers = mine.length > 0 || page.letters;
	const place = (x, y, ...children) => svg("g", { transform: `translate(${x} ${y})` }, children);

	const cells = [0, 1].flatMap((seat) => Array.from({ length: home + 1 }, (_, cell) => {
		if (shared(cell) && seat === 1) return null;
		const { x, y } = corner(near, seat, cell);
		const played = last && [last.from, last.to].includes(cell) && (shared(cell) || seat === last.seat);
		if (patternOf[cell]) return svg("g", { square: spot(seat, cell), transform: `translate(${x} ${y})` },
			page.tile("light", { size: 74, x: 3, y: 3, rx: 4, stroke: blue, "stroke-width": 1.5 }), played && page.played(size), svg("use", { href: `#ur-${patternOf[cell]}` }),
			numbers && svg("text", { class: "number", x: 7, y: 24, "font-size": 22 }, String(cell)));
		return [
			svg("g", { square: spot(seat, cell), transform: `translate(${x} ${y})` },
				svg("rect", { width: size, height: size, fill: "none" }),
				page.tile("dark", { d: "M9 40a31 31 0 1 0 62 0a31 31 0 1 0-62 0", class: "dish" }), played && svg("circle", { class: "played", cx: 40, cy: 40, r: 31 })),
			svg("text", { x: x + (cell ? 12 : 60), y: seat === near ? 292 : -8, "text-anchor": cell ? "start" : "end", "font-size": 22, fill: "var(--soft)" }, name(cell), " ", svg("tspan", { fill: "var(--ink)", "font-weight": 700 }, String(at[seat].filter((c) => c === cell).length))),
		];
	}));

	const middle = (seat, cell, up = 0) => {
		const { x, y } = corner(near, seat, cell);
		return `translate(${x + size / 2} ${y + size / 2 - up})`;
	};
	// The first token of a pile lies on top.
	const pieces = [0, 1].flatMap((seat) => at[seat].map((cell, i) => {
		const above = at[seat].slice(i + 1).filter((c) => c === cell).length;
		const chosen = seat === me && mine.includes(i);
		return svg("g", {
			id: chosen && `token-${i}`, piece: "ab"[seat] + i, transform: middle(seat, cell, patternOf[cell] ? 2 : 4 * above - 4),
			label: chosen && label(state, i),
			goes: chosen && [track(seat, cell, cell + state.roll.heads).slice(1)],
			onclick: chosen && (() => page.send(String(i))),
			onhold: chosen && (({ end }) => {
				ui.held = end ? undefined : i;
				page.redraw();
			}),
		}, chosen && svg("rect", { x: -size / 2, y: -size / 2, width: size, height: size, fill: "transparent" }),
		page.disc(kinds[seat], { r: 27 }, page.letters
			? svg("text", { class: kinds[seat], y: 9, "text-anchor": "middle", "font-size": 26, "font-weight": 700, style: "fill: var(--body-ink)" }, String(i))
			: svg("path", { class: kinds[seat], d: five(0, 0, 9.5), style: "stroke: var(--body-ink)", "stroke-width": 6.5, "stroke-linecap": "round" })),
		chosen && page.ring({ r: 33 }));
	}).reverse());
	// A click on the target moves, too; a dragged token has only its own. The keyboard needs only the token.
	const targets = mine.filter((i) => ui.held === undefined || ui.held === i).map((i) => svg("g", { transform: middle(me, at[me][i] + state.roll.heads), tabindex: "-1", onclick: () => {
		ui.held = undefined;
		page.send(String(i));
	} }, page.target({ capture: captures(state, i) })));
	const won = [0, 1].find((seat) => finished(state, seat) === tokens);
	const event = won !== undefined ? "won" : last?.captured ? "captured" : last && rosette(last.to) ? "again" : null;

	return html("div", null, html("style", null, style),
		svg("svg", { viewBox: "-2 -28 672 386", role: "group", "aria-label": t("Board"), tabindex: state.player && "0" }, inlays(svg),
			page.tile("rim", { d: outline, transform: "translate(0 7)", class: "under" }), page.tile("rim", { d: outline }), svg("path", { class: "grain", d: outline }),
			cells, pieces, targets,
			event && svg("g", { transform: middle(last.seat, last.to) }, page.note(event)), toss(state, page)));
}

// toss draws the last roll: dice seen from above, which count if their upper tip is white.
function toss(state, page) {
	const { svg } = page, r = state.roll;
	if (!r) return null;
	const fall = page.fresh && (state.legal.length > 0 || r.passed) && "enter"; // they have just been tossed
	return svg("g", { role: "img", "aria-label": t("{name} tossed {heads}", { name: state.names[r.by], heads: r.heads }) },
		page.tile("dark", { d: "M10 288H300a10 10 0 0 1 10 10V344a10 10 0 0 1-10 10H10a10 10 0 0 1-10-10V298a10 10 0 0 1 10-10Z", class: "dish" }),
		svg("g", { transform: "translate(34 320)" }, page.disc(kinds[r.by], { r: 16 })),
		r.coins.map((white, i) => svg("g", { class: fall, transform: `translate(${96 + i * 60} 326) rotate(${[9, -11, 4, -7][i]})` },
			svg("path", { class: "die", d: "M0-32L28 16H-28Z" }), svg("path", { class: "edges", d: "M0 0V-32M0 0L28 16M0 0L-28 16" }),
			white ? svg("path", { class: "tip", d: "M0-11L9.5 5.5H-9.5Z" }) : null)),
		svg("text", { x: 326, y: 333, "font-size": 34, "font-weight": 700, fill: "var(--ink)" }, String(r.heads)),
		r.passed && svg("text", { x: 360, y: 331, "font-size": 24, fill: "var(--soft)" }, t("no move")));
}

const style = `
.under { fill: var(--rim-line) !important; }
.dish { stroke: var(--rim-line); stroke-width: 1.5; }
.number { fill: var(--rim-line); stroke: var(--light); stroke-width: 5; paint-order: stroke; stroke-linejoin: round; }
.die { fill: var(--black); stroke: var(--black-line); stroke-width: 3; stroke-linejoin: round; }
.edges { stroke: var(--black-high); stroke-width: 2; fill: none; }
.tip { fill: var(--white-high); stroke: var(--white-high); stroke-width: 2; stroke-linejoin: round; }
`;
