#!/usr/bin/env python3
"""Plays undercut: chooses one less than the opponent's last number."""

import os
import sys

# coco can pass the stream on named pipes; otherwise it is on standard input and output.
source = open(os.environ["COCO_PIPEIN"]) if "COCO_PIPEIN" in os.environ else sys.stdin
sink = open(os.environ["COCO_PIPEOUT"], "w") if "COCO_PIPEOUT" in os.environ else sys.stdout


def read():
    line = source.readline()
    return line.rstrip("\n") if line else None  # None: the match has ended


own, other, rounds, highest = read(), read(), int(read()), int(read())
last = highest
for _ in range(rounds):
    print(max(1, last - 1), file=sink, flush=True)
    answer = read()
    if answer in (None, "RETIRE"):
        break
    last = int(answer)
