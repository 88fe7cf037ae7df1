// A seat that the server plays.
'use strict';

const { Outcome } = require('./messages');
const { Rand, BOTS } = require('./rand');

/** A bot reads the lines of a player on its seat, and writes lines. */
class Bot {
  #match;
  #seat;
  #rand;
  #lines = []; // not yet read
  #written = []; // not yet asked for
  #begin; // lines of an earlier match that replace its next ones
  #reader; // resolves read()
  #asked; // resolves answer()
  #tick = false; // the question is a tick
  #timer;
  #ends = 0; // when the answer times out, by performance.now()
  #left = 0; // seconds left of its time after its last answer
  #gone = false; // its function has returned
  #over = false;

  constructor(match, seed, seat, level, begin = []) {
    this.#begin = begin;
    this.#match = match;
    this.#seat = seat;
    this.#rand = new Rand(seed, BOTS + BigInt(seat));
    this.players = match.players;
    this.timeout = match.timeout;
    this.params = level ? { ...match.params, bot: level } : match.params; // bot is the level of the bots
  }

  /** Returns the next line that the seat receives. After the end of the match it never resolves. */
  async read() {
    if (this.#lines.length > 0) return this.#lines.shift();
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#answerIfPossible();
    });
  }

  /**
   * Answers with a line. In a tick the last one counts. Returns the line that the seat has
   * sent. That is another one only in a match that begins with the moves of an earlier match,
   * so a bot that keeps the board itself plays that line.
   */
  write(line) {
    const sent = this.#begin.shift() ?? String(line).trim();
    this.#written.push(sent);
    this.#answerIfPossible();
    return sent;
  }

  /** Returns a number from 0 to n-1, drawn from the match's seed and the bot's seat. */
  rand(n) {
    return this.#rand.below(n);
  }

  // The methods below are for Match.

  async run(play) {
    try {
      await play(this);
    } catch (error) {
      if (!this.#over) this.#match.log(`bot: ${error?.stack ?? error}`);
    }
    this.#gone = true;
    this.#answerIfPossible();
  }

  receive(lines) {
    for (const line of lines.slice(0, -1).split('\n')) this.#lines.push(line);
    if (!this.#reader || this.#over) return;
    const reader = this.#reader;
    this.#reader = undefined;
    reader(this.#lines.shift());
  }

  /**
   * Returns the bot's Answer within a timeout in seconds. If its turn is resumed, the
   * timeout is at most the time left of the turn. That of a tick waits for endTick.
   */
  answer(seconds, resumed, tick) {
    const allowed = 1000 * (resumed ? Math.min(seconds, this.#left) : seconds);
    return new Promise((resolve) => {
      this.#asked = resolve;
      this.#tick = tick;
      if (tick) {
        this.#written = []; // lines that are late
        return;
      }
      this.#ends = performance.now() + allowed;
      this.#timer = setTimeout(() => this.#give('', Outcome.TIMEOUT), allowed);
      this.#answerIfPossible();
    });
  }

  /** Answers with the last line that the bot has written in the tick. */
  endTick() {
    const line = this.#written.at(-1);
    this.#written = [];
    if (line !== undefined) this.#give(line, Outcome.ANSWERED);
    else this.#give('', this.#gone ? Outcome.DISCONNECTED : Outcome.TIMEOUT);
  }

  stop() {
    this.#over = true;
    this.#asked = undefined;
    clearTimeout(this.#timer);
  }

  #answerIfPossible() {
    if (!this.#asked || this.#tick) return;
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
