#!/usr/bin/env python3
"""Plays samegame: always removes the largest group. It is greedy, and easy to beat."""

import os
import sys


def group(board, x, y):
    """Returns the cells of the group of a block."""
    cells, todo = set(), [(x, y)]
    while todo:
        x, y = todo.pop()
        if (x, y) in cells:
            continue
        cells.add((x, y))
        for a, b in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if 0 <= b < len(board) and 0 <= a < len(board[b]) and board[b][a] == board[y][x]:
                todo.append((a, b))
    return cells


def groups(board):
    """Returns all groups of a board."""
    seen, found = set(), []
    for y, row in enumerate(board):
        for x, colour in enumerate(row):
            if colour != "." and (x, y) not in seen:
                found.append(group(board, x, y))
                seen |= found[-1]
    return found


def play(read, write):
    read()  # its name
    read()  # the number of columns
    height = int(read())
    while True:
        board = [read() for _ in range(height)]
        largest = max(groups(board), key=len, default=())
        if len(largest) < 2:
            return  # the match is over
        x, y = min(largest)
        write(f"{x} {y}")
        if not read():  # the points of this move
            return


if __name__ == "__main__":
    # The pipes are opened in this order, before anything else: coco waits for both.
    source = open(os.environ["COCO_PIPEIN"]) if "COCO_PIPEIN" in os.environ else sys.stdin
    sink = open(os.environ["COCO_PIPEOUT"], "w") if "COCO_PIPEOUT" in os.environ else sys.stdout
    play(lambda: source.readline().strip(), lambda line: print(line, file=sink, flush=True))
