"""Edits of a form as operations on a record: headers, the ending, the comment of one move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from archive.derive.game import ending_values
from archive.derive.headers import BEGINNINGS, EVENTS, LIMITS, OPENINGS, PLAYERS, SITES
from archive.derive.operations import name_of, place
from kifu_core.record import Ending
from kifu_core.shogi.specials import BY_SPECIAL

if TYPE_CHECKING:
    from archive.derive.operations import Document, Operation
    from kifu_core.jkf import MoveEntry, Record

USUAL: Final = (*PLAYERS, EVENTS, BEGINNINGS, SITES, LIMITS, OPENINGS)
"""Headers that a form always has: the names of each in records, the usual one first."""
MOST_HEADERS: Final = 100
LONGEST: Final = 2_000
"""Characters of a header that a form can change."""

RESULTS: Final[Mapping[str, tuple[int | None, bool]]] = {
    "0": (0, False),
    "1": (1, False),
    "2": (None, True),
    "3": (None, False),
}
"""The winner, and whether the game is drawn, by `Game.Result`."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A text before and after."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class EndingEdit:
    """The ending before and after: JKF's name of it (empty for none) and the number of the result."""

    old: tuple[str, str]
    new: tuple[str, str]


@dataclass(frozen=True, slots=True)
class GameEdit:
    """What a form was sent with."""

    headers: Mapping[str, TextEdit] = field(default_factory=dict)
    ending: EndingEdit | None = None
    at: str = ""
    """The address of the move whose comment was edited."""
    comment: TextEdit | None = None


def edited_headers(record: Record) -> list[tuple[str, str]]:
    """Return names and values of the headers that a form shows: the usual ones, then the others."""
    header = record["header"]
    usual = [next((name for name in names if header.get(name)), names[0]) for names in USUAL]
    others = [name for name, value in header.items() if name not in usual and len(value) <= LONGEST]
    return [(name, header.get(name, "")) for name in [*usual, *others][:MOST_HEADERS]]


def operations_of_edit(edit: GameEdit, document: Document) -> list[Operation]:
    """Return the operations of an edit of a document. The values before are those of the form, so that an
    edit of something that has changed since does not apply. Raises OperationError for a wrong address."""
    operations: list[Operation] = [
        {"op": "header", "name": name, "old": _old(text.old, name, document.record), "new": text.new or None}
        for name, text in edit.headers.items()
        if text.old != text.new
    ]
    if edit.comment is not None and edit.comment.old != edit.comment.new:
        operations.append(_comment(edit.at, edit.comment, document))
    if edit.ending is not None and edit.ending.old != edit.ending.new:
        operations += _ending(edit.ending, document)
    return operations


def _old(text: str, name: str, record: Record) -> str | None:
    return text if text or record["header"].get(name) == "" else None


def _comment(at: str, text: TextEdit, document: Document) -> Operation:
    name = name_of(document.record)
    move = name(place(document.record, at, name).entry)
    return {"op": "comments", "at": at, "move": move, "old": lines_of(text.old), "new": lines_of(text.new)}


def lines_of(text: str) -> list[str]:
    """Return the lines of a comment."""
    return text.split("\n") if text else []


def ending_of(document: Document) -> tuple[str, str]:
    """Return JKF's name of the ending, empty for none, and the number of the result."""
    ending = document.ending
    special = _special(document.record["moves"])
    if ending is None:
        return special, "3"
    winner, draw = ending[3], bool(ending[4])
    result = next(number for number, values in RESULTS.items() if values == (winner, draw and winner is None))
    return str(ending[1] or special), result


def _special(moves: Sequence[MoveEntry]) -> str:
    return str(moves[-1].get("special", "")) if moves else ""


def _ending(edit: EndingEdit, document: Document) -> list[Operation]:
    """Return the operations that change the last entry of the main line and the ending of the game."""
    moves, (special, result) = document.record["moves"], edit.new
    operations: list[Operation] = []
    present = _special(moves)
    plies = len(moves) - 1 - bool(present)
    if edit.old[0] != special:
        kept: dict[str, Any] = dict(moves[-1]) if present else {}
        new = [{**kept, "special": special}] if special else []
        old = [f"%{present}"] if present else []
        operations.append({"op": "line", "at": str(plies + 1), "old": old, "new": new})
    winner, draw = RESULTS[result]
    ending = Ending(_word(special, document), special or None, plies, winner, draw)
    new_values = ending_values(ending) if special or result != "3" else None
    if new_values != document.ending:
        operations.append({"op": "ending", "old": document.ending, "new": new_values})
    return operations


def _word(special: str, document: Document) -> str:
    """Return the word of an ending in records; the present one if the ending stays."""
    if document.ending is not None and document.ending[1] == (special or None):
        return str(document.ending[0])
    return BY_SPECIAL[special].word if special in BY_SPECIAL else special
