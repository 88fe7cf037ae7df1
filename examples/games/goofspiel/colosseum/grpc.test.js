'use strict';

const assert = require('node:assert/strict');
const http2 = require('node:http2');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');

const grpc = require('./grpc');
const { message } = require('./protobuf');

const Line = message({ text: [1, 'string'] });

/** Serves some methods and calls one of them. Returns headers, bytes and trailers of the reply. */
function call(t, method, ...chunks) {
  const socket = path.join(os.tmpdir(), `grpc-${process.pid}-${Math.random()}.sock`);
  const server = grpc.serve(socket, {
    '/test/Shout': grpc.unary(Line, Line, ({ text }) => ({ text: text.toUpperCase() })),
    '/test/Fail': grpc.unary(Line, Line, () => { throw new Error('not today: 100 %'); }),
    '/test/Echo': grpc.duplex(Line, Line, (send) => ({ receive: send, close() {} })),
  });
  t.after(() => server.close());
  return new Promise((resolve, reject) => {
    const session = http2.connect('http://unused', { createConnection: () => net.connect(socket) }).on('error', reject);
    const stream = session.request({ ':method': 'POST', ':path': method, 'content-type': 'application/grpc', te: 'trailers' }).on('error', reject);
    const reply = { body: [] };
    stream.on('response', (headers) => (reply.headers = headers));
    stream.on('trailers', (trailers) => (reply.trailers = trailers));
    stream.on('data', (chunk) => reply.body.push(chunk));
    stream.on('close', () => {
      session.close();
      resolve({ ...reply, body: Buffer.concat(reply.body) });
    });
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  });
}

const framed = (text) => {
  const bytes = Line.encode({ text }, 5);
  bytes[0] = 0;
  bytes.writeUInt32BE(bytes.length - 5, 1);
  return bytes;
};

test('a call has a reply and a status', async (t) => {
  const got = await call(t, '/test/Shout', framed('hello'));
  assert.equal(got.headers[':status'], 200);
  assert.equal(got.headers['content-type'], 'application/grpc');
  assert.deepEqual(got.body, framed('HELLO'));
  assert.equal(got.trailers['grpc-status'], '0');
});

test('an unknown method is unimplemented', async (t) => {
  for (const method of ['/test/None', '/constructor', '/']) {
    const got = await call(t, method, framed('hello'));
    assert.equal(got.headers['grpc-status'], '12');
    assert.equal(decodeURIComponent(got.headers['grpc-message']), `there is no ${method}`);
  }
});

test('a failure is in the status', async (t) => {
  const got = await call(t, '/test/Fail', framed('hello'));
  assert.equal(got.headers['grpc-status'], '13');
  assert.equal(decodeURIComponent(got.headers['grpc-message']), 'not today: 100 %');
});

test('invalid messages are refused', async (t) => {
  const compressed = Buffer.concat([Buffer.from([1]), framed('hello').subarray(1)]);
  for (const bytes of [compressed, Buffer.from([0, 255, 255, 255, 255]), Buffer.from([0, 0, 0, 0, 1, 255])]) {
    const got = await call(t, '/test/Shout', bytes);
    assert.equal(got.headers['grpc-status'], '13');
  }
});

test('messages are found in chunks of any size', async (t) => {
  const lines = ['', 'a', 'b'.repeat(300), 'c'.repeat(100_000), 'd'];
  const all = Buffer.concat(lines.map(framed));
  const chunks = [all.subarray(0, 3), all.subarray(3, 7), all.subarray(7, 20), all.subarray(20, 50_000), all.subarray(50_000)];
  for (const way of [[all], lines.map(framed), chunks]) {
    const got = await call(t, '/test/Echo', ...way);
    assert.deepEqual(got.body, all);
    assert.equal(got.trailers['grpc-status'], '0');
  }
});
