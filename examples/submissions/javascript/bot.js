// Plays roshambo: shows the hand that beats the opponent's last one.
const beats = { ROCK: "PAPER", PAPER: "SCISSORS", SCISSORS: "ROCK" };

async function play() {
  const lines = require("readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async () => (await lines.next()).value;
  await read(); // its own name
  await read(); // the opponent's
  const rounds = Number(await read());
  let hand = "ROCK";
  for (let i = 0; i < rounds && hand; i++) {
    console.log(hand);
    hand = beats[await read()]; // undefined for RETIRE: the match has ended
  }
  process.exit();
}

play();
