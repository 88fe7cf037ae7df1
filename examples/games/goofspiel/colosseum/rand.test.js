'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');

const { Rand, REFEREE, BOTS } = require('./rand');

test('numbers are those of SplitMix64', () => {
  // The reference implementation, https://prng.di.unimi.it/splitmix64.c, with this seed.
  const r = new Rand(1234567n, REFEREE);
  const want = [6457827717110365317n, 3203168211198807973n, 9817491932198370423n, 4593380528125082431n, 16408922859458223821n];
  assert.deepEqual(want.map(() => r.next()), want);
});

test('streams of one seed differ', () => {
  const first = [REFEREE, 1n, BOTS, BOTS + 1n].map((stream) => new Rand(7n, stream).next());
  assert.equal(new Set(first).size, 4);
});

test('numbers below n are equally likely', () => {
  const r = new Rand(1n, REFEREE);
  const seen = new Array(6).fill(0);
  for (let i = 0; i < 60_000; i++) seen[r.below(6)]++;
  for (const n of seen) assert.ok(n > 9_600 && n < 10_400, String(seen)); // 10,000 expected; the standard deviation is 91
  assert.equal(r.below(1), 0);
  assert.ok(r.below(Number.MAX_SAFE_INTEGER) < Number.MAX_SAFE_INTEGER);
  for (const n of [0, -1, 1.5, NaN, undefined]) assert.throws(() => r.below(n), RangeError);
});
