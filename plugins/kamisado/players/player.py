#!/usr/bin/env python3
"""A player of Kamisado that wins if it can, and otherwise moves at random."""

import os
import random
import sys

COLOURS = [  # from row 1 up to row 8, columns a to h
    "NGRYKPBO", "PNYBGKOR", "BYNPROKG", "YRGNOBPK",
    "KPBONGRY", "GKORPNYB", "ROKGBYNP", "OBPKYRGN",
]
HOME = (0, 7)  # rows, counted from 0, of black and white


def name(square):
    row, column = square
    return "abcdefgh"[column] + str(row + 1)


def square(text):
    return int(text[1]) - 1, "abcdefgh".index(text[0])


def targets(towers, side, start):
    """The squares to which the tower on start can move."""
    taken = set(towers[0].values()) | set(towers[1].values())
    up = 1 if side == 0 else -1
    found = []
    for sideways in (-1, 0, 1):
        row, column = start[0] + up, start[1] + sideways
        while 0 <= row < 8 and 0 <= column < 8 and (row, column) not in taken:
            found.append((row, column))
            row, column = row + up, column + sideways
    return found


def main():
    if "COCO_PIPEIN" in os.environ:
        receive = open(os.environ["COCO_PIPEIN"])
        send = open(os.environ["COCO_PIPEOUT"], "w")
    else:
        receive, send = sys.stdin, sys.stdout
    receive.readline()  # name of black
    receive.readline()  # name of white
    me = int(receive.readline())
    # For each side, the square of its tower of each colour.
    towers = [{COLOURS[row][column]: (row, column) for column in range(8)} for row in HOME]
    side, colour = 0, None
    while True:
        movable = [colour] if colour else list("OBPKYRGN")
        moves = [(towers[side][c], to) for c in movable for to in targets(towers, side, towers[side][c])]
        if side == me and moves:
            wins = [move for move in moves if move[1][0] == HOME[1 - me]]
            start, end = random.choice(wins or moves)
            print(name(start) + name(end), file=send, flush=True)
        else:  # the opponent's move, or one of distance zero
            line = receive.readline().strip()
            if line in ("", "RETIRE"):
                return  # the match is over
            start, end = square(line[:2]), square(line[2:])
        moved = next(c for c in towers[side] if towers[side][c] == start)
        towers[side][moved] = end
        if end[0] == HOME[1 - side]:
            return
        colour = COLOURS[end[0]][end[1]]
        side = 1 - side


main()
