"""Environments of PettingZoo."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from pettingzoo import AECEnv, ParallelEnv

from .encode import Board, Encoder, Text
from .matches import Matches, rewards


class _Agents:
    """The agents, spaces and the end of both kinds of environments. An agent is a seat that
    is not a bot's."""

    metadata: dict[str, Any] = {"name": "colosseum_v1", "render_modes": ["ansi"]}

    def __init__(self, game: str | Matches, *, players: int | None = None, bots: Mapping[int, str] | None = None,
                 args: Mapping[str, str] | None = None, answers: Sequence[str] | None = None,
                 encoder: Callable[[], Encoder] = Text, slot: int = 0, render_mode: str | None = None, **host: Any) -> None:
        """Game is the name of a game, for which a host is started with the other arguments of
        Matches, or Matches, of which the environment uses the match number slot. Bots are
        levels by seat. Answers is the table of actions, by default that of colosseum.env.table."""
        super().__init__()
        self._board = Board(game, slot, players, bots, args, answers, encoder, **host)
        self.render_mode = render_mode
        self._seats = {f"player_{seat}": seat for seat in self._board.seats}
        self.possible_agents = list(self._seats)
        self.agents: list[str] = []
        table = self._board.table
        self.action_spaces = {agent: table.action_space() for agent in self._seats}
        self.observation_spaces = {agent: table.observation_space(self._board.encoders[seat].space) for agent, seat in self._seats.items()}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        return self._board.observe(self._seats[agent])

    def render(self) -> str | None:
        if self.render_mode != "ansi":
            return None
        return "".join(f"{agent}:\n{self._board.state['texts'][seat]}" for agent, seat in self._seats.items())

    def close(self) -> None:
        self._board.close()

    def _ends(self) -> tuple[dict[str, float], bool, bool]:
        """The rewards of this step, and whether the match has ended with a result or without."""
        end = self._board.state.get("end")
        if end is None:
            return {agent: 0.0 for agent in self.agents}, False, False
        all_rewards = rewards(end)
        aborted = bool(end.get("aborted"))
        return {agent: all_rewards[self._seats[agent]] for agent in self.agents}, not aborted, aborted

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self._board.info(self._seats[agent]) for agent in self.agents}


class AEC(_Agents, AECEnv):  # type: ignore[misc]
    """A match whose agents act one after the other. Those that are asked together act in the
    order of their seats, and learn nothing of each other's actions."""

    metadata = {**_Agents.metadata, "is_parallelizable": False}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._board.reset(seed, options)
        self.agents = list(self.possible_agents)
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._take()

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._given[self._seats[agent]] = self._board.table.answer(action)
        left = [seat for seat in self._board.asked() if seat not in self._given]
        if left:
            self.agent_selection = f"player_{left[0]}"
            return
        self._board.step(self._given)
        self._take()
        self._accumulate_rewards()

    def _take(self) -> None:
        self._given: dict[int, str | None] = {}
        self.rewards, ended, aborted = self._ends()
        self.terminations = dict.fromkeys(self.agents, ended)
        self.truncations = dict.fromkeys(self.agents, aborted)
        self.infos = self._infos()
        if asked := self._board.asked():
            self.agent_selection = f"player_{asked[0]}"


class Parallel(_Agents, ParallelEnv):  # type: ignore[misc]
    """A match whose agents act at the same time. Actions of agents that are not asked do not
    count; their masks are 0."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        self._board.reset(seed, options)
        self.agents = list(self.possible_agents)
        return {agent: self.observe(agent) for agent in self.agents}, self._infos()

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        self._board.step({seat: self._board.table.answer(actions[f"player_{seat}"]) for seat in self._board.asked()})
        reward, ended, aborted = self._ends()
        agents = self.agents
        observations, infos = {agent: self.observe(agent) for agent in agents}, self._infos()
        if ended or aborted:
            self.agents = []
        return observations, reward, dict.fromkeys(agents, ended), dict.fromkeys(agents, aborted), infos
