"""A match, and what its referee can do."""

import asyncio
import os
import sys
import time
import traceback

from . import messages
from .bot import Bot
from .prepare import MAX_TIMEOUT, values
from .rand import REFEREE, Rand

ILLEGAL, TIMEOUT, DISCONNECTED = "illegal", "timeout", "disconnected"
RESIGNED = "resigned"  # only for forfeit()

MAX_REFUSALS = 100  # lines of one seat in one turn
MIN_TICK, MAX_TICK = 0.02, 60  # seconds
MAX_HINT, MAX_HINT_BYTES = 2048, 64 << 10  # answers that the host is told, and their bytes
FLUSH = 32 << 10  # characters of text after which a frame is sent before the next question


class Turn:
    """The turn of one seat: the question that began it and those that resumed it."""

    def __init__(self):
        self.refused = 0  # lines
        self.resumed = False  # by the next question
        self.ticked = False  # ended by a tick
        self.left = 0.0  # seconds of its time after the last answer


class Match:
    """A match. Seats are numbered from 0; the host has drawn them by lot.

    When the host stops the match, the referee's pending await raises CancelledError.
    """

    def __init__(self, game, number, start, send):
        seats = start["seats"]
        self.players = len(seats)
        self.names = [s["name"] for s in seats]
        self.timeout = start["timeout"]  # seconds
        self.params = values(game, start["params"])  # numbers and texts, by name
        self._game, self._number, self._send, self._start = game, number, send, start
        self._rand = Rand(start["seed"], REFEREE)
        self._seconds = self.timeout  # of the next answers
        self._faults = [None] * self.players
        self._missed = [0] * self.players  # ticks in a row
        self._max_misses, self._stays = 0, False
        self._turns = [None] * self.players
        self._banks = [s["bank"] for s in seats]
        self._scores = [0] * self.players
        self._teams = [0] * self.players
        self._frame, self._size = {}, 0
        self._answered = None  # a future with the answers of players
        self._asking = False
        self._reason = ""
        self._begin = self._paced = time.monotonic()
        self._elapsed = self._replayed = 0.0  # seconds; see elapsed and time_left
        self._over = False
        # In a rerun the host sends the answers of bots, too.
        # A match can begin with the answers of an earlier one: the host sends those of players.
        self._answers, begin = 0, start.get("begin", [])
        self._begins = len(begin)
        self._bots = [Bot(self, start["seed"], seat, s["level"], [a["line"] for a in begin if a["seat"] == seat]) if s["bot"] and not start["rerun"] else None for seat, s in enumerate(seats)]

    def rand(self, n):
        """Returns a number from 0 to n-1, each with the same chance, drawn from the match's seed."""
        return self._rand.below(n)

    def tell(self, seat, line):
        """Sends a line (without line feed) to the player on one seat."""
        self._text(messages.SEAT, self._check(seat), line)

    def show(self, line):
        """Sends a line to the spectators."""
        self._text(messages.SPECTATORS, 0, line)

    def tell_all(self, line):
        """Sends a line to all players and to the spectators."""
        self._text(messages.ALL, 0, line)

    def tell_others(self, seat, line):
        """Sends a line to the spectators and to all players except one."""
        self._text(messages.OTHERS, self._check(seat), line)

    async def ask(self, seat, legal=None):
        """Asks one seat and returns its line, which must be in legal.

        With any other line, or none in time, the seat forfeits and the result is None.
        Without legal, every line is returned: the referee calls refuse or forfeit if it is
        not legal. A seat that has forfeited is not asked again: the result is None at once.
        """
        return (await self.ask_seats([seat], None if legal is None else [legal]))[0]

    async def ask_all(self, legal=None):
        """Asks all seats at the same time; legal[seat] is as for ask. Returns a list by seat."""
        return await self.ask_seats(range(self.players), legal)

    async def ask_seats(self, seats, legal=None):
        """Asks some seats at the same time; legal[i] is that of seats[i].

        Returns what ask returns for each, in their order, when all have answered or forfeited.
        """
        seats = list(seats)
        if len(set(seats)) != len(seats) or legal is not None and len(legal) != len(seats):
            raise ValueError("ask_seats wants different seats, and one list of legal answers for each")
        asked = [seat for seat in seats if self._faults[self._check(seat)] is None]
        allowed = dict(zip(seats, legal)) if legal is not None else {}
        for seat in asked:
            if legal is not None and allowed[seat] is not None and not allowed[seat]:
                raise ValueError(f"seat {seat} has no legal answer: do not ask it")
        answers = await self._question(asked, self._seconds, legal=allowed) if asked else {}
        return [self._judge(answers[seat], allowed.get(seat)) if seat in answers else None for seat in seats]

    async def tick(self, seconds, seats=None):
        """Asks all seats, or some, and ends when that number of seconds, from 0.02 to 60, have passed.

        Returns a list by seat: the last line that came within the tick, or None. Then the seat
        has missed the tick, but does not forfeit, or it has forfeited, or it was not asked: see
        missed and fault.
        A tick is no turn: refuse and resume cannot follow it.
        """
        if not MIN_TICK <= seconds <= MAX_TICK:
            raise ValueError(f"tick wants from {MIN_TICK} to {MAX_TICK} seconds")
        seats = [seat for seat in range(self.players) if self._faults[seat] is None and (seats is None or seat in seats)]
        answers = await self._question(seats, float(seconds), tick=True) if seats else {}
        return [self._take(answers[seat]) if seat in answers else None for seat in range(self.players)]

    def missed(self, seat):
        """Returns how many ticks in a row a seat has missed."""
        return self._missed[self._check(seat)]

    def max_misses(self, ticks):
        """Makes a seat forfeit when it misses that number of ticks in a row; 0: any number."""
        self._max_misses = ticks

    def stay_when_gone(self):
        """Keeps seats in the match whose players are gone: they miss every tick, and do not forfeit."""
        self._stays = True

    def refuse(self, seat, why=""):
        """Refuses the last line of a seat and sends why. The next question resumes its turn.

        With the hundredth refused line in one turn the seat forfeits. Returns whether the seat
        can try again.
        """
        if self._faults[self._check(seat)] is not None:
            return False
        self.resume(seat)
        if why:
            self.tell(seat, why)
        self._turns[seat].refused += 1
        if self._turns[seat].refused >= MAX_REFUSALS:
            self.forfeit(seat, ILLEGAL)
        return self._faults[seat] is None

    def resume(self, seat):
        """Makes the next question to a seat part of its turn, with the time that is left of it."""
        turn = self._turns[self._check(seat)]
        if turn is None or turn.ticked:
            raise ValueError(f"seat {seat} has no turn: it was never asked, or last in a tick")
        turn.resumed = True

    def set_timeout(self, seconds):
        """Sets the timeout of the next answers. A resumed turn gets no additional time."""
        if not 0 < seconds <= MAX_TIMEOUT:
            raise ValueError(f"set_timeout wants more than 0 and at most {MAX_TIMEOUT} seconds")
        self._seconds = float(seconds)

    @property
    def elapsed(self):
        """Seconds from the start of the match to the last answer, or the end of the last tick.

        They are the same when the match runs again.
        """
        return self._elapsed

    def time_left(self, seat):
        """Returns the seconds that a seat has for its next answer: the same when the match runs again."""
        turn, left = self._turns[self._check(seat)], self._seconds
        if turn and turn.resumed:
            left = min(left, turn.left)
        if self._start["seats"][seat]["bank"]:
            more = self._start["seats"][seat]["increment"] if turn and not turn.resumed else 0
            left = min(left, self._banks[seat] + more)
        return left

    async def pace(self, seconds):
        """Waits until the given number of seconds since the last pace, or the start, have passed."""
        self._replayed = max(self._elapsed, self._replayed + max(0, seconds))
        pause = self._paced + seconds - time.monotonic()
        if pause > 0 and not self._start["rerun"] and self._answers >= self._begins:
            self._frame["pause_ms"] = int(pause * 1000) + 1
            self._flush()
            await asyncio.sleep(pause)
        self._paced = time.monotonic()

    def score(self, seat, points):
        """Adds points to a seat. They decide the ranks; seats that have forfeited rank last."""
        total = self._scores[self._check(seat)] + points
        if not -1e308 <= total <= 1e308:
            raise ValueError(f"score wants finite points: seat {seat} would have {total}")
        self._scores[seat] = total

    def team(self, *seats):
        """Makes seats one team: they share the rank that follows from the sum of their points."""
        number = max(self._teams) + 1
        for seat in seats:
            if self._teams[self._check(seat)]:
                raise ValueError(f"seat {seat} is in two teams, or twice in one")
            self._teams[seat] = number

    def forfeit(self, seat, why):
        """Takes a seat out of the match for one of the reasons above. Only the first call counts."""
        if why not in (ILLEGAL, TIMEOUT, DISCONNECTED, RESIGNED):
            raise ValueError(f"forfeit: {why!r} is not a reason")
        if self._faults[self._check(seat)] is None:
            self._faults[seat] = why

    def pardon(self, seat):
        """Takes back a forfeit, for games in which a late answer does not lose."""
        self._faults[self._check(seat)] = None

    def fault(self, seat):
        """Returns why a seat has forfeited, or None."""
        return self._faults[self._check(seat)]

    def reason(self, text):
        """Sets the text that says how the match ended. The default lists the forfeits."""
        self._reason = text

    def judge(self, function):
        """Says how good the position of a match with two seats is, before each question.

        function(thinking) returns the result that seat 0 can expect, from -1 (it loses) to 1
        (it wins), or a pair of it and the best answer. It is called only when an ended match
        is analysed; thinking() reports whether it has time left.
        """
        milliseconds = self._start["judge_ms"]
        if not milliseconds or self.players != 2 or self._answers < self._start.get("judge_after", 0):
            return
        end = time.monotonic() + milliseconds / 1000
        value = function(lambda: time.monotonic() < end)
        value, best = value if isinstance(value, tuple) else (value, "")
        if not -1 <= value <= 1:
            raise ValueError(f"judge wants a value from -1 to 1, not {value}")
        self._frame["judgement"] = {"value": float(value), "best": best}
        self._flush()

    # The methods below are for the other modules, not for a referee.

    async def run(self):
        """Plays the match to its end."""
        tasks = [asyncio.ensure_future(bot.run(self._game.bot)) for bot in self._bots if bot]
        try:
            await self._game.play(self)
            self._frame["end"] = self._result()
        except asyncio.CancelledError:
            self._over = True
            raise
        except BaseException as error:
            self.log("referee: " + traceback.format_exc())
            seats = [{"ended": "aborted"} for _ in self.names]
            self._frame["end"] = {"seats": seats, "reason": "the referee failed: " + place(error), "aborted": True}
        finally:
            for bot in self._bots:
                if bot:
                    bot.stop()
            for task in tasks:
                task.cancel()
        self._flush()
        self._over = True

    def answer(self, answers):
        """Takes the players' answers to the last question."""
        if self._answered and not self._answered.done():
            self._answered.set_result(answers)

    def now(self):
        """Seconds since the start of the match."""
        return time.monotonic() - self._begin

    def log(self, text):
        sys.stderr.write(f"match {self._number}: {text.rstrip()}\n")

    def _text(self, to, seat, line):
        line = f"{line}\n"
        texts = self._frame.setdefault("texts", [])
        if texts and texts[-1]["to"] == to and texts[-1]["seat"] == seat:
            texts[-1]["parts"].append(line)
        else:
            texts.append({"to": to, "seat": seat, "parts": [line]})
        self._size += len(line)
        if self._size >= FLUSH:
            self._flush()

    async def _question(self, seats, seconds, tick=False, legal={}):
        """Asks seats and returns their answers, by seat."""
        if self._asking:
            raise RuntimeError("a question while another one waits: await the first")
        self._asking = True
        resumed = [] if tick else [seat for seat in seats if self._turns[seat] and self._turns[seat].resumed]
        allowed = {seat: seconds if tick else self.time_left(seat) for seat in seats}
        for seat in seats:
            if tick and self._turns[seat]:
                self._turns[seat].ticked = True
            elif not tick and seat not in resumed:
                self._turns[seat] = Turn()
            if self._turns[seat]:
                self._turns[seat].resumed = False
        self._frame["ask"] = {"seats": seats, "seconds": seconds, "resumed": resumed, "tick": tick}
        self._frame["ask"]["hints"] = [self._hint(seat, legal.get(seat)) for seat in seats if self._start["seats"][seat].get("hints")]
        self._flush()
        begun = max(self._replayed, self._elapsed)
        bots = [self._bots[seat].answer(allowed[seat], tick) for seat in seats if self._bots[seat]]
        if len(bots) < len(seats):
            self._answered = asyncio.get_running_loop().create_future()
            answers = await self._answered
        else:
            # Nobody else keeps the pace of ticks, and matches of bots alone must not block others.
            await asyncio.sleep(seconds if tick else 0)
            answers = []
        if tick:
            for seat in seats:
                if self._bots[seat]:
                    self._bots[seat].end_tick()
        own = [await bot for bot in bots]
        self._asking = False
        self._answers += len(seats)
        if own:
            self._frame["bot_answers"] = own
        given = {a["seat"]: a for a in [*answers, *own]}
        for seat in seats:
            if seat not in given:
                raise RuntimeError(f"the host sent no answer of seat {seat}")
            at = given[seat]["at_ms"] / 1000
            self._elapsed = max(self._elapsed, at)
            if tick:
                continue
            self._turns[seat].left = max(0.0, allowed[seat] - max(0.0, at - begun))
            self._banks[seat] = given[seat].get("left_ms", 0) / 1000
        if tick:
            self._elapsed = max(self._elapsed, begun + seconds)
        return given

    def _hint(self, seat, legal):
        """Returns what the host is told about the answer of a seat, for its player."""
        answers, size = [], 0
        for line in legal or ():
            size += len(messages.LINE.dump(line))
            if len(answers) == MAX_HINT or size > MAX_HINT_BYTES:
                return {"seat": seat, "answers": answers, "more": True}
            answers.append(line)
        return {"seat": seat, "answers": answers, "examples": legal is None}

    def _take(self, answer):
        """Returns the line of an answer to a tick, or None."""
        seat, outcome = answer["seat"], answer["outcome"]
        if outcome == messages.ANSWERED:
            self._missed[seat] = 0
            return answer["line"]
        self._missed[seat] += 1
        if outcome == messages.DISCONNECTED and not self._stays:
            self.forfeit(seat, DISCONNECTED)
        elif 0 < self._max_misses <= self._missed[seat]:
            self.forfeit(seat, TIMEOUT)
        return None

    def _judge(self, answer, legal):
        seat, outcome, line = answer["seat"], answer["outcome"], answer["line"]
        if outcome == messages.TIMEOUT:
            self.forfeit(seat, TIMEOUT)
        elif outcome == messages.DISCONNECTED:
            self.forfeit(seat, DISCONNECTED)
        elif legal is not None and line not in legal:
            self.forfeit(seat, ILLEGAL)
        else:
            return line
        return None

    def _flush(self):
        """Sends what the referee has done to the host, and the texts of it to the bots."""
        if self._over:
            raise asyncio.CancelledError
        frame, self._frame, self._size = self._frame, {}, 0
        for text in frame.get("texts", ()):
            text["lines"] = "".join(text.pop("parts"))
            for seat, bot in enumerate(self._bots):
                if bot and (text["to"] == messages.ALL or text["to"] == messages.SEAT and text["seat"] == seat or text["to"] == messages.OTHERS and text["seat"] != seat):
                    bot.receive(text["lines"])
        frame["match"] = self._number
        self._send(frame)

    def _result(self):
        sides = []  # of each seat, or of its team: whether one of them is still in the match, and the points
        for seat, own in enumerate(self._teams):
            mates = [s for s, team in enumerate(self._teams) if s == seat or own and team == own]
            sides.append((any(self._faults[s] is None for s in mates), sum(self._scores[s] for s in mates)))
        seats = [
            {
                "score": float(self._scores[seat]), "rank": 1 + sum(other > side for other in sides), "team": self._teams[seat],
                "ended": "finished" if self._faults[seat] is None else "forfeit: " + self._faults[seat],
            }
            for seat, side in enumerate(sides)
        ]
        forfeits = [f"{name} forfeits: {fault}" for name, fault in zip(self.names, self._faults) if fault]
        return {"seats": seats, "reason": str(self._reason or "; ".join(forfeits))}

    def _check(self, seat):
        if not isinstance(seat, int) or not 0 <= seat < self.players:
            raise ValueError(f"there is no seat {seat!r}")
        return seat


def place(error):
    """Returns an error with the line of the game where it was raised."""
    library = os.path.dirname(__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(library)]
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
