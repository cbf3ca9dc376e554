"""The choice of the database that is read: the primary or, inside `read_from`, a streaming replica.

Code with its own SQL imports `connection` from here instead of from Django; Django's queries use the
`Router`. Both follow `read_from` of their thread. Writes, and all other code, use the primary.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, cast

from django.db import DEFAULT_DB_ALIAS, connections

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Model

PRIMARY: Final = DEFAULT_DB_ALIAS

_alias: ContextVar[str] = ContextVar("read_from", default=PRIMARY)

# fmt: off
_COPIED: Final = {
    "game", "gamerecord", "gameseries", "gametext", "gamealias", "gameplayer", "gameevent", "gameformation",
    "gonegame", "player", "event", "leftspace", "arrival", "entry",
    "collection", "collectiongame", "upload", "uploadchunk", "goneupload", "occurrence", "hotposition",
    "hotmove", "hotpart",
}
# fmt: on
"""Models that are read from replicas. Accounts and their rights are read from the primary."""


@contextmanager
def read_from(alias: str) -> Iterator[None]:
    """Read from a database inside the block."""
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)


def read_now() -> str:
    """Return the alias of the database that is read now."""
    return _alias.get()


class _CurrentConnection:
    """A proxy for this thread's connection to the database that is read now."""

    def __getattr__(self, name: str) -> Any:
        return getattr(connections[_alias.get()], name)


connection: Final = cast("BaseDatabaseWrapper", _CurrentConnection())


class Router:
    """Django's database router: reads of `_COPIED` models go to the database that is read now."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str:
        copied = model._meta.app_label == "archive" and model._meta.model_name in _COPIED
        return _alias.get() if copied else PRIMARY

    def db_for_write(self, model: type[Model], **_hints: Any) -> str:
        return PRIMARY

    def allow_relation(self, one: Model, other: Model, **_hints: Any) -> bool:
        return True  # replicas have the same rows

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool:
        return db == PRIMARY
