// Write the matches of an export in the notation of other programs, as their game does it:
// chess as PGN, draughts as PDN, and each game whose viewer.js has the function files.
//
//     zstd -dcq 2026-10/matches-*.zst | node notation.mjs dama plugins/dama/viewer.js > dama.pdn
//
// The viewer runs with all rights of this program: use one that you trust.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import process from "node:process";

const [game, path] = process.argv.slice(2);
if (!path) {
	console.error("usage: node notation.mjs GAME VIEWER.js < LINES");
	process.exit(2);
}
globalThis.t = (text) => text;
const viewer = await import("data:text/javascript," + encodeURIComponent(await readFile(path, "utf8")));
if (!viewer.files) {
	console.error(`${path} has no function files: this game has no notation`);
	process.exit(1);
}

let written = 0;
let left = 0; // matches of the game without a notation
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
	const match = JSON.parse(line);
	if (match.game !== game) continue;
	const texts = notations(match);
	if (texts.length === 0) {
		left++;
		continue;
	}
	written++;
	const more = process.stdout.write(`${texts[0].text}\n`);
	if (!more) await new Promise((resolve) => { process.stdout.once("drain", resolve); });
}
console.error(`${written} matches of ${game} written, ${left} left out`);

// notations returns [{name, text}] of a match; [] if the viewer cannot write it.
function notations(match) {
	if (typeof match.stream !== "string") return []; // it is null, or not UTF-8
	try {
		const state = viewer.start({ role: "spectator", me: null, game, plugin: match.plugin, params: match.params ?? {}, timeout: match.timeout, seats: match.seats.length, bots: match.seats.filter((s) => s.bot).length, language: "en" });
		for (const text of match.stream.split("\n").slice(0, -1)) viewer.read(state, text, false);
		return viewer.files(state, { id: match.id, address: `https://colosseum.invalid/match/${match.id}`, started: match.started, result: { players: match.seats, reason: match.reason, aborted: match.state === "aborted" } });
	} catch (e) {
		console.error(`match ${match.id}: ${e.message}`);
		return [];
	}
}
