"""What environments make of the text and the answers of a seat."""

from __future__ import annotations

import string
from typing import Any, Callable, Mapping, Protocol, Sequence

import numpy as np
from gymnasium import spaces

from .answers import table
from .matches import HostError, Matches, State

CHARACTERS = string.digits + string.ascii_letters + string.punctuation + " "


class Encoder(Protocol):
    """Makes observations of the text that one seat receives. Each seat has its own, which
    begins anew with each match."""

    space: spaces.Space[Any]

    def reset(self, seat: int) -> None:
        """A match begins."""

    def hear(self, text: str) -> None:
        """The seat has received lines, each with its line feed."""

    def observe(self) -> Any:
        """The observation now, an element of space."""


class Text:
    """The end of all that the seat has received: the ASCII codes of the last characters, the
    newest at the end, and zeros before the first. For other characters it has that of "?"."""

    def __init__(self, length: int = 4096) -> None:
        self.length = length
        self.space = spaces.Box(0, 127, (length,), np.uint8)
        self._codes = b""

    def reset(self, seat: int) -> None:
        self._codes = b""

    def hear(self, text: str) -> None:
        self._codes = (self._codes + text.encode("ascii", "replace"))[-self.length:]

    def observe(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.frombuffer(bytearray(self._codes.rjust(self.length, b"\0")), np.uint8)  # one that can be written


class Table:
    """The actions of a game: numbers of answers, or texts if it has no table."""

    def __init__(self, answers: Sequence[str] | None) -> None:
        self.answers = None if answers is None else list(answers)
        self._numbers = {answer: number for number, answer in enumerate(self.answers or ())}

    def action_space(self) -> spaces.Space[Any]:
        if self.answers is None:
            return spaces.Text(max_length=4096, min_length=0, charset=CHARACTERS)
        return spaces.Discrete(len(self.answers))

    def observation_space(self, space: spaces.Space[Any]) -> spaces.Space[Any]:
        if self.answers is None:
            return space
        return spaces.Dict({"observation": space, "action_mask": spaces.Box(0, 1, (len(self.answers),), np.int8)})

    def observation(self, observed: Any, legal: Sequence[str]) -> Any:
        if self.answers is None:
            return observed
        return {"observation": observed, "action_mask": self.mask(legal)}

    def mask(self, legal: Sequence[str]) -> np.ndarray[Any, np.dtype[np.int8]]:
        """1 for each legal answer. Without one all are 0."""
        mask = np.zeros(len(self.answers or ()), np.int8)
        for answer in legal:
            if answer not in self._numbers:
                raise HostError(f"the game has an answer that is not in the table: {answer!r}; give the whole table as answers=[…]")
            mask[self._numbers[answer]] = 1
        return mask

    def answer(self, action: Any) -> str | None:
        if action is None:
            return None
        return str(action) if self.answers is None else self.answers[int(action)]


class Board:
    """One match with the observations of its players, for the environments."""

    def __init__(self, game: str | Matches, slot: int, players: int | None, bots: Mapping[int, str] | None,
                 args: Mapping[str, str] | None, answers: Sequence[str] | None, encoder: Callable[[], Encoder], **host: Any) -> None:
        self.own = not isinstance(game, Matches)
        self.matches = game if isinstance(game, Matches) else Matches(game, **host)
        self.slot, self.args = slot, dict(args or {})
        self.bots = {seat: level for seat, level in (bots or {}).items()}
        about = self.matches.about
        self.players = players or about["min_players"]
        known = {p["name"]: p["default"] for p in about["params"]} | self.args
        self.table = Table(answers if answers is not None else table(about["game"], known, self.players))
        self.seats = [seat for seat in range(self.players) if seat not in self.bots]
        self.encoders = {seat: encoder() for seat in range(self.players)}
        self.state: State = {"match": slot, "texts": []}

    def reset(self, seed: int | None, options: Mapping[str, Any] | None, bots: Mapping[int, str] | None = None) -> None:
        request: Any = {"match": self.slot, "players": self.players, "args": self.args | dict((options or {}).get("args", {}))}
        if bots is not None:
            self.bots = dict(bots)
        request["bots"] = {str(seat): level for seat, level in self.bots.items()}
        if seed is not None:
            request["seed"] = int(seed)
        if options and "names" in options:
            request["names"] = list(options["names"])
        for seat, encoder in self.encoders.items():
            encoder.reset(seat)
        self._take(self.matches.reset([request])[0])

    def step(self, answers: Mapping[int, str | None]) -> None:
        """Sends the answers of the seats that are asked."""
        self._take(self.matches.step([self.slot], [[answers[seat] for seat in self.asked()]])[0])

    def _take(self, state: State) -> None:
        self.state = state
        for seat, text in enumerate(state["texts"]):
            if text:
                self.encoders[seat].hear(text)

    def asked(self) -> list[int]:
        return self.state.get("ask", [])

    def legal(self, seat: int) -> list[str]:
        asked = self.asked()
        return self.state["legal"][asked.index(seat)] if seat in asked else []

    def observe(self, seat: int) -> Any:
        return self.table.observation(self.encoders[seat].observe(), self.legal(seat))

    def info(self, seat: int) -> dict[str, Any]:
        info: dict[str, Any] = {"asked": seat in self.asked(), "legal": self.legal(seat), "text": self.state["texts"][seat]}
        if "end" in self.state:
            info["end"] = self.state["end"]
        return info

    def close(self) -> None:
        if self.own:
            self.matches.close()
