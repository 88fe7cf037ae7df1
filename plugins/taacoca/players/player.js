// Plays taacoca: prefers moves to the goal, then captures, then any move.

const ROWS = "ABCDEFGHI";
const LENGTHS = [5, 6, 7, 8, 9, 8, 7, 6, 5];
const HOME = ["A", "I"]; // rows of White and Black
const START = [ // stones of White and Black
	["A1", "A2", "A3", "A4", "A5", "B2", "B3", "B4", "B5", "C3", "C4", "C5"],
	["I1", "I2", "I3", "I4", "I5", "H2", "H3", "H4", "H5", "G3", "G4", "G5"],
];

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // name of White
	await read(); // name of Black
	const me = Number(await read());
	const stones = START.map((cells) => [...cells]);
	let side = 0; // the side to move
	while (true) {
		const own = stones[side];
		const enemy = stones[1 - side];
		const moves = legalMoves(own, side);
		// Has the last move won? Then no line follows.
		if (enemy.some((cell) => cell[0] === HOME[side]) || moves.length === 0) return;
		let move;
		if (side === me) {
			const worth = new Map(moves.map((m) => [m, worthOf(m, enemy, side) + Math.random()]));
			move = moves.reduce((best, m) => (worth.get(m) > worth.get(best) ? m : best));
			write([...move.stones, move.direction].join(" "));
		} else {
			const line = await read();
			if (line === null || line === "RETIRE") return; // the match is over
			const words = line.split(" ");
			const direction = words.pop();
			move = { stones: words, entered: words.map((cell) => target(cell, side, direction)) };
		}
		stones[side] = own.filter((cell) => !move.stones.includes(cell)).concat(move.entered);
		stones[1 - side] = enemy.filter((cell) => !move.entered.includes(cell));
		side = 1 - side;
	}
}

// worthOf returns a whole number: more for a better move.
function worthOf(move, enemy, side) {
	const wins = move.entered.some((cell) => cell[0] === HOME[1 - side]);
	return (wins ? 10 : 0) + move.entered.filter((cell) => enemy.includes(cell)).length;
}

// target returns the cell that a stone enters, or null off the board.
function target(cell, side, direction) {
	let row = ROWS.indexOf(cell[0]);
	let number = Number(cell[1]);
	const widens = side === 0 ? row < 4 : row > 4; // the next row is longer
	number += (direction === "R" ? 1 : 0) - (widens ? 0 : 1);
	row += side === 0 ? 1 : -1;
	return row >= 0 && row <= 8 && number >= 1 && number <= LENGTHS[row] ? ROWS[row] + number : null;
}

// legalMoves returns all moves of a side, with the cells that the stones enter.
function legalMoves(own, side) {
	const moves = [];
	for (const direction of ["L", "R"]) {
		const free = own.filter((cell) => target(cell, side, direction) !== null);
		for (const stones of choose(free, Math.min(3, own.length))) {
			const entered = stones.map((cell) => target(cell, side, direction));
			const stay = own.filter((cell) => !stones.includes(cell));
			if (stones.length > 0 && !entered.some((cell) => stay.includes(cell))) moves.push({ stones, direction, entered });
		}
	}
	return moves;
}

// choose returns all ways to choose a number of items from a list.
function choose(list, number) {
	if (number === 0) return [[]];
	return list.flatMap((first, i) => choose(list.slice(i + 1), number - 1).map((others) => [first, ...others]));
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
