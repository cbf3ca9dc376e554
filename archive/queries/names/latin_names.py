"""Names in Latin letters, which pages in English show."""

from __future__ import annotations

from collections.abc import Iterable

from archive.models import Event, Player
from archive.queries.names.ids_of_names import NameKind


def latin_names(kind: NameKind, ids: Iterable[int | None]) -> dict[int, str]:
    """Return the names in Latin letters of those players or events, by id, that have one."""
    model = Player if kind == "player" else Event
    named = model._default_manager.filter(pk__in={pk for pk in ids if pk}).exclude(latin="")
    return dict(named.values_list("pk", "latin"))
