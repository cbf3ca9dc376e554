"""Which database is read: the first one, or for a while a streaming replica of it.

What looks things up in SQL of its own takes `connection` from here in place of Django's; Django's own queries
ask the `Router`. Both follow `read_from`, of this thread alone. Everything else, and whatever writes, has the
first database.
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
    "gonegame", "player", "playeralias", "event", "eventalias", "leftspace", "arrival", "entry",
    "upload", "uploadchunk", "goneupload", "occurrence", "hotposition", "hotmove", "hotpart",
}
# fmt: on
"""Models that are read from replicas. Who somebody is, and may do, is asked of the first database."""


@contextmanager
def read_from(alias: str) -> Iterator[None]:
    """Read what the body looks up from the database of this name."""
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)


def read_now() -> str:
    """Return the name of the database that is read now."""
    return _alias.get()


class _Door:
    """The connection of this thread to the database that is read now."""

    def __getattr__(self, name: str) -> Any:
        return getattr(connections[_alias.get()], name)


connection: Final = cast("BaseDatabaseWrapper", _Door())


class Router:
    """Sends Django's queries about what replicas have to the database that is read now."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str:
        """Return the database that rows of a model are read from."""
        copied = model._meta.app_label == "archive" and model._meta.model_name in _COPIED
        return _alias.get() if copied else PRIMARY

    def db_for_write(self, model: type[Model], **_hints: Any) -> str:
        """Return the database that rows are written to."""
        return PRIMARY

    def allow_relation(self, one: Model, other: Model, **_hints: Any) -> bool:
        """Allow rows of all of them to point at each other: they are the same rows."""
        return True

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool:
        """Allow to change the tables of the first database; the others get all of it."""
        return db == PRIMARY
