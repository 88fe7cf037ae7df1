"""Games in Python for a Colosseum host, with Python's own modules alone.

The README.md of the folder above describes how to use it.
"""

from .game import Game
from .match import DISCONNECTED, ILLEGAL, RESIGNED, TIMEOUT
from .prepare import Choice, Float, Int, Text

__all__ = ["Game", "Int", "Float", "Choice", "Text", "ILLEGAL", "TIMEOUT", "DISCONNECTED", "RESIGNED"]
