// Plays the Royal Game of Ur at random.

const HOME = 15; // one past the last cell of the track
const MIDDLE = 8; // the shared rosette
const ROSETTES = [4, MIDDLE, 14];

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // name of the first player
	await read(); // name of the second
	const me = Number(await read());
	const places = [Array(7).fill(0), Array(7).fill(0)]; // of each player's tokens; 0 is the start
	let mover = 0;
	while (true) {
		const roll = await read();
		if (roll === null) return; // the match is over
		const heads = roll.split(" ").filter((coin) => coin === "1").length;
		const own = places[mover];
		const other = places[1 - mover];
		const legal = own.map((_, token) => token).filter((token) => canMove(own, other, token, heads));
		let again = false;
		if (legal.length > 0) {
			let token;
			if (mover === me) {
				token = legal[Math.floor(Math.random() * legal.length)];
				write(String(token));
			} else {
				const line = await read();
				if (line === null || line === "RETIRE") return;
				token = Number(line);
			}
			again = move(own, other, token, heads);
			if (own.every((place) => place === HOME)) return; // no line follows
		}
		if (!again) mover = 1 - mover;
	}
}

function canMove(own, other, token, heads) {
	const to = own[token] + heads;
	if (heads === 0 || own[token] === HOME || to > HOME) return false;
	if (to === HOME) return true;
	return !own.includes(to) && !(to === MIDDLE && other.includes(to));
}

// move moves a token, and returns whether its player has another turn.
function move(own, other, token, heads) {
	const to = own[token] + heads;
	own[token] = to;
	const shared = to >= 5 && to <= 12;
	const captured = other.indexOf(to);
	if (shared && captured >= 0) other[captured] = 0;
	return ROSETTES.includes(to);
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
