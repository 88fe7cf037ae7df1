// The running matches of this process.
'use strict';

const { Match } = require('./match');

/** The running matches, and the stream of their frames: a handler for grpc.duplex. */
class Matches {
  #game;
  #send;
  #matches = new Map(); // by number
  #frames = []; // not yet sent
  #full = false; // the host reads too slowly

  constructor(game, send) {
    this.#game = game;
    this.#send = send;
  }

  receive(batch) {
    for (const f of batch.frames) {
      if (f.start && !this.#matches.has(f.match)) this.#open(f);
      const match = this.#matches.get(f.match);
      if (!match) continue; // it ended before the frame arrived
      if (f.answers.length > 0) match.answer(f.answers);
      if (f.stop) {
        match.stop();
        this.#matches.delete(f.match);
      }
    }
  }

  close() {
    for (const match of this.#matches.values()) match.stop();
    this.#matches.clear();
  }

  #open(f) {
    const match = new Match(this.#game, f.match, f.start, (frame) => this.#push(frame));
    this.#matches.set(f.match, match);
    match.run(this.#game).then(() => this.#matches.delete(f.match));
  }

  #push(frame) {
    // The frames of one turn of the event loop are sent as one batch.
    if (this.#frames.push(frame) === 1) setImmediate(() => this.#flush());
  }

  #flush() {
    if (this.#full) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#full = !this.#send({ frames });
    if (!this.#full) return;
    this.#send.drained(() => {
      this.#full = false;
      if (this.#frames.length > 0) this.#flush();
    });
  }
}

module.exports = { Matches };
