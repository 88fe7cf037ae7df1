"""The parameters of a game, and the check of a creator's request."""

import re
import unicodedata
from decimal import Decimal

from . import messages

MIN_TIMEOUT, MAX_TIMEOUT = 0.1, 600  # seconds, for every game

_FORMS = {
    messages.INT: re.compile(r"[+-]?[0-9]+"),
    messages.FLOAT: re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"),
}


class Param:
    """One thing that the creator of a match can choose. Make it with one of the functions below."""

    def __init__(self, name, description, kind, default, low=0, high=0, choices=()):
        self.name, self.description, self.kind, self.default = name, description, kind, default
        self.low, self.high, self.choices = low, high, choices

    def range(self):
        """Returns a text for the values of the parameter."""
        if self.kind == messages.CHOICE:
            return "one of " + ", ".join(self.choices)
        if self.kind == messages.TEXT:
            return f"a printable text of at most {decimal(self.high)} bytes"
        noun = "a whole number" if self.kind == messages.INT else "a number"
        return f"{noun} from {decimal(self.low)} to {decimal(self.high)}"

    def normalize(self, text):
        """Returns the canonical form of a value, or None if the value is not allowed."""
        if self.kind == messages.CHOICE:
            return text if text in self.choices else None
        if self.kind == messages.TEXT:
            text = text.strip(" \t\r\n")
            fits = len(text.encode("utf-8", "replace")) <= self.high
            return text if fits and all(c == " " or unicodedata.category(c)[0] in "LMNPS" for c in text) else None
        if len(text) > 400 or not _FORMS[self.kind].fullmatch(text):
            return None
        number = int(text) if self.kind == messages.INT else float(text) + 0.0  # 0 instead of -0
        return decimal(number) if self.low <= number <= self.high else None

    def value(self, text):
        """Returns the value of a canonical form."""
        return int(text) if self.kind == messages.INT else float(text) if self.kind == messages.FLOAT else text

    def message(self):
        return {
            "name": self.name, "description": self.description, "default_value": self.default, "kind": self.kind,
            "min": float(self.low), "max": float(self.high), "choices": list(self.choices),
        }


def Int(name, description, default, low, high):
    """A whole number from low to high."""
    return Param(name, description, messages.INT, decimal(default), low, high)


def Float(name, description, default, low, high):
    """A decimal number from low to high."""
    return Param(name, description, messages.FLOAT, decimal(default), low, high)


def Choice(name, description, *choices):
    """One of several words. The first is the default."""
    return Param(name, description, messages.CHOICE, choices[0], choices=choices)


def Text(name, description, default, most):
    """Any printable text of at most that many bytes; check refuses one that the game can't read."""
    return Param(name, description, messages.TEXT, default, high=most)


def prepare(game, request):
    """Checks a PrepareRequest and completes it with the game's defaults.

    Returns a PrepareReply. Its refusal is a text for the creator of the match.
    """
    players = request["players"] if request["players"] is not None else game.players or game.min_players
    timeout = request["timeout"] if request["timeout"] is not None else game.timeout
    bots = request["bots"]
    if not game.min_players <= players <= game.max_players:
        return {"refusal": f"Cannot create game with {players} players: {game.name} is played by {_count(game.min_players, game.max_players)}"}
    if bots > players or bots == players > game.max_bots:
        return {"refusal": "Cannot have all server bots"}
    if bots > game.max_bots:
        return {"refusal": f"Cannot create game with {bots} bots: {game.name} takes from 0 to {game.max_bots}"}
    if not MIN_TIMEOUT <= timeout <= MAX_TIMEOUT:
        return {"refusal": f"Timeout {decimal(timeout)} out of allowed range [0.1; 600]"}
    params = {p.name: p.default for p in game.params}
    known = {p.name: p for p in game.params}
    for name, given in sorted(request["args"].items()):
        if name not in known:
            have = "have " + ", ".join(known) if known else game.name + " has none"
            return {"refusal": f"unknown parameter {_quote(name)} ({have})"}
        params[name] = known[name].normalize(given)
        if params[name] is None:
            return {"refusal": f"Invalid {known[name].description}: {name}={_quote(given)} is not {known[name].range()}"}
    refusal = game.check(values(game, params)) if game.check else None
    return {"refusal": refusal} if refusal else {"players": players, "timeout": float(timeout), "params": params}


def values(game, params):
    """Returns the parameters of a match as numbers and texts, by name."""
    return {p.name: p.value(params[p.name]) for p in game.params}


def decimal(number):
    """Returns a number in its canonical form: 5, 0.25, never 1e-05."""
    if isinstance(number, int):
        return str(number)
    if number != number or number in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}[str(number)]
    text = format(Decimal(repr(number)), "f")
    return text[:-2] if text.endswith(".0") else text


def _count(low, high):
    if low < high:
        return f"{low} to {high} players"
    return "exactly 1 player" if low == 1 else f"exactly {low} players"


def _quote(text):
    """Quotes a client's text, and limits it to 64 bytes."""
    raw = text.encode("utf-8", "replace")
    if len(raw) > 64:
        text = raw[:64].decode("utf-8", "replace") + "…"
    out = "".join({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(c, c) for c in text)
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in out) + '"'
