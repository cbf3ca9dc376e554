"""A library for shogi game records: every format to normalized JKF and back.

>>> game = load("手合割：平手\\n1 ７六歩(77)\\n2 投了\\n").games[0]
>>> game.record["moves"][1]["move"]["piece"], game.ending.winner
('FU', 0)
"""

from typing import Final

from kifu_core.errors import Issue, KifuError
from kifu_core.messages import message
from kifu_core.record import Ending, ParsedGame, ParseResult
from kifu_core.shogi import rules
from kifu_core.shogi.board import Board, Move, Outcome
from kifu_core.shogi.entering_king import Claim
from kifu_core.shogi.formats import dump, encode_text, load, losses
from kifu_core.shogi.game_tree import Game, Line, Node, merge
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.legality import findings
from kifu_core.shogi.mate import MateResult
from kifu_core.shogi.normalize import normalize
from kifu_core.shogi.position import Position

__version__ = "0.1.0"

IS_COMPILED: Final = not str(rules.__file__).endswith(".py")
"""Whether the modules with the loops over moves and squares are compiled."""

__all__ = [
    "Board",
    "Claim",
    "Ending",
    "Game",
    "Issue",
    "KifuError",
    "Line",
    "MateResult",
    "Move",
    "Node",
    "Outcome",
    "ParseResult",
    "ParsedGame",
    "Position",
    "dump",
    "encode_text",
    "findings",
    "load",
    "losses",
    "merge",
    "message",
    "normalize",
    "shogi64",
]
