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
		"{colour} tower on {square}": "Torre {colour} in {square}",
		"{colour} tower on {square}, chosen": "Torre {colour} in {square}, scelta",
		"The match has not begun": "La partita non è ancora iniziata",
		"Last move: {side}, {move}.": "Ultima mossa: {side}, {move}.",
		"{colour} {square}": "{colour} {square}",
	},
};

const sides = () => [t("Black"), t("White")];
const letters = "OBPKYRGN";
const colours = {
	O: { name: () => t("orange"), fill: "#f59b3c" }, B: { name: () => t("blue"), fill: "#5fa8ee" }, P: { name: () => t("purple"), fill: "#a98ae4" }, K: { name: () => t("pink"), fill: "#f7a9cd" },
	Y: { name: () => t("yellow"), fill: "#f4dc57" }, R: { name: () => t("red"), fill: "#f0695e" }, G: { name: () => t("green"), fill: "#62c174" }, N: { name: () => t("brown"), fill: "#b98a62" },
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
	if (move.from !== move.to && Math.floor(move.to / 8) === (side ? 0 : 7)) state.end = t("{name} reached row {row}", { name: state.names[side], row: side ? 1 : 8 });
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

const side = 80; // of a square
const edge = 20;

export function draw(state, page) {
	const { svg, html, ui } = page;
	const flipped = (state.me === 1) !== page.flipped;
	const at = (s) => ({ x: edge + side * (flipped ? 7 - s % 8 : s % 8) + side / 2, y: edge + side * (flipped ? Math.floor(s / 8) : 7 - Math.floor(s / 8)) + side / 2 });
	const choices = page.premove ? plans(state) : page.playing ? mine(state) : [];
	const given = page.premove ? null : state.tower; // the user cannot choose
	const chosen = given || ui.tower;
	const targets = choices.filter((m) => m.tower === chosen);
	const all = [...Array(64).keys()];

	const field = (s) => {
		const { x, y } = at(s);
		return svg("g", { square: name(s), transform: `translate(${x - side / 2} ${y - side / 2})` },
			svg("rect", { width: side, height: side, fill: colours[picture[s]].fill, stroke: "#0003" }),
			svg("text", { x: 4, y: 22, "font-size": 23, fill: "#15181e" }, picture[s]));
	};

	const tower = (owner, letter) => {
		const s = state.towers[owner][letter];
		const { x, y } = at(s);
		const due = !state.end && (state.side === owner && letter === state.tower || owner === state.me && letter === ui.tower);
		const free = choices.some((m) => m.tower === letter) && owner === state.me && !given;
		return svg("g", {
			id: `tower-${owner}${letter}`, piece: owner + letter, transform: `translate(${x} ${y})`, "aria-pressed": free && String(ui.tower === letter),
			onhold: owner === state.me && targets.length > 0 && letter === given && (() => {}), // it is chosen already
			onclick: free && (() => {
				ui.tower = letter;
				page.redraw();
			}),
			label: free && (ui.tower === letter ? t("{colour} tower on {square}, chosen", { colour: colours[letter].name(), square: name(s) }) : t("{colour} tower on {square}", { colour: colours[letter].name(), square: name(s) })),
		}, free && svg("rect", { x: -side / 2, y: -side / 2, width: side, height: side, fill: "transparent" }),
		due && [
			svg("circle", { r: 35, fill: "none", stroke: "#15181e", "stroke-width": 7 }),
			svg("circle", { r: 35, fill: "none", stroke: "#fff", "stroke-width": 3, "stroke-dasharray": "9 5" }),
		],
		free && !due && !page.premove && svg("circle", { r: 34, fill: "none", stroke: "#15181e", "stroke-width": 3, "stroke-dasharray": "7 5" }),
		owner
			? svg("circle", { r: 28, fill: "#fdfdfd", stroke: "#15181e", "stroke-width": 2.5 })
			: svg("path", { d: "M-12 -29 H12 L29 -12 V12 L12 29 H-12 L-29 12 V-12 Z", fill: "#15181e", stroke: "#fff", "stroke-width": 1.5 }),
		svg("circle", { r: 19, fill: colours[letter].fill, stroke: "#15181e", "stroke-width": 1.5 }),
		svg("text", { y: 9.5, "text-anchor": "middle", "font-size": 27, "font-weight": 700, fill: "#15181e" }, letter));
	};

	const target = (m) => {
		const { x, y } = at(m.to);
		return svg("g", { id: `to-${name(m.to)}`, onclick: () => page.send(name(m.from) + name(m.to)), label: label(m) },
			svg("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, fill: "transparent" }),
			svg("circle", { class: "dot", cx: x, cy: y, r: 13, fill: "#fff", stroke: "#15181e", "stroke-width": 5 }));
	};

	const coordinates = [...Array(8).keys()].flatMap((i) => [
		[at(i).x, edge - 3, "abcdefgh"[i]], [at(i).x, edge + 8 * side + 16, "abcdefgh"[i]],
		[edge / 2, at(8 * i).y + 8, i + 1], [edge * 1.5 + 8 * side, at(8 * i).y + 8, i + 1],
	]).map(([x, y, text]) => svg("text", { x, y, "text-anchor": "middle", "font-size": 22, fill: "var(--soft)" }, String(text)));

	const size = 8 * side + 2 * edge;
	return html("div", null, html("style", null, style),
		svg("svg", {
			viewBox: `0 0 ${size} ${size}`, class: "kamisado", id: "kamisado", role: choices.length ? "group" : "img",
			tabindex: state.player && "0", label: describe(state),
		}, coordinates, svg("g", { "aria-hidden": "true" }, all.map(field), state.last && trail(svg, at(state.last.from), at(state.last.to))),
		[0, 1].map((owner) => [...letters].map((letter) => tower(owner, letter))), targets.map(target)));
}

// trail draws the last move: an arrow, or a frame around a tower that stayed.
function trail(svg, from, to) {
	const box = (p, dash) => ["#fff", "#15181e"].map((stroke, i) => svg("rect", {
		x: p.x - 36, y: p.y - 36, width: 72, height: 72, rx: 6, fill: "none", stroke, "stroke-width": i ? 3 : 6, "stroke-dasharray": dash,
	}));
	const way = from.x === to.x && from.y === to.y ? [] : ["#fff", "#15181e"].map((stroke, i) => svg("line", {
		x1: from.x, y1: from.y, x2: to.x, y2: to.y, stroke, "stroke-width": i ? 5 : 9, "stroke-linecap": "round", "stroke-dasharray": "2 14",
	}));
	return svg("g", { class: "last" }, box(from, "8 6"), box(to), way);
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const where = (owner) => `${sides()[owner]}: ${[...letters].map((c) => t("{colour} {square}", { colour: colours[c].name(), square: name(state.towers[owner][c]) })).join(", ")}.`;
	const { last } = state;
	return `${status(state).caption}. ${last ? `${t("Last move: {side}, {move}.", { side: last.side ? t("white") : t("black"), move: label(last) })} ` : ""}${where(0)} ${where(1)}`;
}

const style = `
.kamisado .choice:focus-visible { outline: 5px solid #15181e; outline-offset: -3px; }
.kamisado .choice:hover .dot, .kamisado .choice:focus-visible .dot { fill: #15181e; stroke: #fff; }
`;
