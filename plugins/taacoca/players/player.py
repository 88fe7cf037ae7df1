#!/usr/bin/env python3
"""Plays taacoca: prefers moves to the goal, then captures, then any move."""

import os
import random
import sys
from itertools import combinations

ROWS = "ABCDEFGHI"
LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)


def cells(*ranges):
    return {row + str(n) for row, first, last in ranges for n in range(first, last + 1)}


WHITE = cells(("A", 1, 5), ("B", 2, 5), ("C", 3, 5))
BLACK = cells(("I", 1, 5), ("H", 2, 5), ("G", 3, 5))


def target(cell, white, right):
    """The cell that a stone enters, or None off the board."""
    row, number = ROWS.index(cell[0]), int(cell[1])
    widens = row < 4 if white else row > 4  # the next row is longer
    number += right if widens else right - 1
    row += 1 if white else -1
    return ROWS[row] + str(number) if 0 <= row <= 8 and 1 <= number <= LENGTHS[row] else None


def legal_moves(own, white):
    """All (stones, direction, cells entered)."""
    moves = []
    for right in (0, 1):
        to = {cell: target(cell, white, right) for cell in own}
        free = sorted(cell for cell in own if to[cell])
        for stones in combinations(free, min(3, len(own))):
            entered = {to[cell] for cell in stones}
            if stones and not entered & (own - set(stones)):
                moves.append((stones, "LR"[right], entered))
    return moves


def play(read, write):
    read(), read()  # the names
    me = read() == "0"  # True: white
    stones = {True: set(WHITE), False: set(BLACK)}
    white = True  # White is to move
    while True:
        own, enemy = stones[white], stones[not white]
        if any(cell[0] == "AI"[not white] for cell in enemy) or not legal_moves(own, white):
            return  # the side to move has lost
        if white == me:
            worth = lambda m: (any(c[0] == "AI"[white] for c in m[2]), len(m[2] & enemy), random.random())
            moved, direction, entered = max(legal_moves(own, white), key=worth)
            write(" ".join(moved) + " " + direction)
        else:
            line = read()
            if line in ("", "RETIRE"):  # "": the match has ended
                return
            *moved, direction = line.split()
            entered = {target(cell, white, direction == "R") for cell in moved}
        stones[white] = own - set(moved) | entered
        stones[not white] = enemy - entered
        white = not white


if __name__ == "__main__":
    # The pipes are opened in this order, before anything else: coco waits for both.
    source = open(os.environ["COCO_PIPEIN"]) if "COCO_PIPEIN" in os.environ else sys.stdin
    sink = open(os.environ["COCO_PIPEOUT"], "w") if "COCO_PIPEOUT" in os.environ else sys.stdout
    play(lambda: source.readline().strip(), lambda line: print(line, file=sink, flush=True))
