"""Operations on players, events and places in words. Proposals may hold any value of a field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive.models import NAMED, Correction
from archive.web.curation.operation_texts import LONGEST, MOST, OperationText
from archive.web.wording import MARKS_OF
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

FIELD_TEXTS: Final[Mapping[str, _StrOrPromise]] = {
    "name": gettext_lazy("Name"),
    "kana": gettext_lazy("Reading in kana"),
    "latin": gettext_lazy("Name in Latin letters"),
    "titles": gettext_lazy("Titles and grades"),
    "born": gettext_lazy("Born"),
    "died": gettext_lazy("Died"),
    "place": gettext_lazy("Place"),
    "parent": gettext_lazy("Part of the series"),
    "note": gettext_lazy("Note"),
    "source": gettext_lazy("Authority"),
}
"""The fields of names that are corrected."""

_SAME: Final[Mapping[str, _StrOrPromise]] = {
    "player": gettext_lazy("Same person as"),
    "event": gettext_lazy("Same event as"),
    "place": gettext_lazy("Same place as"),
}

Numbered = Mapping[tuple[str, int], str]
"""Names with their numbers, by kind and id."""


def name_operation_texts(rows: Sequence[Correction]) -> dict[int, list[OperationText]]:
    """Return the first `MOST` operations of corrections of names in the active language, by the
    id of the correction. One statement for each kind of name."""
    numbered = numbered_names(_ids(rows), {row.space for row in rows})
    return {row.pk: [_text(row.subject, one, numbered) for one in row.operations[:MOST]] for row in rows}


def numbered_names(ids: Mapping[str, set[int]], spaces: Iterable[int]) -> Numbered:
    """Return the names of rows of some spaces by kind and id, each with its number
    (`羽生善治 #17`). Nothing is said about those of other spaces."""
    spaces = list(spaces)
    models: Mapping[str, Any] = dict(NAMED.items())
    return {
        (kind, pk): f"{name} #{pk}"
        for kind, pks in ids.items()
        for pk, name in models[kind]
        ._default_manager.filter(pk__in=pks, space__in=spaces)
        .values_list("pk", "name")
    }


def _ids(rows: Sequence[Correction]) -> dict[str, set[int]]:
    ids: dict[str, set[int]] = {kind: set() for kind in NAMED}
    for row in rows:
        ids[row.subject].update(pk for one in row.operations for pk in _named(one))
    return ids


def _named(operation: Mapping[str, Any]) -> Iterator[int]:
    values = [operation.get("into"), operation.get("row")]
    if operation.get("name") == "parent":
        values += [operation.get("old"), operation.get("new")]
    yield from (value for value in values if type(value) is int)


def _text(kind: str, operation: Mapping[str, Any], numbered: Numbered) -> OperationText:
    match operation.get("op"):
        case "merge":
            return OperationText(str(_SAME[kind]), "", _numbered(kind, operation.get("into"), numbered))
        case "spelling":
            return OperationText(_("Another spelling"), "", str(operation.get("name"))[:LONGEST])
        case "split":
            sides = _sides(operation.get("games", ()))
            namesake = _numbered(kind, operation.get("row"), numbered)
            text = f"{sides[:LONGEST]} → {namesake}" if namesake else sides[:LONGEST]
            return OperationText(_("Games of another person of this name"), "", text)
        case "take-down":
            return OperationText(_("Name taken down"), "", str(operation.get("initials"))[:LONGEST])
    name = str(operation.get("name"))
    old, new = (
        _numbered(kind, value, numbered) if name == "parent" else value_text(value)
        for value in (operation.get("old"), operation.get("new"))
    )
    return OperationText(str(FIELD_TEXTS.get(name, name[:LONGEST])), old or _("none"), new or _("none"))


def _numbered(kind: str, pk: Any, numbered: Numbered) -> str:
    return numbered.get((kind, pk), f"#{pk}") if type(pk) is int else ""


def _sides(seats: Any) -> str:
    marks = MARKS_OF[SHOGI.name]
    return " ".join(f"{marks[seat['colour']]}{seat['game']}" for seat in seats)


def value_text(value: Any) -> str:
    """Return a value of a field as text: titles one after the other, with their days."""
    texts = [title_text(one) if isinstance(one, Mapping) else str(one) for one in _listed(value)]
    return " / ".join(texts)[:LONGEST]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else () if value is None else (value,)


def title_text(title: Mapping[str, Any]) -> str:
    """Return a title or a grade with its days: `名人 (2006–2008)`."""
    name, days = title.get("title") or title.get("grade"), [title.get("from", ""), title.get("to", "")]
    return f"{name} ({days[0]}–{days[1]})" if any(days) else str(name)
