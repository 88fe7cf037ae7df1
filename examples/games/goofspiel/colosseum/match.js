// A match, and the API of its referee.
'use strict';

const { Outcome, To } = require('./messages');
const { Bot } = require('./bot');
const { Rand, REFEREE } = require('./rand');
const { values } = require('./prepare');

const ILLEGAL = 'illegal';
const TIMEOUT = 'timeout';
const DISCONNECTED = 'disconnected';
const RESIGNED = 'resigned'; // only for forfeit()

const MAX_REFUSALS = 100; // lines of one seat in one turn
const MIN_TICK = 0.02; // seconds
const MAX_TICK = 60;

const MAX_HINT = 2048; // answers that the host is told
const MAX_HINT_BYTES = 64 << 10;
const FLUSH = 32 << 10; // characters of text after which a frame is sent before the next question

/**
 * A match. Seats are numbered from 0; the host has drawn them by lot. When the host stops
 * the match, the referee's pending await never resolves, and `finally` does not run: a
 * referee must not hold anything that it has to release.
 */
class Match {
  #number;
  #send;
  #rand;
  #rerun; // a recorded match runs again: the host sends all answers, and there are no pauses
  #bots; // by seat; undefined for a player
  #begins; // answers with which the match begins
  #answers = 0; // so far
  #turn = { texts: [], botAnswers: [] }; // since the last frame
  #size = 0; // characters in the turn
  #asking = false; // a question waits for its answers
  #answered; // resolves with the answers of players
  #faults; // by seat; undefined: still in the match
  #hinted; // by seat: its player wants hints
  #turns; // by seat: { refused, resumed }; undefined: never asked, or last in a tick
  #missed; // by seat: ticks in a row
  #maxMisses = 0;
  #stays = false; // see stayWhenGone
  #scores;
  #seconds; // timeout of the next answers
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
    this.#hinted = start.seats.map((s) => s.hints);
    this.#turns = new Array(start.seats.length);
    this.#missed = new Array(start.seats.length).fill(0);
    this.#scores = new Array(start.seats.length).fill(0);
    this.names = start.seats.map((s) => s.name);
    this.players = start.seats.length;
    this.timeout = start.timeout; // seconds
    this.params = values(game, start.params); // numbers and words, by name
    this.#rerun = start.rerun;
    // A match can begin with the answers of an earlier one: the host sends those of players.
    const begin = start.begin ?? [];
    this.#begins = begin.length;
    this.#bots = start.seats.map((s, seat) => (s.bot && !this.#rerun ? new Bot(this, start.seed, seat, s.level, begin.filter((a) => a.seat === seat).map((a) => a.line)) : undefined));
  }

  /** Returns a number from 0 to n-1, each with the same chance. It depends on the match's seed. */
  rand(n) {
    return this.#rand.below(n);
  }

  /** Sends a line (without line feed) to the player on one seat. */
  tell(seat, line) {
    this.#text(To.SEAT, this.#seat(seat), line);
  }

  /** Sends a line to the spectators. */
  show(line) {
    this.#text(To.SPECTATORS, 0, line);
  }

  /** Sends a line to all players and to the spectators. */
  tellAll(line) {
    this.#text(To.ALL, 0, line);
  }

  /** Sends a line to the spectators and to all players except one. */
  tellOthers(seat, line) {
    this.#text(To.OTHERS, this.#seat(seat), line);
  }

  /**
   * Asks one seat and returns its line, which must be one of the array legal. With any
   * other line, or none in time, the seat forfeits and the result is null. Without legal,
   * every line is returned: the referee must call forfeit if it is not legal. A seat that
   * has forfeited is not asked again: the result is null at once.
   */
  async ask(seat, legal) {
    if (this.#faults[this.#seat(seat)]) return null;
    const [answer] = await this.#question([seat], this.#seconds, false, () => legal);
    return this.#judge(answer, legal);
  }

  /**
   * Asks all seats at the same time; legal[seat] is as for ask. Returns an array with the
   * result of ask for each seat, when all have answered or forfeited.
   */
  async askAll(legal = []) {
    const lines = new Array(this.players).fill(null);
    const seats = [...lines.keys()].filter((seat) => !this.#faults[seat]);
    if (seats.length === 0) return lines;
    for (const answer of await this.#question(seats, this.#seconds, false, (seat) => legal[seat])) lines[answer.seat] = this.#judge(answer, legal[answer.seat]);
    return lines;
  }

  /**
   * Asks all seats, or some, and ends when that number of seconds, from 0.02 to 60, have
   * passed. Returns an array by seat: the last line that came within the tick, or null. Then
   * the seat has missed the tick, but does not forfeit, or it has forfeited, or it was not
   * asked: see missed and fault. A tick is no turn: refuse and resume cannot follow it.
   */
  async tick(seconds, some) {
    if (!(seconds >= MIN_TICK && seconds <= MAX_TICK)) throw new Error(`tick wants from ${MIN_TICK} to ${MAX_TICK} seconds`);
    const lines = new Array(this.players).fill(null);
    const seats = [...lines.keys()].filter((seat) => !this.#faults[seat] && (some?.includes(seat) ?? true));
    if (seats.length === 0) return lines;
    const end = this.#elapsed + seconds * 1000;
    for (const answer of await this.#question(seats, seconds, true)) lines[answer.seat] = this.#take(answer);
    this.#elapsed = Math.max(this.#elapsed, end);
    return lines;
  }

  /** Returns how many ticks in a row a seat has missed. */
  missed(seat) {
    return this.#missed[this.#seat(seat)];
  }

  /** Makes a seat forfeit when it misses that number of ticks in a row; 0: any number. */
  maxMisses(ticks) {
    this.#maxMisses = ticks;
  }

  /** Keeps seats in the match whose players are gone: they miss every tick, and do not forfeit. */
  stayWhenGone() {
    this.#stays = true;
  }

  /**
   * Refuses the last line of a seat. It sends why, and the next question resumes the
   * seat's turn, as after resume. With the hundredth refused line in one turn the seat
   * forfeits. Returns whether the seat can try again.
   */
  refuse(seat, why) {
    if (this.#faults[this.#seat(seat)]) return false;
    this.resume(seat);
    if (why) this.tell(seat, why);
    if (++this.#turns[seat].refused >= MAX_REFUSALS) this.forfeit(seat, ILLEGAL);
    return !this.#faults[seat];
  }

  /**
   * Makes the next question to a seat part of its turn, for example after another seat
   * was asked in between: the timeout is the time left after the seat's last answer.
   * Without resume every question has the whole timeout.
   */
  resume(seat) {
    const turn = this.#turns[this.#seat(seat)];
    if (!turn) throw new Error(`seat ${seat} has no turn: it was never asked, or last in a tick`);
    turn.resumed = true;
  }

  /** Sets the timeout of the next answers, in seconds. A resumed turn gets no additional time. */
  setTimeout(seconds) {
    this.#seconds = seconds;
  }

  /** Seconds from the start of the match to the last answer, or the end of the last tick. They are the same in a replay. */
  get elapsed() {
    return this.#elapsed / 1000;
  }

  /** Waits until the given number of seconds since the last pace, or the start, have passed. */
  async pace(seconds) {
    const pause = this.#paced + seconds * 1000 - Date.now();
    if (pause > 0 && !this.#rerun && this.#answers >= this.#begins) {
      this.#turn.pauseMs = Math.ceil(pause);
      this.#flush();
      await new Promise((resolve) => setTimeout(() => this.#stopped || resolve(), pause));
    }
    this.#paced = Date.now();
  }

  /** Adds points to a seat. They decide the ranks; seats that have forfeited rank last. */
  score(seat, points) {
    this.#scores[this.#seat(seat)] += points;
  }

  /** Takes a seat out of the match for one of the reasons above. Only the first call counts. */
  forfeit(seat, why) {
    if (![ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED].includes(why)) throw new Error(`forfeit: "${why}" is not a reason`);
    this.#faults[this.#seat(seat)] ??= why;
  }

  /** Returns why a seat has forfeited, or undefined. */
  fault(seat) {
    return this.#faults[this.#seat(seat)];
  }

  /** Sets the text that says how the match ended. The default lists the forfeits. */
  reason(text) {
    this.#reason = text;
  }

  // The methods below are for Matches and Bot, not for a referee.

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

  /** Takes the players' answers to the last question. */
  answer(answers) {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(answers);
  }

  /** Ends the match. It sends nothing more. */
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

  #text(to, seat, line) {
    const texts = this.#turn.texts;
    const last = texts[texts.length - 1];
    const lines = `${line}\n`;
    if (last?.to === to && last.seat === seat) last.lines += lines;
    else texts.push({ to, seat, lines });
    this.#size += lines.length;
    if (this.#size >= FLUSH) this.#flush();
  }

  /** Asks seats and returns their answers, in their order. */
  async #question(seats, seconds, tick = false, legal = () => undefined) {
    if (this.#asking) throw new Error('a question while another one waits: await the first');
    this.#asking = true;
    const outside = seats.filter((seat) => !this.#bots[seat]);
    const bots = seats.filter((seat) => this.#bots[seat]);
    const resumed = seats.filter((seat) => this.#turns[seat]?.resumed);
    for (const seat of seats) {
      this.#turns[seat] = tick ? undefined : { refused: resumed.includes(seat) ? this.#turns[seat].refused : 0, resumed: false };
    }
    this.#turn.ask = { seats, seconds };
    if (tick) this.#turn.ask.tick = true;
    else if (resumed.length > 0) this.#turn.ask.resumed = resumed;
    const hints = seats.filter((seat) => this.#hinted[seat]).map((seat) => hint(seat, legal(seat)));
    if (hints.length > 0) this.#turn.ask.hints = hints;
    this.#flush();
    const fromBots = bots.map((seat) => this.#bots[seat].answer(seconds, resumed.includes(seat), tick));
    const answers = await new Promise((resolve) => {
      const withoutPlayers = () => this.#stopped || resolve([]);
      if (outside.length > 0) this.#answered = resolve;
      else if (tick) setTimeout(withoutPlayers, seconds * 1000); // nobody else keeps the pace
      else setImmediate(withoutPlayers); // matches of bots alone must not block others
    });
    if (tick) for (const seat of bots) this.#bots[seat].endTick();
    const botAnswers = await Promise.all(fromBots);
    this.#asking = false;
    this.#answers += seats.length;
    this.#turn.botAnswers.push(...botAnswers);
    const given = [...answers, ...botAnswers];
    return seats.map((seat) => {
      const a = given.find((a) => a.seat === seat);
      if (!a) throw new Error(`the host sent no answer of seat ${seat}`);
      this.#elapsed = Math.max(this.#elapsed, a.atMs);
      return a;
    });
  }

  /** Returns the line of an answer to a tick, or null. */
  #take({ seat, line, outcome }) {
    if (outcome === Outcome.ANSWERED) {
      this.#missed[seat] = 0;
      return line;
    }
    this.#missed[seat]++;
    if (outcome === Outcome.DISCONNECTED && !this.#stays) this.forfeit(seat, DISCONNECTED);
    else if (this.#maxMisses > 0 && this.#missed[seat] >= this.#maxMisses) this.forfeit(seat, TIMEOUT);
    return null;
  }

  #judge(answer, legal) {
    if (answer.outcome === Outcome.TIMEOUT) this.forfeit(answer.seat, TIMEOUT);
    else if (answer.outcome === Outcome.DISCONNECTED) this.forfeit(answer.seat, DISCONNECTED);
    else if (legal && !legal.includes(answer.line)) this.forfeit(answer.seat, ILLEGAL);
    else return answer.line;
    return null;
  }

  /** Sends the turn so far to the host, and its texts to the bots. */
  #flush() {
    if (this.#stopped) return;
    const turn = this.#turn;
    this.#turn = { texts: [], botAnswers: [] };
    this.#size = 0;
    this.#bots.forEach((bot, seat) => {
      if (!bot) return;
      for (const t of turn.texts) {
        if (t.to === To.ALL || (t.to === To.SEAT && t.seat === seat) || (t.to === To.OTHERS && t.seat !== seat)) bot.receive(t.lines);
      }
    });
    this.#send({ match: this.#number, pauseMs: 0, ...turn });
  }

  #result() {
    const forfeits = this.names.map((name, seat) => this.#faults[seat] && `${name} forfeits: ${this.#faults[seat]}`).filter(Boolean);
    const before = (a, b) => (!this.#faults[a] !== !this.#faults[b] ? !this.#faults[a] : this.#scores[a] > this.#scores[b]);
    const seats = this.names.map((_, seat) => ({
      score: this.#scores[seat],
      rank: 1 + this.names.filter((_, other) => before(other, seat)).length, // equal seats share a rank
      ended: this.#faults[seat] ? `forfeit: ${this.#faults[seat]}` : 'finished',
    }));
    return { seats, reason: this.#reason || forfeits.join('; '), aborted: false };
  }

  #seat(seat) {
    if (!(Number.isInteger(seat) && seat >= 0 && seat < this.players)) throw new Error(`there is no seat ${seat}`);
    return seat;
  }
}

/** Returns what the host is told about the answer of a seat, for its player. */
function hint(seat, legal) {
  const answers = [];
  let size = 0;
  for (const line of legal ?? []) {
    size += Buffer.byteLength(line);
    if (answers.length === MAX_HINT || size > MAX_HINT_BYTES) return { seat, answers, more: true };
    answers.push(line);
  }
  return { seat, answers, examples: !legal };
}

module.exports = { Match, ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED };
