"""The client of `host env`."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket as sockets
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, Sequence, TypedDict


class HostError(Exception):
    """The host refuses a request, or is gone."""


class _Reset(TypedDict):
    match: int


class Reset(_Reset, total=False):
    """A match to begin: of its fields, only match is required."""

    seed: int
    players: int  # seats, bots included
    names: list[str]  # by seat
    args: dict[str, str]  # parameters of the game
    bots: dict[str, str]  # levels by seat, such as {"1": "easy"}; "" is the game's default
    spectators: bool  # states have what spectators receive


class _End(TypedDict):
    scores: list[float]
    ranks: list[int]  # from 1; 0 in a match that was aborted
    ended: list[str]
    reason: str


class End(_End, total=False):
    """The result of a match, by seat."""

    aborted: bool  # the game failed


class _State(TypedDict):
    match: int
    texts: list[str]  # by seat, since the last answers


class State(_State, total=False):
    """A match that waits for answers, or has ended."""

    ask: list[int]  # seats
    legal: list[list[str]]  # answers of each of these seats; empty: the game names none
    examples: bool  # other answers can be legal too
    more: bool  # the lists were too long, and are cut
    tick: bool  # None as an answer is a missed tick, and no forfeit
    end: End
    spectators: str
    seed: int  # after reset and copy
    players: int  # likewise


class Matches:
    """Matches of one game in a process of the host, numbered from 0.

    Each call is one message to the host and back, however many matches it names. It is for
    one thread at a time.
    """

    about: dict[str, Any]  # the game: its name, its numbers of players, its parameters

    def __init__(self, game: str, matches: int = 1, *, host: str | None = None, config: str | None = None,
                 args: Mapping[str, str] | None = None, seed: int | None = None, thoughts: int | None = None,
                 socket: str | None = None, cwd: str | None = None) -> None:
        """Starts `host env`, or connects to the Unix socket of one that runs, which has its
        own options. Host is the program, by default $COLOSSEUM_HOST, else `host` of $PATH.
        Game, config and cwd are as for that program."""
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: sockets.socket | None = None
        self._log = tempfile.TemporaryFile()
        if socket is not None:
            self._socket = sockets.socket(sockets.AF_UNIX)
            self._socket.connect(socket)
            self._out: Any = self._socket.makefile("wb", buffering=0)
            self._in: Any = self._socket.makefile("rb", buffering=1 << 18)
        else:
            self._start(_command(game, matches, host, config, args, seed, thoughts), cwd)
        try:
            self.about = self._read()
            if self.about.get("protocol") != 1:
                raise HostError("this is not a host with protocol 1")
        except HostError:
            self.close()
            raise

    def _start(self, command: list[str], cwd: str | None) -> None:
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, cwd=cwd, bufsize=0)
        except OSError as why:
            raise HostError(f"can't start the host: {why}; set COLOSSEUM_HOST to its path") from why
        self._out = self._process.stdin
        self._in = io.BufferedReader(self._process.stdout, 1 << 18)  # type: ignore[arg-type]

    def reset(self, resets: Iterable[Reset]) -> list[State]:
        """Begins matches, and returns their states. Earlier matches of these numbers are
        dropped."""
        return self._ask({"reset": list(resets)})

    def step(self, matches: Sequence[int], answers: Sequence[Sequence[str | None]]) -> list[State]:
        """Answers in matches: answers[i] are those of matches[i], in the order of the seats
        that are asked. None is an answer that does not come in time."""
        return self._ask({"step": {"matches": matches, "answers": answers}})

    def copy(self, pairs: Iterable[tuple[int, int]]) -> list[State]:
        """Makes matches the copies of others: each pair is a match and its copy. The host
        plays the answers again. Copies come to the same state unless the game or a bot of it
        depends on something else."""
        return self._ask({"copy": [list(pair) for pair in pairs]})

    def drop(self, matches: Iterable[int]) -> None:
        """Ends matches without a result."""
        self._ask({"close": list(matches)})

    def close(self) -> None:
        """Ends all matches and the host, if this object has started it."""
        for stream in (self._out, self._in):
            try:
                stream.close()
            except OSError:
                pass
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.wait()
        self._log.close()

    def __enter__(self) -> Matches:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: dict[str, Any]) -> list[State]:
        try:
            self._out.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
        except (BrokenPipeError, ValueError) as why:
            raise HostError(f"the host is gone{self._said()}") from why
        answer = self._read()
        if "error" in answer:
            raise HostError(answer["error"])
        return answer["states"]

    def _read(self) -> dict[str, Any]:
        line = self._in.readline()
        try:
            return json.loads(line)
        except ValueError as why:
            if line:
                raise HostError(f"this is not a host that has `host env`: it says {line[:100]!r}; set COLOSSEUM_HOST to its path") from why
            raise HostError(f"the host has ended{self._said()}") from why

    def _said(self) -> str:
        """What the host wrote last, for an error."""
        if self._log.closed:
            return ""
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - 2000))
        text = self._log.read().decode(errors="replace").strip()
        return f"; it wrote:\n{text}" if text else ""


def _command(game: str, matches: int, host: str | None, config: str | None, args: Mapping[str, str] | None,
             seed: int | None, thoughts: int | None) -> list[str]:
    program = host or os.environ.get("COLOSSEUM_HOST") or shutil.which("host")
    if not program:
        raise HostError("there is no program `host`: set COLOSSEUM_HOST to its path")
    command = [program]
    if config is not None:
        command += ["--config", config]
    command += ["env", game, "--matches", str(matches)]
    for name, value in (args or {}).items():
        command += ["--arg", f"{name}={value}"]
    if seed is not None:
        command += ["--seed", str(seed)]
    if thoughts is not None:
        command += ["--thoughts", str(thoughts)]
    return command


def rewards(end: End) -> list[float]:
    """The rewards of the seats, from 1 for the first to -1 for the last, whose sum is 0.
    Equal seats share theirs. In a match that was aborted all are 0."""
    ranks = end["ranks"]
    most = len(ranks) - 1
    if end.get("aborted") or most == 0:
        return [0.0] * len(ranks)
    shared = [sum(other < rank for other in ranks) + (ranks.count(rank) - 1) / 2 for rank in ranks]
    return [1 - 2 * place / most for place in shared]
