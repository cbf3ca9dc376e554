"""The database that the tests run on is the one that was asked for, with the options it needs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.db import connection

from archive.index import citus, postgresql, sqlite
from archive.index.engine import Engine, engine

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("module", [citus, postgresql, sqlite])
def test_every_engine_has_all_that_an_engine_has(module):
    expected = {name for name in (*vars(Engine), *Engine.__annotations__) if not name.startswith("_")}
    assert not [name for name in sorted(expected) if not hasattr(module, name)]


def pragma(name: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]


def test_the_engine_is_postgresql_exactly_when_an_address_is_given():
    expected = "postgresql" if os.environ.get("DATABASE_URL") else "sqlite"
    assert connection.vendor == expected


@pytest.mark.skipif(connection.vendor != "sqlite", reason="these are options of SQLite")
@pytest.mark.parametrize(
    ("name", "value"), [("journal_mode", "wal"), ("page_size", 16384), ("synchronous", 1)]
)
def test_sqlite_runs_with_the_options_of_an_archive(name, value):
    assert pragma(name) == value


@pytest.mark.skipif(connection.vendor != "sqlite", reason="an option of SQLite")
def test_the_test_database_of_sqlite_is_a_file_that_another_process_can_open():
    name = connection.settings_dict["NAME"]
    assert Path(name).is_file(), name


@pytest.mark.skipif(connection.vendor != "postgresql", reason="a setting of PostgreSQL")
@pytest.mark.django_db
def test_postgresql_makes_kept_plans_without_values_and_django_keeps_none():
    with connection.cursor() as cursor:
        cursor.execute("SHOW plan_cache_mode")
        # On Citus a plan without values is right only where it goes to one shard, which the server knows.
        assert cursor.fetchone() == ("auto" if engine().REMOTE_INDEX else "force_generic_plan",)
        assert cursor.connection.prepare_threshold is None
    assert 60 <= connection.settings_dict["CONN_MAX_AGE"] <= 3600
