// Plays damath: makes random legal moves.

const DIAGONALS = [[-1, -1], [1, -1], [-1, 1], [1, 1]]; // columns right, rows up
const START = [ // squares with chips of the first and the second player
	["b1", "d1", "f1", "h1", "a2", "c2", "e2", "g2", "b3", "d3", "f3", "h3"],
	["a6", "c6", "e6", "g6", "b7", "d7", "f7", "h7", "a8", "c8", "e8", "g8"],
];

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // name of the first player
	await read(); // name of the second
	const me = Number(await read());
	await read(); // the set of chips
	const chips = {}; // the player, 0 or 1, whose chip is on a square
	START.forEach((squares, player) => squares.forEach((square) => (chips[square] = player)));
	const damas = new Set(); // their squares
	let side = 0; // the player whose turn it is
	let sent = null; // the move that this program has sent in this turn
	let late = false; // it was late in this turn
	while (true) {
		const moves = legalMoves(chips, damas, side);
		const send = () => {
			sent = moves[Math.floor(Math.random() * moves.length)];
			write(sent.path.join(""));
		};
		if (side === me && !sent && !late && moves.length > 0) send();
		const line = await read();
		if (line === null || line === "RETIRE" || line === "resign" || line.startsWith("END")) return; // the match is over
		if (line === "draw") {
			write("no");
		} else if (line === `LATE ${me}`) { // another player or the referee moves instead
			sent = null;
			late = true;
			write("LATE");
		} else if (line.startsWith("LATE")) { // move for the other, unless the referee moves for both
			if (side !== me) send();
		} else {
			const move = sent ?? moves.find((m) => m.path.join("") === line);
			if (!sent) await read(); // the points; after its own move they are in line
			sent = null;
			late = false;
			apply(move, chips, damas, side);
			side = 1 - side;
		}
	}
}

function apply({ path, taken }, chips, damas, side) {
	const start = path[0];
	const end = path.at(-1);
	const dama = damas.has(start) || end[1] === (side === 0 ? "8" : "1");
	for (const square of [start, ...taken]) {
		delete chips[square];
		damas.delete(square);
	}
	chips[end] = side;
	if (dama) damas.add(end);
}

// legalMoves returns all legal moves: the path and the captured squares.
function legalMoves(chips, damas, side) {
	const jumps = [];
	const steps = [];
	for (const start of Object.keys(chips).filter((square) => chips[square] === side)) {
		const dama = damas.has(start);
		const others = { ...chips };
		delete others[start]; // the chip can return to its square
		jumps.push(...captures(others, [start], side, dama).map((jump) => ({ ...jump, dama })));
		for (const way of DIAGONALS) {
			if (!dama && way[1] !== (side === 0 ? 1 : -1)) continue;
			for (const square of freeSquares(chips, start, way, dama)) steps.push({ path: [start, square], taken: [] });
		}
	}
	if (jumps.length === 0) return steps;
	const worth = (jump) => 2 * jump.taken.length + (jump.dama ? 1 : 0); // most chips, then by a dama
	const best = Math.max(...jumps.map(worth));
	return jumps.filter((jump) => worth(jump) === best);
}

// captures returns each path that captures from the end of a path, with the captured squares.
function captures(chips, path, side, dama, taken = []) {
	const found = [];
	for (const way of DIAGONALS) {
		const free = freeSquares(chips, path.at(-1), way, dama);
		if (free.length > 0 && !dama) continue; // a chip captures only adjacent chips
		const victim = beside(free.at(-1) ?? path.at(-1), way);
		if (chips[victim] !== 1 - side || taken.includes(victim)) continue;
		for (const square of freeSquares(chips, victim, way, dama)) {
			const longer = { path: [...path, square], taken: [...taken, victim] };
			found.push(longer, ...captures(chips, longer.path, side, dama, longer.taken));
		}
	}
	return found;
}

// freeSquares returns the empty squares after a square, at most one for a chip.
function freeSquares(chips, square, way, dama) {
	const found = [];
	for (let next = beside(square, way); /^[a-h][1-8]$/.test(next) && !(next in chips); next = beside(next, way)) {
		found.push(next);
		if (!dama) break;
	}
	return found;
}

// beside returns the name of a neighbour of a square. It may be off the board.
function beside(square, [right, up]) {
	return String.fromCharCode(square.charCodeAt(0) + right, square.charCodeAt(1) + up);
}

// For coco, which runs this file with Node. A browser calls play itself.
if (typeof process !== "undefined") {
	const { COCO_PIPEIN, COCO_PIPEOUT } = process.env;
	const fs = require("node:fs");
	const source = COCO_PIPEIN ? fs.createReadStream(COCO_PIPEIN) : process.stdin;
	const sink = COCO_PIPEOUT ? fs.createWriteStream(COCO_PIPEOUT) : process.stdout;
	const lines = require("node:readline").createInterface({ input: source })[Symbol.asyncIterator]();
	const read = async () => (await lines.next()).value ?? null;
	const write = (line) => sink.write(`${line}\n`);
	play(read, write).then(() => source.destroy());
}
