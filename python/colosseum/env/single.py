"""An environment of Gymnasium."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import gymnasium

from .encode import Board, Encoder, Text
from .matches import Matches, rewards


class Single(gymnasium.Env):  # type: ignore[type-arg]
    """A match of one player against bots of the game."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, game: str | Matches, *, seat: int | None = None, bot: str = "", players: int | None = None,
                 args: Mapping[str, str] | None = None, answers: Sequence[str] | None = None,
                 encoder: Callable[[], Encoder] = Text, slot: int = 0, render_mode: str | None = None, **host: Any) -> None:
        """Seat is that of the player; None draws it for each match. Bot is the level of all
        others, by default the game's. The rest is as for AEC."""
        self._board = Board(game, slot, players, None, args, answers, encoder, **host)
        self._fixed, self._bot, self._seat = seat, bot, seat or 0
        self.render_mode = render_mode
        self.action_space = self._board.table.action_space()
        self.observation_space = self._board.table.observation_space(self._board.encoders[0].space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if self._fixed is None:
            self._seat = int(self.np_random.integers(self._board.players))
        bots = {seat: self._bot for seat in range(self._board.players) if seat != self._seat}
        self._board.reset(seed if seed is not None else int(self.np_random.integers(2**32)), options, bots)
        return self._board.observe(self._seat), self._board.info(self._seat)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._board.step({self._seat: self._board.table.answer(action)})
        end = self._board.state.get("end")
        reward = rewards(end)[self._seat] if end else 0.0
        aborted = bool(end and end.get("aborted"))
        return self._board.observe(self._seat), reward, bool(end) and not aborted, aborted, self._board.info(self._seat)

    def action_mask(self) -> Any:
        """1 for each action that is legal now, for Discrete.sample."""
        return self._board.table.mask(self._board.legal(self._seat))

    def render(self) -> Any:
        return self._board.state["texts"][self._seat] if self.render_mode == "ansi" else None

    def close(self) -> None:
        self._board.close()
