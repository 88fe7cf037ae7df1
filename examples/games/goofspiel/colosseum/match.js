// One match, as its referee sees it.
'use strict';

const { Outcome, To } = require('./messages');
const { Bot } = require('./bot');
const { Rand, REFEREE } = require('./rand');
const { values } = require('./prepare');

const ILLEGAL = 'illegal';
const TIMEOUT = 'timeout';
const DISCONNECTED = 'disconnected';
const RESIGNED = 'resigned'; // for forfeit(): the player gave up

const MAX_REFUSALS = 100; // lines of one seat in one turn

const FLUSH = 32 << 10; // a referee that talks without asking is sent on at so many characters

/**
 * A match. Seats are numbered from 0; who sits where was drawn by lot before.
 * When the match is stopped from outside, what the referee awaits never comes,
 * and it is forgotten: it must hold nothing that needs to be given back.
 */
class Match {
  #number;
  #send;
  #rand;
  #rerun; // of a recorded match: all answers come from the host, and there is nobody to rest for
  #bots; // by seat; undefined for a player from outside
  #turn = { texts: [], botAnswers: [] }; // since the last frame
  #size = 0; // characters in the turn
  #asking = false; // a question waits for its answers
  #answered; // takes those from outside
  #faults; // by seat; undefined: still in the match
  #turns; // by seat: { refused, resumed }; undefined: it was never asked
  #scores;
  #seconds; // for the answers to come
  #reason = '';
  #start = Date.now();
  #paced = Date.now();
  #elapsed = 0;
  #stopped = false;

  /**
   * @param {object} game as given to serve
   * @param {number} number of the match, from the host
   * @param {object} start a Start message
   * @param {function(object)} send takes a GameFrame
   */
  constructor(game, number, start, send) {
    this.#number = number;
    this.#send = send;
    this.#rand = new Rand(start.seed, REFEREE);
    this.#seconds = start.timeout;
    this.#faults = new Array(start.seats.length);
    this.#turns = new Array(start.seats.length);
    this.#scores = new Array(start.seats.length).fill(0);
    this.names = start.seats.map((s) => s.name);
    this.players = start.seats.length;
    this.timeout = start.timeout; // seconds for one answer
    this.params = values(game, start.params); // numbers and words, by name
    this.#rerun = start.rerun;
    this.#bots = start.seats.map((s, seat) => (s.bot && !this.#rerun ? new Bot(this, start.seed, seat) : undefined));
  }

  /** Returns a number from 0 to n-1, each with the same chance, drawn from the match's seed. */
  rand(n) {
    return this.#rand.below(n);
  }

  /** Sends a line (without line feed) to the player on one seat. */
  tell(seat, line) {
    this.#say(To.SEAT, this.#seat(seat), line);
  }

  /** Sends a line to the spectators. */
  show(line) {
    this.#say(To.SPECTATORS, 0, line);
  }

  /** Sends a line to all players and to the spectators. */
  tellAll(line) {
    this.#say(To.ALL, 0, line);
  }

  /** Sends a line to the spectators and to all players but one. */
  tellOthers(seat, line) {
    this.#say(To.OTHERS, this.#seat(seat), line);
  }

  /**
   * Waits for an answer of one seat: one of legal, an array; without it the
   * referee judges the line, and calls forfeit when it is not legal. With any
   * other answer, or none in time, the seat forfeits and the result is null. A
   * seat that has forfeited is not asked again: null comes at once.
   */
  async ask(seat, legal) {
    if (this.#faults[this.#seat(seat)]) return null;
    const [answer] = await this.#question([seat]);
    return this.#judge(answer, legal);
  }

  /**
   * Asks every seat at once; legal[seat] is as for ask. Returns, when all have
   * answered or forfeited, an array of what ask returns for each seat.
   */
  async askAll(legal = []) {
    const lines = new Array(this.players).fill(null);
    const seats = [...lines.keys()].filter((seat) => !this.#faults[seat]);
    if (seats.length === 0) return lines;
    for (const answer of await this.#question(seats)) lines[answer.seat] = this.#judge(answer, legal[answer.seat]);
    return lines;
  }

  /**
   * Refuses the last line of a seat, which may try again: tells it why, and the
   * next question goes on with its turn, as after resume. With the hundredth
   * line refused in one turn the seat forfeits. Returns whether it may try again.
   */
  refuse(seat, why) {
    if (this.#faults[this.#seat(seat)]) return false;
    this.resume(seat);
    if (why) this.tell(seat, why);
    if (++this.#turns[seat].refused >= MAX_REFUSALS) this.forfeit(seat, ILLEGAL);
    return !this.#faults[seat];
  }

  /**
   * Makes the next question to a seat part of its turn, as after an interruption
   * in which another seat was asked: the seat has what its last answer left of
   * its time. Without it every question gives the whole time.
   */
  resume(seat) {
    const turn = this.#turns[this.#seat(seat)];
    if (!turn) throw new Error(`seat ${seat} was never asked: it has no turn`);
    turn.resumed = true;
  }

  /** Changes the time for each answer from now on, in seconds. A turn that is resumed gets no more. */
  setTimeout(seconds) {
    this.#seconds = seconds;
  }

  /** Seconds from the start of the match to the last answer; a replay sees the same. */
  get elapsed() {
    return this.#elapsed / 1000;
  }

  /** Waits until so many seconds have passed since the last pace, or since the start. */
  async pace(seconds) {
    const rest = this.#paced + seconds * 1000 - Date.now();
    if (rest > 0 && !this.#rerun) {
      this.#turn.pauseMs = Math.ceil(rest);
      this.#flush();
      await new Promise((resolve) => setTimeout(() => this.#stopped || resolve(), rest));
    }
    this.#paced = Date.now();
  }

  /** Adds points to a seat. The ranks follow; seats that forfeited come last. */
  score(seat, points) {
    this.#scores[this.#seat(seat)] += points;
  }

  /** Takes a seat out of the match for one of the reasons above. The first counts. */
  forfeit(seat, why) {
    if (![ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED].includes(why)) throw new Error(`forfeit: "${why}" is no reason`);
    this.#faults[this.#seat(seat)] ??= why;
  }

  /** Returns why a seat has forfeited; undefined: it has not. */
  fault(seat) {
    return this.#faults[this.#seat(seat)];
  }

  /** Sets the sentence that tells how the match ended; without it, it tells the forfeits. */
  reason(text) {
    this.#reason = text;
  }

  // What follows is for the hall, not for a referee.

  /** Plays the match to its end. */
  async run(game) {
    this.#bots.forEach((bot) => bot?.run(game.bot));
    try {
      await game.play(this);
      this.#turn.end = this.#result();
    } catch (error) {
      this.log(`referee: ${error?.stack ?? error}`);
      const seats = this.names.map(() => ({ score: 0, rank: 0, ended: 'aborted' }));
      this.#turn.end = { seats, reason: `the referee failed: ${error?.message ?? error}`, aborted: true };
    }
    this.#flush();
    this.stop();
  }

  /** Brings the answers to the last question. */
  answer(answers) {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(answers);
  }

  /** Ends the match; nothing more is sent. */
  stop() {
    this.#stopped = true;
    this.#answered = undefined;
    this.#bots.forEach((bot) => bot?.stop());
  }

  /** Milliseconds since the start of the match. */
  get now() {
    return Date.now() - this.#start;
  }

  log(text) {
    process.stderr.write(`match ${this.#number}: ${text}\n`);
  }

  #say(to, seat, line) {
    const texts = this.#turn.texts;
    const last = texts[texts.length - 1];
    const lines = `${line}\n`;
    if (last?.to === to && last.seat === seat) last.lines += lines;
    else texts.push({ to, seat, lines });
    this.#size += lines.length;
    if (this.#size >= FLUSH) this.#flush();
  }

  async #question(seats) {
    if (this.#asking) throw new Error('a question while another one waits: await the first');
    this.#asking = true;
    const outside = seats.filter((seat) => !this.#bots[seat]);
    const bots = seats.filter((seat) => this.#bots[seat]);
    const resumed = seats.filter((seat) => this.#turns[seat]?.resumed);
    for (const seat of seats) this.#turns[seat] = { refused: resumed.includes(seat) ? this.#turns[seat].refused : 0, resumed: false };
    this.#turn.ask = resumed.length > 0 ? { seats, seconds: this.#seconds, resumed } : { seats, seconds: this.#seconds };
    this.#flush();
    const fromBots = bots.map((seat) => this.#bots[seat].answer(this.#seconds, resumed.includes(seat)));
    const answers = await new Promise((resolve) => {
      if (outside.length > 0) this.#answered = resolve;
      else setImmediate(() => this.#stopped || resolve([])); // bots among themselves give way to other matches
    });
    const botAnswers = await Promise.all(fromBots);
    this.#asking = false;
    this.#turn.botAnswers.push(...botAnswers);
    const given = [...answers, ...botAnswers];
    return seats.map((seat) => {
      const a = given.find((a) => a.seat === seat);
      if (!a) throw new Error(`the host brought no answer of seat ${seat}`);
      this.#elapsed = Math.max(this.#elapsed, a.atMs);
      return a;
    });
  }

  #judge(answer, legal) {
    if (answer.outcome === Outcome.TIMEOUT) this.forfeit(answer.seat, TIMEOUT);
    else if (answer.outcome === Outcome.DISCONNECTED) this.forfeit(answer.seat, DISCONNECTED);
    else if (legal && !legal.includes(answer.line)) this.forfeit(answer.seat, ILLEGAL);
    else return answer.line;
    return null;
  }

  /** Sends the turn so far, and gives the bots what is theirs. */
  #flush() {
    if (this.#stopped) return;
    const turn = this.#turn;
    this.#turn = { texts: [], botAnswers: [] };
    this.#size = 0;
    this.#bots.forEach((bot, seat) => {
      if (!bot) return;
      for (const t of turn.texts) {
        if (t.to === To.ALL || (t.to === To.SEAT && t.seat === seat) || (t.to === To.OTHERS && t.seat !== seat)) bot.tell(t.lines);
      }
    });
    this.#send({ match: this.#number, pauseMs: 0, ...turn });
  }

  #result() {
    const forfeits = this.names.map((name, seat) => this.#faults[seat] && `${name} forfeits: ${this.#faults[seat]}`).filter(Boolean);
    const before = (a, b) => (!this.#faults[a] !== !this.#faults[b] ? !this.#faults[a] : this.#scores[a] > this.#scores[b]);
    const seats = this.names.map((_, seat) => ({
      score: this.#scores[seat],
      rank: 1 + this.names.filter((_, other) => before(other, seat)).length, // equal seats share the better rank
      ended: this.#faults[seat] ? `forfeit: ${this.#faults[seat]}` : 'finished',
    }));
    return { seats, reason: this.#reason || forfeits.join('; '), aborted: false };
  }

  #seat(seat) {
    if (!(Number.isInteger(seat) && seat >= 0 && seat < this.players)) throw new Error(`there is no seat ${seat}`);
    return seat;
  }
}

module.exports = { Match, ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED };
