"""A seat that the server plays."""

import asyncio
import time
import traceback
from collections import deque

from . import messages
from .rand import BOTS, Rand

OWN_THOUGHT = 0.25  # seconds for one move in a game without the parameter think
MAX_NOTE = 1024  # bytes


class Bot:
    """A bot reads the lines of a player on its seat, and writes lines."""

    def __init__(self, match, seed, seat, level, begin=()):
        self.players, self.timeout = match.players, match.timeout
        self.params = {**match.params, "bot": level} if level else match.params  # "bot" is the level of the bots
        self._match, self._seat = match, seat
        self._rand = Rand(seed, BOTS + seat)
        self._lines = deque()  # not yet read
        self._written = deque()  # not yet asked for
        self._begin = deque(begin)  # lines of an earlier match that replace its next ones
        self._note = ""
        self._reader = self._asked = self._timer = None
        self._tick = False  # the question is a tick
        self._ends = 0.0
        self._allowed = match.timeout
        self._since = time.monotonic()
        self._gone = self._over = False

    async def read(self):
        """Returns the next line that the seat receives."""
        while not self._lines:
            self._reader = asyncio.get_running_loop().create_future()
            self._give_if_possible()
            await self._reader
        self._since = time.monotonic()
        return self._lines.popleft()

    def write(self, line):
        """Answers with a line. In a tick the last one counts.

        Returns the line that the seat has sent. That is another one only in a match that begins
        with the moves of an earlier match, so a bot that keeps the board itself plays that line.
        """
        line = str(line).strip()
        if self._begin:
            line, self._note = self._begin.popleft(), ""
        self._written.append((line, self._note))
        self._note = ""
        self._give_if_possible()
        return line

    def note(self, text):
        """Adds a text about the next line, of at most 1 KiB, which is shown after the match."""
        self._note = str(text).encode("utf-8", "replace")[:MAX_NOTE].decode("utf-8", "ignore")

    def rand(self, n):
        """Returns a number from 0 to n-1, drawn from the match's seed and the bot's seat."""
        return self._rand.below(n)

    def thinking(self):
        """Reports whether there is time left to search for a move.

        That is a quarter of the time for an answer, at most 0.25 s, or the parameter think.
        """
        return not self._over and not self._begin and time.monotonic() - self._since < min(self._allowed / 4, self.params.get("think", OWN_THOUGHT))

    async def rest(self):
        """Lets other matches go on: a search calls it a hundred times a second."""
        await asyncio.sleep(0)

    # The methods below are for Match.

    async def run(self, play):
        try:
            await play(self)
        except asyncio.CancelledError:
            raise
        except BaseException:
            if not self._over:
                self._match.log("bot: " + traceback.format_exc())
        self._gone = True
        self._give_if_possible()

    def receive(self, lines):
        self._lines.extend(lines[:-1].split("\n"))
        if self._reader and not self._reader.done():
            self._reader.set_result(None)
        self._reader = None

    def answer(self, seconds, tick):
        """Returns a future with the bot's Answer. That of a tick waits for end_tick."""
        loop = asyncio.get_running_loop()
        self._asked, self._allowed, self._tick = loop.create_future(), seconds, tick
        asked = self._asked
        if tick:
            self._written.clear()  # lines that are late
            return asked
        self._timer = loop.call_later(seconds, self._give, "", messages.TIMEOUT)
        self._give_if_possible()
        return asked

    def end_tick(self):
        """Answers with the last line that the bot has written in the tick."""
        line, note = self._written[-1] if self._written else ("", "")
        outcome = messages.ANSWERED if self._written else messages.DISCONNECTED if self._gone else messages.TIMEOUT
        self._written.clear()
        self._give(line, outcome, note)

    def stop(self):
        self._over = True
        self._asked = None
        if self._timer:
            self._timer.cancel()

    def _give_if_possible(self):
        if not self._asked or self._tick:
            return
        if self._written:
            line, note = self._written.popleft()
            self._give(line, messages.ANSWERED, note)
        elif self._gone:
            self._give("", messages.DISCONNECTED)
        elif self._reader and not self._lines:
            self._match.log("bot: it waits for a line while the referee waits for its answer")
            self._give("", messages.TIMEOUT)

    def _give(self, line, outcome, note=""):
        asked, self._asked = self._asked, None
        if self._timer:
            self._timer.cancel()
        if asked and not asked.done():
            asked.set_result({"seat": self._seat, "line": line, "outcome": outcome, "at_ms": int(self._match.now() * 1000), "note": note})
