"""The legal moves of a position, with their texts and the positions after them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kifu_core.games import GAMES, GameKind


@dataclass(frozen=True, slots=True)
class LegalMove:
    """A legal move: packed, in its game's notation, as people write it, in English with the mark of its side,
    and the code of the position after it. `facts` are further facts of its game (`kifu_core.game.Text`)."""

    move: int
    name: str
    text: str
    english: str
    facts: Mapping[str, Any]
    code: str


def list_legal_moves(kind: str, code: str) -> list[LegalMove]:
    """Return all legal moves of a position. In shogi, moves on the board come first, by their origin, and
    drops last.

    Raises DecodeError for a code that is not strictly valid. About 50 us a move.
    """
    game = GAMES[kind]
    position = game.codec.decode(code)
    return [_legal_move(game, position, move) for move in game.rules.legal_moves(position)]


def _legal_move(game: GameKind[Any], position: Any, move: int) -> LegalMove:
    text, facts = game.text.move_text(position, move), game.text.move_facts(position, move)
    before = position.do_move(move)
    after = game.codec.encode(position)
    position.undo_move(move, before)
    english = game.text.next_move_label(position, move, text, "en", None)
    return LegalMove(move, game.text.move_name(move), text, english, facts, after)
