"""SQLite's two tables of rows: what is new goes into the small one, and from there into the large one."""

from __future__ import annotations

from random import Random

import pytest
from django.db import connection, transaction

from archive import store
from archive.index import sqlite
from archive.index.engine import engine
from archive.index.schema import IndexRow
from archive.models import Game, Occurrence
from archive.queries.positions.position_games import games_through
from archive.queries.positions.trend import trend
from archive.queries.scope import PUBLIC
from archive.store import verify
from tests.archive.builders import ingest, random_game, ready
from tests.archive.games import START
from tests.archive.plans import recorded

LOWEST, HIGHEST = -(2**63), 2**63 - 1


@pytest.fixture(autouse=True)
def on_sqlite() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("how sqlite does it")


def value(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        number: int = cursor.fetchone()[0]
    return number


def recent() -> int:
    return value(f"SELECT count(*) FROM {sqlite.RECENT}")


def settled() -> int:
    return value(f"SELECT count(*) FROM {sqlite.SETTLED}")


def noted() -> int:
    return value("SELECT recent FROM archive_occurrence_settling")


def insert(rows: list[IndexRow]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        engine().insert(cursor, rows)


def rows_of(slot: int, keys: range) -> list[IndexRow]:
    return [IndexRow(key, 0, slot, 0, 0, 2, 3) for key in keys]


@pytest.mark.django_db
def test_few_rows_stay_in_the_small_table():
    insert(rows_of(1, range(sqlite.RECENT_ROWS)))
    assert (recent(), settled()) == (sqlite.RECENT_ROWS, 0)


@pytest.mark.django_db
def test_what_is_too_much_is_settled_in_the_order_of_keys_and_then_from_the_first_on():
    most = sqlite.RECENT_ROWS
    insert(rows_of(1, range(most + 10)))
    assert settled() == value(f"SELECT max(key) + 1 FROM {sqlite.SETTLED}") == 11
    insert(rows_of(2, range(10)))
    assert recent() == noted() <= most
    assert value(f"SELECT count(*) FROM {sqlite.SETTLED} WHERE slot = 2") == 0
    for slot in range(3, 12):
        insert(rows_of(slot, range(10)))
        assert recent() == noted() <= most + 10
    assert value(f"SELECT count(*) FROM {sqlite.SETTLED} WHERE slot > 2") > 0
    assert Occurrence.objects.count() == most + 10 + 10 * 10


@pytest.mark.django_db
def test_the_first_and_the_last_key_there_can_be_are_settled_too(monkeypatch):
    monkeypatch.setattr(sqlite, "RECENT_ROWS", 0)
    rows = [IndexRow(key, 0, 1, 0, 0, 2, 3) for key in (LOWEST, -1, 0, 1, HIGHEST)]
    for _ in range(3):
        insert(rows)
        with connection.cursor() as cursor:
            assert engine().delete_slot(cursor, 1) == rows
    insert(rows)
    assert (recent(), settled()) == (0, len(rows))


@pytest.mark.django_db
def test_games_in_both_tables_are_found_and_deleted():
    random = Random(5)
    for _ in range(12):
        ingest(*(random_game(random) for _ in range(5)))
        assert noted() == recent()
    assert recent() and settled() and not list(verify.verify())
    store.delete_games(list(Game.objects.values_list("pk", flat=True)))
    assert (recent(), settled(), noted()) == (0, 0, 0)


@pytest.mark.django_db
def test_lists_are_merged_from_both_tables_not_sorted():
    ingest(ready("7g7f 3c3d"))
    for ask in (
        lambda: trend(PUBLIC, "shogi", START),
        lambda: games_through(PUBLIC, "shogi", START, limit=5),
    ):
        with recorded() as statements:
            ask()
        (statement,) = [each for each in statements if "archive_occurrence" in each.sql]
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.params)
            assert "MERGE (UNION ALL)" in [row[3] for row in cursor.fetchall()]
