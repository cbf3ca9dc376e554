"""The ids of a name or an upload in the spaces of a scope."""

from __future__ import annotations

from typing import Final, Literal

from archive.derive import headers
from archive.index.engine import engine
from archive.models import Upload
from archive.queries.scope import Scope

NameKind = Literal["player", "event"]

Ids = tuple[int, ...] | None
"""The ids for a filter's value, empty if it does not exist; None if the filter has no value."""


def ids_of_upload(scope: Scope, pk: int | None) -> Ids:
    """Return the id of an upload; none if it is another space's, or being deleted."""
    if pk is None:
        return None
    uploads = Upload.objects.filter(pk=pk, space__in=scope.spaces).exclude(state=Upload.State.DELETING)
    return (pk,) if uploads.exists() else ()


_NAMED: Final = """
    SELECT coalesce(
        (SELECT min(a.{kind}_id) FROM archive_{kind}alias a WHERE a.space = %s AND a.{by} = %s),
        (SELECT n.id FROM archive_{kind} n WHERE n.space = %s AND n.{by} = %s)
    )
"""


def ids_of_name(scope: Scope, kind: NameKind, text: str | None) -> Ids:
    """Return the ids of a player's or an event's name, one for each space that has it."""
    if text is None:
        return None
    name, by = (headers.player_key(text), "key") if kind == "player" else (headers.plain(text), "name")
    sql = _NAMED.format(kind=kind, by=by)
    pks = (engine().fetch_prepared(sql, [space, name] * 2)[0][0] for space in scope.spaces)
    return tuple(int(pk) for pk in pks if pk is not None)
