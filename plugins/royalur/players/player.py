#!/usr/bin/env python3
"""A player of the Royal Game of Ur that moves at random."""

import os
import random
import sys

HOME = 15  # one past the last cell of the track
MIDDLE = 8  # the shared rosette
SHARED = range(5, 13)
ROSETTES = (4, MIDDLE, 14)


def can_move(own, other, token, heads):
    to = own[token] + heads
    if heads == 0 or own[token] == HOME or to > HOME:
        return False
    if to == HOME:
        return True
    return to not in own and not (to == MIDDLE and to in other)


def main():
    if "COCO_PIPEIN" in os.environ:
        receive = open(os.environ["COCO_PIPEIN"])
        send = open(os.environ["COCO_PIPEOUT"], "w")
    else:
        receive, send = sys.stdin, sys.stdout

    def read():
        line = receive.readline()
        if not line:
            sys.exit()  # the match is over
        return line.strip()

    read()  # name of the first player
    read()  # name of the second
    me = int(read())
    places = [[0] * 7, [0] * 7]  # 0 is the start
    mover = 0
    while True:
        heads = read().count("1")
        own, other = places[mover], places[1 - mover]
        legal = [token for token in range(7) if can_move(own, other, token, heads)]
        again = False
        if legal:
            if mover == me:
                token = random.choice(legal)
                print(token, file=send, flush=True)
            else:
                line = read()
                if line == "RETIRE":
                    return
                token = int(line)
            own[token] += heads
            if own[token] in SHARED and own[token] in other:
                other[other.index(own[token])] = 0
            if own == [HOME] * 7:
                return
            again = own[token] in ROSETTES
        if not again:
            mover = 1 - mover


main()
