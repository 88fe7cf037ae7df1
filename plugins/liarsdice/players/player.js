// Plays liar's dice by the number of dice that it can expect of each face.

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	let wild = true, me = 0, total = 0, own = [], last = null;
	for (let line = await read(); line !== null; line = await read()) {
		const [word, ...rest] = line.split(" ");
		const numbers = rest.map(Number);
		switch (word) {
			case "GAME": wild = rest[2] === "yes"; break;
			case "YOU": me = numbers[0]; break;
			case "ROUND":
				total = numbers.slice(1).reduce((sum, dice) => sum + dice, 0);
				last = null;
				break;
			case "DICE": own = numbers.slice(1); break;
			case "BID": last = { count: numbers[1], face: numbers[2] }; break;
			case "TURN":
				if (numbers[0] === me) write(choose(wild, total, own, last));
				break;
			case "WINS": return;
		}
	}
}

// choose returns the most likely higher bid, or LIAR if it expects fewer dice than the last bid.
function choose(wild, total, own, last) {
	const surplus = ({ count, face }) => expected(wild, total, own, face) - count; // more dice than the bid needs
	if (last && surplus(last) < 0) return "LIAR";
	let best = null;
	for (let count = 1; count <= total; count++) {
		for (let face = 1; face <= 6; face++) {
			const bid = { count, face };
			const legal = last ? rank(wild, bid) > rank(wild, last) : !(wild && face === 1); // no round begins with ones
			if (legal && (!best || surplus(bid) > surplus(best))) best = bid;
		}
	}
	return best ? `${best.count} ${best.face}` : "LIAR";
}

// expected returns the number of dice that count for a face: its own, and a share of the hidden ones.
function expected(wild, total, own, face) {
	const counting = wild ? [...new Set([face, 1])] : [face];
	return own.filter((die) => counting.includes(die)).length + (total - own.length) * counting.length / 6;
}

// rank puts the bids in order: n wild ones are above 2n sixes.
function rank(wild, { count, face }) {
	return wild && face === 1 ? 16 * count + 7 : 8 * count + face;
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
