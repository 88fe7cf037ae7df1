"""Describes a game and serves it to a host. sdk/wire/README.md describes what a host does."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Callable, List, Optional

from . import messages as m
from .grpc import Connection
from .match import Match
from .prepare import Param, prepare

PROTOCOL = 1  # of game.proto
COOKIE = ("COLOSSEUM_GAME", "8d4c51a6-plays-for-a-host")
BATCH = 1 << 20  # bytes of frames in one message, unless one frame is longer


@dataclass
class Game:
    name: str  # that of the folder
    play: Callable  # the referee: async, with a Match
    min_players: int
    max_players: int
    timeout: float  # seconds for one answer, by default
    title: str = ""  # for people
    rules: str = ""  # Markdown; empty: the file rules.md
    players: int = 0  # of a match without a number; 0: min_players
    max_bots: int = 0
    delay: float = 0  # seconds by which spectators see a running match later
    params: List[Param] = field(default_factory=list)
    bot: Optional[Callable] = None  # async, with a Bot
    check: Optional[Callable] = None  # with the parameters; returns why they are refused, or None
    max_line: int = 0  # bytes of a player's line, from 4096 to 65536; 0: 4096

    def serve(self):
        """Serves the game to the host that started this program. Without a host, prints a help text."""
        if os.environ.get(COOKIE[0]) != COOKIE[1]:
            print(self._explanation())
            return
        _hold_lifeline()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the host ends its games itself
        asyncio.run(self._serve())

    async def _serve(self):
        loop = asyncio.get_running_loop()
        make = lambda: Connection(self._methods())
        if hasattr(socket, "AF_UNIX"):
            folder = os.environ.get("PLUGIN_UNIX_SOCKET_DIR") or tempfile.gettempdir()
            path = os.path.join(folder, f"game{os.getpid()}")
            server, address = await loop.create_unix_server(make, path), "unix|" + path
        else:  # Windows
            server = await loop.create_server(make, "127.0.0.1", 0)
            address = "tcp|127.0.0.1:%d" % server.sockets[0].getsockname()[1]
        print(f"1|{PROTOCOL}|{address}|grpc", flush=True)  # go-plugin's handshake
        sys.stdout = sys.stderr  # later output of the game goes to the log
        await server.serve_forever()

    def _methods(self):
        return {
            "/colosseum.wire.v1.Game/Describe": (m.Empty, m.Description, lambda _: self._description()),
            "/colosseum.wire.v1.Game/Prepare": (m.PrepareRequest, m.PrepareReply, lambda request: prepare(self, request)),
            "/colosseum.wire.v1.Game/Play": (m.HostBatch, None, lambda stream: _Matches(self, stream)),
            # The services that go-plugin needs. GRPCStdio and GRPCBroker are optional.
            "/grpc.health.v1.Health/Check": (m.HealthCheckRequest, m.HealthCheckResponse, lambda _: {"status": m.SERVING}),
            "/plugin.GRPCController/Shutdown": (m.Empty, m.Empty, lambda _: asyncio.get_running_loop().call_later(0.1, os._exit, 0) and {}),
        }

    def _description(self):
        return {
            "name": self.name, "title": self.title or self.name, "rules": self.rules, "min_players": self.min_players,
            "max_players": self.max_players, "max_bots": self.max_bots, "timeout": float(self.timeout),
            "params": [p.message() for p in self.params], "delay": float(self.delay),
            "max_line": self.max_line,
        }

    def _explanation(self):
        params = "".join(f"    {p.name}=…   {p.description}: {p.range()} (default {p.default})\n" for p in self.params)
        return (
            f"This program is {self.name} ({self.title or self.name}), a game for a Colosseum host.\n\n"
            "A host starts it by itself: put its folder among the host's plugins.\n"
            f"The creator of a match can choose\n\n{params}"
        )


class _Matches:
    """The running matches of this process, and the stream of their frames."""

    def __init__(self, game, stream):
        self._game, self._stream = game, stream
        self._matches = {}  # by number: the match and its task
        self._frames = []  # not yet sent
        self._scheduled = False

    def receive(self, batch):
        for f in batch["frames"]:
            number = f["match"]
            if f["start"] and number not in self._matches:
                match = Match(self._game, number, f["start"], self._push)
                task = asyncio.ensure_future(match.run())
                task.add_done_callback(lambda _, number=number: self._matches.pop(number, None))
                self._matches[number] = match, task
            match, task = self._matches.get(number, (None, None))
            if match is None:
                continue  # it ended before the frame arrived
            if f["answers"]:
                match.answer(f["answers"])
            if f["stop"]:
                task.cancel()

    def close(self):
        for _, task in list(self._matches.values()):
            task.cancel()

    def _push(self, frame):
        # The frames of one turn of the event loop are sent as one batch.
        self._frames.append(m.GameFrame.dump(frame))
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self):
        """Sends the frames, unless the host reads too slowly: then it is called again."""
        self._scheduled = False
        frames, self._frames = self._frames, []
        at = 0
        while at < len(frames):
            if self._stream.full():
                self._frames = frames[at:] + self._frames
                return
            batch, size = [], 0
            while at < len(frames) and (not batch or size + len(frames[at]) < BATCH):
                batch.append(m.GameBatch.part("frames", frames[at]))
                size += len(frames[at])
                at += 1
            self._stream.send(b"".join(batch))


def _hold_lifeline():
    """Ends this process when the host has ended in any way: only the host holds the other end.

    A thread watches it, so that a referee in an endless loop ends too.
    """
    number = os.environ.get("COLOSSEUM_LIFELINE")
    if not number:
        return
    fd = int(number)
    if os.name == "nt":
        import msvcrt

        fd = msvcrt.open_osfhandle(fd, os.O_RDONLY)

    def watch():
        try:
            while os.read(fd, 1):
                pass
        finally:
            os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
