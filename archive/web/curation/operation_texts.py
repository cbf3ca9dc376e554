"""Operations of corrections in words. Proposals may hold any JSON, so nothing is taken for granted here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from archive.web.game_registry import PAGES
from archive.web.wording import MARKS_OF, clock_text, ending_text, plies_text

LONGEST: Final = 300
"""Characters of a value that a page shows."""
MOST: Final = 50
"""Operations of a correction that a page shows."""


@dataclass(frozen=True, slots=True)
class OperationText:
    """An operation in words: what it changes, and the values before and after."""

    subject: str
    old: str
    new: str


def operation_texts(kind: str, operations: Sequence[Any]) -> list[OperationText]:
    """Return the first `MOST` operations of a correction of a game of this kind in the active language."""
    return [_text(kind, operation) for operation in operations[:MOST] if isinstance(operation, Mapping)]


def _text(kind: str, operation: Mapping[str, Any]) -> OperationText:
    subject, values = _WORDS.get(str(operation.get("op")), (_other, _plain))
    old, new = values(kind, operation)
    return OperationText(subject(kind, operation), _cut(old) or _("none"), _cut(new) or _("none"))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _place(operation: Mapping[str, Any]) -> str:
    return str(operation.get("at", ""))[:LONGEST]


def _header(kind: str, operation: Mapping[str, Any]) -> str:
    return PAGES[kind].header(str(operation.get("name", ""))[:LONGEST])


def _comment(_kind: str, operation: Mapping[str, Any]) -> str:
    at = _place(operation)
    return _("Comment before the first move") if at == "0" else _("Comment on move %(at)s") % {"at": at}


def _time(_kind: str, operation: Mapping[str, Any]) -> str:
    return _("Time of move %(at)s") % {"at": _place(operation)}


def _line(_kind: str, operation: Mapping[str, Any]) -> str:
    return _("Moves from %(at)s on") % {"at": _place(operation)}


def _variation(_kind: str, operation: Mapping[str, Any]) -> str:
    return _("Variation at move %(at)s") % {"at": _place(operation)}


def _order(_kind: str, operation: Mapping[str, Any]) -> str:
    return _("Order of the variations at move %(at)s") % {"at": _place(operation)}


def _promotion(_kind: str, operation: Mapping[str, Any]) -> str:
    return _("Variation becomes the main line: %(at)s") % {"at": _place(operation)}


def _ending(_kind: str, _operation: Mapping[str, Any]) -> str:
    return _("Ending")


def _start(_kind: str, _operation: Mapping[str, Any]) -> str:
    return _("Start position")


def _player(kind: str, operation: Mapping[str, Any]) -> str:
    mark = MARKS_OF[kind][1 if operation.get("colour") == 1 else 0]
    return _("Person behind the name: %(side)s") % {"side": mark}


def _other(_kind: str, operation: Mapping[str, Any]) -> str:
    return str(operation.get("op", ""))[:LONGEST]


# --- values ----------------------------------------------------------------------------------------------

_Values = tuple[str, str]


def _plain(_kind: str, operation: Mapping[str, Any]) -> _Values:
    return _one(operation.get("old")), _one(operation.get("new"))


def _one(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return " / ".join(map(str, value))
    return str(value)


def _times(_kind: str, operation: Mapping[str, Any]) -> _Values:
    return _clock(operation.get("old")), _clock(operation.get("new"))


def _clock(value: Any) -> str:
    now = value.get("now") if isinstance(value, Mapping) else None
    parts = [now.get(unit, 0) for unit in ("h", "m", "s")] if isinstance(now, Mapping) else []
    numbers = [part for part in parts if isinstance(part, int)]
    if len(numbers) < 3:
        return _one(value)
    hours, minutes, seconds = numbers
    return clock_text((hours * 60 + minutes) * 60 + seconds)


def _moves(_kind: str, operation: Mapping[str, Any]) -> _Values:
    old, new = operation.get("old"), operation.get("new", operation.get("line"))
    return _count(old), _count(new)


def _count(line: Any) -> str:
    """Return the number of moves of a line, with its ending in words."""
    if not isinstance(line, list | tuple) or not line:
        return ""
    ending = _special(line[-1])
    moves = len(line) - bool(ending)
    text = plies_text(moves) if moves else ""
    return " ".join(filter(None, (text, ending_text(ending) if ending else "")))


def _special(entry: Any) -> str:
    if isinstance(entry, str):
        return entry[1:] if entry.startswith("%") else ""
    return str(entry["special"]) if isinstance(entry, Mapping) and "special" in entry else ""


def _endings(kind: str, operation: Mapping[str, Any]) -> _Values:
    return _ending_value(kind, operation.get("old")), _ending_value(kind, operation.get("new"))


def _ending_value(kind: str, value: Any) -> str:
    if not isinstance(value, list | tuple) or len(value) < 5:
        return ""
    word, special, _ply, winner, draw = value[:5]
    results = PAGES[kind].words.results
    number = winner if winner in (0, 1) else 2 if draw else 3
    return " · ".join(filter(None, (ending_text(str(special or word or "")), str(results[number]))))


def _people(_kind: str, operation: Mapping[str, Any]) -> _Values:
    return _number(operation.get("old")), _number(operation.get("new"))


def _number(value: object) -> str:
    return f"#{value}" if isinstance(value, int) else ""


def _promoted(_kind: str, operation: Mapping[str, Any]) -> _Values:
    return str(operation.get("move", "")), _place(operation).rpartition(":")[2]


_WORDS: Final[
    Mapping[
        str,
        tuple[Callable[[str, Mapping[str, Any]], str], Callable[[str, Mapping[str, Any]], _Values]],
    ]
] = {
    "header": (_header, _plain),
    "comments": (_comment, _plain),
    "time": (_time, _times),
    "line": (_line, _moves),
    "add-variation": (_variation, _moves),
    "remove-variation": (_variation, _moves),
    "order-variations": (_order, _plain),
    "promote": (_promotion, _promoted),
    "ending": (_ending, _endings),
    "start": (_start, _plain),
    "player": (_player, _people),
}
"""The words of each type of operation: of what it changes, and of the values."""
