#!/usr/bin/env python3
"""Plays liar's dice by the number of dice that it can expect of each face."""

import os
import sys


def play(read, write):
    wild, me, dice, own, last = True, 0, [], [], None
    while True:
        word, *rest = read().split() or ["WINS"]
        if word == "GAME":
            wild = rest[2] == "yes"
        elif word == "YOU":
            me = int(rest[0])
        elif word == "ROUND":
            dice, last = [int(n) for n in rest[1:]], None
        elif word == "DICE":
            own = [int(n) for n in rest[1:]]
        elif word == "BID":
            last = int(rest[1]), int(rest[2])
        elif word == "TURN" and int(rest[0]) == me:
            write(choose(wild, sum(dice), own, last))
        elif word == "WINS":  # or there are no more lines
            return


def choose(wild, total, own, last):
    """The most likely higher bid, or LIAR if it expects fewer dice than the last bid."""
    def surplus(bid):  # more dice than the bid needs
        return expected(wild, total, own, bid[1]) - bid[0]

    if last and surplus(last) < 0:
        return "LIAR"
    bids = [(count, face) for count in range(1, total + 1) for face in range(1, 7)]
    if not last and wild:  # no round begins with ones
        bids = [bid for bid in bids if bid[1] != 1]
    if last:
        bids = [bid for bid in bids if rank(wild, bid) > rank(wild, last)]
    if not bids:
        return "LIAR"
    count, face = max(bids, key=surplus)
    return f"{count} {face}"


def expected(wild, total, own, face):
    """The number of dice that count for a face: its own, and a share of the hidden ones."""
    faces = {face, 1} if wild else {face}
    return sum(die in faces for die in own) + (total - len(own)) * len(faces) / 6


def rank(wild, bid):
    """A bid must have a higher rank than the last one: n wild ones are above 2n sixes."""
    count, face = bid
    return (2 * count, 7) if wild and face == 1 else (count, face)


if __name__ == "__main__":
    # The pipes are opened in this order, before anything else: coco waits for both.
    source = open(os.environ["COCO_PIPEIN"]) if "COCO_PIPEIN" in os.environ else sys.stdin
    sink = open(os.environ["COCO_PIPEOUT"], "w") if "COCO_PIPEOUT" in os.environ else sys.stdout
    play(lambda: source.readline().strip(), lambda line: print(line, file=sink, flush=True))
