#!/usr/bin/env python3
"""A player of damath that makes random legal moves."""

import os
import random
import sys

DIAGONALS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]  # column, row
START = {(x, y): 0 if y < 3 else 1 for x in range(8) for y in (0, 1, 2, 5, 6, 7) if (x + y) % 2}


def name(path):
    return "".join("abcdefgh"[x] + str(y + 1) for x, y in path)


def ray(chips, square, step, dama):
    """The empty squares after a square, one for a chip, and the square behind them."""
    free = []
    while True:
        square = square[0] + step[0], square[1] + step[1]
        if square in chips or not (0 <= square[0] < 8 and 0 <= square[1] < 8) or free and not dama:
            return free, square
        free.append(square)


def captures(chips, path, side, dama, taken=()):
    """Each path that captures from the end of path, with the captured squares."""
    for step in DIAGONALS:
        free, victim = ray(chips, path[-1], step, dama)
        if free and not dama:  # a chip captures only adjacent chips
            continue
        if chips.get(victim) != 1 - side or victim in taken:
            continue
        for square in ray(chips, victim, step, dama)[0]:
            yield path + [square], taken + (victim,)
            yield from captures(chips, path + [square], side, dama, taken + (victim,))


def legal(chips, damas, side):
    """The legal moves by name: the path and the captured squares."""
    jumps, steps = [], []
    for start in [square for square in chips if chips[square] == side]:
        dama = start in damas
        others = {square: chips[square] for square in chips if square != start}
        jumps += [(len(taken), dama, path, taken) for path, taken in captures(others, [start], side, dama)]
        for step in DIAGONALS:
            if dama or step[1] == (1, -1)[side]:
                steps += [[start, square] for square in ray(chips, start, step, dama)[0]]
    if jumps:
        best = max(jump[:2] for jump in jumps)  # most chips, then by a dama
        return {name(path): (path, taken) for *worth, path, taken in jumps if tuple(worth) == best}
    return {name(path): (path, ()) for path in steps}


def main():
    if "COCO_PIPEIN" in os.environ:
        receive, send = open(os.environ["COCO_PIPEIN"]), open(os.environ["COCO_PIPEOUT"], "w")
    else:
        receive, send = sys.stdin, sys.stdout
    _, _, me, _ = [receive.readline().strip() for _ in range(4)]  # names, index, chips
    chips, damas, side, sent, late = dict(START), set(), 0, None, False
    while True:
        moves = legal(chips, damas, side)
        if side == int(me) and not sent and not late and moves:
            sent = random.choice(list(moves))
            print(sent, file=send, flush=True)
        line = receive.readline().strip()
        if line in ("", "RETIRE", "resign") or line.startswith("END"):
            return  # the match is over
        if line == "draw":
            print("no", file=send, flush=True)
        elif line == "LATE " + me:  # another player or the referee moves instead
            sent, late = None, True
            print("LATE", file=send, flush=True)
        elif line.startswith("LATE"):  # move for the other, unless the referee moves for both
            if side != int(me):
                sent = random.choice(list(moves))
                print(sent, file=send, flush=True)
        else:
            path, taken = moves[sent or line]
            if not sent:
                receive.readline()  # the points; after its own move they are in line
            sent, late = None, False
            dama = path[0] in damas or path[-1][1] == (7, 0)[side]
            for square in (path[0],) + taken:
                del chips[square]
                damas.discard(square)
            chips[path[-1]] = side
            if dama:
                damas.add(path[-1])
            side = 1 - side


main()
