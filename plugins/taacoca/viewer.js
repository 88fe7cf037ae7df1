// The viewer of taacoca. docs/viewers.md describes the exported functions.

export const texts = {
	it: {
		White: "Bianco", Black: "Nero",
		left: "sinistra", right: "destra",
		forfeits: "perde per forfait",
		"{name} forfeited": "{name} ha perso per forfait",
		"{name} reached row {row}": "{name} ha raggiunto la riga {row}",
		"{name} has no stones left": "{name} non ha più pedine",
		"{name} has no moves left": "{name} non ha più mosse",
		"{n} stone|{n} stones": "{n} pedina|{n} pedine",
		"Choose {n} stone, then the direction|Choose {n} stones, then the direction": "Scegli {n} pedina, poi la direzione|Scegli {n} pedine, poi la direzione",
		"White to move, towards row {row}": "Tocca al bianco, verso la riga {row}",
		"Black to move, towards row {row}": "Tocca al nero, verso la riga {row}",
		"Bring a stone to the far row, or leave the opponent without stones or moves. A turn moves three stones by one cell, all in the same direction; a stone that lands on an opponent's captures it.":
			"Porta una pedina sull'ultima riga, o lascia l'avversario senza pedine o senza mosse. A ogni mossa si spostano tre pedine di una casella, tutte nella stessa direzione; una pedina che arriva su una avversaria la cattura.",
		"Stone {cell}": "Pedina {cell}",
		"Stone {cell}, chosen": "Pedina {cell}, scelta",
		"Move {stones} left ({direction})": "Muovi {stones} a sinistra ({direction})",
		"Move {stones} right ({direction})": "Muovi {stones} a destra ({direction})",
		"left ({direction})": "sinistra ({direction})", "right ({direction})": "destra ({direction})",
		"Which way?": "Da che parte?",
		"{chosen} of {n} stone|{chosen} of {n} stones": "{chosen} di {n} pedina|{chosen} di {n} pedine",
		"The match has not begun": "La partita non è ancora iniziata",
		"no stones": "nessuna pedina",
		"Last move: {move}.": "Ultima mossa: {move}.",
		"Last move: {move}, captured on {cells}.": "Ultima mossa: {move}, catture in {cells}.",
	},
};

const sides = () => [t("White"), t("Black")];
const rows = "ABCDEFGHI";
const sizes = [5, 6, 7, 8, 9, 8, 7, 6, 5]; // cells of the rows

// cells has the names of all cells. A position is an object with the side of each stone,
// 0 or 1, by the name of its cell.
const cells = sizes.flatMap((size, row) => Array.from({ length: size }, (_, i) => rows[row] + (i + 1)));
const rowOf = (cell) => rows.indexOf(cell[0]);

// goals has the rows to reach, by side.
const goals = ["I", "A"];

// All receive both names, and a player then its side, 0 for white or 1 for black. The other
// lines are moves. Those that the player sends can have small letters and any order.
export function start(match) {
	const stones = {}, ids = {};
	for (const cell of cells) {
		const row = rowOf(cell), before = Math.min(row, 8 - row), n = Number(cell[1]);
		if (before < 3 && n > before && n <= 5) [stones[cell], ids[cell]] = [row > 4 ? 1 : 0, cell];
	}
	return { player: match.role === "player", me: null, names: [], stones, ids, side: 0, last: null, end: "" };
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
	if (state.end) return;
	const { side } = state;
	if (line === "RETIRE") {
		state.end = t("{name} forfeited", { name: state.names[side] });
		return { text: t("forfeits"), seat: side };
	}
	const words = line.toUpperCase().split(" ");
	const direction = words.pop();
	const move = moves(state).find((m) => m.direction === direction && m.from.length === words.length && m.from.every((cell) => words.includes(cell)));
	if (!move) return;
	const taken = move.to.filter((cell) => state.stones[cell] === 1 - side);
	const ids = move.from.map((cell) => state.ids[cell]);
	for (const cell of move.from) delete state.stones[cell];
	move.to.forEach((cell, i) => ([state.stones[cell], state.ids[cell]] = [side, ids[i]]));
	state.side = 1 - side;
	state.last = { ...move, taken, side };
	if (move.to.some((cell) => cell[0] === goals[side])) state.end = t("{name} reached row {row}", { name: state.names[side], row: goals[side] });
	else if (count(state, 1 - side) === 0) state.end = t("{name} has no stones left", { name: state.names[1 - side] });
	else if (moves(state).length === 0) state.end = t("{name} has no moves left", { name: state.names[1 - side] });
	return { text: text(move) + (taken.length ? ` ×${taken.length}` : ""), seat: side, path: paths(move), sound: taken.length ? "capture" : "move" };
}

const paths = (m) => m.from.map((cell, i) => [cell, m.to[i]]);

// plans returns the moves that the user can plan in the opponent's turn.
const plans = (state) => (state.me === null || state.end ? [] : moves({ ...state, side: state.me }));

const named = (list, line) => list.find((m) => text(m) === line);

// path returns the squares of a line that the player could send or plan.
export function path(state, line) {
	const move = named(moves(state), line) ?? named(plans(state), line);
	return move ? paths(move) : null;
}

// legal reports whether the player can send a line: status does not list hundreds of them.
export const legal = (state, line) => state.me === state.side && !state.end && Boolean(named(moves(state), line));

const text = (m) => [...m.from, m.direction].join(" ");
const count = (state, side) => Object.values(state.stones).filter((s) => s === side).length;

// step returns the cell that a stone of a side enters, or null off the board. Left and right
// are those of the picture with row A at the bottom.
function step(cell, side, direction) {
	const row = rowOf(cell), next = row + (side ? -1 : 1);
	const widens = sizes[next] > sizes[row];
	const number = Number(cell[1]) - (direction === "L" && !widens ? 1 : 0) + (direction === "R" && widens ? 1 : 0);
	return number >= 1 && number <= sizes[next] ? rows[next] + number : null;
}

// turnSize returns how many stones the side to move must move.
const turnSize = (state) => Math.min(3, count(state, state.side));

// moves returns the legal moves, with their cells in the order of the board.
function moves(state) {
	const own = cells.filter((cell) => state.stones[cell] === state.side);
	const size = turnSize(state);
	const list = [];
	for (const direction of ["L", "R"]) {
		const ahead = Object.fromEntries(own.map((cell) => [cell, step(cell, state.side, direction)]));
		const choose = (from, next) => {
			if (from.length === size) {
				if (size && from.every((cell) => state.stones[ahead[cell]] !== state.side || from.includes(ahead[cell]))) list.push({ from, to: from.map((cell) => ahead[cell]), direction });
				return;
			}
			for (let i = next; i < own.length; i++) {
				if (ahead[own[i]]) choose([...from, own[i]], i + 1);
			}
		};
		choose([], 0);
	}
	return list;
}

export function status(state) {
	const begun = state.names.length === 2;
	const mine = state.me === state.side;
	const size = turnSize(state);
	const choices = mine && begun && !state.end ? moves(state) : [];
	return {
		players: [0, 1].map((side) => ({ name: state.names[side], marker: side ? "black" : "white", note: t("{n} stone|{n} stones", { n: count(state, side) }) })),
		seat: state.me,
		turn: state.end || !begun ? [] : state.side,
		caption: state.end || (!begun ? "" : mine ? t("Choose {n} stone, then the direction|Choose {n} stones, then the direction", { n: size })
			: state.side ? t("Black to move, towards row {row}", { row: goals[1] }) : t("White to move, towards row {row}", { row: goals[0] })),
		end: state.end,
		goal: t("Bring a stone to the far row, or leave the opponent without stones or moves. A turn moves three stones by one cell, all in the same direction; a stone that lands on an opponent's captures it."),
		choices: choices.length <= 60 ? choices.map((m) => ({ line: text(m), label: text(m) })) : null, // there can be hundreds
	};
}

const wide = 64; // of a cell
const high = wide * Math.sqrt(3) / 2; // from row to row
const radius = wide / Math.sqrt(3); // of a cell: its corners touch those of the next
const corners = (r, { x, y } = { x: 0, y: 0 }) => [30, 90, 150, 210, 270, 330].map((a) => `${x + r * Math.cos(a * Math.PI / 180)},${y + r * Math.sin(a * Math.PI / 180)}`).join(" ");
const rim = "M298 21 Q310 0 298 -21 L167 -248 Q155 -268 131 -268 H-131 Q-155 -268 -167 -248 L-298 -21 Q-310 0 -298 21 L-167 248 Q-155 268 -131 268 H131 Q155 268 167 248 Z";

// shade is one of three, so that neighbours differ.
const shade = (cell) => ((2 * Number(cell[1]) - sizes[rowOf(cell)] + 3 * rowOf(cell) + 11) / 2) % 3;

export function draw(state, page) {
	const { svg, html, ui } = page;
	const flipped = (state.me === 1) !== page.flipped;
	const turned = flipped ? -1 : 1;
	const at = (cell) => ({ x: turned * (Number(cell[1]) - (sizes[rowOf(cell)] + 1) / 2) * wide, y: turned * (4 - rowOf(cell)) * high });
	const mover = page.premove ? state.me : state.side;
	const choices = page.premove ? plans(state) : page.playing && state.me === state.side && !state.end ? moves(state) : [];
	ui.chosen ??= [];
	const fits = (chosen) => choices.filter((m) => (!ui.way || m.direction === ui.way) && chosen.every((cell) => m.from.includes(cell)));
	const fit = fits(ui.chosen);
	const size = turnSize({ ...state, side: mover });
	const full = ui.chosen.length === size;
	const set = (values) => {
		Object.assign(ui, values);
		if (ui.chosen.length === 0) ui.way = null;
		page.redraw();
	};
	const { last } = state;
	const ahead = mover ? turned : -turned; // where stones go: 1 is down
	const word = (text, name, x = 0, y = 0) => svg("text", { class: name, x, y: y + 6.5, "text-anchor": "middle", "font-size": 18 }, text);
	const on = (cell) => `translate(${at(cell).x} ${at(cell).y})`;
	const hexagon = (cell) => svg("g", { square: cell, class: "cell", transform: on(cell) },
		page.tile(`shade-${shade(cell)}`, { points: corners(radius - 0.7) }),
		goals.includes(cell[0]) && svg("polygon", { class: "home", points: corners(radius - 7) }),
		[last?.from, last?.to].flat().includes(cell) && page.played({ points: corners(radius - 2.5) }),
		word(cell, "name"));
	const area = (list) => list.map((cell) => `M${corners(radius, at(cell))}Z`).join("");
	// The grain of each shade has another direction, as in inlaid wood.
	const grain = [0, 1, 2].map((i) => [
		svg("pattern", { id: `grain-${i}`, href: "#grain", width: 80, height: 80, patternTransform: `rotate(${60 * i + 90})` }),
		svg("path", { class: "grain", style: `fill: url(#grain-${i})`, d: area(cells.filter((cell) => shade(cell) === i)) }),
	]);
	const ends = sizes.map((n, row) => [[-1, rows[row]], [1, n]].map(([end, text]) => word(text, "coordinate", end * turned * (n * wide / 2 + 10), turned * (4 - row) * high)));

	const note = (cell) => (cell[0] === goals[last.side] ? "won" : last.taken.includes(cell) && "captured");
	const stone = (cell) => {
		const kind = state.stones[cell] ? "black" : "white";
		const chosen = ui.chosen.includes(cell);
		const free = choices.length > 0 && (chosen || !full && fit.some((m) => m.from.includes(cell)));
		return svg("g", {
			id: `stone-${cell}`, piece: state.ids[cell], class: chosen ? "stone chosen" : "stone", transform: on(cell), "aria-pressed": free && String(chosen),
			onclick: free && (() => set({ chosen: chosen ? ui.chosen.filter((c) => c !== cell) : [...ui.chosen, cell] })),
			onhold: free && (({ end }) => set({ held: end ? null : cell })),
			label: free && (chosen ? t("Stone {cell}, chosen", { cell }) : t("Stone {cell}", { cell })),
			goes: free && [...new Set(fit.filter((m) => m.from.includes(cell)).map((m) => m.direction))].map((way) => step(cell, mover, way)),
		}, free && svg("polygon", { points: corners(radius), fill: "transparent" }),
		free && (chosen || !page.premove) && page.ring({ r: 29, chosen }),
		svg("g", { transform: "translate(0 -2)" }, page.disc(kind, { r: 24 }, word(cell, `name ${kind}`))),
		chosen && svg("g", { class: "note", transform: `translate(21 ${ahead * -21})` }, svg("circle", { r: 11 }), svg("path", { d: "M-5.5 0.5 L-1.5 4.5 L6 -4" })));
	};

	// A stone that is dragged can be dropped in front of it. The first one decides the direction
	// of all, and the last one makes the move.
	const targets = !ui.held ? [] : ["L", "R"].flatMap((way) => {
		const chosen = [...new Set([...ui.chosen, ui.held])];
		const move = fits(chosen).find((m) => m.direction === way);
		if (!move) return [];
		const cell = move.to[move.from.indexOf(ui.held)];
		return svg("g", { id: `to-${way}`, tabindex: "-1", transform: on(cell), onclick: () => {
			set({ chosen, way, held: null });
			if (chosen.length === size) page.send(text(move));
		} }, page.target({ size: wide, points: corners(radius - 1), capture: cell in state.stones }));
	});

	// arrow leads from a cell to the next one, between two distances from its middle.
	const arrow = (from, to, name, start, end) => {
		const a = at(from), b = at(to);
		return svg("path", { class: `arrow ${name}`, transform: `${on(from)} rotate(${Math.atan2(b.y - a.y, b.x - a.x) * 180 / Math.PI})`, d: `M${start} 0H${end}m-6 -5l6 5l-6 5` });
	};
	const way = (cell, direction) => arrow(cell, step(cell, mover, direction), `way-${direction}`, 33, 52);
	const ways = full ? fit.flatMap((m) => m.from.map((cell) => way(cell, m.direction))) : ui.way ? ui.chosen.map((cell) => way(cell, ui.way)) : [];

	// When all stones are chosen, there is a button for each direction, and one in the corner of
	// the picture.
	const directions = (flipped ? ["R", "L"] : ["L", "R"]).map((direction, i) => {
		const move = full && fit.find((m) => m.direction === direction);
		const values = { stones: ui.chosen.join(", "), direction }, side = i ? 1 : -1;
		const label = i ? (move ? t("Move {stones} right ({direction})", values) : t("right ({direction})", values)) : move ? t("Move {stones} left ({direction})", values) : t("left ({direction})", values);
		const onclick = move && (() => page.send(text(move)));
		return {
			button: html("button", { id: `go-${direction}`, class: move && "go", disabled: !move, label, onclick }, i ? `${t("right")} ↗` : `↖ ${t("left")}`),
			corner: move && !ui.held && svg("g", { id: `to-${direction}`, class: "corner", transform: `translate(${side * 256} ${ahead * 220})`, onclick, label },
				svg("circle", { r: 42 }), svg("path", { class: "arrow", transform: `rotate(${side * ahead * 60 + (i ? 0 : 180)})`, d: "M-23 0H23M8 -15L23 0L8 15" })),
		};
	});

	const board = html("div", { class: "taacoca" }, html("style", null, style),
		svg("svg", { viewBox: "-306 -270 612 540", id: "taacoca", class: page.letters && "letters", role: choices.length ? "group" : "img", tabindex: state.player && "0", label: describe(state) },
			svg("g", { "aria-hidden": "true" }, page.tile("rim", { d: rim }), ends, svg("path", { class: "bed", d: area(cells) }), cells.map(hexagon), grain, last?.from.map((cell, i) => arrow(cell, last.to[i], "last", 14, 37))),
			cells.filter((cell) => cell in state.stones).map(stone), targets, directions.map((d) => d.corner),
			svg("g", { "aria-hidden": "true", "pointer-events": "none" }, ways,
				last?.to.map((cell) => note(cell) && svg("g", { transform: on(cell) }, page.note(note(cell), { size: 72 }))))));
	return { board, side: state.player && html("div", { class: "taacoca" }, !page.ended && html("div", { class: "turn" }, directions[0].button,
		html("span", null, !choices.length ? "" : full ? t("Which way?") : t("{chosen} of {n} stone|{chosen} of {n} stones", { chosen: ui.chosen.length, n: size })), directions[1].button)) };
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const where = (side) => `${sides()[side]}: ${cells.filter((cell) => state.stones[cell] === side).join(" ") || t("no stones")}.`;
	const { last } = state;
	const played = !last ? [] : last.taken.length ? [t("Last move: {move}, captured on {cells}.", { move: text(last), cells: last.taken.join(" ") })] : [t("Last move: {move}.", { move: text(last) })];
	return [`${status(state).caption}.`, ...played, where(0), where(1)].join(" ");
}

const style = `
.shade-0 { fill: color-mix(in srgb, var(--light) 80%, var(--dark)); }
.shade-1 { fill: color-mix(in srgb, var(--light) 45%, var(--dark)); }
.shade-2 { fill: color-mix(in srgb, var(--light) 10%, var(--dark)); }
.bed { fill: var(--rim-line); stroke: var(--rim-line); stroke-width: 4; stroke-linejoin: round; }
.home { fill: none; stroke: var(--rim-line); stroke-width: 1.5; opacity: .6; }
.name { opacity: 0; pointer-events: none; }
.cell .name { stroke: var(--light); stroke-width: 5; paint-order: stroke; stroke-linejoin: round; }
.stone .name { fill: var(--body-ink); }
:is(.letters, .cell:hover, .stone:hover, .stone:focus-visible, .chosen) .name { opacity: 1; }
.arrow { fill: none; stroke: var(--choice); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
.last { stroke: var(--rim-line); stroke-width: 2; }
.corner circle { fill: var(--field); stroke: var(--accent); stroke-width: 2; }
.corner .arrow { stroke: var(--accent); stroke-width: 7; }
.over { outline: none; }
.over .area { fill: var(--choice); fill-opacity: .4; }
.corner:hover circle { stroke-width: 5; }
:root:has(:is(#to-L, #go-L):is(:hover, :focus-visible)) .way-R, :root:has(:is(#to-R, #go-R):is(:hover, :focus-visible)) .way-L { opacity: .2; }
.choice:focus-visible { outline: 4px solid var(--accent); outline-offset: 2px; }
.turn { display: flex; flex-wrap: wrap; justify-content: center; align-items: center; gap: .5rem; margin-top: .5rem; }
.turn span { min-width: 6rem; text-align: center; }
.turn button { min-width: 6.5rem; font-size: 1.1rem; }
.turn .go { border: 2px solid var(--accent); font-weight: 700; }
@container (max-width: 20rem) { .turn span { order: -1; flex-basis: 100%; } }
`;
