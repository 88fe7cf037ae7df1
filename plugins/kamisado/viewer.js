// The viewer of kamisado. docs/viewers.md describes the exported functions.

export const texts = {
	it: {
		Black: "Nero", White: "Bianco", black: "nero", white: "bianco",
		orange: "arancione", blue: "azzurra", purple: "viola", pink: "rosa", yellow: "gialla", red: "rossa", green: "verde", brown: "marrone",
		forfeits: "perde per forfait",
		"{name} forfeited": "{name} ha perso per forfait",
		"{name} reached row {row}": "{name} ha raggiunto la riga {row}",
		"{name} made the last move before the deadlock": "{name} ha fatto l'ultima mossa prima del blocco",
		"{square} is blocked": "{square} è bloccata",
		"{colour} {from}–{to}": "{colour} {from}–{to}",
		"{colour} {from} to {to}, {square}": "Torre {colour} da {from} a {to}, casella {square}",
		"Black must move a tower": "Il nero deve muovere una torre",
		"Black must move the {colour} tower": "Il nero deve muovere la torre {colour}",
		"White must move the {colour} tower": "Il bianco deve muovere la torre {colour}",
		"The last tower stopped on {colour}: move your {colour} tower": "L'ultima torre si è fermata su una casella {colour}: muovi la tua torre {colour}",
		"Choose any of your towers": "Scegli una delle tue torri",
		"Bring any tower of yours to the far row. Towers go straight or diagonally forward, as far as the way is free. The opponent must move the tower of the colour on which your tower stops.":
			"Porta una delle tue torri sull'ultima riga. Le torri vanno avanti, dritte o in diagonale, finché la via è libera. L'avversario deve muovere la torre del colore su cui si ferma la tua.",
		"{colour} tower ({side}) on {square}": "Torre {colour} ({side}) in {square}",
		"{colour} tower ({side}) on {square}, chosen": "Torre {colour} ({side}) in {square}, scelta",
		"The match has not begun": "La partita non è ancora iniziata",
		"Last move: {side}, {move}.": "Ultima mossa: {side}, {move}.",
		"{colour} {square}": "{colour} {square}",
	},
};

const sides = () => [t("Black"), t("White")];
const letters = "OBPKYRGN";

// Eight colours cannot differ for everybody, so each has an emblem.
const colours = {
	O: { name: () => t("orange"), fill: "#ff7f0a", emblem: "M-11.5 0a11.5 11.5 0 0 1 23 0 11.5 11.5 0 0 1-23 0Z" },
	B: { name: () => t("blue"), fill: "#1766ee", emblem: "M-13-4q6.5-10 13-3.5t13-3.5v6q-6.5 10-13 3.5t-13 3.5Zm0 10q6.5-10 13-3.5t13-3.5v6q-6.5 10-13 3.5t-13 3.5Z" },
	P: { name: () => t("purple"), fill: "#7f37a6", emblem: "M0-14.5 10.5 0 0 14.5-10.5 0Z" },
	K: { name: () => t("pink"), fill: "#ffa9d8", emblem: "M0 12.5C-6 7-13 2-13-5a6.7 6.7 0 0 1 13-1.5A6.7 6.7 0 0 1 13-5C13 2 6 7 0 12.5Z" },
	Y: { name: () => t("yellow"), fill: "#ffee4a", emblem: "M0-14 3.5-5 13-4 6 2 8 11 0 6-8 11-6 2-13-4-3.5-5Z" },
	R: { name: () => t("red"), fill: "#d0322f", emblem: "M0-13 13 10H-13Z" },
	G: { name: () => t("green"), fill: "#38b877", emblem: "M-4.5-12.5h9v8h8v9h-8v8h-9v-8h-8v-9h8Z" },
	N: { name: () => t("brown"), fill: "#592c16", emblem: "M-10.5-10.5h21v21h-21Z" },
};

// picture has the colours of the squares from a1 to h8. A square is a number:
// 8 times its row counted from row 1, plus its column counted from a.
const picture = "NGRYKPBO" + "PNYBGKOR" + "BYNPROKG" + "YRGNOBPK" + "KPBONGRY" + "GKORPNYB" + "ROKGBYNP" + "OBPKYRGN";

const name = (square) => "abcdefgh"[square % 8] + (1 + Math.floor(square / 8));

// All receive both names, and a player then its side, 0 for black or 1 for white. The
// other lines are moves, including those of blocked towers.
export function start(match) {
	const towers = [{}, {}]; // by side, the square of the tower of each colour
	for (let column = 0; column < 8; column++) {
		towers[0][picture[column]] = column;
		towers[1][picture[56 + column]] = 56 + column;
	}
	return { player: match.role === "player", me: null, names: [], towers, side: 0, tower: null, real: null, last: null, end: "" };
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
	if (line === "RETIRE") {
		state.end = t("{name} forfeited", { name: state.names[state.side] });
		return { text: t("forfeits"), seat: state.side };
	}
	const { side } = state;
	const move = moves(state).find((m) => name(m.from) + name(m.to) === line);
	if (!move || state.end) return;
	state.towers[side][move.tower] = move.to;
	const passed = state.last && state.last.from === state.last.to;
	state.last = { ...move, side };
	if (move.from !== move.to) state.real = side;
	state.side = 1 - side;
	state.tower = picture[move.to];
	state.last.won = move.from !== move.to && Math.floor(move.to / 8) === (side ? 0 : 7);
	if (state.last.won) state.end = t("{name} reached row {row}", { name: state.names[side], row: side ? 1 : 8 });
	else if (!passed && move.from === move.to && blocked(state)) state.end = t("{name} made the last move before the deadlock", { name: state.names[state.real] });
	const path = squares(move);
	return { path, text: move.from === move.to ? t("{square} is blocked", { square: name(move.from) }) : t("{colour} {from}–{to}", { colour: colours[move.tower].name(), from: name(move.from), to: name(move.to) }), seat: side };
}

// reach returns the squares to which a tower can move.
function reach(state, side, tower) {
	const taken = new Set([...Object.values(state.towers[0]), ...Object.values(state.towers[1])]);
	const up = side ? -1 : 1;
	const list = [];
	for (const sideways of [-1, 0, 1]) {
		const from = state.towers[side][tower];
		let row = Math.floor(from / 8) + up, column = from % 8 + sideways;
		while (row >= 0 && row < 8 && column >= 0 && column < 8 && !taken.has(8 * row + column)) {
			list.push(8 * row + column);
			row += up;
			column += sideways;
		}
	}
	return list;
}

const blocked = (state) => state.tower !== null && reach(state, state.side, state.tower).length === 0;

// moves returns the legal moves, or the move of distance zero of a blocked tower.
function moves(state) {
	const own = state.towers[state.side];
	if (blocked(state)) return [{ tower: state.tower, from: own[state.tower], to: own[state.tower] }];
	return (state.tower ? [state.tower] : [...letters]).flatMap((tower) => reach(state, state.side, tower).map((to) => ({ tower, from: own[tower], to })));
}

const squares = (m) => [name(m.from), name(m.to)];

// plans returns the moves that the user can plan in the opponent's turn, which decides the tower.
const plans = (state) => (state.me === null || state.end ? [] : moves({ ...state, side: state.me, tower: null }));

// path returns the squares of a line that the player could send or plan.
export function path(state, line) {
	const move = [...moves(state), ...plans(state)].find((m) => squares(m).join("") === line);
	return move ? squares(move) : null;
}

// mine returns the moves that the user can send now.
const mine = (state) => (state.me === state.side && !state.end && !blocked(state) ? moves(state) : []);

const label = (m) => t("{colour} {from} to {to}, {square}", { colour: colours[m.tower].name(), from: name(m.from), to: name(m.to), square: colours[picture[m.to]].name() });

export function status(state) {
	const colour = state.tower && colours[state.tower].name();
	return {
		players: [0, 1].map((side) => ({ name: state.names[side], marker: side ? "white" : "black", note: side ? t("white") : t("black") })),
		seat: state.me,
		turn: state.end || state.names.length < 2 ? [] : state.side,
		caption: state.end || (state.names.length < 2 ? "" : state.me === state.side ? (colour ? t("The last tower stopped on {colour}: move your {colour} tower", { colour }) : t("Choose any of your towers"))
			: !colour ? t("Black must move a tower") : state.side ? t("White must move the {colour} tower", { colour }) : t("Black must move the {colour} tower", { colour })),
		end: state.end,
		goal: t("Bring any tower of yours to the far row. Towers go straight or diagonally forward, as far as the way is free. The opponent must move the tower of the colour on which your tower stops."),
		choices: mine(state).map((m) => ({ line: name(m.from) + name(m.to), label: label(m) })),
	};
}

// A tower is a pile of octagons, seen from above at an angle: {r, foot, y, h} has its upper face
// around y, and below it three walls of this height, which end at the radius foot.
const high = (r) => 0.78 * r;
const outline = (points) => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" ")}Z`;
const corners = (r, y) => [[-1, 0.41], [-0.41, 1], [0.41, 1], [1, 0.41], [1, -0.41], [0.41, -1], [-0.41, -1], [-1, -0.41]].map(([x, z]) => [r * x, y + high(r * z)]);
const face = ({ r, y }) => outline(corners(r, y));
const walls = ({ r, foot, y, h }, from = 0) => outline([...corners(r, y).slice(from, 4).reverse(), ...corners(foot, y + h).slice(from, 4)]);
const parts = [{ r: 29.5, foot: 30, y: 8, h: 5 }, { r: 27, foot: 27.5, y: 4.5, h: 3.5 }, { r: 23, foot: 25, y: -5, h: 9.5 }, { r: 26.5, foot: 23, y: -10.5, h: 5.5 }];
const cap = { r: 23, foot: 24, y: -14, h: 3.5 };
const shaded = parts.map((p) => walls(p, 2)).join("") + walls(cap);

function tower({ svg, letters }, kind, letter) {
	const { fill, emblem } = colours[letter];
	const on = "BPRN".includes(letter) ? "#fff" : "#1b1512";
	const sign = (x, size) => svg("path", { d: emblem, fill: on, transform: `translate(${x} ${cap.y}) scale(${size} ${high(size)})` });
	return [
		svg("ellipse", { class: "shade", cx: 2, cy: 12, rx: 34, ry: 29 }),
		parts.map((p) => [svg("path", { class: `side ${kind}`, d: walls(p) }), svg("path", { class: `face ${kind}`, d: face(p) })]),
		svg("path", { class: "cap", fill, d: walls(cap) }), svg("path", { class: `facet ${kind}`, d: shaded }), svg("path", { class: "cap", fill, d: face(cap) }),
		letters ? [svg("text", { x: -8, y: -5.5, "text-anchor": "middle", "font-size": 24, fill: on }, letter), sign(9.5, 0.6)] : sign(0, 1.1),
	];
}

export function draw(state, page) {
	const { svg, html, ui } = page;
	const flipped = (state.me === 1) !== page.flipped;
	const turn = (i) => (flipped ? 7 - i : i);
	const at = (s) => `translate(${60 + 80 * turn(s % 8)} ${620 - 80 * turn(Math.floor(s / 8))})`;
	const choices = page.premove ? plans(state) : page.playing ? mine(state) : [];
	const given = page.premove ? null : state.tower; // the user cannot choose
	const chosen = given || ui.tower;
	const targets = choices.filter((m) => m.tower === chosen);

	const square = (column, row) => {
		const s = 8 * turn(7 - row) + turn(column), { fill, emblem } = colours[picture[s]];
		const played = state.last && [state.last.from, state.last.to].includes(s);
		return {
			name: name(s), kind: "light", fill: `color-mix(in srgb, ${fill} 46%, var(--light))`, played,
			draw: [
				played && svg("rect", { class: "within", x: 5.5, y: 5.5, width: 69, height: 69 }),
				svg("path", { class: page.letters ? "emblem strong" : "emblem", fill: `color-mix(in srgb, ${fill} 40%, #000)`, d: emblem, transform: "translate(40 40) scale(1.4)" }),
				page.letters && svg("text", { x: 3, y: 20, "font-size": 22 }, picture[s]),
			],
		};
	};

	const piece = (owner, letter) => {
		const s = state.towers[owner][letter];
		const due = !state.end && (state.side === owner && letter === state.tower || owner === state.me && letter === ui.tower);
		const goes = owner === state.me && !given && choices.filter((m) => m.tower === letter).map((m) => name(m.to));
		const free = goes.length > 0;
		const about = { colour: colours[letter].name(), side: owner ? t("white") : t("black"), square: name(s) };
		return svg("g", {
			id: `tower-${owner}${letter}`, piece: owner + letter, transform: at(s), "aria-pressed": free && String(ui.tower === letter), goes: free && goes,
			onhold: owner === state.me && targets.length > 0 && letter === given && (() => {}), // it is chosen already
			onclick: free && (() => {
				ui.tower = letter;
				page.redraw();
			}),
			label: free && (ui.tower === letter ? t("{colour} tower ({side}) on {square}, chosen", about) : t("{colour} tower ({side}) on {square}", about)),
		}, free && svg("rect", { x: -40, y: -40, width: 80, height: 80, fill: "transparent" }),
		(due || free && !page.premove) && page.ring({ r: 37, chosen: due }),
		tower(page, owner ? "white" : "black", letter),
		state.last?.won && state.last.to === s && page.note("won"));
	};

	const target = (m) => svg("g", { id: `to-${name(m.to)}`, transform: at(m.to), onclick: () => page.send(name(m.from) + name(m.to)), label: label(m) }, page.target());
	const order = (text) => (flipped ? [...text].reverse() : [...text]);

	return html("div", null, html("style", null, style),
		svg("svg", {
			viewBox: "0 0 680 680", class: "kamisado", id: "kamisado", role: choices.length ? "group" : "img",
			tabindex: state.player && "0", label: describe(state),
		}, page.board({ columns: 8, square, below: order("abcdefgh"), left: order("87654321") }),
		[0, 1].map((owner) => [...letters].map((letter) => piece(owner, letter))), targets.map(target)));
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const where = (owner) => `${sides()[owner]}: ${[...letters].map((c) => t("{colour} {square}", { colour: colours[c].name(), square: name(state.towers[owner][c]) })).join(", ")}.`;
	const { last } = state;
	return `${status(state).caption}. ${last ? `${t("Last move: {side}, {move}.", { side: last.side ? t("white") : t("black"), move: label(last) })} ` : ""}${where(0)} ${where(1)}`;
}

const style = `
.kamisado .white { --body-side: color-mix(in srgb, var(--white-side), var(--white)); }
.kamisado .black { --body-side: color-mix(in srgb, var(--black), var(--black-high) 60%); --body-line: color-mix(in srgb, var(--black), #fff 38%); }
.kamisado :is(.side, .face, .facet, .cap) { stroke-width: 1; }
.kamisado .facet { fill-opacity: calc(.5 * var(--shade)); stroke: var(--body-line); }
.kamisado .cap { stroke: #1b1512; }
.kamisado text:not(.coordinate) { font-weight: 700; }
.kamisado .emblem { opacity: .68; }
.kamisado .strong { fill: #1b1512; opacity: .8; }
.kamisado :is(.played, .within, .dot) { fill: none; }
.kamisado .played { stroke-width: 7; }
.kamisado .within { stroke: #1b1512; stroke-width: 1.5; opacity: .6; }
.kamisado .dot { scale: 2.3; transform-box: fill-box; transform-origin: center; stroke: var(--choice); stroke-width: 2.6; opacity: 1; } /* around the emblem */
`;
