"""Tests of the library without a host: python3 -m unittest colosseum.test_library"""

import asyncio
import struct
import unittest

from . import ILLEGAL, RESIGNED, Choice, Float, Game, Int, Text, messages
from .grpc import PREFACE, Connection
from .hpack import Decoder
from .match import Match
from .prepare import prepare
from .rand import Rand


def play(referee, answers, players=2, bots=(), start=None, bot=None, params=()):
    """Plays a match with answers, lists of (line, outcome, at_ms) by seat, and returns its frames."""
    game = Game("test", referee, 1, 9, 10, bot=bot, max_bots=9, params=params)
    seats = [{"name": f"p{seat}", "bot": seat in bots, "bank": 0.0, "increment": 0.0, "level": ""} for seat in range(players)]
    answers = [list(a) for a in answers]
    frames = []

    async def run():
        def send(frame):
            frames.append(messages.GameFrame.load(messages.GameFrame.dump(frame)))
            asked = [s for s in (frame.get("ask") or {"seats": []})["seats"] if s not in bots]
            if asked:
                given = []
                for seat in asked:
                    line, outcome, at = answers[seat].pop(0)
                    given.append({"seat": seat, "line": line, "outcome": outcome, "at_ms": at})
                asyncio.get_running_loop().call_soon(lambda: match.answer(given))

        match = Match(game, 1, {"seed": 1, "timeout": 10.0, "params": {}, "rerun": False, "judge_ms": 0, "seats": seats, **(start or {})}, send)
        await match.run()

    asyncio.run(run())
    return frames


def ok(*lines):
    return [(line, messages.ANSWERED, 1000 * i) for i, line in enumerate(lines, 1)]


class LibraryTest(unittest.TestCase):
    def ended(self, frames):
        end = frames[-1]["end"]
        return [(s["rank"], s["score"], s["ended"]) for s in end["seats"]], end["reason"]

    def test_seats_that_want_hints_get_the_legal_answers(self):
        async def referee(m):
            await m.ask_seats([1, 0], [["a", ""], ["b"]])
            await m.ask(1)
            await m.ask(1, [str(n) for n in range(3000)])

        seats = [{"name": f"p{seat}", "bot": False, "bank": 0.0, "increment": 0.0, "level": "", "hints": seat == 1} for seat in range(2)]
        frames = play(referee, [ok("b"), ok("a", "x", "7")], start={"seats": seats})
        hints = [f["ask"]["hints"] for f in frames if f["ask"]]
        self.assertEqual(hints[0], [{"seat": 1, "answers": ["a", ""], "more": False, "examples": False}])
        self.assertEqual(hints[1], [{"seat": 1, "answers": [], "more": False, "examples": True}])
        self.assertEqual((len(hints[2][0]["answers"]), hints[2][0]["more"]), (2048, True))

    def test_ranks_follow_points_and_forfeits_come_last(self):
        async def referee(m):
            for seat, points in enumerate((1, 7, 7, 50)):
                m.score(seat, points)
            m.forfeit(3, RESIGNED)
            m.forfeit(3, ILLEGAL)  # only the first counts

        self.assertEqual(
            self.ended(play(referee, [], players=4)),
            ([(3, 1, "finished"), (1, 7, "finished"), (1, 7, "finished"), (4, 50, "forfeit: resigned")], "p3 forfeits: resigned"),
        )

    def test_teams_share_the_rank_of_their_sum(self):
        async def referee(m):
            m.team(0, 2)
            for seat, points in enumerate((1, 4, 5)):
                m.score(seat, points)

        frames = play(referee, [], players=3)
        self.assertEqual([(s["rank"], s["team"]) for s in frames[-1]["end"]["seats"]], [(1, 1), (3, 0), (1, 1)])

    def test_answers_that_are_illegal_late_or_missing_forfeit(self):
        async def referee(m):
            self.assertEqual(await m.ask_all([["a"], ["a"], ["a"], None]), ["a", None, None, "x"])
            self.assertEqual([m.fault(s) for s in range(4)], [None, "illegal", "timeout", None])
            self.assertEqual(await m.ask_seats([2, 3]), [None, None])
            self.assertEqual(await m.ask(2), None)  # is not asked again
            m.pardon(3)

        late, gone = [("", messages.TIMEOUT, 10000)], [("", messages.DISCONNECTED, 11000)]
        got, reason = self.ended(play(referee, [ok("a"), ok("b"), late, ok("x") + gone], players=4))
        self.assertEqual([e for _, _, e in got], ["finished", "forfeit: illegal", "forfeit: timeout", "finished"])
        self.assertEqual(reason, "p1 forfeits: illegal; p2 forfeits: timeout")

    def test_refused_lines_continue_the_turn_and_the_hundredth_forfeits(self):
        async def referee(m):
            n = 0
            while m.fault(0) is None and await m.ask(0) is not None:
                n += 1
                self.assertAlmostEqual(m.time_left(0), 10)  # a refusal, and not the answer, resumes the turn
                m.refuse(0, "no")
                if n < 10:
                    self.assertAlmostEqual(m.time_left(0), 10 - n)
            m.score(0, n)

        frames = play(referee, [ok(*"x" * 200)], players=1)
        self.assertEqual(self.ended(frames)[0], [(1, 100, "forfeit: illegal")])
        asks = [f["ask"] for f in frames if f["ask"]]
        self.assertEqual([a["resumed"] for a in asks], [[]] + [[0]] * 99)

    def test_a_tick_returns_the_lines_that_came_and_counts_misses(self):
        async def referee(m):
            self.assertEqual(await m.tick(0.5), ["a", None, ""])
            self.assertEqual([m.missed(s) for s in range(3)], [0, 1, 0])
            self.assertEqual(m.elapsed, 1)  # the lines came after a second
            self.assertEqual(await m.tick(2), ["b", None, None])
            self.assertEqual([m.fault(s) for s in range(3)], [None, None, "disconnected"])
            self.assertEqual(m.elapsed, 3)
            m.max_misses(3)
            m.stay_when_gone()
            self.assertEqual(await m.tick(0.02, [1, 0, 2]), [None, None, None])
            self.assertEqual([m.fault(s) for s in range(3)], [None, "timeout", "disconnected"])
            self.assertEqual(await m.ask(0), "c")
            self.assertEqual(m.resume(0), None)
            await m.tick(60, [0])  # it ends the turn
            self.assertEqual(await m.tick(1, []), [None, None, None])
            await m.ask(0)
            await m.tick(60)
            for wrong in (lambda: m.resume(0), lambda: m.refuse(0)):
                with self.assertRaises(ValueError):
                    wrong()
            for seconds in (0, 0.01, 61, float("nan")):
                with self.assertRaises(ValueError):
                    await m.tick(seconds)

        late, gone = ("", messages.TIMEOUT, 1000), ("", messages.DISCONNECTED, 1000)
        frames = play(referee, [ok("a", "b")[:1] + [("b", 0, 1500), gone, *ok("c", "d", "e", "f")], [late] * 3, [*ok(""), gone]], players=3)
        self.assertEqual(frames[-1]["end"]["reason"], "p1 forfeits: timeout; p2 forfeits: disconnected")
        asks = [f["ask"] for f in frames if f["ask"]]
        self.assertEqual([(a["seats"], a["seconds"], a["tick"]) for a in asks[1:4]], [([0, 1, 2], 2, True), ([0, 1], 0.02, True), ([0], 10, False)])
        self.assertEqual([a["resumed"] for a in asks], [[]] * len(asks))

    def test_bots_answer_ticks_with_their_last_line(self):
        async def bot(b):
            while True:
                line = await b.read()
                if line != "rest":
                    b.write("first")
                    b.note("of " + line)
                    b.write("last of " + line)
                if line == "end":
                    return

        got = []

        async def referee(m):
            for line in ("one", "rest", "end", "after"):
                m.tell_all(line)
                got.append((await m.tick(0.02))[-1])
            self.assertGreaterEqual(m.now(), 0.08 if m.players == 1 else 0)

        for players in (1, 2):  # the bot alone keeps the pace itself
            frames = play(referee, [ok(*"xxxx")] * (players - 1), players=players, bots=(players - 1,), bot=bot)
            self.assertEqual(got, ["last of one", None, "last of end", None])
            outcomes = [(a["outcome"], a["note"]) for f in frames for a in f["bot_answers"]]
            self.assertEqual(outcomes, [(messages.ANSWERED, "of one"), (messages.TIMEOUT, ""), (messages.ANSWERED, "of end"), (messages.DISCONNECTED, "")])
            got.clear()

    def test_bank_of_a_clock_is_part_of_the_time_left(self):
        async def referee(m):
            self.assertEqual(m.time_left(0), 6)
            m._answered = None
            await m.ask(0)
            self.assertEqual(m.time_left(0), 2)  # 0 in the bank, and the increment

        seats = [{"name": "p0", "bot": False, "bank": 6.0, "increment": 2.0, "level": ""}]
        self.assertFalse(play(referee, [ok("x")], players=1, start={"seats": seats})[-1]["end"]["aborted"])

    def test_bots_read_and_write_and_a_failed_one_is_disconnected(self):
        async def bot(b):
            b.note("I say " + await b.read())
            b.write("hello")
            await b.read()
            raise ValueError("a mistake")

        async def referee(m):
            m.tell_all("one")
            self.assertEqual(await m.ask_all(), ["x", "hello"])
            m.tell_all("two")
            self.assertEqual(await m.ask_all(), ["y", None])

        frames = play(referee, [ok("x", "y")], bots=(1,), bot=bot)
        self.assertEqual(self.ended(frames)[0][1][2], "forfeit: disconnected")
        self.assertEqual([(a["line"], a["note"]) for f in frames for a in f["bot_answers"]], [("hello", "I say one"), ("", "")])

    def test_bots_go_on_from_the_moves_of_another_match(self):
        sent = []

        async def bot(b):
            for _ in range(2):
                sent.append(b.write("own"))

        async def referee(m):
            for _ in range(2):
                await m.pace(3600)  # not before the moves are used up
                self.assertEqual(await m.ask(0), ["old", "own"][len(lines)])
                lines.append(1)
                if len(lines) == 2:
                    return

        lines = []
        begin = [{"seat": 0, "line": "old", "outcome": messages.ANSWERED}, {"seat": 1, "line": "x", "outcome": messages.ANSWERED}]
        play(referee, [[], []], bots=(0,), bot=bot, start={"begin": begin})
        self.assertEqual((sent, len(lines)), (["old", "own"], 2))

    def test_each_bot_has_its_level(self):
        async def bot(b):
            b.write(b.params["bot"])
            await b.read()

        async def referee(m):
            self.assertEqual(await m.ask_all(), ["easy", "strong"])
            self.assertEqual(m.params["bot"], "strong")

        seats = [{"name": "p", "bot": True, "bank": 0.0, "increment": 0.0, "level": level} for level in ("easy", "")]
        params = [Choice("bot", "level", "strong", "easy")]
        frames = play(referee, [], bots=(0, 1), bot=bot, start={"seats": seats, "params": {"bot": "strong"}}, params=params)
        self.assertFalse(frames[-1]["end"]["aborted"])

    def test_failing_referee_names_its_line_and_aborts_the_match(self):
        async def referee(m):
            m.tell(7, "x")

        got, reason = self.ended(play(referee, []))
        self.assertEqual(got, [(0, 0, "aborted")] * 2)
        self.assertEqual(reason, "the referee failed: ValueError: there is no seat 7")

    def test_judgement_comes_before_the_question(self):
        async def referee(m):
            m.judge(lambda thinking: (0.5, "a") if thinking() else 0)
            await m.ask(0)

        frames = play(referee, [ok("x"), []], start={"judge_ms": 1000})
        self.assertEqual([f["judgement"] for f in frames if f["judgement"]], [{"value": 0.5, "best": "a"}])
        self.assertIsNone(play(referee, [ok("x"), []])[0]["judgement"])

    def test_lines_keep_bytes_that_are_not_utf8(self):
        answer = messages.Answer.load(messages.Answer.dump({"line": b"\xff\xfeA\xc3\xa4".decode("utf-8", "surrogateescape")}))
        self.assertEqual(answer["line"].encode("utf-8", "surrogateescape"), b"\xff\xfeA\xc3\xa4")
        self.assertEqual(messages.End.load(messages.End.dump({"reason": "\udcff"}))["reason"], "?")

    def test_unknown_fields_are_ignored_and_damaged_messages_refused(self):
        self.assertEqual(messages.Seat.load(b"\x0a\x01x\xfa\x3f\x02ab")["name"], "x")
        for damaged in (b"\x0a\x05x", b"\x0a", b"\xff" * 12, b"\x0f"):
            with self.assertRaises(ValueError):
                messages.Seat.load(damaged)

    def test_parameters_have_canonical_values(self):
        params = [Int("i", "number", 5, -1, 9), Float("f", "number", 0.00001, 0, 1), Choice("c", "word", "a", "b"), Text("t", "text", "", 4)]
        game = Game("test", None, 2, 2, 10, params=params, check=lambda p: "no nines" if p["i"] == 9 else None)
        ask = lambda **args: prepare(game, {"players": None, "bots": 0, "timeout": None, "args": args})
        self.assertEqual(ask(i="+07", f="5e-1", c="b", t=" ä \n")["params"], {"i": "7", "f": "0.5", "c": "b", "t": "ä"})
        self.assertEqual(ask()["params"]["f"], "0.00001")
        self.assertEqual(ask(i="9")["refusal"], "no nines")
        all_bots = {"players": None, "bots": 2, "timeout": None, "args": {}}
        self.assertEqual(prepare(game, all_bots)["refusal"], "Cannot have all server bots")
        game.max_bots = 2
        self.assertEqual(prepare(game, all_bots)["players"], 2)
        for args in ({"t": "äää"}, {"t": "a\x01"}, {"i": "1_0"}, {"i": "١"}, {"f": "nan"}, {"c": "x"}):
            self.assertIn("Invalid", ask(**args)["refusal"])

    def test_random_numbers_are_those_of_splitmix64(self):
        self.assertEqual(Rand(0, 0).next(), 0xE220A8397B1DCDAF)  # the first number of the reference implementation
        with self.assertRaises(ValueError):
            Rand(0, 0).below(0)

    def test_headers_of_the_examples_of_rfc_7541(self):
        d = Decoder()  # appendix C.4
        first = bytes.fromhex("828684418cf1e3c2e5f23a6ba0ab90f4ff")
        second = bytes.fromhex("828684be5886a8eb10649cbf")
        self.assertEqual(d.decode(first)[-1], (":authority", "www.example.com"))
        self.assertEqual(d.decode(second)[3:], [(":authority", "www.example.com"), ("cache-control", "no-cache")])
        for damaged in ("80", "ff", "418cf1", "be" * 3, "7f" + "ff" * 6):
            with self.assertRaises(ValueError):
                Decoder().decode(bytes.fromhex(damaged))

    def test_connection_of_another_program_ends(self):
        class Transport:
            aborted = False

            def write(self, raw):
                pass

            def abort(self):
                self.aborted = True

        for raw in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", PREFACE + b"\xff" * 9, PREFACE + struct.pack(">IBBI", 1, 1, 4, 1)[1:] + b"\x80"):
            c = Connection({})
            t = Transport()
            c.connection_made(t)
            for byte in raw:
                if not t.aborted:
                    c.data_received(bytes([byte]))
            self.assertTrue(t.aborted, raw)


if __name__ == "__main__":
    unittest.main()
