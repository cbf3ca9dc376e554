"""Typed operations on names, and the decisions about them. Nothing here uses the database.

An operation names the state from which it departs. If that is not the present state, it is refused with a
code: nothing is guessed. Every operation can be undone on its own, whatever came after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from archive.derive import headers
from archive.models import NameKind

Authority = Literal["authority", "curator"]

MOST_OPERATIONS: Final = 50
MOST_MERGED: Final = 500
"""Rows of one tree."""
MOST_SEATS: Final = 100
"""Sides of games that one operation gives to a namesake, about a second of work."""
LONGEST: Final[Mapping[str, int]] = {
    "name": 200, "kana": 200, "latin": 200, "note": 4_000, "source": 500, "place": 200,
}  # fmt: skip
"""The limits of the texts in characters."""
MOST_TITLES: Final = 100
LONGEST_TITLE: Final = 100

_KANA: Final = re.compile("[ぁ-ゖァ-ヺー・ 　]*")
_LATIN: Final = re.compile(r"[^\u0370-\U0010ffff]*")
DAY: Final = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class SetField(msgspec.Struct, tag_field="op", tag="field", forbid_unknown_fields=True):
    """Set a field of a name. `by` says with which authority, `old_by` who set the old value."""

    name: str
    old: Any
    new: Any
    by: Authority = "curator"
    old_by: Authority | None = None


class Merge(msgspec.Struct, tag_field="op", tag="merge", forbid_unknown_fields=True):
    """Merge a name into another one of its kind."""

    into: int


class AddSpelling(msgspec.Struct, tag_field="op", tag="spelling", forbid_unknown_fields=True):
    """Add another name. `row` is its row once it was added."""

    name: str
    row: int | None = None


class Seat(msgspec.Struct, forbid_unknown_fields=True):
    """A side of a game."""

    game: int
    colour: Literal[0, 1]


class Split(msgspec.Struct, tag_field="op", tag="split", forbid_unknown_fields=True):
    """Give some sides of games to another player of the same name. `row` is that player, if there is one
    already, and `corrections` are the corrections of the games once they are made."""

    games: list[Seat]
    row: int | None = None
    corrections: list[int] = []


class TakeDown(msgspec.Struct, tag_field="op", tag="take-down", forbid_unknown_fields=True):
    """Take the name of a player down; the only operation of its correction. Empty `initials` are derived from
    the name."""

    initials: str = ""


Operation = SetField | Merge | AddSpelling | Split | TakeDown


class NameEditError(Exception):
    """An operation that is refused. `code` says why, `operation` is its index."""

    def __init__(self, code: str, operation: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.operation = operation


def read_operations(data: object) -> list[Operation]:
    """Return the operations of a JSON list. Raises NameEditError."""
    try:
        operations = msgspec.convert(data, list[Operation])
    except msgspec.ValidationError as error:
        raise NameEditError("malformed") from error
    if not 0 < len(operations) <= MOST_OPERATIONS:
        raise NameEditError("malformed")
    if len(operations) > 1 and any(isinstance(one, TakeDown) for one in operations):
        raise NameEditError("malformed")
    return operations


def as_json(operations: list[Operation]) -> list[dict[str, Any]]:
    """Return operations as they are stored."""
    stored: list[dict[str, Any]] = msgspec.to_builtins(operations)
    return stored


def valid_value(kind: NameKind, name: str, value: Any) -> Any:
    """Return the value of a field in its stored form. Raises NameEditError."""
    if name == "parent" and kind == "event" and (value is None or type(value) is int):
        return value
    if name == "titles" and kind == "player":
        return _valid_titles(value)
    if name in ("born", "died") and kind == "player" and isinstance(value, str):
        if value and not DAY.fullmatch(value):
            raise NameEditError("invalid-day")
        return value
    if name not in LONGEST or not isinstance(value, str) or (name == "place" and kind != "event"):
        raise NameEditError("unknown-field" if name not in LONGEST else "invalid-value")
    return _valid_text(name, value)


def _valid_text(name: str, value: str) -> str:
    text = value.strip() if name == "note" else headers.plain(value)
    if len(text) > LONGEST[name] or "\0" in text:
        raise NameEditError("invalid-value")
    if name == "name" and not text:
        raise NameEditError("invalid-value")
    if name == "kana" and not _KANA.fullmatch(text):
        raise NameEditError("no-kana")
    if name == "latin" and not _LATIN.fullmatch(text):
        raise NameEditError("no-latin")
    return text


def _valid_titles(value: Any) -> Any:
    if not isinstance(value, list) or len(value) > MOST_TITLES:
        raise NameEditError("invalid-value")
    for one in value:
        if not isinstance(one, dict) or one.keys() - {"title", "grade", "from", "to"}:
            raise NameEditError("invalid-value")
        named = [one[name] for name in ("title", "grade") if name in one]
        days = [one[name] for name in ("from", "to") if name in one]
        if len(named) != 1 or not isinstance(named[0], str) or not 0 < len(named[0]) <= LONGEST_TITLE:
            raise NameEditError("invalid-value")
        if not all(isinstance(day, str) and DAY.fullmatch(day) for day in days):
            raise NameEditError("invalid-day")
    return value


def check_field(operation: SetField, value: Any, set_by: str | None) -> None:
    """Check that a field has the old value of an operation. Raises NameEditError."""
    if (operation.old, operation.old_by) != (value, set_by):
        raise NameEditError("fact-changed")


def is_addition(operation: Operation) -> bool:
    """Return whether an operation only sets a field that is empty."""
    return isinstance(operation, SetField) and operation.old in ("", [], None)


def outranks(by: Authority, set_by: str | None) -> bool:
    """Return whether a value with this authority replaces one that was set with another. Records rank below
    authority tables, and these below curators."""
    order = (None, "authority", "curator")
    return order.index(by) >= order.index(set_by)


def check_merge(row: Merged, target: Merged | None) -> None:
    """Check that one row can be merged into another. Raises NameEditError."""
    if row.parent is not None:
        raise NameEditError("merged-already")
    if target is None or target.space != row.space:
        raise NameEditError("unknown-target")
    if target.root == row.pk:
        raise NameEditError("merged-with-itself")
    if row.rows + target.rows > MOST_MERGED:
        raise NameEditError("too-many-merged")


class Merged(msgspec.Struct, frozen=True):
    """A row in its tree: the row that it was merged into, the root, and the number of rows of the tree."""

    pk: int
    space: int
    parent: int | None
    root: int
    rows: int
