#!/usr/bin/env node
// Plays goofspiel: bids one more than the prize, and the lowest card for the highest
// prize. So it beats every player that bids the prize itself.
'use strict';

const fs = require('node:fs');
const readline = require('node:readline');

async function play(read, write) {
  await read(); // the names
  await read();
  const cards = Number(await read());
  for (let round = 0; round < cards; round++) {
    const prize = Number(await read());
    write((prize % cards) + 1);
    const bid = await read();
    if (bid === undefined || bid === 'RETIRE') return; // the match has ended
  }
}

const { COCO_PIPEIN, COCO_PIPEOUT } = process.env;
const source = COCO_PIPEIN ? fs.createReadStream(COCO_PIPEIN) : process.stdin;
const sink = COCO_PIPEOUT ? fs.createWriteStream(COCO_PIPEOUT) : process.stdout;
const lines = readline.createInterface({ input: source })[Symbol.asyncIterator]();
const read = async () => (await lines.next()).value;
const write = (line) => sink.write(`${line}\n`);
play(read, write).then(() => source.destroy());
