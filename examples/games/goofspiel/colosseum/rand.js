// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// 2014), the same generator as in the Go SDK. It is not for secrets.
'use strict';

/** The streams of random numbers of a match's seed. */
const REFEREE = 0n;
const BOTS = 2n; // the bot on seat s uses BOTS + s; the host uses 1

const GOLDEN = 0x9e3779b97f4a7c15n;

class Rand {
  #state;

  /** @param {bigint} seed 64 bits  @param {bigint} stream one of the above */
  constructor(seed, stream) {
    this.#state = stream === 0n ? seed : mix(seed ^ mix(wrap(stream * GOLDEN)));
  }

  /** Returns the next 64 bits, a bigint. */
  next() {
    this.#state = wrap(this.#state + GOLDEN);
    return mix(this.#state);
  }

  /**
   * Returns a number from 0 to n-1, each with the same chance: Lemire's
   * multiplication with rejection ("Fast random integer generation in an
   * interval", 2019).
   */
  below(n) {
    if (!Number.isSafeInteger(n) || n < 1) throw new RangeError(`a random number below ${n}: give a whole number from 1`);
    const wide = BigInt(n);
    let product = this.next() * wide;
    if (wrap(product) < wide) {
      const reject = wrap(-wide) % wide;
      while (wrap(product) < reject) product = this.next() * wide;
    }
    return Number(product >> 64n);
  }
}

function mix(z) {
  z = wrap((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = wrap((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

function wrap(z) {
  return BigInt.asUintN(64, z);
}

module.exports = { Rand, REFEREE, BOTS };
