'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');

const { message, optional } = require('./protobuf');

const Inner = message({ n: [1, 'uint32'] });
const All = message({
  u: [1, 'uint32'],
  large: [2, 'uint64'],
  yes: [3, 'bool'],
  fixed: [4, 'fixed64'],
  real: [5, 'double'],
  word: [6, 'string'],
  text: [7, 'text'],
  maybe: [8, optional('uint32')],
  inner: [9, Inner],
  inners: [10, [Inner]],
  numbers: [11, ['uint32']],
  words: [12, ['string']],
  map: [100, 'map'],
});
const zero = {
  u: 0, large: 0, yes: false, fixed: 0n, real: 0, word: '', text: '', maybe: undefined, inner: undefined, inners: [], numbers: [], words: [], map: {},
};

const bytes = (hex) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

test('bytes are those of the specification', () => {
  // From https://protobuf.dev/programming-guides/encoding/
  assert.deepEqual(All.encode({ u: 150 }), bytes('08 96 01'));
  assert.deepEqual(All.encode({ word: 'testing' }), bytes('32 07 74 65 73 74 69 6e 67'));
  assert.deepEqual(All.encode({ inner: { n: 150 } }), bytes('4a 03 08 96 01'));
  assert.deepEqual(All.encode({ numbers: [3, 270, 86942] }), bytes('5a 06 03 8e 02 9e a7 05'));
  assert.deepEqual(All.encode({ map: { k: 'v' } }), bytes('a2 06 06 0a 01 6b 12 01 76'));
  assert.deepEqual(All.encode(zero), bytes(''));
});

test('decoding returns the encoded object', () => {
  const cases = [
    {}, { maybe: 0 }, { inner: {} }, { yes: true }, { real: -0.5 }, { real: Infinity }, { fixed: 0xffffffffffffffffn }, { fixed: 1n },
    { word: 'zwölf', text: '💎' }, { inners: [{ n: 0 }, { n: 1 }, { n: 4294967295 }] }, { words: ['', 'a', ''] },
    { map: { '': '', a: 'b', ä: 'ö' } }, { map: Object.fromEntries([['__proto__', 'x']]) },
  ];
  for (let bit = 0; bit < 32; bit++) cases.push({ u: 2 ** bit }, { u: 2 ** bit - 1 }, { numbers: [2 ** bit, 2 ** bit - 1] });
  for (let bit = 0; bit < 54; bit++) cases.push({ large: 2 ** bit - 1 });
  for (let bit = 54n; bit < 65n; bit++) cases.push({ large: 2n ** bit - 1n });
  for (const c of cases) {
    const want = { ...zero, ...c };
    if (want.inner) want.inner = { n: 0, ...want.inner };
    assert.deepEqual(All.decode(All.encode(c)), want);
  }
});

test('messages of every size are encoded', () => {
  // 64 KiB is where the buffer grows for the first time.
  for (const size of [0, 1, 127, 128, 16383, 16384, 65520, 65535, 65536, 65537, 100_000, 200_000, 1_000_000]) {
    const object = { ...zero, word: 'x'.repeat(size), inners: [{ n: 1 }], text: 'y'.repeat(10) };
    assert.deepEqual(All.decode(All.encode(object)), object);
  }
  const many = { ...zero, inners: Array.from({ length: 300_000 }, (_, n) => ({ n })), numbers: Array.from({ length: 300_000 }, (_, n) => n) };
  assert.deepEqual(All.decode(All.encode(many)), many);
});

test('a head is left free', () => {
  assert.deepEqual(All.encode({ u: 1 }, 5).subarray(5), bytes('08 01'));
});

test('unknown fields are skipped', () => {
  const unknown = 'a8 1f 96 01' + 'a9 1f 01 02 03 04 05 06 07 08' + 'aa 1f 02 ff ff' + 'ad 1f 01 02 03 04';
  assert.deepEqual(All.decode(bytes(`08 01 ${unknown} 32 01 61`)), { ...zero, u: 1, word: 'a' });
  assert.deepEqual(All.decode(bytes('0a 01 61')), zero); // another wire type than ours
});

test('repeated numbers can be unpacked', () => {
  assert.deepEqual(All.decode(bytes('58 03 58 8e 02')).numbers, [3, 270]);
});

test('text that is not UTF-8 has replacement characters', () => {
  assert.equal(All.decode(bytes('3a 03 61 ff 62')).text, 'a\ufffdb');
});

test('broken messages are refused', () => {
  for (const hex of ['08', '08 80', '32 05 61', '4a 05 08 01', '4a 01 08', '21 01', 'af 1f', '5a 02 80 80', '32 ff ff ff ff ff ff ff ff ff 01', '4a ff ff ff ff 0f']) {
    assert.throws(() => All.decode(bytes(hex)), hex);
  }
});
