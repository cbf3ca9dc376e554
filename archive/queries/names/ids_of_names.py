"""The ids of a name, an upload or a collection in a scope."""

from __future__ import annotations

import re
from typing import Final

from django.db.models import Q, QuerySet

from archive.derive import headers
from archive.index.engine import engine
from archive.models import NAMED, AnyName, Collection, NameKind, Upload
from archive.queries.scope import Scope

Ids = tuple[int, ...] | None
"""The ids for a filter's value, empty if it does not exist; None if the filter has no value."""


def ids_of_upload(scope: Scope, pk: int | None) -> Ids:
    """Return the id of an upload; none if it is another space's, or being deleted."""
    if pk is None:
        return None
    uploads = Upload.objects.filter(pk=pk, space__in=scope.spaces).exclude(state=Upload.State.DELETING)
    return (pk,) if uploads.exists() else ()


def readable_collections(scope: Scope) -> QuerySet[Collection]:
    """Return the collections that a scope may read."""
    public = Q(visibility=Collection.Visibility.PUBLIC)
    return Collection.objects.filter(public | Q(space__in=scope.spaces) | Q(pk__in=scope.collections))


def ids_of_collection(scope: Scope, pk: int | None) -> Ids:
    """Return the ids of a collection and of its parts; none if the scope may not read it."""
    if pk is None:
        return None
    of_collection = readable_collections(scope).filter(Q(pk=pk) | Q(parent=pk))
    return tuple(of_collection.order_by("pk").values_list("pk", flat=True))


IDS_BY_NUMBER: Final = {"upload": ids_of_upload, "collection": ids_of_collection}
"""Filters whose value is a number that a scope may not be able to read."""

_NAMED: Final[dict[NameKind, str]] = {
    kind: f"""
    SELECT coalesce(n.home_id, n.id) FROM archive_{kind} n WHERE n.space = %s AND n.key = %s
    UNION SELECT coalesce(n.home_id, n.id) FROM archive_{kind} n WHERE n.space = %s AND n.name = %s
    """
    for kind in NAMED
}
_NAMED["player"] += """
    UNION SELECT coalesce(n.home_id, n.id) FROM archive_player n
    JOIN archive_player o ON o.id = n.namesake_id
    WHERE o.space = %s AND o.key = %s AND n.taken_down IS NULL
"""

NUMBERED: Final = re.compile(r"(.*\S) #(\d{1,18})", re.DOTALL)
"""A name with the number of one of the players of this name."""


def ids_of_name(scope: Scope, kind: NameKind, text: str | None) -> Ids:
    """Return the ids of the rows with a name, which may be a former or another spelling.

    With a number (`鈴木一郎 #17`) it means one of several with the same name.
    """
    if text is None:
        return None
    numbered = NUMBERED.fullmatch(text)
    if numbered and (ids := _named(scope, kind, numbered[1])) and int(numbered[2]) in ids:
        return (int(numbered[2]),)
    return tuple(_named(scope, kind, text))


def _named(scope: Scope, kind: NameKind, text: str) -> list[int]:
    key = headers.player_key(text) if kind == "player" else headers.plain(text)
    ids: dict[int, None] = {}
    for space in scope.spaces:
        values: list[int | str] = [space, key, space, headers.plain(text)]
        values += [space, key] if kind == "player" else []
        ids.update(dict.fromkeys(int(pk) for (pk,) in engine().fetch_prepared(_NAMED[kind], values)))
    return list(ids)


def unique_name(row: AnyName) -> str:
    """Return the text that names a row in filters: its name, with its number if others of its
    space have the same name."""
    return f"{row.name} #{row.pk}" if namesakes(row) else row.name


def namesakes(row: AnyName) -> list[int]:
    """Return the ids of the others of a row's space that have its name."""
    return [pk for pk in _named(Scope((row.space,)), row.KIND, row.name) if pk != row.pk]
