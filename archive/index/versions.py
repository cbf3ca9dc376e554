"""Versions of the index: which ones queries read, and how one replaces another while the archive serves.

Every game is in one version. A new version is filled game by game (`reindex_positions`); meanwhile queries
read the keys of both, and each game has rows under one of them. A version without games is retired: no query
reads it, and nobody may write it any more.
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
    """Return the key versions that queries read, the current one first. Reads the database only if this
    program has several versions."""
    key_versions = schema.KEY_VERSIONS
    if len(key_versions) == 1:
        return tuple(key_versions.values())
    live = sorted(key_versions.keys() - _retired(), reverse=True)
    return tuple(dict.fromkeys(key_versions[version] for version in live))


def _retired() -> set[int]:
    retired = IndexState.objects.filter(state=IndexState.State.RETIRED)
    return set(retired.values_list("version", flat=True))


def check_current() -> None:
    """Raise RetiredVersionError if our version is retired. Call it in a writing transaction, after its
    lock."""
    if schema.INDEX_VERSION in _retired():
        raise RetiredVersionError(f"version {schema.INDEX_VERSION} of the index is no longer in use")


def begin() -> None:
    """Mark the current version as being filled."""
    _mark(schema.INDEX_VERSION, IndexState.State.FILLING)


def complete() -> bool:
    """Retire the older versions if no game is in them; return whether they are retired.

    Takes the exclusive lock: a writer of an older version has committed before, or will fail in
    `check_current`.
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
