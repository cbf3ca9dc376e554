"""Fixtures of the database tests. They run on the engine that DATABASE_URL names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection, transaction
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from archive.http.limits import counting
from archive.http.limits.postgresql import PostgreSQLStore
from archive.index import postgresql, schema
from archive.index.engine import engine

SMALL_SEGMENT = 100


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database for a fixture of a whole module: what that stores is there for all tests of the module.

    It is one transaction, in which each test has a savepoint of its own. A module with tests that need
    transactions of their own (`transaction=True`) cannot use it.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def throttled(settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """The limits of a server on the internet, with nothing counted yet; the test's client is on loopback."""
    settings.ARCHIVE_THROTTLE = True
    settings.ARCHIVE_THROTTLE_LOOPBACK = 1
    settings.ARCHIVE_THROTTLE_STORE = connection.vendor
    settings.DATA_DIR = tmp_path
    counting.close()
    if connection.vendor == "postgresql":
        with psycopg.connect(**PostgreSQLStore.parameters()) as own:
            own.execute("TRUNCATE archive_throttle")
    yield settings
    # The test database can only be dropped when nobody is connected to it.
    counting.close()


@pytest.fixture
def hot_at_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters for every key with three rows and more, soon also of parts of its rows."""
    monkeypatch.setattr(schema, "HOT_GAMES", 3)
    monkeypatch.setattr(schema, "PARTED_ROWS", 3)


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Iterator[None]:
    """New segments of few games on PostgreSQL, on Citus as if there were one shard; they are gone
    afterwards."""
    monkeypatch.setattr(postgresql, "SEGMENT_GAMES", SMALL_SEGMENT)
    if engine().REMOTE_INDEX:
        monkeypatch.setitem(connection.settings_dict, "SHARDS", 1)
    drop_segments()
    yield
    drop_segments()


def segments() -> list[str]:
    """The names of PostgreSQL's segments."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits "
            "WHERE inhparent = 'archive_occurrence'::regclass ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]


def drop_segments() -> None:
    """Back to a database without segments, and to the first slot."""
    if connection.vendor != "postgresql":
        return
    for name in segments():
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {name}")
    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE archive_slot RESTART")
