"""The loop of a player: it reads the lines of its seat and answers."""

from __future__ import annotations

import sys
from typing import Callable, TextIO


def run(hear: Callable[[str], str | None], lines: TextIO | None = None, answers: TextIO | None = None) -> None:
    """Calls hear with each line that the player receives, without its line feed, and sends
    the line that it returns; None sends nothing. It returns when the stream ends, which is
    the end of the match. By default it uses the standard input and output."""
    lines = lines or sys.stdin
    answers = answers or sys.stdout
    for line in lines:
        answer = hear(line.rstrip("\n"))
        if answer is not None:
            try:
                print(answer, file=answers, flush=True)
            except BrokenPipeError:
                return  # the match has ended
