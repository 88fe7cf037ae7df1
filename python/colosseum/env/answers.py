"""Tables of all answers that games can ask for, so that an action is a number."""

from __future__ import annotations

from itertools import combinations, product
from typing import Callable, Mapping


def table(game: str, args: Mapping[str, str] | None = None, players: int = 2) -> list[str] | None:
    """All answers that the referee of a game of the collection can name, in an order that
    does not change. None: the game has no table, because there are too many answers. Args
    are the parameters that are not the defaults."""
    make = _tables.get(game)
    return make(dict(args or {}), players) if make else None


def _kamisado(args: dict[str, str], players: int) -> list[str]:
    lines = []
    for column, row, up, side, steps in product(range(8), range(8), (1, -1), (-1, 0, 1), range(1, 8)):
        to_column, to_row = column + side * steps, row + up * steps
        if 0 <= to_column < 8 and 0 <= to_row < 8:
            lines.append("abcdefgh"[column] + str(row + 1) + "abcdefgh"[to_column] + str(to_row + 1))
    return lines


def _liarsdice(args: dict[str, str], players: int) -> list[str]:
    total = players * int(args.get("dice", "5"))
    return ["LIAR"] + [f"{count} {face}" for count in range(1, total + 1) for face in range(1, 7)]


def _taacoca(args: dict[str, str], players: int) -> list[str]:
    cells = [row + str(number) for row, cells in zip("ABCDEFGHI", (5, 6, 7, 8, 9, 8, 7, 6, 5)) for number in range(1, cells + 1)]
    return [" ".join(stones) + " " + way for size in (1, 2, 3) for stones in combinations(cells, size) for way in "LR"]


_tables: dict[str, Callable[[dict[str, str], int], list[str]]] = {
    "kamisado": _kamisado,
    "liarsdice": _liarsdice,
    "roshambo": lambda args, players: ["ROCK", "PAPER", "SCISSORS"],
    "royalur": lambda args, players: [str(number) for number in range(16)],
    "taacoca": _taacoca,
    "tron": lambda args, players: ["U", "D", "L", "R"],
}
