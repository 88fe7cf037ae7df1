"""Tests of colosseum.env with a real host, whose path is in COLOSSEUM_HOST, and the games of
the folder COLOSSEUM_GAMES, among them roshambo, kamisado, tron and dama. Those of PettingZoo and
Gymnasium are skipped without these packages."""

import io
import os
import random
import stat
import subprocess
import tempfile
import unittest
import warnings

from colosseum import player
from colosseum.env import HostError, Matches, rewards, table


FOLDER = os.path.abspath(os.environ.get("COLOSSEUM_GAMES", "plugins"))


def path(game):
    return os.path.join(FOLDER, game)


def play(matches, seeds, args=None, bots=None):
    """Plays matches with random answers, and returns all states by match."""
    chance = [random.Random(seed) for seed in seeds]
    history = [[] for _ in seeds]
    states = matches.reset([{"match": i, "seed": seed, "args": args or {}, "bots": bots or {}} for i, seed in enumerate(seeds)])
    while states:
        for state in states:
            history[state["match"]].append(state)
        states = [state for state in states if "end" not in state]
        if states:
            answers = [[chance[state["match"]].choice(legal) for legal in state["legal"]] for state in states]
            states = matches.step([state["match"] for state in states], answers)
    return history


class Env(unittest.TestCase):
    def test_matches_of_the_collection_end_and_have_only_answers_of_their_tables(self):
        for game, args in [("roshambo", {}), ("kamisado", {}), ("liarsdice", {"dice": "2"}), ("royalur", {}), ("tron", {"width": "8", "height": "8"})]:
            if not os.path.exists(path(game)):
                continue
            with self.subTest(game), Matches(path(game), 3) as matches:
                known = set(table(game, {"dice": "5"} | args, matches.about["min_players"]))
                for history in play(matches, [1, 2, 3], args):
                    self.assertEqual(sum(rewards(history[-1]["end"])), 0)
                    for state in history[:-1]:
                        for legal in state["legal"]:
                            self.assertTrue(legal and set(legal) <= known, legal)

    def test_same_seed_and_answers_give_the_same_match_also_with_bots(self):
        with Matches(path("tron"), 2) as matches:
            one, two = play(matches, [7, 7], {"width": "12", "height": "12"}, {"1": "strong"})
        self.assertEqual([{**s, "match": 0} for s in one], [{**s, "match": 0} for s in two])

    def test_copy_goes_on_like_its_source(self):
        with Matches(path("kamisado"), 2) as matches:
            state = matches.reset([{"match": 0, "seed": 1}])[0]
            for _ in range(3):
                state = matches.step([0], [[state["legal"][0][-1]]])[0]
            copy = matches.copy([(0, 1)])[0]
            self.assertEqual((copy["ask"], copy["legal"], copy["texts"]), (state["ask"], state["legal"], state["texts"]))

    def test_bad_requests_are_errors_and_change_nothing(self):
        with Matches(path("roshambo")) as matches:
            state = matches.reset([{"match": 0, "seed": 1}])[0]
            for bad in [lambda: matches.step([0], [["ROCK"]]), lambda: matches.reset([{"match": 1}]), lambda: matches.step([0], [["A\nB", "ROCK"]])]:
                self.assertRaises(HostError, bad)
            self.assertEqual(state["ask"], [0, 1])
            self.assertEqual(matches.step([0], [["ROCK", "PAPER"]])[0]["texts"], ["PAPER\n", "ROCK\n"])

    def test_socket_serves_one_connection_after_the_other(self):
        with tempfile.TemporaryDirectory() as folder:
            address = os.path.join(folder, "env")
            command = [os.environ.get("COLOSSEUM_HOST", "host"), "env", path("roshambo"), "--seed", "5", "--socket", address]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as host:
                try:
                    self.assertTrue(any(line.startswith("listening at") for line in host.stderr))
                    self.assertEqual(stat.S_IMODE(os.stat(address).st_mode), 0o600)
                    for _ in range(2):
                        with Matches("roshambo", socket=address) as matches:
                            self.assertEqual(matches.reset([{"match": 0}])[0]["seed"], 5)
                            self.assertEqual(matches.step([0], [["ROCK", "PAPER"]])[0]["texts"], ["PAPER\n", "ROCK\n"])
                    second = subprocess.run(command, capture_output=True, text=True)
                    self.assertNotEqual(second.returncode, 0)
                    self.assertIn("address already in use", second.stderr)
                finally:
                    host.terminate()
            self.assertFalse(os.path.exists(address))

    def test_unknown_game_is_an_error_with_what_the_host_says(self):
        with self.assertRaisesRegex(HostError, "is not a game"):
            Matches(path("nothing"))

    def test_rewards_are_shared_by_equal_seats(self):
        for ranks, want in [([1, 2], [1, -1]), ([1, 1], [0, 0]), ([3, 1, 1], [-1, .5, .5]), ([1], [0])]:
            self.assertEqual(rewards({"scores": [], "ranks": ranks, "ended": [], "reason": ""}), want)


class PettingZoo(unittest.TestCase):
    def setUp(self):
        try:
            import pettingzoo  # noqa: F401
            import gymnasium  # noqa: F401
        except ImportError as why:
            self.skipTest(f"{why}: pip install pettingzoo gymnasium")

    def test_packages_own_tests(self):
        from gymnasium.utils.env_checker import check_env
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
        from colosseum.env import AEC, Parallel, Single
        for game in ["roshambo", "kamisado", "tron", "dama"]:  # dama has no table: its actions are texts
            with self.subTest(game), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they recommend other kinds of spaces
                for make, test in [(AEC, api_test), (Parallel, parallel_api_test)]:
                    env = make(path(game))
                    test(env, num_cycles=50)
                    env.close()
                seed_test(lambda: AEC(path(game)), num_cycles=20)
                parallel_seed_test(lambda: Parallel(path(game)), num_cycles=20)
                env = Single(path(game), bot="random", render_mode="ansi")
                check_env(env)
                env.close()

    def test_observation_is_the_end_of_the_text(self):
        from colosseum.env import Text
        text = Text(5)
        text.hear("aé\n")
        self.assertEqual(bytes(text.observe()), b"\0\0a?\n")
        text.hear("1234\n")
        self.assertEqual(bytes(text.observe()), b"1234\n")
        text.reset(0)
        self.assertTrue(text.space.contains(text.observe()) and not text.observe().any())

    def test_single_seat_plays_against_a_bot(self):
        from colosseum.env import Single
        env = Single(path("tron"), seat=None, bot="random", args={"width": "8", "height": "8"})
        for seed in range(4):
            observed, info = env.reset(seed=seed)
            ended = False
            while not ended:
                self.assertTrue(env.observation_space.contains(observed))
                observed, reward, ended, truncated, info = env.step(env.action_space.sample(mask=env.action_mask()))
                self.assertFalse(truncated)
            self.assertIn(reward, (-1, 0, 1))
        env.close()


class Player(unittest.TestCase):
    def test_loop_sends_what_the_function_returns(self):
        answers = io.StringIO()
        player.run(lambda line: line.upper() if line != "b" else None, io.StringIO("a\nb\nc\n"), answers)
        self.assertEqual(answers.getvalue(), "A\nC\n")


class Missing(unittest.TestCase):
    def test_missing_package_is_named(self):
        import colosseum.env
        try:
            import pettingzoo  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install"):
                colosseum.env.AEC
        else:
            self.skipTest("PettingZoo is installed")


if __name__ == "__main__":
    unittest.main()
