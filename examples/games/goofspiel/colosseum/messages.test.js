'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');

const messages = require('./messages');

const proto = path.join(__dirname, '../../../../sdk/wire/game.proto');

test('tables are those of game.proto', { skip: !fs.existsSync(proto) && 'it is in the source of Colosseum' }, () => {
  const text = fs.readFileSync(proto, 'utf8').replace(/\/\/.*/g, '');
  const scalars = { double: 1, fixed64: 1, uint32: 0, uint64: 0, bool: 0, string: 2, bytes: 2 }; // and their wire types
  let compared = 0;
  for (const [, name, body] of text.matchAll(/^message \w+ \{\}|^message (\w+) \{([\s\S]*?)^\}/gm)) {
    if (!name) continue; // no fields
    const fields = [...body.replace(/enum \w+ \{[\s\S]*?\}/g, '').matchAll(/(?:(repeated|optional) )?(map<string, string>|\w+) (\w+) = (\d+);/g)];
    const want = fields.map(([, label, type, field, number]) => ({
      name: field.replace(/_(.)/g, (_, c) => c.toUpperCase()), number: Number(number), repeated: label === 'repeated', map: type.startsWith('map'),
      wire: scalars[type] ?? (messages[type]?.fields || type.startsWith('map') ? 2 : 0), // otherwise an enumeration
    }));
    const got = messages[name].fields.map((f) => ({ name: f.name, number: f.number, repeated: f.repeated, map: f.map, wire: f.kind.wire }));
    assert.deepEqual(got, want, name);
    compared += got.length;
  }
  assert.ok(compared > 50, `${compared} fields found, want more than 50`);
  for (const [, name, body] of text.matchAll(/enum (\w+) \{([\s\S]*?)\}/g)) {
    const want = [...body.matchAll(/(\w+) = (\d+);/g)].map(([, word, n]) => [word, Number(n)]).filter(([word]) => word !== 'KIND_UNSPECIFIED');
    assert.deepEqual(Object.entries(messages[name]), want, name);
  }
});
