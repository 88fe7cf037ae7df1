// The part of gRPC that a game needs, on node:http2: unary calls and one bidirectional
// stream, without TLS.
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
'use strict';

const http2 = require('node:http2');

// Codes of https://grpc.io/docs/guides/status-codes/
const OK = 0;
const UNIMPLEMENTED = 12;
const INTERNAL = 13;

const HEADERS = { ':status': 200, 'content-type': 'application/grpc' };
const WINDOW = 1 << 20; // bytes that the host can send before they are read
const LONGEST = 64 << 20; // bytes of one message; a host sends less

/** A unary call: handle(request) returns the reply, or a promise of it. */
function unary(Request, Reply, handle) {
  return (stream) => {
    let request;
    receive(stream, (bytes) => (request = Request.decode(bytes)), async () => {
      const reply = await handle(request);
      open(stream);
      stream.end(frame(Reply, reply));
    });
  };
}

/**
 * A bidirectional stream: handle(send) returns { receive(message), close() }.
 * send(message) returns false if the other side reads too slowly. Then
 * send.drained(function) calls the function when the other side has caught up.
 */
function duplex(Request, Reply, handle) {
  return (stream) => {
    open(stream);
    const send = (message) => stream.destroyed || stream.write(frame(Reply, message));
    send.drained = (then) => stream.once('drain', then);
    const handler = handle(send);
    stream.on('close', () => handler.close());
    receive(stream, (bytes) => handler.receive(Request.decode(bytes)), () => stream.end());
  };
}

/**
 * Serves methods, an object from '/package.Service/Method' to one of the above,
 * on a Unix socket.
 */
function serve(path, methods, ready) {
  const server = http2.createServer({ settings: { initialWindowSize: WINDOW } });
  server.on('session', (session) => session.setLocalWindowSize(WINDOW));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {}); // the caller is gone: 'close' follows
    const path = headers[':path'];
    if (Object.hasOwn(methods, path)) methods[path](stream);
    else fail(stream, UNIMPLEMENTED, `there is no ${path}`);
  });
  return server.listen(path, ready);
}

/** Calls take with each message of a stream, and done at its end. */
function receive(stream, take, done) {
  const failed = (error) => fail(stream, INTERNAL, error.message);
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    try {
      // Each message follows a byte of flags and its length.
      while (rest.length >= 5) {
        const length = rest.readUInt32BE(1);
        if (rest[0] !== 0) throw new Error('the message is compressed');
        if (length > LONGEST) throw new Error(`a message of ${length} bytes`);
        if (rest.length < 5 + length) break;
        const bytes = rest.subarray(5, 5 + length);
        rest = rest.subarray(5 + length);
        take(bytes);
      }
    } catch (error) {
      failed(error);
    }
  });
  stream.on('end', () => (async () => done())().catch(failed));
}

function open(stream) {
  stream.respond(HEADERS, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': OK }));
}

function fail(stream, code, text) {
  if (stream.destroyed || stream.closed) return;
  const status = { 'grpc-status': code, 'grpc-message': encodeURIComponent(text) };
  if (stream.headersSent) stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  else stream.respond({ ...HEADERS, ...status }, { endStream: true });
  stream.resume(); // drop the rest
}

function frame(Message, object) {
  const bytes = Message.encode(object, 5);
  bytes[0] = 0;
  bytes.writeUInt32BE(bytes.length - 5, 1);
  return bytes;
}

module.exports = { serve, unary, duplex };
