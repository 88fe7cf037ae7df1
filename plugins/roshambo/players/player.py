#!/usr/bin/env python3
"""Plays roshambo: beats the hand that the opponent has shown most often."""

import os
import random
import sys

BEATEN_BY = {"ROCK": "PAPER", "PAPER": "SCISSORS", "SCISSORS": "ROCK"}


def play(read, write):
    read(), read()  # the names
    rounds = int(read())
    seen = []
    for _ in range(rounds):
        usual = max(BEATEN_BY, key=lambda hand: (seen.count(hand), random.random()))
        write(BEATEN_BY[usual])
        hand = read()
        if hand not in BEATEN_BY:  # RETIRE, or the match has ended
            return
        seen.append(hand)


if __name__ == "__main__":
    # The pipes are opened in this order, before anything else: coco waits for both.
    source = open(os.environ["COCO_PIPEIN"]) if "COCO_PIPEIN" in os.environ else sys.stdin
    sink = open(os.environ["COCO_PIPEOUT"], "w") if "COCO_PIPEOUT" in os.environ else sys.stdout
    play(lambda: source.readline().strip(), lambda line: print(line, file=sink, flush=True))
