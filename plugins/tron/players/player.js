// Plays tron: turns to the side with the most room in front of it.

const STEPS = { U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] };

// play plays one match: read returns the next line, or null when there are no more, and
// write sends one.
async function play(read, write) {
	const [width, height, , players] = (await read()).split(" ").map(Number);
	let heads = [];
	for (let seat = 0; seat < players; seat++) heads.push((await read()).split(" ").slice(0, 2).map(Number));
	const me = Number(await read());
	const walls = new Set(heads.map(String));
	const taken = (x, y) => x < 0 || y < 0 || x >= width || y >= height || walls.has(`${x},${y}`);
	// room returns how many free cells are in a row from the head on, at most 8.
	const room = (way) => {
		const [[x, y], [dx, dy]] = [heads[me], STEPS[way]];
		let n = 0;
		while (n < 8 && !taken(x + (n + 1) * dx, y + (n + 1) * dy)) n++;
		return n;
	};
	for (;;) {
		if (heads[me][0] >= 0) { // else it has crashed
			const most = Math.max(...Object.keys(STEPS).map(room));
			const best = Object.keys(STEPS).filter((way) => room(way) === most);
			write(best[Math.floor(Math.random() * best.length)]);
		}
		const line = await read();
		if (line === null) return; // the match has ended
		const numbers = line.split(" ").map(Number);
		heads = heads.map((_, seat) => numbers.slice(2 * seat, 2 * seat + 2));
		for (const head of heads) walls.add(String(head));
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
