// The server bot.
'use strict';

/** Bids the card that equals the prize, which is best against random bids, or a random card. */
async function bot(b) {
  await b.read(); // its own name
  await b.read(); // the opponent's
  const cards = Number(await b.read());
  const hand = Array.from({ length: cards }, (_, i) => String(i + 1));
  while (hand.length > 0) {
    const prize = await b.read();
    const card = b.params.bot === 'strong' ? prize : hand[b.rand(hand.length)];
    hand.splice(hand.indexOf(card), 1);
    b.write(card);
    await b.read(); // the opponent's card
  }
}

module.exports = { bot };
