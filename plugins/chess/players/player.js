// Plays chess: takes the best piece it can, and otherwise moves at random. It never castles or
// captures en passant, and after 40 moves it offers draws.

const USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const VALUES = { "": 0, P: 1, N: 3, B: 3, R: 5, Q: 9, K: 100 };
const STRAIGHT = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const DIAGONAL = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const JUMPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
const WAYS = { N: JUMPS, B: DIAGONAL, R: STRAIGHT, Q: [...STRAIGHT, ...DIAGONAL], K: [...STRAIGHT, ...DIAGONAL] };
const PROMOTED = { queen: "Q", rook: "R", bishop: "B", knight: "N" };

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // name of White
	await read(); // name of Black
	let line = await read();
	let [board, side] = place(USUAL);
	if (line?.startsWith("START")) {
		[board, side] = place(line.slice("START <".length, -1));
		line = await read();
	}
	const me = Number(line);
	let moved = 0, offered = false;
	while (true) {
		const moves = side === me ? legal(board, side) : [];
		if (moves.length > 0 && moved >= 40 && !offered) {
			write("DRAW");
			offered = true;
		} else if (moves.length > 0) {
			const gain = ([, end]) => VALUES[board[end].toUpperCase()];
			const most = Math.max(...moves.map(gain));
			const [start, end] = pick(moves.filter((move) => gain(move) === most));
			const last = "Pp".includes(board[start]) && "18".includes(end[1]);
			write(last ? `promote ${start} ${end} queen` : `${start} ${end}`);
			moved++;
			offered = false;
		}
		line = await read();
		while (line === "DRAW <PROPOSED>") {
			if (side !== me) write("DRAW"); // accept
			line = await read();
		}
		if (line?.startsWith("OK")) {
			announce(board, line.slice("OK <".length, -1).split("> <"));
			side = 1 - side;
		} else if (line !== "DRAW <REFUSED>") {
			return; // the match is over
		}
	}
}

// place returns the piece on each square, "" if it is free, and the side to move.
function place(fen) {
	const [rows, turn] = fen.split(" ");
	const board = {};
	rows.split("/").forEach((row, i) => {
		const pieces = row.replace(/\d/g, (digit) => " ".repeat(Number(digit)));
		[...pieces].forEach((piece, column) => { board["abcdefgh"[column] + (8 - i)] = piece.trim(); });
	});
	return [board, "wb".indexOf(turn)];
}

// beside returns the name of another square. It may be off the board.
function beside(square, right, up) {
	return String.fromCharCode(square.charCodeAt(0) + right, square.charCodeAt(1) + up);
}

const owner = (piece) => (piece === piece.toUpperCase() ? 0 : 1);

// targets returns the squares to which a piece can move, if its king does not matter.
function targets(board, start) {
	const piece = board[start].toUpperCase(), side = owner(board[start]), found = [];
	if (piece === "P") {
		const up = side === 0 ? 1 : -1;
		for (const right of [-1, 1]) {
			const end = beside(start, right, up);
			if (board[end] && owner(board[end]) !== side) found.push(end);
		}
		const end = beside(start, 0, up), far = beside(end, 0, up);
		if (board[end] === "") {
			found.push(end);
			if (start[1] === "27"[side] && board[far] === "") found.push(far);
		}
		return found;
	}
	for (const [right, up] of WAYS[piece]) {
		for (let end = beside(start, right, up); end in board; end = beside(end, right, up)) {
			if (board[end] === "" || owner(board[end]) !== side) found.push(end);
			if (board[end] !== "" || "KN".includes(piece)) break;
		}
	}
	return found;
}

// legal returns the moves after which the own king is not attacked.
function legal(board, side) {
	const own = Object.keys(board).filter((s) => board[s] !== "" && owner(board[s]) === side);
	return own.flatMap((start) => targets(board, start).map((end) => [start, end])).filter(([start, end]) => {
		const after = { ...board, [start]: "", [end]: board[start] };
		const squares = Object.keys(after);
		const king = squares.find((s) => after[s] === "Kk"[side]);
		return !squares.some((s) => after[s] !== "" && owner(after[s]) !== side && targets(after, s).includes(king));
	});
}

// announce makes an announced move.
function announce(board, words) {
	const squares = words.filter((word) => word in board);
	for (let i = 0; i + 1 < squares.length; i += 2) { // castling has two moves
		const [start, end] = [squares[i], squares[i + 1]];
		let piece = board[start];
		const promoted = PROMOTED[words[words.length - 1]];
		if (promoted) piece = owner(piece) === 0 ? promoted : promoted.toLowerCase();
		if (words[0] === "enpassant") board[end[0] + start[1]] = "";
		board[start] = "";
		board[end] = piece;
	}
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
