// Plays dama, by any rules except damath, and captures as much as it can.
//
// It does not know the rules of the match. It tries possible moves, the longest captures
// first, until the referee accepts one.

const DIAGONALS = [[-1, -1], [-1, 1], [1, -1], [1, 1]]; // rows down, columns right

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	const board = {}; // the character on each square, such as board["6A"]
	let white = true;
	let untried = null; // moves for this turn; null: not yet found
	while (true) {
		const line = await read();
		if (line === null || line.startsWith("Game Over")) return;
		if (line.startsWith("Sei i Neri")) {
			white = false;
		} else if (/^ ?\d+ \[/.test(line)) { // a row of the board
			untried = null;
			[...line.matchAll(/\[(.)\]/g)].forEach(([, piece], i) => { board[parseInt(line) + "ABCDEFGHIJ"[i]] = piece; });
		} else if (line.startsWith("Es > ")) { // the referee asks for a move
			untried ??= findMoves(board, white);
			write(untried.shift().join(" "));
		}
	}
}

// findMoves returns moves that might be legal, in the order in which to try them.
function findMoves(board, white) {
	const own = white ? "bB" : "nN";
	const enemy = white ? "nN" : "bB";
	const forward = white ? -1 : 1;
	const far = white ? 1 : "10A" in board ? 10 : 8; // the row where a man becomes a king
	const found = [];
	for (const start of Object.keys(board).filter((square) => own.includes(board[square]))) {
		const king = board[start] === "B" || board[start] === "N";
		const without = { ...board, [start]: " " }; // the piece can return to its square
		for (const path of captures(without, [start], enemy, king, far)) {
			found.push({ path, worth: 2 * path.length + (king ? 1 : 0) });
		}
		for (const way of DIAGONALS) {
			if (!king && way[0] !== forward) continue;
			for (const square of freeSquares(board, start, way, king)) found.push({ path: [start, square], worth: 0 });
		}
	}
	for (const move of found) move.worth += Math.random(); // draw lots among equals
	return found.sort((a, b) => b.worth - a.worth).map((move) => move.path);
}

// captures returns each path that jumps over enemies from the end of a path, complete or not.
function captures(board, path, enemy, king, far, taken = []) {
	const found = [];
	for (const way of DIAGONALS) {
		let prey = beside(path.at(-1), way);
		while (king && board[prey] === " ") prey = beside(prey, way); // a king may fly
		if (!(prey in board) || !enemy.includes(board[prey]) || taken.includes(prey)) continue;
		for (const square of freeSquares(board, prey, way, king)) {
			const longer = [...path, square];
			found.push(longer, ...captures(board, longer, enemy, king, far, [...taken, prey]));
			if (parseInt(square) === far && !king) { // a man may continue as a king
				found.push(...captures(board, longer, enemy, true, far, [...taken, prey]));
			}
		}
	}
	return found;
}

// freeSquares returns the free squares after a square, at most one for a man.
function freeSquares(board, square, way, king) {
	const found = [];
	for (let next = beside(square, way); board[next] === " "; next = beside(next, way)) {
		found.push(next);
		if (!king) break;
	}
	return found;
}

// beside returns the name of a neighbour of a square. It may be off the board.
function beside(square, [down, right]) {
	return parseInt(square) + down + String.fromCharCode(square.charCodeAt(square.length - 1) + right);
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
