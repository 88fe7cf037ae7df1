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
		"Bring your seven tokens from start to home before your opponent does. Landing on an opponent's token sends it back to its start; a flower is safe and gives another turn.":
			"Porta le tue sette pedine dal via a casa prima dell'avversario. Chi arriva su una pedina avversaria la rimanda al via; su un fiore una pedina è al sicuro, e chi ci arriva tira ancora.",
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
		last: null, // the last move: {seat, from, to, captured}
		retired: null,
	};
}

export function read(state, line) {
	if (state.names.length < 2) return void state.names.push(line);
	if (state.player && state.me === null) return void (state.me = Number(line));
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

function legal({ at }, seat, heads) {
	const mine = at[seat], taken = (cell) => mine.includes(cell) || cell === 8 && at[1 - seat].includes(cell);
	return [...mine.keys()].filter((i) => {
		const to = mine[i] + heads;
		return heads > 0 && mine[i] < home && (to === home || to < home && !taken(to));
	});
}

function move(state, token) {
	const { at, mover: seat, roll: { heads } } = state;
	const from = at[seat][token], to = goal(state, token), captured = captures(state, token);
	if (captured) at[1 - seat][at[1 - seat].indexOf(to)] = 0;
	at[seat][token] = to;
	state.last = { seat, from, to, captured };
	state.legal = [];
	if (!rosette(to)) state.mover = 1 - seat;
	const way = { heads, from: name(from), to: name(to) };
	const text = captured ? t("{heads}: {from} → {to} captures", way) : rosette(to) ? t("{heads}: {from} → {to} rosette", way) : t("{heads}: {from} → {to}", way);
	return { path: track(seat, from, to), sound: captured ? "capture" : "move", text, seat };
}

// goal is the cell to which a token of the mover goes.
const goal = ({ at, mover, roll }, token) => at[mover][token] + roll.heads;

function captures(state, token) {
	const to = goal(state, token);
	return shared(to) && state.at[1 - state.mover].includes(to);
}

// track returns the names of a seat's cells from one to another.
const track = (seat, from, to) => Array.from({ length: to - from + 1 }, (_, i) => spot(seat, from + i));
const spot = (seat, cell) => (shared(cell) ? String(cell) : "ab"[seat] + cell);

// path returns the cells of a line that the player could send.
export function path(state, line) {
	const token = state.legal.find((i) => String(i) === line);
	return token === undefined ? null : track(state.mover, state.at[state.mover][token], goal(state, token));
}

const name = (cell) => (cell === 0 ? t("start") : cell === home ? t("home") : String(cell));
const count = (state, seat, cell) => state.at[seat].filter((c) => c === cell).length;
const finished = (state, seat) => count(state, seat, home);

// ending returns why the match ended, or "".
function ending(state) {
	if (state.retired !== null) return t("{name} forfeited", { name: state.names[state.retired] });
	const winner = [0, 1].find((seat) => finished(state, seat) === tokens);
	return winner === undefined ? "" : t("All seven tokens of {name} are home", { name: state.names[winner] });
}

// tossed tells the last roll to a user who is not asked for a token.
function tossed({ names, me, roll: { by, heads, passed } }) {
	const values = { name: names[by], heads };
	if (by === me) return passed ? t("You tossed {heads}: no move", values) : t("You tossed {heads}", values);
	return passed ? t("{name} tossed {heads}: no move", values) : t("{name} tossed {heads}", values);
}

export function status(state) {
	const choosing = state.legal.length > 0;
	const r = state.roll, end = ending(state);
	return {
		players: [0, 1].map((s) => ({ name: state.names[s], score: state.names[1] ? finished(state, s) : null, unit: t("at home"), marker: kinds[s] })),
		seat: state.me,
		turn: choosing ? [state.mover] : [],
		caption: !r ? "" : end
			|| (choosing && r.by === state.me ? t("You tossed {n}: choose the token that moves {n} cell|You tossed {n}: choose the token that moves {n} cells", { n: r.heads }) : tossed(state)),
		end,
		goal: t("Bring your seven tokens from start to home before your opponent does. Landing on an opponent's token sends it back to its start; a flower is safe and gives another turn."),
		choices: state.me === state.mover ? distinct(state).map((i) => ({ line: String(i), label: label(state, i) })) : [],
	};
}

// distinct keeps one of the tokens at the start, because they are all equal.
function distinct(state) {
	const mine = state.at[state.mover];
	return state.legal.filter((i) => mine[i] !== 0 || i === mine.indexOf(0));
}

function label(state, token) {
	const from = state.at[state.mover][token], to = goal(state, token);
	let move = t("Token {token} from {from} to {to}", { token, from: name(from), to: name(to) });
	if (captures(state, token)) move = t("{move}, captures", { move });
	return rosette(to) ? t("{move}, rosette: another turn", { move }) : move;
}

// The patterns of the board in the British Museum, around the middle of a cell: eyes, circled dots,
// quarters, a frame and teeth are lines with their colours and widths; one without a length is a dot.
const [blue, red, light] = ["var(--inlay)", "var(--inlay-two)", "var(--light)"];
const edge = { stroke: blue, "stroke-width": 1.5 };
const round = { fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" };
const four = [[-17, -17], [17, -17], [-17, 17], [17, 17]];
const dots = (by, x = 0, y = 0) => [[0, 0], [-by, -by], [by, -by], [-by, by], [by, by]].map(([a, b]) => `M${x + a} ${y + b}h0`).join("");
const patterns = {
	e: [[four.map(([x, y]) => `M${x - 14} ${y}q14-15 28 0q-14 15-28 0`).join(""), blue, 2.5], [four.map((at) => `M${at}h0`).join(""), blue, 11]],
	c: [[dots(20), blue, 20], [dots(20), light, 14], [dots(20), red, 8]],
	q: [["M0-34V34M-34 0H34", blue, 2], [four.map((at) => dots(8, ...at)).join(""), red, 6]],
	f: [["M-24-24H24V24H-24Z", blue, 3], [dots(13), red, 9]],
	t: [["M-36-36" + ["6 8 6-8", "-8 6 8 6", "-6-8-6 8", "8-6-8-6"].map((tooth) => `l${tooth}`.repeat(6)).join(""), blue, 2.5], [dots(13), red, 8]],
};
const patternOf = " ecerfcqrcqectr"; // the rosette and these, by cell

const inlays = (svg) => svg("defs", null,
	Object.entries(patterns).map(([name, lines]) => svg("g", { id: `ur-${name}`, ...round }, lines.map(([d, stroke, width]) => svg("path", { d, stroke, "stroke-width": width })))),
	svg("g", { id: "ur-r", stroke: blue, "stroke-width": 2.5, fill: light },
		svg("circle", { r: 35 }),
		[0, 45, 90, 135, 180, 225, 270, 315].map((a) => svg("path", { d: "M0-4C-10-13-9-25 0-33C9-25 10-13 0-4", fill: a % 90 ? red : blue, stroke: "none", transform: `rotate(${a})` })),
		svg("circle", { r: 7 })));

const outline = "M10 0H338q10 0 10 10V80H480V10q0-10 10-10H658q10 0 10 10V258q0 10-10 10H490q-10 0-10-10V188H348V258q0 10-10 10H10q-10 0-10-10V10Q0 0 10 0";
const pile = (cell) => cell % home === 0;

export function draw(state, page) {
	const { svg, ui } = page;
	const { me, at, last } = state;
	const near = Number(me > 0 !== page.flipped); // the seat at the bottom
	const mine = page.playing && me === state.mover ? distinct(state) : [];

	// place is the middle of a seat's cell. The start and home are in the gap of the seat's row.
	const place = (seat, cell, up = 0) => {
		const row = shared(cell) ? 1 : seat === near ? 2 : 0;
		const [x, y] = pile(cell) ? [cell ? 447 : 381, 42 + 92 * row] : [54 + 80 * (row === 1 ? cell - 5 : cell <= 4 ? 4 - cell : 20 - cell), 54 + 80 * row];
		return `translate(${x} ${y - up})`;
	};

	const field = (seat, cell) => {
		const played = last && (cell === last.from || cell === last.to) && (shared(cell) || seat === last.seat);
		const form = pile(cell) ? { x: -31, y: -34, width: 62, height: 70, rx: 31 } : { x: -37, y: -37, width: 74, height: 74, rx: 4 };
		return svg("g", { transform: place(seat, cell) }, page.tile(pile(cell) ? "dark" : "light", { square: spot(seat, cell), ...form, ...edge }), played && svg("rect", { class: "played", ...form }), pile(cell)
			? svg("text", { x: cell ? -26 : 18, y: seat === near ? 66 : -50, "text-anchor": cell ? "start" : "end", "font-size": 22, fill: "var(--soft)" }, name(cell), svg("tspan", { dx: 6, fill: "var(--ink)", "font-weight": 700 }, String(count(state, seat, cell))))
			: [svg("use", { href: `#ur-${patternOf[cell]}` }), (mine.length > 0 || page.letters) && svg("text", { x: -34, y: -18, "font-size": 22, ...round, fill: "var(--rim-line)", stroke: light, "stroke-width": 6, "paint-order": "stroke" }, String(cell))]);
	};
	const cells = [0, 1].flatMap((seat) => [...Array(home + 1).keys()].filter((c) => !seat || !shared(c)).map((c) => field(seat, c)));

	const plain = (r) => svg("circle", { r, class: "tile dark" }); // on which marks are clear
	// The first token of a pile lies on top.
	const pieces = [0, 1].flatMap((seat) => at[seat].map((cell, i) => {
		const below = at[seat].slice(i + 1).filter((c) => c === cell).length;
		const ready = seat === me && mine.includes(i), kind = kinds[seat];
		return svg("g", {
			piece: "ab"[seat] + i, transform: place(seat, cell, pile(cell) ? 3 * below - 5 : 2),
			...ready && {
				id: `token-${i}`, label: label(state, i), goes: [track(seat, cell, goal(state, i)).slice(1)],
				onclick: () => page.send(String(i)),
				onhold: ({ end }) => {
					ui.held = end ? undefined : i;
					page.redraw();
				},
			},
		}, ready && [svg("rect", { x: -40, y: -40, width: 80, height: 80, fill: "transparent" }), plain(36)], page.disc(kind, { r: 27 }, page.letters
			? svg("text", { class: kind, y: 9, "text-anchor": "middle", "font-size": 26, "font-weight": 700, style: "fill: var(--body-ink)" }, String(i))
			: svg("path", { class: kind, d: dots(9.5), style: "stroke: var(--body-ink)", "stroke-width": 6.5, ...round })),
		ready && page.ring({ r: 33 }));
	}).reverse());
	// A click on a target moves, too; a dragged token has only its own. The keyboard uses tokens.
	const targets = mine.filter((i) => (ui.held ?? i) === i).map((i) => svg("g", { transform: place(me, goal(state, i)), tabindex: "-1", onclick: () => {
		ui.held = undefined;
		page.send(String(i));
	} }, !captures(state, i) && plain(20), page.target({ capture: captures(state, i) })));
	const event = last && (finished(state, last.seat) === tokens ? "won" : last.captured ? "captured" : rosette(last.to) && "again");

	return svg("svg", { viewBox: "-2 -28 672 386", role: "group", "aria-label": t("Board"), tabindex: state.player && "0" }, inlays(svg),
		page.tile("rim", { d: outline, transform: "translate(0 7)", style: "fill: var(--rim-line)" }), page.tile("rim", { d: outline }), svg("path", { class: "grain", d: outline }),
		cells, pieces, targets, event && svg("g", { transform: place(last.seat, last.to) }, page.note(event)), toss(state, page));
}

// toss draws the last roll: dice from above, which count if their upper tip is white.
function toss({ roll: r, legal, names }, { svg, tile, disc, fresh }) {
	if (!r) return null;
	const fall = fresh && (legal.length > 0 || r.passed) && "enter"; // they have just been tossed
	return svg("g", { role: "img", "aria-label": t("{name} tossed {heads}", { name: names[r.by], heads: r.heads }) },
		tile("dark", { ...edge, y: 288, width: 310, height: 66, rx: 10 }),
		svg("g", { transform: "translate(34 320)" }, disc(kinds[r.by], { r: 16 })),
		r.coins.map((white, i) => svg("g", { class: fall, transform: `translate(${95 + i * 60} 326) rotate(${[9, -11, 4, -7][i]})` },
			svg("path", { d: "M0-30L26 15H-26Z", ...round, fill: "var(--black)", stroke: "#000", "stroke-width": 3 }), svg("path", { d: "M0 0V-30M0 0L26 15M0 0L-26 15", stroke: "#fff5" }),
			white > 0 && svg("path", { fill: "#fff", d: "M0-11L9.5 5.5H-9.5Z" }))),
		svg("text", { x: 326, y: 333, "font-size": 34, "font-weight": 700, fill: "var(--ink)" }, String(r.heads)),
		r.passed && svg("text", { x: 360, y: 332, "font-size": 24, fill: "var(--soft)" }, t("no move")));
}
