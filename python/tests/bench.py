"""Measures colosseum.env: python3 bench.py, with COLOSSEUM_HOST, in the folder of the games'
configuration. A step is the answers of all asked seats of one match; CPU time is that of
Python, the host and the game, with their start."""

import random
import resource
import time

from colosseum.env import Matches


def cpu():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


for game in ("roshambo", "kamisado"):
    for count in (1, 256):
        before, chance, steps = cpu(), random.Random(1), 0
        with Matches(game, count) as matches:
            began = time.monotonic()
            states = []
            while time.monotonic() - began < 5:
                playing = [state for state in states if "end" not in state]
                ended = set(range(count)) - {state["match"] for state in playing}
                states = matches.reset([{"match": match, "seed": steps + match} for match in ended]) if ended else []
                if playing:
                    answers = [[chance.choice(legal) for legal in state["legal"]] for state in playing]
                    states += matches.step([state["match"] for state in playing], answers)
                    steps += len(playing)
            took = time.monotonic() - began
        print(f"{game}, {count} matches: {steps / took:,.0f} steps/s, {steps / (cpu() - before):,.0f} steps per second of CPU", flush=True)
