// Serves a game to a Colosseum host: serve({ name, …, play, bot }). The README.md of the
// parent folder describes the API.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

const grpc = require('./grpc');
const m = require('./messages');
const { ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED } = require('./match');
const { Matches } = require('./matches');
const { int, float, choice, text, prepare, range } = require('./prepare');

const PROTOCOL = 1; // of game.proto
const COOKIE = { name: 'COLOSSEUM_GAME', value: '8d4c51a6-plays-for-a-host' };
const LIFELINE = 'COLOSSEUM_LIFELINE';

/** Serves a game to the host that started this program. Without a host, prints a help text. */
function serve(description) {
  const game = { title: description.name, rules: '', maxBots: 0, params: [], ...description };
  if (process.env[COOKIE.name] !== COOKIE.value) {
    process.stdout.write(explanation(game));
    return;
  }
  holdLifeline();
  // A missing await in one match must not end the others.
  process.on('unhandledRejection', (error) => process.stderr.write(`${error?.stack ?? error}\n`));
  process.on('SIGINT', () => {}); // on Ctrl-C the host ends its games itself
  const folder = process.env.PLUGIN_UNIX_SOCKET_DIR || os.tmpdir();
  const socket = path.join(folder, `game${process.pid}`);
  // The limit of the system. Node would cut a longer name.
  if (Buffer.byteLength(socket) > 103) throw new Error(`the path of the socket is too long: ${socket}: give the host a shorter TMPDIR`);
  process.on('exit', () => fs.rmSync(socket, { force: true }));
  grpc.serve(socket, methods(game), () => {
    // go-plugin's handshake. Later output of the game goes to the log.
    process.stdout.write(`1|${PROTOCOL}|unix|${socket}|grpc\n`);
    process.stdout.write = process.stderr.write.bind(process.stderr);
  });
}

function methods(game) {
  return {
    '/colosseum.wire.v1.Game/Describe': grpc.unary(m.Empty, m.Description, () => game),
    '/colosseum.wire.v1.Game/Prepare': grpc.unary(m.PrepareRequest, m.PrepareReply, (request) => prepare(game, request)),
    '/colosseum.wire.v1.Game/Play': grpc.duplex(m.HostBatch, m.GameBatch, (send) => new Matches(game, send)),
    // The services that go-plugin needs. GRPCStdio and GRPCBroker are optional: the host
    // reads stderr, and there are no other connections.
    '/grpc.health.v1.Health/Check': grpc.unary(m.HealthCheckRequest, m.HealthCheckResponse, () => ({ status: m.SERVING })),
    '/plugin.GRPCController/Shutdown': grpc.unary(m.Empty, m.Empty, () => {
      setImmediate(() => process.exit(0));
      return {};
    }),
  };
}

/**
 * Ends this process when the host has ended in any way: only the host holds the other
 * end of the pipe. A thread watches it, so that a referee in an endless loop ends too.
 */
function holdLifeline() {
  const fd = process.env[LIFELINE];
  if (!fd) return;
  const watch = `
    const { Socket } = require('node:net');
    const { parentPort } = require('node:worker_threads');
    new Socket({ fd: ${Number(fd)} }).on('error', () => {}).on('close', () => {
      parentPort.postMessage('gone');
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300);
    }).resume();`;
  const thread = new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 } });
  thread.on('message', () => process.exit(0));
  thread.unref();
}

function explanation(game) {
  const params = game.params.map((p) => `    ${p.name}=…   ${p.description}: ${range(p)} (default ${p.defaultValue})\n`);
  return `This program is ${game.name} (${game.title}), a game for a Colosseum host.

A host starts it by itself: put its folder among the host's plugins.
The creator of a match can choose

${params.join('')}`;
}

module.exports = { serve, int, float, choice, text, ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED };
