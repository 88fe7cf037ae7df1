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
const sizes = [5, 6, 7, 8, 9, 8, 7, 6, 5]; // cells of the rows, from A

// cells has the names of all cells. A position is an object with the side of each stone,
// 0 or 1, by the name of its cell.
const cells = sizes.flatMap((size, row) => Array.from({ length: size }, (_, i) => "ABCDEFGHI"[row] + (i + 1)));
const rowOf = (cell) => "ABCDEFGHI".indexOf(cell[0]);

// goals has the rows to reach, by side.
const goals = ["I", "A"];

// All receive both names, and a player then its side, 0 for white or 1 for black. The other
// lines are moves. Those that the player sends can have small letters and any order.
export function start(match) {
	const stones = {}, ids = {};
	for (const [side, names] of ["A1 A2 A3 A4 A5 B2 B3 B4 B5 C3 C4 C5", "I1 I2 I3 I4 I5 H2 H3 H4 H5 G3 G4 G5"].entries()) {
		for (const cell of names.split(" ")) [stones[cell], ids[cell]] = [side, cell];
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
	return number >= 1 && number <= sizes[next] ? "ABCDEFGHI"[next] + number : null;
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

export function draw(state, page) {
	const { svg, html, ui } = page;
	const flipped = (state.me === 1) !== page.flipped;
	const at = (cell) => {
		const row = rowOf(cell);
		const x = (Number(cell[1]) - (sizes[row] + 1) / 2) * wide, y = (4 - row) * high;
		return { x: 320 + (flipped ? -x : x), y: 266 + (flipped ? -y : y) };
	};
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

	const corners = (x, y, r) => [30, 90, 150, 210, 270, 330].map((a) => `${x + r * Math.cos(a * Math.PI / 180)},${y + r * Math.sin(a * Math.PI / 180)}`).join(" ");
	const radius = wide / Math.sqrt(3); // of a cell: its corners touch those of the next

	const hexagon = (cell) => {
		const { x, y } = at(cell);
		const home = cell[0] === "A" || cell[0] === "I";
		return svg("g", { square: cell },
			svg("polygon", { points: corners(x, y, radius - 1.5), fill: home ? "var(--home)" : "var(--cell)", stroke: "var(--line)", "stroke-width": 1.5 }),
			svg("text", { x, y: y + 7, "text-anchor": "middle", "font-size": 20, fill: home ? "var(--ink)" : "var(--soft)" }, cell));
	};

	const stone = (cell) => {
		const owner = state.stones[cell];
		const { x, y } = at(cell);
		const chosen = ui.chosen.includes(cell);
		const free = chosen || !full && fit.some((m) => m.from.includes(cell));
		return svg("g", {
			id: `stone-${cell}`, piece: state.ids[cell], transform: `translate(${x} ${y})`, "aria-pressed": free && String(chosen),
			onclick: free && choices.length > 0 && (() => set({ chosen: chosen ? ui.chosen.filter((c) => c !== cell) : [...ui.chosen, cell] })),
			onhold: free && choices.length > 0 && (({ end }) => set({ held: end ? null : cell })),
			label: free && choices.length > 0 && (chosen ? t("Stone {cell}, chosen", { cell }) : t("Stone {cell}", { cell })),
		}, free && choices.length > 0 && svg("polygon", { points: corners(0, 0, radius), fill: "transparent" }),
		choices.length > 0 && free && (chosen || !page.premove) && svg("circle", { class: "free", r: 28, fill: "none", stroke: "var(--accent)", "stroke-width": chosen ? 6 : 3, "stroke-dasharray": chosen ? null : "7 5" }),
		owner
			? svg("path", { d: "M-9 -22 H9 L22 -9 V9 L9 22 H-9 L-22 9 V-9 Z", fill: "#15181e", stroke: "#fff", "stroke-width": 2 })
			: svg("circle", { r: 22, fill: "#fdfdfd", stroke: "#15181e", "stroke-width": 2.5 }),
		svg("text", { y: 7, "text-anchor": "middle", "font-size": 20, "font-weight": chosen ? 700 : 400, fill: owner ? "#fff" : "#15181e" }, chosen ? "✓" : cell));
	};

	// A stone that is dragged can be dropped in front of it. The first one decides the direction
	// of all, and the last one makes the move.
	const targets = !ui.held ? [] : ["L", "R"].flatMap((way) => {
		const chosen = [...new Set([...ui.chosen, ui.held])];
		const move = fits(chosen).find((m) => m.direction === way);
		if (!move) return [];
		const { x, y } = at(move.to[move.from.indexOf(ui.held)]);
		return svg("g", { id: `to-${way}`, tabindex: "-1", onclick: () => {
			set({ chosen, way, held: null });
			if (chosen.length === size) page.send(text(move));
		} },
			svg("polygon", { points: corners(x, y, radius - 4), fill: "var(--accent)", "fill-opacity": 0.15, stroke: "var(--accent)", "stroke-width": 4, "stroke-dasharray": "9 6" }),
			svg("circle", { cx: x, cy: y, r: 9, fill: "var(--accent)" }));
	});

	const arrow = (from, to, colour, width) => {
		const a = at(from), b = at(to);
		const turn = Math.atan2(b.y - a.y, b.x - a.x) * 180 / Math.PI;
		return svg("g", { transform: `translate(${(a.x + b.x) / 2} ${(a.y + b.y) / 2}) rotate(${turn})`, fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" },
			svg("path", { d: "M-10 0 H9 M2 -7 L9 0 L2 7", stroke: "var(--paper)", "stroke-width": width + 4 }),
			svg("path", { d: "M-10 0 H9 M2 -7 L9 0 L2 7", stroke: colour, "stroke-width": width }));
	};
	const { last } = state;
	const was = (cell) => svg("circle", { cx: at(cell).x, cy: at(cell).y, r: 23, fill: "none", stroke: "var(--ink)", "stroke-width": 2, "stroke-dasharray": "4 5" });
	// A cross in the corner marks a stone that has captured another.
	const cross = (cell) => svg("g", { transform: `translate(${at(cell).x + 17} ${at(cell).y - 19})`, "stroke-linecap": "round" },
		svg("circle", { r: 10, fill: "var(--paper)", stroke: "var(--bad)", "stroke-width": 2 }),
		svg("path", { d: "M-4 -4 L4 4 M4 -4 L-4 4", stroke: "var(--bad)", "stroke-width": 3 }));

	const directions = (flipped ? ["R", "L"] : ["L", "R"]).map((direction, i) => {
		const move = full && fit.find((m) => m.direction === direction);
		const stones = ui.chosen.join(", ");
		const words = i ? (move ? t("Move {stones} right ({direction})", { stones, direction }) : t("right ({direction})", { direction }))
			: move ? t("Move {stones} left ({direction})", { stones, direction }) : t("left ({direction})", { direction });
		return html("button", {
			id: `go-${direction}`, class: move && "go", disabled: !move, label: words,
			onclick: move && (() => page.send(text(move))),
		}, i ? `${t("right")} ↗` : `↖ ${t("left")}`);
	});

	const board = html("div", { class: "taacoca" }, html("style", null, style),
		svg("svg", { viewBox: "30 0 580 532", id: "taacoca", role: choices.length ? "group" : "img", tabindex: state.player && "0", label: describe(state) },
			svg("g", { "aria-hidden": "true" }, cells.map(hexagon), last?.from.map(was)),
			cells.filter((cell) => cell in state.stones).map(stone), targets,
			svg("g", { "aria-hidden": "true", "pointer-events": "none" },
				last?.from.map((cell, i) => arrow(cell, last.to[i], "var(--ink)", 3)), last?.taken.map(cross),
				ui.way && !full && ui.chosen.map((cell) => arrow(cell, step(cell, mover, ui.way), "var(--accent)", 4)),
				full && fit.flatMap((m) => m.from.map((cell, i) => arrow(cell, m.to[i], "var(--accent)", 4))))));
	return { board, side: state.player && html("div", { class: "taacoca" }, !page.ended && html("div", { class: "turn" }, directions[0],
		html("span", null, !choices.length ? "" : full ? t("Which way?") : t("{chosen} of {n} stone|{chosen} of {n} stones", { chosen: ui.chosen.length, n: size })), directions[1])) };
}

function describe(state) {
	if (state.names.length < 2) return t("The match has not begun");
	const where = (side) => `${sides()[side]}: ${cells.filter((cell) => state.stones[cell] === side).join(" ") || t("no stones")}.`;
	const { last } = state;
	const played = !last ? [] : last.taken.length ? [t("Last move: {move}, captured on {cells}.", { move: text(last), cells: last.taken.join(" ") })] : [t("Last move: {move}.", { move: text(last) })];
	return [`${status(state).caption}.`, ...played, where(0), where(1)].join(" ");
}

const style = `
.taacoca { --cell: var(--field); --home: var(--line); }
.taacoca .choice:hover .free { stroke-width: 6; }
.taacoca .choice:focus-visible { outline: 4px solid var(--accent); outline-offset: 2px; }
.taacoca .turn { display: flex; flex-wrap: wrap; justify-content: center; align-items: center; gap: .5rem; margin-top: .5rem; }
.taacoca .turn span { min-width: 6rem; text-align: center; }
.taacoca .turn button { min-width: 6.5rem; font-size: 1.1rem; }
.taacoca .turn .go { border: 2px solid var(--accent); font-weight: 700; }
@container (max-width: 20rem) { .taacoca .turn span { order: -1; flex-basis: 100%; } }
`;
