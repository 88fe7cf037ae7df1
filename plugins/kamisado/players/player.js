// Plays Kamisado: wins if it can, and otherwise moves at random.

const COLOURS = [ // from row 1 up to row 8, columns a to h
	"NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK",
	"KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN",
];
const HOME = ["1", "8"]; // rows of black and white

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // name of black
	await read(); // name of white
	const me = Number(await read());
	// For each side, the square of its tower of each colour.
	const towers = HOME.map((row) => Object.fromEntries([..."abcdefgh"].map((column) => [colourOf(column + row), column + row])));
	let side = 0; // the side to move
	let colour = null; // the tower to move; null: any
	while (true) {
		const movable = colour ? [colour] : Object.keys(towers[side]);
		const moves = movable.map((c) => towers[side][c]).flatMap((from) => targets(towers, side, from).map((to) => [from, to]));
		let move;
		if (side === me && moves.length > 0) {
			const wins = moves.filter(([, to]) => to[1] === HOME[1 - me]);
			move = pick(wins.length > 0 ? wins : moves);
			write(move.join(""));
		} else { // the opponent's move, or one of distance zero
			const line = await read();
			if (line === null || line === "RETIRE") return; // the match is over
			move = [line.slice(0, 2), line.slice(2)];
		}
		const [from, to] = move;
		const moved = Object.keys(towers[side]).find((c) => towers[side][c] === from);
		towers[side][moved] = to;
		if (to[1] === HOME[1 - side]) return; // no line follows
		colour = colourOf(to);
		side = 1 - side;
	}
}

function colourOf(square) {
	return COLOURS[Number(square[1]) - 1]["abcdefgh".indexOf(square[0])];
}

// targets returns the squares to which the tower on a square can move.
function targets(towers, side, from) {
	const taken = towers.flatMap((own) => Object.values(own));
	const up = side === 0 ? 1 : -1;
	const found = [];
	for (const sideways of [-1, 0, 1]) {
		let square = beside(from, sideways, up);
		while (/^[a-h][1-8]$/.test(square) && !taken.includes(square)) {
			found.push(square);
			square = beside(square, sideways, up);
		}
	}
	return found;
}

// beside returns the name of a neighbour of a square. It may be off the board.
function beside(square, right, up) {
	return String.fromCharCode(square.charCodeAt(0) + right, square.charCodeAt(1) + up);
}

function pick(list) {
	return list[Math.floor(Math.random() * list.length)];
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
