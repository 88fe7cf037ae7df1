// Plays goofspiel: bids one more than the prize, and the lowest card for the highest
// prize. So it beats every player that bids the prize itself.

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	await read(); // the names
	await read();
	const cards = Number(await read());
	for (let round = 0; round < cards; round++) {
		const prize = Number(await read());
		write(String((prize % cards) + 1));
		const bid = await read();
		if (bid === null || bid === "RETIRE") return; // the match has ended
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
