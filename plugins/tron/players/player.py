#!/usr/bin/env python3
"""Plays tron: turns to the side with more room in front of it."""

import os
import random
import sys

STEPS = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0)}


def room(taken, x, y, way):
    """Returns how many free cells are in a row from a place on, at most 8."""
    dx, dy = STEPS[way]
    n = 0
    while n < 8 and not taken(x + (n + 1) * dx, y + (n + 1) * dy):
        n += 1
    return n


def play(read, write):
    width, height, _, players = map(int, read().split())
    heads = []
    for _ in range(players):
        x, y, way, team, name = read().split(None, 4)
        heads.append((int(x), int(y)))
    me = int(read())
    walls = set(heads)

    def taken(x, y):
        return not (0 <= x < width and 0 <= y < height) or (x, y) in walls

    while True:
        x, y = heads[me]
        if x >= 0:
            write(max(STEPS, key=lambda way: (room(taken, x, y, way), random.random())))
        line = read()
        if not line:  # the match has ended
            return
        numbers = list(map(int, line.split()))
        heads = list(zip(numbers[::2], numbers[1::2]))  # (-1, -1): crashed
        walls.update(heads)


if __name__ == "__main__":
    # The pipes are opened in this order, before anything else: coco waits for both.
    source = open(os.environ["COCO_PIPEIN"]) if "COCO_PIPEIN" in os.environ else sys.stdin
    sink = open(os.environ["COCO_PIPEOUT"], "w") if "COCO_PIPEOUT" in os.environ else sys.stdout
    play(lambda: source.readline().strip(), lambda line: print(line, file=sink, flush=True))
