"""The archive spread over servers by Citus, where servers with the extension are given (`tests.citus`)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.urls import resolve

from archive import checks
from archive.index import citus, counters, postgresql
from archive.index.away import UndecidedError
from archive.index.engine import engine
from archive.models import Game, GameRecord
from archive.observing.standbys import Standby, standbys
from archive.queries.explorer import explore
from archive.queries.position_games import games_through
from archive.queries.position_query import ask
from archive.queries.scope import PUBLIC
from archive.reading import PRIMARY
from archive.store import verify
from archive.web import replicas
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests import citus as servers
from tests.archive.builders import ingest, ready

pytestmark = pytest.mark.django_db(transaction=True)

given = pytest.mark.skipif(
    not servers.servers(), reason=f"{servers.VARIABLE} names no servers that have the extension"
)
START = shogi64.encode(Position.initial())


@pytest.mark.skipif(bool(servers.servers()), reason="how other databases refuse")
def test_what_has_no_citus_is_not_spread():
    for options in ([], ["--undo"]):
        with pytest.raises(CommandError, match="no extension citus"):
            call_command("distribute", *options)
    assert not engine().APART


@pytest.fixture
def spread_again() -> Iterator[None]:
    yield
    call_command("distribute", "--shards", str(servers.SHARDS), verbosity=0)


def answers() -> tuple[object, ...]:
    found = explore(PUBLIC, "shogi", START, "any", transpositions=True)
    return found, games_through(PUBLIC, "shogi", START)


@given
def test_a_filled_archive_comes_back_to_one_server_and_is_spread_again(hot_at_three, spread_again, capsys):
    ingest(*(ready("7g7f 3c3d 2g2f", black=name, day="2020/01/02") for name in "abcd"))
    assert engine() is citus
    before = answers()
    call_command("distribute", "--undo")
    assert engine() is postgresql and answers() == before
    assert not [*verify.verify()]
    call_command("distribute", "--shards", "2")
    assert engine() is citus and answers() == before
    assert not [*verify.verify()]
    call_command("distribute")
    assert f"0 tables moved, {len(citus.SPREAD)} were there" in capsys.readouterr().out


@given
def test_the_last_day_of_a_counter_is_looked_for_once_all_rows_are_there(hot_at_three):
    ingest(*(ready("7g7f 3c3d 2g2f", black=name, day="2020/01/02") for name in "abcd"))
    key, game = ask(PUBLIC, "shogi", START).keys[0], Game.objects.latest("slot")
    name = str(connection.settings_dict["NAME"])
    with servers.asked(servers.servers()[1], name) as node:
        node.execute("BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'citus_9_1_1_1'")
        try:
            with pytest.raises(UndecidedError), transaction.atomic(), connection.cursor() as cursor:
                counters.update(cursor, [], engine().select(cursor, [key], game.played, game.slot), {})
        finally:
            node.execute("ROLLBACK PREPARED 'citus_9_1_1_1'")
    assert not [*verify.verify()]


@given
def test_a_migration_after_the_tables_were_spread_changes_all_shards():
    ingest(ready("7g7f 3c3d 2g2f"))
    field = models.IntegerField(null=True)
    field.set_attributes_from_name("tried")
    with connection.schema_editor() as editor:
        editor.add_field(GameRecord, field)
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE archive_gamerecord SET tried = 5 WHERE game_id = %s", [Game.objects.get().pk]
            )
            cursor.execute("SELECT tried FROM archive_gamerecord")
            assert cursor.fetchall() == [(5,)]
    finally:
        with connection.schema_editor() as editor:
            editor.remove_field(GameRecord, field)


@given
def test_beside_citus_no_replica_is_read_and_the_check_says_so(rf, settings, monkeypatch):
    settings.ARCHIVE_REPLICA_URLS = ["postgresql://localhost:1/none"]
    monkeypatch.setattr(standbys, "known", [Standby("replica1", 5)])
    monkeypatch.setattr(standbys, "usable", lambda *_: "replica1")
    request = rf.get("/games/")
    request.resolver_match = resolve("/games/")
    assert replicas._database_for(request) == PRIMARY
    assert [found.id for found in checks.replicas_agree(None, ["default"])] == ["archive.E005"]


@given
def test_a_segment_takes_as_many_times_more_games_as_there_are_shards(small_segments, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(postgresql, "SEGMENT_GAMES", 10)
    monkeypatch.setattr(postgresql, "ROOM_GAMES", 5)
    engine().make_room()
    with connection.cursor() as cursor:
        shards = citus.shards(cursor)
    assert [(one.start, one.end) for one in engine().segments()] == [(0, 10 * shards)] and shards > 1


def test_what_is_spread_has_no_constraint_that_ties_it_to_the_coordinator():
    assert import_module("archive.migrations.0033_no_constraints")
    with connection.cursor() as cursor:
        for table, _, _ in citus.SPREAD:
            if connection.vendor == "postgresql" or not table.startswith("archive_occurrence"):
                constraints = connection.introspection.get_constraints(cursor, table)
                assert not [one for one in constraints.values() if one["foreign_key"]], table
