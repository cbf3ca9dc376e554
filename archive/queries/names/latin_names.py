"""Names in Latin letters, which pages in English show."""

from __future__ import annotations

from collections.abc import Iterable

from archive.models import NAMED, NameKind


def latin_names(kind: NameKind, ids: Iterable[int | None]) -> dict[int, str]:
    """Return the names in Latin letters of those rows, by id, that have one."""
    named = NAMED[kind]._default_manager.filter(pk__in={pk for pk in ids if pk}).exclude(latin="")
    return dict(named.values_list("pk", "latin"))
