// A seat held by the server, as the program that plays it sees it.
'use strict';

const { Outcome } = require('./messages');
const { Rand, BOTS } = require('./rand');

/** A bot reads the lines that a player on its seat gets, and writes lines. */
class Bot {
  #match;
  #seat;
  #rand;
  #lines = []; // to read
  #written = []; // and not yet asked for
  #reader; // waits for a line
  #asked; // takes the answer that the referee waits for
  #timer;
  #ends = 0; // when it is late, on performance.now()
  #left = 0; // seconds of its time, when it had answered last
  #gone = false; // its function has returned
  #over = false;

  constructor(match, seed, seat) {
    this.#match = match;
    this.#seat = seat;
    this.#rand = new Rand(seed, BOTS + BigInt(seat));
    this.players = match.players;
    this.timeout = match.timeout;
    this.params = match.params;
  }

  /** Returns the next line that the seat receives. When the match is over, none comes. */
  async read() {
    if (this.#lines.length > 0) return this.#lines.shift();
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#settle();
    });
  }

  /** Answers with a line. */
  write(line) {
    this.#written.push(String(line).trim());
    this.#settle();
  }

  /** Returns a number from 0 to n-1, drawn from the match's seed and the bot's seat. */
  rand(n) {
    return this.#rand.below(n);
  }

  // What follows is for the match.

  async run(play) {
    try {
      await play(this);
    } catch (error) {
      if (!this.#over) this.#match.log(`bot: ${error?.stack ?? error}`);
    }
    this.#gone = true;
    this.#settle();
  }

  tell(lines) {
    for (const line of lines.slice(0, -1).split('\n')) this.#lines.push(line);
    if (!this.#reader || this.#over) return;
    const reader = this.#reader;
    this.#reader = undefined;
    reader(this.#lines.shift());
  }

  /**
   * Returns, as an Answer, what the bot answers within so many seconds, or, when
   * its turn goes on, within what is left of it.
   */
  answer(seconds, resumed) {
    const allowed = 1000 * (resumed ? Math.min(seconds, this.#left) : seconds);
    return new Promise((resolve) => {
      this.#asked = resolve;
      this.#ends = performance.now() + allowed;
      this.#timer = setTimeout(() => this.#give('', Outcome.TIMEOUT), allowed);
      this.#settle();
    });
  }

  stop() {
    this.#over = true;
    this.#asked = undefined;
    clearTimeout(this.#timer);
  }

  #settle() {
    if (!this.#asked) return;
    if (this.#written.length > 0) {
      this.#give(this.#written.shift(), Outcome.ANSWERED);
    } else if (this.#gone) {
      this.#give('', Outcome.DISCONNECTED);
    } else if (this.#reader) {
      this.#match.log('bot: it waits for a line while the referee waits for its answer');
      this.#give('', Outcome.TIMEOUT);
    }
  }

  #give(line, outcome) {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#left = Math.max(0, this.#ends - performance.now()) / 1000;
    clearTimeout(this.#timer);
    asked?.({ seat: this.#seat, line, outcome, atMs: this.#match.now });
  }
}

module.exports = { Bot };
