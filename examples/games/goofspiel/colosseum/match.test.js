'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');

const { Matches } = require('./matches');
const { Outcome, To } = require('./messages');
const { int, choice, text, prepare } = require('./prepare');

/** The host of one game. */
class FakeHost {
  batches = [];
  params = [];
  #wake;

  constructor(play, bot) {
    const game = { name: 'test', minPlayers: 1, maxPlayers: 9, timeout: 10, params: this.params, play, bot };
    const send = (batch) => {
      this.batches.push(batch);
      this.#wake?.();
      return !this.slow;
    };
    send.drained = (then) => (this.drained = then);
    this.matches = new Matches(game, send);
  }

  start(match, seats, { rerun = false, begin, ...more } = {}) {
    const start = { seed: 1n, timeout: 10, params: {}, seats: [...seats].map((c, i) => ({ name: `P${i}`, bot: c === 'b' })), rerun, begin };
    this.send({ match, start, ...more });
  }

  answer(match, ...answers) {
    this.send({ match, answers: answers.map(([seat, line, outcome = Outcome.ANSWERED]) => ({ seat, line, outcome, atMs: 5 })) });
  }

  send(...frames) {
    this.matches.receive({ frames: frames.map((f) => ({ answers: [], stop: false, ...f })) });
  }

  /** Returns the next frame. */
  async frame() {
    while (this.batches.length === 0) await new Promise((resolve) => (this.#wake = resolve));
    const [batch] = this.batches;
    const f = batch.frames.shift();
    if (batch.frames.length === 0) this.batches.shift();
    return f;
  }
}

const end = (...seats) => ({ seats: seats.map(([score, rank, ended = 'finished']) => ({ score, rank, ended })), reason: '', aborted: false });

/** Nim with one heap: the player who takes the last match wins. */
async function nim(m) {
  let heap = 5;
  for (let seat = 0; heap > 0; seat = 1 - seat) {
    m.tellAll(heap);
    const take = await m.ask(seat, ['1', '2', '3']);
    if (take === null) return;
    heap -= Number(take);
    if (heap <= 0) m.score(seat, 1);
  }
}

test('a turn is one frame each way', async () => {
  const t = new FakeHost(nim);
  t.start(7, 'pp');
  const texts = (line) => [{ to: To.ALL, seat: 0, lines: line }];
  assert.deepEqual(await t.frame(), { match: 7, pauseMs: 0, texts: texts('5\n'), botAnswers: [], ask: { seats: [0], seconds: 10 } });
  t.answer(7, [0, '3']);
  assert.deepEqual(await t.frame(), { match: 7, pauseMs: 0, texts: texts('2\n'), botAnswers: [], ask: { seats: [1], seconds: 10 } });
  t.answer(7, [1, '2']);
  assert.deepEqual(await t.frame(), { match: 7, pauseMs: 0, texts: [], botAnswers: [], end: end([0, 2], [1, 1]) });
});

test('a seat that wants hints gets the legal answers', async () => {
  const t = new FakeHost(async (m) => {
    await m.askAll([['a'], ['b', '']]);
    await m.ask(1);
    await m.ask(1, Array.from({ length: 3000 }, (_, i) => String(i)));
  });
  t.send({ match: 7, start: { seed: 1n, timeout: 10, params: {}, seats: [{ name: 'A' }, { name: 'B', hints: true }], rerun: false } });
  assert.deepEqual((await t.frame()).ask.hints, [{ seat: 1, answers: ['b', ''], examples: false }]);
  t.answer(7, [0, 'a'], [1, 'b']);
  assert.deepEqual((await t.frame()).ask.hints, [{ seat: 1, answers: [], examples: true }]);
  t.answer(7, [1, 'x']);
  const [{ answers, more }] = (await t.frame()).ask.hints;
  assert.deepEqual([answers.length, more], [2048, true]);
  t.answer(7, [1, '1']);
});

test('a seat that does not answer forfeits', async () => {
  for (const [line, outcome, ended] of [
    ['4', Outcome.ANSWERED, 'illegal'], ['', Outcome.TIMEOUT, 'timeout'], ['', Outcome.DISCONNECTED, 'disconnected'],
  ]) {
    const t = new FakeHost(nim);
    t.start(1, 'pp');
    await t.frame();
    t.answer(1, [0, line, outcome]);
    assert.deepEqual((await t.frame()).end, { ...end([0, 2, `forfeit: ${ended}`], [0, 1]), reason: `P0 forfeits: ${ended}` });
  }
});

test('a seat that has forfeited is not asked again', async () => {
  const t = new FakeHost(async (m) => {
    assert.deepEqual(await m.askAll([['a'], ['b'], undefined]), ['a', null, 'anything']);
    assert.equal(m.fault(1), 'illegal');
    assert.equal(await m.ask(1), null);
    assert.deepEqual(await m.askAll([['a'], ['b'], ['c']]), ['a', null, 'c']);
    m.forfeit(0, 'resigned');
    m.forfeit(0, 'timeout'); // the first counts
    m.forfeit(2, 'illegal');
    assert.deepEqual(await m.askAll(), [null, null, null]);
    m.reason('all gone');
  });
  t.start(1, 'ppp');
  assert.deepEqual((await t.frame()).ask.seats, [0, 1, 2]);
  t.answer(1, [2, 'anything'], [0, 'a'], [1, 'c']); // in any order
  assert.deepEqual((await t.frame()).ask.seats, [0, 2]);
  t.answer(1, [0, 'a'], [2, 'c']);
  const { end } = await t.frame();
  assert.deepEqual(end.seats.map((s) => s.ended), ['forfeit: resigned', 'forfeit: illegal', 'forfeit: illegal']);
  assert.equal(end.reason, 'all gone');
});

test('equal seats share a rank, and forfeits rank last', async () => {
  const t = new FakeHost(async (m) => {
    [2, 5, 9, 5].forEach((points, seat) => m.score(seat, points));
    m.forfeit(2, 'resigned');
  });
  t.start(1, 'pppp');
  assert.deepEqual((await t.frame()).end.seats.map((s) => s.rank), [3, 1, 4, 1]);
});

test('lines for the same audience are one text', async () => {
  const t = new FakeHost(async (m) => {
    m.tell(0, 'a');
    m.tell(0, 'b');
    m.tell(1, 'c');
    m.show('d');
    m.tellOthers(1, 'e');
    m.tellAll(6);
  });
  t.start(1, 'pp');
  assert.deepEqual((await t.frame()).texts, [
    { to: To.SEAT, seat: 0, lines: 'a\nb\n' }, { to: To.SEAT, seat: 1, lines: 'c\n' }, { to: To.SPECTATORS, seat: 0, lines: 'd\n' },
    { to: To.OTHERS, seat: 1, lines: 'e\n' }, { to: To.ALL, seat: 0, lines: '6\n' },
  ]);
});

test('long texts are sent before the next question', async () => {
  const t = new FakeHost(async (m) => {
    for (let i = 0; i < 3000; i++) m.show('x'.repeat(31));
  });
  t.start(1, 'p');
  for (const lines of [1024, 1024, 952]) assert.equal((await t.frame()).texts[0].lines.length, 32 * lines);
});

test('bots receive the lines of their seats, and their answers are reported', async () => {
  const t = new FakeHost(
    async (m) => {
      for (let round = 0; round < 3; round++) {
        m.tell(1, `secret of 1: ${round}`);
        m.tell(2, `secret of 2: ${round}`);
        m.tellOthers(1, 'not for 1');
        await m.askAll([['x'], [`1 ${round} of 1: ${round}`], undefined]);
      }
    },
    async (b) => {
      for (let round = 0; ; round++) b.write(` 1 ${round} ${(await b.read()).slice(7)}\n`);
    },
  );
  t.start(1, 'pbp');
  for (let round = 0; round < 3; round++) {
    const f = await t.frame();
    assert.deepEqual(f.ask.seats, [0, 1, 2]);
    assert.equal(f.botAnswers.length, round === 0 ? 0 : 1);
    t.answer(1, [0, 'x'], [2, 'y']);
  }
  const last = await t.frame();
  assert.deepEqual(last.botAnswers.map((a) => [a.seat, a.line, a.outcome]), [[1, '1 2 of 1: 2', Outcome.ANSWERED]]);
  assert.deepEqual(last.end.seats.map((s) => s.ended), ['finished', 'finished', 'finished']);
});

test('each bot has its level', async () => {
  const read = [];
  const t = new FakeHost(
    async (m) => { read.push(m.params.bot, ...(await m.askAll())); },
    async (b) => { b.write(b.params.bot); await b.read(); },
  );
  t.params.push(choice('bot', 'level', 'strong', 'easy'));
  const seats = ['easy', ''].map((level) => ({ name: 'P', bot: true, level }));
  t.send({ match: 1, start: { seed: 1n, timeout: 10, params: { bot: 'strong' }, seats, rerun: false } });
  while (!(await t.frame()).end);
  assert.deepEqual(read, ['strong', 'easy', 'strong']);
});

test('bots can have all seats if the game takes as many', () => {
  const ask = (maxBots, bots) => prepare({ name: 'test', minPlayers: 2, maxPlayers: 2, maxBots, timeout: 5, params: [] }, { bots, args: {} }).refusal;
  assert.deepEqual([ask(2, 2), ask(1, 2), ask(2, 3)], ['', 'Cannot have all server bots', 'Cannot have all server bots']);
});

test('a bot that fails forfeits', async (tc) => {
  tc.mock.method(process.stderr, 'write', () => true);
  const bots = [
    ['disconnected', async () => {}],
    ['disconnected', () => { throw new Error('broken'); }],
    ['timeout', async (b) => { for (;;) await b.read(); }],
    ['timeout', () => new Promise(() => {})],
    ['illegal', async (b) => b.write('y')],
  ];
  for (const [ended, bot] of bots) {
    const t = new FakeHost(async (m) => {
      m.setTimeout(0.01);
      m.tellAll('go');
      await m.ask(0, ['x']);
    }, bot);
    t.start(1, 'bp');
    await t.frame();
    assert.equal((await t.frame()).end.seats[0].ended, `forfeit: ${ended}`);
  }
});

test('a match of bots alone does not block others', async () => {
  const t = new FakeHost(async (m) => { for (;;) await m.askAll(); }, async (b) => { for (;;) b.write(await b.read()); });
  const endless = new FakeHost(async (m) => { for (;;) { m.tellAll('x'); await m.ask(0); } }, async (b) => { for (;;) b.write(await b.read()); });
  endless.start(1, 'bb');
  t.start(2, 'pp');
  await t.frame();
  t.answer(2, [0, ''], [1, '']);
  assert.deepEqual((await t.frame()).ask.seats, [0, 1]);
  endless.matches.close();
});

test('frames of one turn of the event loop are one batch, and wait for a slow host', async () => {
  const t = new FakeHost(nim);
  for (let match = 0; match < 100; match++) t.start(match, 'pp');
  t.slow = true;
  await new Promise(setImmediate);
  assert.deepEqual(t.batches.map((b) => b.frames.length), [100]);
  for (let match = 0; match < 100; match++) t.answer(match, [0, '1']);
  await new Promise(setImmediate);
  for (let match = 0; match < 50; match++) t.answer(match, [1, '1']);
  await new Promise(setImmediate);
  assert.equal(t.batches.length, 1);
  t.slow = false;
  t.drained();
  assert.deepEqual(t.batches.map((b) => b.frames.length), [100, 150]);
});

test('a stopped match sends nothing more', async () => {
  let ended = false;
  const t = new FakeHost(async (m) => {
    for (let i = 0; i < 2; i++) await m.ask(0);
    ended = true;
  });
  t.start(1, 'p');
  t.send({ match: 1, answers: [{ seat: 0, line: '', outcome: 0, atMs: 0 }], stop: true });
  t.answer(1, [0, '']);
  t.answer(99, [0, '']); // an unknown match
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(t.batches.flatMap((b) => b.frames).length, 1);
  assert.ok(!ended);
});

test('a second start and unexpected answers are ignored', async () => {
  const t = new FakeHost(nim);
  t.start(1, 'pp');
  t.start(1, 'pp');
  await t.frame();
  t.answer(1, [0, '1']);
  t.answer(1, [1, '3']); // before the question: a host never does that
  assert.deepEqual((await t.frame()).ask.seats, [1]);
  t.answer(1, [1, '1']);
  assert.deepEqual((await t.frame()).texts[0].lines, '3\n');
});

test('a referee that fails aborts its match', async (tc) => {
  const log = tc.mock.method(process.stderr, 'write', () => true);
  const referees = [
    [() => { throw new Error('broken'); }, 'broken'],
    [async (m) => m.tell(2, 'x'), 'there is no seat 2'],
    [async (m) => { m.ask(0); await m.ask(1); }, 'a question while another one waits: await the first'],
    [async (m) => m.rand(0), 'a random number below 0: give a whole number from 1'],
    [async (m) => m.forfeit(0, 'lazy'), 'forfeit: "lazy" is not a reason'],
  ];
  for (const [referee, text] of referees) {
    const t = new FakeHost(referee);
    t.start(1, 'pp');
    let f = await t.frame();
    if (f.ask) f = await t.frame();
    assert.deepEqual(f.end, { seats: [0, 1].map(() => ({ score: 0, rank: 0, ended: 'aborted' })), reason: `the referee failed: ${text}`, aborted: true });
  }
  assert.equal(log.mock.callCount(), referees.length);
  const t = new FakeHost(nim);
  t.start(1, 'pp');
  await t.frame();
  t.answer(1, [1, '1']); // of another seat
  assert.equal((await t.frame()).end.reason, 'the referee failed: the host sent no answer of seat 0');
});

test('a pause is reported and has the right length', async () => {
  const t = new FakeHost(async (m) => {
    m.tellAll('now');
    await m.pace(0.02);
    await m.pace(0);
  });
  const begin = performance.now();
  t.start(1, 'p');
  const f = await t.frame();
  assert.ok(f.pauseMs > 0 && f.pauseMs <= 20 && f.texts.length === 1);
  assert.ok((await t.frame()).end);
  assert.ok(performance.now() - begin >= 19);
});

test('in a rerun the host answers for bots, and there are no pauses', async () => {
  const t = new FakeHost(async (m) => {
    await m.pace(30);
    m.tellAll(await m.ask(0, ['1', '2']));
  }, async (b) => b.write('2'));
  const begin = performance.now();
  t.start(1, 'bp', { rerun: true });
  assert.deepEqual((await t.frame()).ask, { seats: [0], seconds: 10 });
  t.answer(1, [0, '1']);
  const f = await t.frame();
  assert.deepEqual([f.botAnswers, f.texts[0].lines], [[], '1\n']);
  assert.ok(performance.now() - begin < 10000);
});

test('a tick returns the lines that came, and counts misses', async () => {
  const t = new FakeHost(async (m) => {
    assert.deepEqual(await m.tick(0.5), ['a', null, '']);
    assert.deepEqual([0, 1, 2].map((seat) => m.missed(seat)), [0, 1, 0]);
    assert.equal(m.elapsed, 0.5);
    assert.deepEqual(await m.tick(2), ['b', null, null]);
    assert.deepEqual([0, 1, 2].map((seat) => m.fault(seat)), [undefined, undefined, 'disconnected']);
    assert.equal(m.elapsed, 2.5);
    m.maxMisses(3);
    m.stayWhenGone();
    assert.deepEqual(await m.tick(0.02, [1, 0, 2]), [null, null, null]);
    assert.deepEqual([0, 1].map((seat) => m.fault(seat)), [undefined, 'timeout']);
    await m.ask(0);
    m.resume(0);
    await m.tick(60, [0]); // it ends the turn
    assert.deepEqual(await m.tick(1, []), [null, null, null]);
    assert.throws(() => m.resume(0), /last in a tick/);
    assert.throws(() => m.refuse(0, 'no'), /last in a tick/);
    await m.ask(0);
    for (const seconds of [0, 0.01, 61, NaN]) await assert.rejects(m.tick(seconds), /from 0.02 to 60 seconds/);
  });
  t.start(1, 'ppp');
  const late = (seat) => [seat, '', Outcome.TIMEOUT];
  const gone = (seat) => [seat, '', Outcome.DISCONNECTED];
  for (const [ask, ...answers] of [
    [{ seats: [0, 1, 2], seconds: 0.5, tick: true }, [0, 'a'], late(1), [2, '']],
    [{ seats: [0, 1, 2], seconds: 2, tick: true }, [0, 'b'], late(1), gone(2)],
    [{ seats: [0, 1], seconds: 0.02, tick: true }, gone(0), late(1)],
    [{ seats: [0], seconds: 10 }, [0, 'c']],
    [{ seats: [0], seconds: 60, tick: true }, [0, 'd']],
    [{ seats: [0], seconds: 10 }, [0, 'e']],
  ]) {
    assert.deepEqual((await t.frame()).ask, ask);
    t.answer(1, ...answers);
  }
  assert.equal((await t.frame()).end.reason, 'P1 forfeits: timeout; P2 forfeits: disconnected');
});

test('bots go on from the moves of another match', async () => {
  const sent = [], got = [];
  const t = new FakeHost(async (m) => {
    for (let i = 0; i < 2; i++) {
      await m.pace(i === 0 ? 3600 : 0); // not before the moves are used up
      got.push(await m.ask(0));
    }
  }, async (b) => {
    for (let i = 0; i < 2; i++) sent.push(b.write('own'));
  });
  t.start(1, 'bp', { begin: [{ seat: 0, line: 'old' }, { seat: 1, line: 'x' }] });
  while (!(await t.frame()).end);
  assert.deepEqual([sent, got], [['old', 'own'], ['old', 'own']]);
});

test('bots answer ticks with their last line', async () => {
  for (const seats of ['b', 'pb']) { // a bot alone keeps the pace itself
    const bot = seats.length - 1;
    const got = [];
    let took;
    const t = new FakeHost(async (m) => {
      const begin = performance.now();
      for (const line of ['one', 'rest', 'end', 'after']) {
        m.tellAll(line);
        got.push((await m.tick(0.02))[bot]);
      }
      took = performance.now() - begin;
    }, async (b) => {
      for (;;) {
        const line = await b.read();
        if (line !== 'rest') {
          b.write('first');
          b.write(`last of ${line}`);
        }
        if (line === 'end') return;
      }
    });
    t.start(1, seats);
    const outcomes = [];
    for (let f = await t.frame(); ; f = await t.frame()) {
      outcomes.push(...f.botAnswers.map((a) => a.outcome));
      if (f.end) break;
      if (bot > 0) t.answer(1, [0, 'x']);
    }
    assert.deepEqual(got, ['last of one', null, 'last of end', null]);
    assert.deepEqual(outcomes, [Outcome.ANSWERED, Outcome.TIMEOUT, Outcome.ANSWERED, Outcome.DISCONNECTED]);
    assert.ok(bot > 0 || took >= 75, `four ticks took ${took} ms`);
  }
});

test('elapsed is the time of the last answer', async () => {
  const t = new FakeHost(async (m) => {
    assert.equal(m.elapsed, 0);
    await m.ask(0);
    assert.equal(m.elapsed, 0.005);
  });
  t.start(1, 'p');
  await t.frame();
  t.answer(1, [0, 'x']);
  assert.equal((await t.frame()).end.aborted, false);
});

/** Asks a seat until it answers "good". */
async function untilGood(m, seat) {
  for (;;) {
    const line = await m.ask(seat);
    if (line === null || line === 'good') return;
    m.refuse(seat, `bad: ${line}`);
  }
}

test('the turn continues after a refused line and after an interruption', async () => {
  const t = new FakeHost(async (m) => {
    await untilGood(m, 0);
    await m.ask(1);
    m.resume(0);
    await m.ask(0);
    await m.ask(0);
  });
  t.start(1, 'pp');
  assert.deepEqual((await t.frame()).ask, { seats: [0], seconds: 10 });
  t.answer(1, [0, 'x']);
  const f = await t.frame();
  assert.deepEqual(f.ask, { seats: [0], seconds: 10, resumed: [0] });
  assert.deepEqual(f.texts, [{ to: To.SEAT, seat: 0, lines: 'bad: x\n' }]);
  for (const [seat, line, next] of [[0, 'good', [1]], [1, 'x', [0]], [0, 'x', [0]]]) {
    t.answer(1, [seat, line]);
    const { ask } = await t.frame();
    assert.deepEqual([ask.seats, ask.resumed], [next, seat === 1 ? [0] : undefined]);
  }
});

test('the hundredth refused line of a turn is a forfeit', async () => {
  const t = new FakeHost(async (m) => {
    await untilGood(m, 0);
    await untilGood(m, 0);
    assert.equal(m.refuse(0, 'no'), false);
  });
  t.start(1, 'pp');
  for (const line of [...Array(99).fill('x'), 'good', ...Array(100).fill('x')]) {
    assert.ok((await t.frame()).ask);
    t.answer(1, [0, line]);
  }
  const { end } = await t.frame();
  assert.deepEqual([end.aborted, end.seats[0].ended], [false, 'forfeit: illegal']);
});

test('a turn that never began cannot be resumed', async (tc) => {
  tc.mock.method(process.stderr, 'write', () => true);
  for (const call of [(m) => m.resume(0), (m) => m.refuse(0, 'no')]) {
    const t = new FakeHost(async (m) => call(m));
    t.start(1, 'p');
    assert.match((await t.frame()).end.reason, /never asked/);
  }
});

test('a bot has one clock for its turn', async () => {
  for (const [takes, ended] of [[20, 'timeout'], [0, 'illegal']]) {
    const t = new FakeHost(async (m) => {
      m.setTimeout(takes > 0 ? 0.1 : 60);
      m.tell(0, 'go');
      await untilGood(m, 0);
    }, async (b) => {
      for (;;) {
        await b.read();
        if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes));
        b.write('x');
      }
    });
    t.start(1, 'bp');
    let f;
    do f = await t.frame(); while (!f.end);
    assert.equal(f.end.seats[0].ended, `forfeit: ${ended}`);
  }
});

test('a game refuses combinations of its parameters', () => {
  const game = {
    name: 'test', minPlayers: 2, maxPlayers: 4, players: 3, timeout: 5, params: [int('a', 'number', 1, 0, 9), choice('b', 'word', 'x', 'y')],
    check: ({ a, b }) => (a === 9 && b === 'y' ? '9 and y do not go together' : undefined),
  };
  const request = (args) => prepare(game, { bots: 0, args });
  assert.deepEqual(request({}), { refusal: '', players: 3, timeout: 5, params: { a: '1', b: 'x' } });
  assert.deepEqual(request({ a: '009' }), { refusal: '', players: 3, timeout: 5, params: { a: '9', b: 'x' } });
  assert.deepEqual(request({ a: '9', b: 'y' }), { refusal: '9 and y do not go together' });
});

test('a text is trimmed, and refused if it is long or not printable', () => {
  const game = { name: 'test', minPlayers: 1, maxPlayers: 1, timeout: 5, params: [text('start', 'start position', '', 8)] };
  const request = (start) => prepare(game, { bots: 0, args: { start } });
  assert.equal(request(' W:W1\n').params.start, 'W:W1');
  assert.equal(request('à b ♔').params.start, 'à b ♔');
  for (const bad of ['123456789', '♔♔♔', 'a\tb', 'a\u00a0b', '\u202e']) {
    assert.match(request(bad).refusal, /^Invalid start position: start=".*" is not a printable text of at most 8 bytes$/s);
  }
});
