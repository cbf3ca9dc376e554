"""What is asked for by name or number: which ids that is in the spaces that may be read."""

from __future__ import annotations

from typing import Final, Literal

from archive.derive import headers
from archive.index.engine import engine
from archive.models import Upload
from archive.queries.scope import Scope

Ids = tuple[int, ...] | None
"""The ids of what is asked for, empty where there is none; None where nothing is asked for."""


def ids_of_upload(scope: Scope, pk: int | None) -> Ids:
    """Return the id of an upload that is asked for; none where it is another space's, or being deleted."""
    if pk is None:
        return None
    found = Upload.objects.filter(pk=pk, space__in=scope.spaces).exclude(state=Upload.State.DELETING)
    return (pk,) if found.exists() else ()


_NAMED: Final = """
    SELECT coalesce(
        (SELECT min(a.{kind}_id) FROM archive_{kind}alias a WHERE a.space = %s AND a.{by} = %s),
        (SELECT n.id FROM archive_{kind} n WHERE n.space = %s AND n.{by} = %s)
    )
"""


def ids_of_name(scope: Scope, kind: Literal["player", "event"], text: str | None) -> Ids:
    """Return the ids of a player's or an event's name, one of each space where it is known."""
    if text is None:
        return None
    name, by = (headers.player_key(text), "key") if kind == "player" else (headers.plain(text), "name")
    sql = _NAMED.format(kind=kind, by=by)
    found = (engine().fetch_prepared(sql, [space, name] * 2)[0][0] for space in scope.spaces)
    return tuple(int(pk) for pk in found if pk is not None)
