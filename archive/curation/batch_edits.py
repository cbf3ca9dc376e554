"""Edits of many games at once: one edit, and the operations that it means for a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from archive.curation.errors import CurationError
from archive.derive.headers import BEGINNINGS, EVENTS, LIMITS, OPENINGS, PLAYERS, SITES

if TYPE_CHECKING:
    from archive.derive.operations import Operation
    from kifu_core.jkf import Record

EditKind = Literal["replace", "replace-text", "set", "remove", "add-comment"]
KINDS: Final[tuple[str, ...]] = get_args(EditKind)
LONGEST: Final = 2_000
"""Characters of a text."""

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "players": tuple(name for names in PLAYERS for name in names),
    "event": EVENTS,
    "day": BEGINNINGS,
    "place": SITES,
    "opening": OPENINGS,
    "time-limit": LIMITS,
}
"""Headers that an edit can name together; any other name stands for the header of that name."""


@dataclass(frozen=True, slots=True)
class BatchEdit:
    """An edit of each game of a batch.

    - `replace`: a header that is `old` becomes `new`
    - `replace-text`: `old` within a header becomes `new`
    - `set`: a header becomes `new`, whatever it was
    - `remove`: a header is removed
    - `add-comment`: `new` becomes a comment before the first move
    """

    kind: EditKind
    header: str = ""
    """A key of `GROUPS`, or the name of a header."""
    old: str = ""
    new: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> BatchEdit:
        """Return a valid edit. Raises CurationError."""
        edit = cls(**{name: str(values.get(name, "")) for name in ("kind", "header", "old", "new")})  # type: ignore[arg-type]
        if edit.kind not in KINDS or max(map(len, (edit.header, edit.old, edit.new))) > LONGEST:
            raise CurationError("batch-edit")
        needed = {
            "replace": (edit.header, edit.old),
            "replace-text": (edit.header, edit.old),
            "set": (edit.header, edit.new),
            "remove": (edit.header,),
            "add-comment": (edit.new,),
        }
        if not all(needed[edit.kind]) or edit.old == edit.new != "":
            raise CurationError("batch-edit")
        return edit

    def stored(self) -> dict[str, str]:
        """Return it as JSON, which `of` reads."""
        return asdict(self)

    def operations(self, record: Record) -> list[Operation]:
        """Return the operations that it means for a record; none if it does not fit."""
        if self.kind == "add-comment":
            return self._comment(record)
        return [
            {"op": "header", "name": name, "old": old, "new": new or None}
            for name, old in self._headers(record)
            if (new := self._value(old)) != (old or "")
        ]

    def _headers(self, record: Record) -> Iterator[tuple[str, str | None]]:
        """Yield names and values of the headers that it is about: those of a group that the record has, else
        its first one."""
        names, header = GROUPS.get(self.header, (self.header,)), record["header"]
        present = [name for name in names if name in header]
        for name in present or names[:1]:
            yield name, header.get(name)

    def _value(self, old: str | None) -> str:
        match self.kind:
            case "replace":
                return self.new if old == self.old else old or ""
            case "replace-text":
                return (old or "").replace(self.old, self.new)
            case "set":
                return self.new
            case _:
                return ""

    def _comment(self, record: Record) -> list[Operation]:
        present = list(record["moves"][0].get("comments", ()))
        if self.new in present:
            return []
        return [
            {
                "op": "comments",
                "at": "0",
                "move": "",
                "old": present,
                "new": [*present, *self.new.split("\n")],
            }
        ]
