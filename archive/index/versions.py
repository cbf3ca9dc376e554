"""Versions of the index: which ones questions ask, how one replaces another while the archive serves.

Every game is in one version. A new one is filled game by game (`reindex_positions`); meanwhile questions ask
the keys of both, and each game answers under one of them. When no game is left in an older version, that one
is retired: nothing asks for it, and nobody may write it any more.
"""

from django.db import transaction

from archive.index import schema
from archive.index.engine import engine
from archive.models import Game, IndexState
from archive.project.reading import connection

_UNUSED_MARKS = """
    DELETE FROM archive_hotposition
    WHERE NOT EXISTS (SELECT 1 FROM archive_hotmove h WHERE h.key = archive_hotposition.key)
"""


class RetiredVersionError(Exception):
    """The archive's index is in a newer version than this program writes: run the newer program."""


def queried_versions() -> tuple[int, ...]:
    """Return the key versions that a question has to ask, the current one first.

    While this program knows only one version there is nothing to look up.
    """
    known = schema.KEY_VERSIONS
    if len(known) == 1:
        return tuple(known.values())
    live = sorted(known.keys() - _retired(), reverse=True)
    return tuple(dict.fromkeys(known[version] for version in live))


def _retired() -> set[int]:
    retired = IndexState.objects.filter(state=IndexState.State.RETIRED)
    return set(retired.values_list("version", flat=True))


def check_current() -> None:
    """Raise RetiredVersionError if our version is retired. A writing transaction calls it after its lock."""
    if schema.INDEX_VERSION in _retired():
        raise RetiredVersionError(f"version {schema.INDEX_VERSION} of the index is no longer in use")


def begin() -> None:
    """Say that the current version is being filled."""
    _mark(schema.INDEX_VERSION, IndexState.State.FILLING)


def complete() -> bool:
    """Retire the older versions if no game is in them; return whether that is so now.

    Under the exclusive lock: whoever writes an older version has either committed and is seen, or finds out.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        engine().lock_exclusive(cursor)
        if Game.objects.exclude(index_version=schema.INDEX_VERSION).exists():
            return False
        older = {*schema.KEY_VERSIONS, *IndexState.objects.values_list("version", flat=True)}
        for version in sorted(older - {schema.INDEX_VERSION}):
            _mark(version, IndexState.State.RETIRED)
        _mark(schema.INDEX_VERSION, IndexState.State.LIVE)
        cursor.execute(_UNUSED_MARKS)
    return True


def _mark(version: int, state: IndexState.State) -> None:
    IndexState.objects.update_or_create(version=version, defaults={"state": state})
