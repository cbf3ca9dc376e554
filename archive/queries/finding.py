"""Other ways to say which position is meant than its code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from archive.models import Game, GameAlias
from kifu_core import load
from kifu_core.errors import KifuError
from kifu_core.jkf import Record
from kifu_core.pieces import BLACK, CODES, HAND_KINDS, RY, WHITE
from kifu_core.position import Position
from kifu_core.record import ParseResult
from kifu_core.replay import main_line

CELLS: Final = 81
_MOST_IN_HAND: Final = 18
_SIDES: Final = ("black", "white")
# Read by itself, so that what is wrong with it is told.
_SFEN: Final = re.compile(r"\s*\S+/\S+\s+[bw](?:\s+\S+){0,2}\s*")
_ENDS: Final = {"csa": "\n%CHUDAN\n", "kif": "\n   1 中断\n"}


class GameNotFoundError(LookupError):
    """There is no game of this id."""


def of_text(text: str, ply: int | None = None) -> Position:
    """The position that a text names: SFEN with or without move number, `startpos moves ...`, a drawn board
    (BOD, CSA), or a record in any format after `ply` half-moves of its main line (None: all of them).

    A text of several games is taken by its first. Raises KifuError: what the reading found,
    `ply-out-of-range`.
    """
    if _SFEN.fullmatch(text):
        return Position.from_sfen(text)
    found = load(text)
    record = _record(found) or _record(load(text + _ENDS.get(found.format, "")))
    if record is None:
        reason = next((issue.code for issue in found.issues if issue.severity == "error"), "no-position")
        raise KifuError(reason, "there is no position in this text")
    return of_record(record, ply)


def _record(found: ParseResult) -> Record | None:
    """The first record. A board without moves is none until it ends: a set-up alone is no game."""
    return found.games[0].record if found.games else None


def of_record(record: Record, ply: int | None = None) -> Position:
    """The position after so many half-moves of the main line; raises KifuError `ply-out-of-range`."""
    last = 0
    for at, position, _, _ in main_line(record):
        if at == ply:
            return position.copy()
        last = at
        end = position
    if ply is None:
        return end.copy()
    raise KifuError("ply-out-of-range", f"the main line has plies 0 to {last}, not {ply}")


def of_game(pk: int, ply: int | None = None, space: int = 0) -> Position:
    """A position of a stored game; a former id is good too. Raises GameNotFoundError, else as `of_record`."""
    games = Game.objects.select_related("stored").filter(space=space)
    alias = GameAlias.objects.filter(pk=pk).values_list("game_id", flat=True).first()
    game = games.filter(pk=pk if alias is None else alias).first()
    if game is None:
        raise GameNotFoundError(f"there is no game {pk}")
    return of_record(game.jkf, ply)


def of_object(value: Mapping[str, Any]) -> Position:
    """The position of a Position object. Hands and kinds that are left out are empty.

    Raises KifuError `bad-position-object` and says what is wrong with it.
    """
    turn, board, hands = value.get("turn"), value.get("board"), value.get("hands", {})
    _require(isinstance(turn, bool), "turn is true where Black is to move, else false")
    _require(isinstance(board, list) and len(board) == CELLS, f"board is a list of {CELLS} cells")
    _require(all(_whole(cell, -RY, RY) for cell in board or ()), f"cells are numbers from -{RY} to {RY}")
    _require(isinstance(hands, dict) and hands.keys() <= {*_SIDES}, "hands has black and white")
    held = [_hand(hands.get(side, {}), side) for side in _SIDES]
    return Position(list(board or ()), held, BLACK if turn else WHITE)


def _hand(value: Any, side: str) -> list[int]:
    kinds = {CODES[piece]: piece for piece in HAND_KINDS}
    _require(isinstance(value, dict) and value.keys() <= kinds.keys(), f"{side} holds {', '.join(kinds)}")
    hand = [0] * (max(HAND_KINDS) + 1)
    for name, number in value.items():
        _require(_whole(number, 0, _MOST_IN_HAND), f"{side} holds a whole number of {name}")
        hand[kinds[name]] = number
    return hand


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise KifuError("bad-position-object", what)
