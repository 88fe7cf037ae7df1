"""Matches of a Colosseum host for training players.

Matches steps many matches at once and needs only the standard library. AEC and Parallel
are environments of PettingZoo, and Single is one of Gymnasium; they need these packages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answers import table
from .matches import End, HostError, Matches, Reset, State, rewards

if TYPE_CHECKING:
    from .encode import Encoder, Text
    from .multi import AEC, Parallel
    from .single import Single

__all__ = ["AEC", "Encoder", "End", "HostError", "Matches", "Parallel", "Reset", "Single", "State", "Text", "rewards", "table"]

_packages = {"AEC": ("multi", "pettingzoo"), "Parallel": ("multi", "pettingzoo"), "Single": ("single", "gymnasium"),
             "Encoder": ("encode", "gymnasium"), "Text": ("encode", "gymnasium")}


def __getattr__(name: str) -> Any:
    if name not in _packages:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, package = _packages[name]
    from importlib import import_module
    try:
        return getattr(import_module("." + module, __name__), name)
    except ModuleNotFoundError as why:
        if (why.name or "").split(".")[0] not in ("pettingzoo", "gymnasium", "numpy"):
            raise
        raise ImportError(f"colosseum.env.{name} needs {package}: pip install 'colosseum[{package}]'") from why
