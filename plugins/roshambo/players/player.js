// Plays roshambo: beats the hand that the opponent has shown most often.

const BEATEN_BY = { ROCK: "PAPER", PAPER: "SCISSORS", SCISSORS: "ROCK" };

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // its own name
	await read(); // the opponent's
	const rounds = Number(await read());
	const seen = { ROCK: 0, PAPER: 0, SCISSORS: 0 };
	for (let round = 0; round < rounds; round++) {
		const most = Math.max(...Object.values(seen));
		const usual = Object.keys(seen).filter((hand) => seen[hand] === most);
		write(BEATEN_BY[usual[Math.floor(Math.random() * usual.length)]]);
		const hand = await read();
		if (!(hand in seen)) return; // RETIRE, or the match has ended
		seen[hand]++;
	}
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
