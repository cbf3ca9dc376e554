"""Fixtures that all tests share, and which of them a run takes."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker
from whitenoise.middleware import WhiteNoiseMiddleware

from archive.http.limits import counting
from archive.index import sqlite
from tests import citus
from tests.archive.rows import empty_index
from tests.engines import depends_on_engine, left_out_whole, uses_database
from tests.shared import SHARED, need_shared

# What is imported and collected stays to the end: to look through it for garbage, again and again, takes a
# tenth of all time. It is frozen as soon as it is there (`pytest_collection_finish`).
gc.disable()

# A busy machine is no defect: examples may take their time. On CI they are always the same ones, so that
# what a run says depends on nothing but the code; every other run draws new ones.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("patient", PATIENT)
hypothesis.settings.register_profile("same", PATIENT, derandomize=True, database=None)
hypothesis.settings.load_profile("same" if os.environ.get("CI") == "true" else "patient")


LONGEST = (
    "test_hostile", "test_faults", "test_bombs", "test_accessibility", "test_role_walk", "test_workers",
    "test_invariants", "test_reindex", "test_plans", "test_patterns", "test_contract_served",
)  # fmt: skip
"""Modules with tests that take many seconds, the longest first."""

SERVERS, BROWSER, SHORT = range(len(LONGEST), len(LONGEST) + 3)
"""The places of the tests behind them: those of real servers, those in a browser, all others."""

LOCMEM = "django.core.cache.backends.locmem.LocMemCache"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """What is kept for a while is of another test's database, settings or program; a connection of the
    counters that is left open would keep the database of the tests from being dropped."""
    for one in caches.all():
        one.clear()
    yield
    counting.close()


@pytest.fixture(scope="session", autouse=True)
def settings_of_tests() -> Iterator[None]:
    """Settings that all tests have, but for those that change them.

    A test asks as much as it likes from one address: those of limits switch them on (`throttled`). No record,
    sent or stored, takes too long because the machine is busy. How long hashing takes is asked nowhere.
    """
    with override_settings(
        ARCHIVE_THROTTLE=False,
        ARCHIVE_ENTRY_SECONDS=600,
        ARCHIVE_READ_SECONDS=600,
        ARCHIVE_SOURCE_SECONDS=600,
        CACHES={name: {"BACKEND": LOCMEM, "LOCATION": name} for name in ("default", "counted")},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def static_files_found_once() -> Iterator[None]:
    """Every client has a program of its own; what files that would find at its start is found out once.

    It takes a tenth of a second, more than the answers to most of what a test asks.
    """
    found: dict[str, Any] = {}
    find = WhiteNoiseMiddleware.add_files_from_finders

    def find_once(program: WhiteNoiseMiddleware) -> None:
        if not found:
            find(program)
            found.update(program.files)
        program.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", find_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def few_recent_rows() -> Iterator[None]:
    """On SQLite even a small archive has rows in both tables of the index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "RECENT_ROWS", 40)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """On Citus the database is there before Django looks for it, with the extension and the nodes."""
    if citus.servers():
        citus.make(connection.creation._get_test_db_name())  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    return django_db_keepdb or bool(citus.servers())


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """On Citus the archive is spread as soon as it has its tables; on PostgreSQL they are emptied quickly."""
    if not citus.servers():
        with pytest.MonkeyPatch.context() as patch:
            with django_db_blocker.unblock():
                if connection.vendor == "postgresql" and is_superuser():
                    patch.setattr(type(connection.ops), "sql_flush", deletions)
            yield
        return
    with django_db_blocker.unblock():
        call_command("distribute", "--shards", str(citus.SHARDS), verbosity=0)
    yield
    with django_db_blocker.unblock():
        connection.close()
    citus.drop(str(connection.settings_dict["NAME"]))


def is_superuser() -> bool:
    """Return whether the tests may switch off triggers."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW is_superuser")
        return bool(cursor.fetchone() == ("on",))


def deletions(_operations: object, _style: object, tables: list[str], **_options: bool) -> list[str]:
    """Return what empties tables of a few rows in a twentieth of the time that TRUNCATE takes."""
    return ["SET LOCAL session_replication_role = replica", *(f'DELETE FROM "{name}"' for name in tables)]


@pytest.fixture(autouse=True)
def index_left_empty(request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """What a test with transactions of its own leaves behind Django's back: it empties tables, and on SQLite
    the index is a view."""
    yield
    marker = request.node.get_closest_marker("django_db")
    own = bool(marker and marker.kwargs.get("transaction")) or "transactional_db" in request.fixturenames
    if own and connection.vendor == "sqlite":
        with django_db_blocker.unblock():
            empty_index()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        action="store_true",
        help="only tests whose outcome can depend on the database engine, for a run on another one",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--database`, do not read modules of which nothing would run."""
    return True if config.getoption("--database") and left_out_whole(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--database`, leave out what needs no database and what comes to the same on every engine.

    Every process begins with long tests, so that none is left with one at the end.
    """
    if config.getoption("--database"):
        left_out = [item for item in items if not depends_on_engine(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if depends_on_engine(item)]
    items[:] = dealt(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def dealt(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """Return tests in an order of which each process begins with another part, as `--dist worksteal` cuts it.

    The parts begin with the modules of long tests, in turn.
    """
    heads: list[list[pytest.Item]] = [[] for _ in range(processes)]
    long = sorted((item for item in items if place(item) < SHORT), key=place)
    for number, (_path, tests) in enumerate(groupby(long, key=lambda item: item.path)):
        heads[number % processes] += tests
    result, short = list[pytest.Item](), deque(item for item in items if place(item) == SHORT)
    for number, head in enumerate(heads):
        end = len(result) + (len(items) - len(result)) // (processes - number)
        result += head
        while short and len(result) < end:
            result.append(short.popleft())
    return [*result, *short]


def place(item: pytest.Item) -> int:
    """Return where a test stands in its part: the lower the number, the earlier it runs."""
    if item.path.stem in LONGEST:
        return LONGEST.index(item.path.stem)
    if item.get_closest_marker("worker") and not uses_database(item):
        return SERVERS
    return BROWSER if item.get_closest_marker("browser") else SHORT


def pytest_collection_finish() -> None:
    """From now on there is garbage, which is looked for among what the tests make."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """At the end all of it goes; some libraries tell what is left."""
    gc.unfreeze()


@pytest.fixture
def shared() -> Path:
    """The folder of reference material; skips (fails on CI) where a checkout has none beside it."""
    need_shared()
    return SHARED


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked `shared` need the reference material even when they are parametrized over its files."""
    if item.get_closest_marker("shared"):
        need_shared()
