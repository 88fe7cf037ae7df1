// The part of Protocol Buffers that game.proto needs: messages are described by tables,
// decoded to plain objects and encoded from them.
// https://protobuf.dev/programming-guides/encoding/
'use strict';

/**
 * Describes a message as { name: [number, type], … }. A type is one of the names below,
 * another message, one of these in an array if it is repeated, or 'map' for
 * map<string, string>. In a decoded object an absent field is zero or empty, or undefined
 * for messages and optional(type).
 */
function message(fields) {
  return new Message(fields);
}

const optional = (type) => ({ optional: type });

const VARINT = 0;
const EIGHT_BYTES = 1;
const LENGTH = 2;
const FOUR_BYTES = 5;

// The wire type of each type, its value if absent, and how to read and write it. A whole
// number that is too large for a Number is a BigInt.
const number = { wire: VARINT, zero: 0, read: (r) => r.varint(), write: (w, v) => w.varint(v) };
const types = {
  uint32: number,
  uint64: number,
  enum: number,
  bool: { wire: VARINT, zero: false, read: (r) => r.varint() !== 0, write: (w, v) => w.varint(v ? 1 : 0) },
  fixed64: { wire: EIGHT_BYTES, zero: 0n, read: (r) => r.eight('readBigUInt64LE'), write: (w, v) => w.eight('writeBigUInt64LE', v) },
  double: { wire: EIGHT_BYTES, zero: 0, read: (r) => r.eight('readDoubleLE'), write: (w, v) => w.eight('writeDoubleLE', v) },
  string: { wire: LENGTH, zero: '', read: (r) => r.text(), write: (w, v) => w.text(v) },
  // A field of type bytes with text. Bytes that are not UTF-8 become U+FFFD.
  text: { wire: LENGTH, zero: '', read: (r) => r.text(), write: (w, v) => w.text(v) },
};

class Message {
  wire = LENGTH;

  constructor(fields) {
    this.fields = [];
    this.byNumber = [];
    for (const [name, [number, type]] of Object.entries(fields)) {
      const repeated = Array.isArray(type);
      const key = repeated ? type[0] : type.optional ?? type;
      const map = key === 'map';
      const kind = map ? ENTRY : typeof key === 'string' ? types[key] : key;
      const always = !repeated && !map && !type.optional && !(kind instanceof Message); // it has a value even if absent
      const field = { name, number, kind, repeated, map, always };
      this.fields.push(field);
      this.byNumber[number] = field;
    }
  }

  /** Returns the object that is encoded in a Buffer. */
  decode(bytes) {
    return this.#fill(new Reader(bytes), bytes.length);
  }

  /** Returns a Buffer with head free bytes before the encoded object. */
  encode(object, head = 0) {
    scratch.reset();
    this.#put(scratch, object);
    return scratch.copy(head);
  }

  /** Reads the message as a field of another one. */
  read(r) {
    const length = r.varint();
    return this.#fill(r, r.at + length);
  }

  /** Writes the message as a field of another one. */
  write(w, object) {
    const before = w.length;
    this.#put(w, object);
    w.varint(w.length - before);
  }

  #fill(r, end) {
    if (end > r.bytes.length) throw new Error('protobuf: the message is cut off');
    const object = {};
    for (const f of this.fields) object[f.name] = f.repeated ? [] : f.map ? {} : f.always ? f.kind.zero : undefined;
    while (r.at < end) {
      const tag = r.varint();
      const f = this.byNumber[tag >>> 3];
      const wire = tag & 7;
      if (f?.kind.wire === wire) {
        const value = f.kind.read(r);
        if (f.map) Object.defineProperty(object[f.name], value.key, { value: value.value, enumerable: true, configurable: true });
        else if (f.repeated) object[f.name].push(value);
        else object[f.name] = value;
      } else if (f?.repeated && wire === LENGTH) { // packed
        for (const stop = r.varint() + r.at; r.at < stop; ) object[f.name].push(f.kind.read(r));
      } else {
        r.skip(wire); // a field of a newer version
      }
    }
    if (r.at !== end) throw new Error('protobuf: a field is longer than its message');
    return object;
  }

  #put(w, object) {
    for (let i = this.fields.length - 1; i >= 0; i--) {
      const f = this.fields[i];
      const value = object[f.name];
      if (value === undefined || (f.always && value === f.kind.zero)) continue;
      if (f.map) {
        for (const [k, v] of Object.entries(value).reverse()) this.#one(w, f, { key: k, value: v });
      } else if (!f.repeated) {
        this.#one(w, f, value);
      } else if (f.kind.wire === LENGTH) {
        for (let j = value.length - 1; j >= 0; j--) this.#one(w, f, value[j]);
      } else if (value.length > 0) { // packed
        const before = w.length;
        for (let j = value.length - 1; j >= 0; j--) f.kind.write(w, value[j]);
        w.varint(w.length - before);
        w.varint((f.number << 3) | LENGTH);
      }
    }
  }

  #one(w, f, value) {
    f.kind.write(w, value);
    w.varint((f.number << 3) | f.kind.wire);
  }
}

class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
  }

  varint() {
    let byte = this.#byte();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let unit = 1;
    const start = this.at - 1;
    do {
      byte = this.#byte();
      unit *= 0x80;
      value += (byte & 0x7f) * unit;
    } while (byte >= 0x80 && this.at - start < 10);
    return value <= Number.MAX_SAFE_INTEGER ? value : this.#large(start);
  }

  eight(how) {
    const at = this.#skip(8);
    return this.bytes[how](at);
  }

  text() {
    const length = this.varint();
    const at = this.#skip(length);
    return this.bytes.toString('utf8', at, at + length);
  }

  skip(wire) {
    if (wire === VARINT) this.varint();
    else if (wire === EIGHT_BYTES) this.#skip(8);
    else if (wire === FOUR_BYTES) this.#skip(4);
    else if (wire === LENGTH) this.#skip(this.varint());
    else throw new Error(`protobuf: wire type ${wire} is unknown`);
  }

  #byte() {
    return this.bytes[this.#skip(1)];
  }

  #skip(length) {
    const at = this.at;
    this.at += length;
    if (!(this.at <= this.bytes.length)) throw new Error('protobuf: the message is cut off');
    return at;
  }

  #large(start) {
    let value = 0n;
    for (let i = this.at - 1; i >= start; i--) value = (value << 7n) | BigInt(this.bytes[i] & 0x7f);
    return BigInt.asUintN(64, value);
  }
}

/**
 * Writes from the end of its buffer to the beginning, because the length of a message
 * comes before it and is known only after it.
 */
class Writer {
  #buffer = Buffer.allocUnsafe(1 << 16);
  length = 0; // bytes written, at the end of the buffer

  reset() {
    this.length = 0;
  }

  copy(head) {
    const bytes = Buffer.allocUnsafe(head + this.length);
    this.#buffer.copy(bytes, head, this.#buffer.length - this.length);
    return bytes;
  }

  varint(value) {
    if (typeof value === 'bigint' || value >= 2 ** 32) return this.#large(BigInt(value));
    const length = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    let at = this.#room(length);
    for (let rest = value; ; rest >>>= 7) {
      if (rest < 0x80) {
        this.#buffer[at] = rest;
        return;
      }
      this.#buffer[at++] = (rest & 0x7f) | 0x80;
    }
  }

  eight(how, value) {
    const at = this.#room(8);
    this.#buffer[how](value, at);
  }

  text(value) {
    const length = Buffer.byteLength(value);
    const at = this.#room(length);
    this.#buffer.write(value, at, length, 'utf8');
    this.varint(length);
  }

  #large(value) {
    const bytes = [];
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    const at = this.#room(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** Makes room for length bytes and returns their index. It can replace the buffer. */
  #room(length) {
    const size = this.#buffer.length;
    if (this.length + length > size) {
      const larger = Buffer.allocUnsafe(2 * size + length);
      this.#buffer.copy(larger, larger.length - this.length, size - this.length);
      this.#buffer = larger;
    }
    this.length += length;
    return this.#buffer.length - this.length;
  }
}

// Encoding is synchronous, so all messages share one writer.
const scratch = new Writer();

const ENTRY = message({ key: [1, 'string'], value: [2, 'string'] });

module.exports = { message, optional };
