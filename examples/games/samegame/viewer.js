// The viewer of samegame. docs/viewers.md describes the exported functions.

export const texts = {
	it: {
		"{n} move|{n} moves": "{n} mossa|{n} mosse",
		"{n} block left|{n} blocks left": "{n} blocco rimasto|{n} blocchi rimasti",
		"{n} point|{n} points": "{n} punto|{n} punti",
		"Choose a group": "Scegli un gruppo",
		"Column {x}, row {y}: {n} block, {points} points|Column {x}, row {y}: {n} blocks, {points} points": "Colonna {x}, riga {y}: {n} blocco, {points} punti|Colonna {x}, riga {y}: {n} blocchi, {points} punti",
		"The board is empty": "Il tabellone è vuoto",
		"No group is left": "Non resta nessun gruppo",
		"{name} forfeited": "{name} ha perso per forfait",
		"A group of n blocks is worth (n − 2)² points, so let groups grow before you remove them. An empty board is worth 1000 points more.":
			"Un gruppo di n blocchi vale (n − 2)² punti: conviene farlo crescere prima di toglierlo. Il tabellone vuoto vale altri 1000 punti.",
		"The match has not begun": "La partita non è ancora iniziata",
		"Board with {n} block|Board with {n} blocks": "Tabellone con {n} blocco|Tabellone con {n} blocchi",
	},
};

// The player and the spectators receive the name, the size, and then in turn a board, a
// move and its points; the player sends the moves itself.
export function start(match) {
	return { seat: match.role === "player" ? 0 : null, name: "", width: 0, height: 0, rows: [], ids: [], read: 0, move: "", removed: [], points: 0, moves: 0, retired: false };
}

export function read(state, line) {
	if (!state.name) state.name = line;
	else if (!state.width) state.width = Number(line);
	else if (!state.height) state.height = Number(line);
	else if (state.read < state.height) {
		if (state.read === 0) [state.rows, state.ids] = [[], fall(state.ids, state.removed)];
		state.rows.push(line);
		state.read++;
		if (state.ids.length < state.read) state.ids.push([...line].map((_, x) => `${x}-${state.read}`));
	} else if (line === "RETIRE") state.retired = true;
	else if (!state.move) {
		const [x, y] = line.split(" ").map(Number);
		state.removed = group(state.rows, x, y);
		state.move = line;
	} else {
		const text = `${state.move}: ${t("{n} point|{n} points", { n: Number(line) })}`;
		state.points += Number(line);
		state.moves++;
		state.move = "";
		state.read = 0;
		return { text, seat: 0 };
	}
}

// fall returns the names of the blocks after those in some cells are removed.
function fall(ids, removed) {
	const gone = new Set(removed.map(String));
	const columns = (ids[0] ?? []).map((_, x) => ids.map((row, y) => (gone.has(`${x},${y}`) ? null : row[x])).filter((id) => id !== null)).filter((column) => column.length > 0);
	return ids.map((row, y) => row.map((_, x) => columns[x]?.[columns[x].length - ids.length + y] ?? null));
}

// group returns the cells of the group of a block.
function group(rows, x, y) {
	const colour = rows[y]?.[x];
	const cells = [], todo = [[x, y]];
	if (!colour || colour === ".") return cells;
	while (todo.length > 0) {
		const [a, b] = todo.pop();
		if (rows[b]?.[a] !== colour || cells.some(([c, d]) => c === a && d === b)) continue;
		cells.push([a, b]);
		todo.push([a + 1, b], [a - 1, b], [a, b + 1], [a, b - 1]);
	}
	return cells;
}

// groups returns all groups that can be removed.
function groups(rows) {
	const seen = new Set(), list = [];
	rows.forEach((row, y) => [...row].forEach((colour, x) => {
		if (seen.has(`${x} ${y}`)) return;
		const cells = group(rows, x, y);
		for (const cell of cells) seen.add(cell.join(" "));
		if (cells.length > 1) list.push(cells);
	}));
	return list;
}

const complete = (state) => state.height > 0 && state.read === state.height;
const blocks = (state) => state.rows.join("").replaceAll(".", "").length;

function ending(state) {
	if (state.retired) return t("{name} forfeited", { name: state.name });
	if (!complete(state) || state.move || groups(state.rows).length > 0) return null;
	return blocks(state) === 0 ? t("The board is empty") : t("No group is left");
}

export function status(state) {
	const end = ending(state);
	const asked = complete(state) && !state.move && !end;
	return {
		players: [{ name: state.name, score: state.points, note: t("{n} move|{n} moves", { n: state.moves }) }],
		seat: state.seat,
		turn: asked ? [0] : [],
		caption: !state.height ? "" : asked && state.seat === 0 ? t("Choose a group") : t("{n} block left|{n} blocks left", { n: blocks(state) }),
		goal: t("A group of n blocks is worth (n − 2)² points, so let groups grow before you remove them. An empty board is worth 1000 points more."),
		end,
	};
}

const size = 40; // of a cell
const edge = 22;

export function draw(state, page) {
	const { svg, html } = page;
	const width = Number(page.match.params.width) || 10, height = Number(page.match.params.height) || 10;
	const clickable = page.playing && complete(state) && !state.move && !ending(state);
	const removed = new Set(state.move ? state.removed.map((cell) => cell.join(" ")) : []);
	const place = (x, y) => `translate(${edge + (x + 0.5) * size} ${edge + (y + 0.5) * size})`;
	const block = (x, y) => svg("g", { piece: state.ids[y][x], transform: place(x, y), opacity: removed.has(`${x} ${y}`) ? 0.3 : 1 }, stone(page, state.rows[y][x]));
	const choice = (cells) => {
		const [x, y] = cells[0];
		const label = t("Column {x}, row {y}: {n} block, {points} points|Column {x}, row {y}: {n} blocks, {points} points", { x, y, n: cells.length, points: (cells.length - 2) ** 2 });
		return svg("g", { onclick: () => page.send(`${x} ${y}`), label, id: `${x}-${y}` },
			svg("g", { class: "target" }, cells.map(([a, b]) => svg("rect", { class: "area", x: edge + a * size, y: edge + b * size, width: size, height: size }))));
	};
	const cells = [];
	state.rows.forEach((row, y) => [...row].forEach((colour, x) => colour !== "." && cells.push(block(x, y))));
	const numbers = (n) => (n > 14 ? [] : [...Array(n).keys()]); // more have no room
	return html("div", null, html("style", null, style), svg("svg", { viewBox: `0 0 ${width * size + 2 * edge} ${height * size + 2 * edge}`, role: "img", "aria-label": state.rows.length ? t("Board with {n} block|Board with {n} blocks", { n: blocks(state) }) : t("The match has not begun") },
		page.board({ columns: width, rows: height, cell: size, edge, below: numbers(width), left: numbers(height), square: (x, y) => ({ name: `${x} ${y}`, kind: "light", played: removed.has(`${x} ${y}`) }) }),
		cells, clickable && groups(state.rows).map(choice)));
}

// stone is a block. Colours are told apart by their shapes, too: two more than the page has.
const kinds = { a: "first", b: "second", c: "third", d: "fourth" };
const outlines = { e: "M0 -16 L15 0 L0 16 L-15 0 Z", f: "M-5 -14 H5 V-5 H14 V5 H5 V14 H-5 V5 H-14 V-5 H-5 Z" };

function stone({ svg, disc, letters }, colour) {
	const letter = letters && svg("text", { class: "letter", y: 6, "text-anchor": "middle", "font-size": 16 }, colour);
	const kind = kinds[colour];
	if (kind) return svg("g", { class: kind }, disc(kind, { r: 14 }, letter));
	return svg("g", { class: `first ${colour}` }, svg("path", { class: "side", d: outlines[colour], transform: "translate(0 2)" }), svg("path", { class: "face", d: outlines[colour] }), letter);
}

const style = `
.letter { fill: var(--body-ink); }
.first.e { --body: color-mix(in srgb, var(--first), var(--fourth)); }
.first.f { --body: var(--soft); }
`;
