#!/usr/bin/env python3
"""A player of dama, by any rules except damath. It captures as much as it can.

It does not know the rules of the match. It tries possible moves, the longest
captures first, until the referee accepts one.
"""

import os
import random
import sys

DIAGONALS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


def captures(board, path, enemy, king, far, taken=()):
    """Each path that jumps over enemies from the end of path, complete or not."""
    for down, right in DIAGONALS:
        row, column = path[-1]
        for _ in range(9 if king else 1):  # a king can fly to its prey
            row, column = row + down, column + right
            if board.get((row, column)) != " ":
                break
        if board.get((row, column), " ") not in enemy or (row, column) in taken:
            continue
        prey = taken + ((row, column),)
        for _ in range(9 if king else 1):  # and fly on behind it
            row, column = row + down, column + right
            if board.get((row, column)) != " ":
                break
            longer = path + [(row, column)]
            yield longer
            yield from captures(board, longer, enemy, king, far, prey)
            if row == far and not king:
                yield from captures(board, longer, enemy, True, far, prey)


def moves(board, white):
    """Moves that might be legal, in the order in which to try them."""
    own, enemy, forward, far = ("bB", "nN", -1, 1) if white else ("nN", "bB", 1, max(row for row, _ in board))
    found = []
    for start, piece in board.items():
        if piece == " " or piece not in own:
            continue
        king = piece.isupper()
        without = dict(board)
        without[start] = " "  # the piece can return to its square
        found += [(len(path), king, path) for path in captures(without, [start], enemy, king, far)]
        for down, right in DIAGONALS:
            square = start
            for _ in range(9 if king else 1):
                square = square[0] + down, square[1] + right
                if board.get(square) == " " and (king or down == forward):
                    found.append((0, False, [start, square]))
    random.shuffle(found)
    found.sort(key=lambda move: move[:2], reverse=True)
    return [" ".join(str(row) + "ABCDEFGHIJ"[column] for row, column in path) for _, _, path in found]


def main():
    if "COCO_PIPEIN" in os.environ:
        receive = open(os.environ["COCO_PIPEIN"], encoding="utf-8")
        send = open(os.environ["COCO_PIPEOUT"], "w", encoding="utf-8")
    else:
        receive, send = sys.stdin, sys.stdout
    board, white, todo = {}, True, None
    for line in receive:
        if line.startswith("Game Over"):
            return
        if line.startswith("Sei i Neri"):
            white = False
        elif line[:2].strip().isdigit() and "[" in line[2:4]:  # a row of the board
            todo = None
            first = line.index("[") + 1
            for column in range(line.count("[")):
                board[int(line[:2]), column] = line[first + 3 * column]
        elif line.startswith("Es > "):  # the referee asks for a move
            todo = moves(board, white) if todo is None else todo[1:]
            print(todo[0], file=send, flush=True)


main()
