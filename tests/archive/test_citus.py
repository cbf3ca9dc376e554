"""The archive spread over servers by Citus, where servers with the extension are given (`tests.citus`)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction
from django.urls import resolve

from archive import store
from archive.http import replicas
from archive.index import citus, counters, postgresql
from archive.index.availability import UndecidedError
from archive.index.engine import engine
from archive.intake import worker
from archive.models import Game, GameRecord
from archive.observing.standbys import Standby, standbys
from archive.project import checks
from archive.project.reading import PRIMARY
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.positions.position_query import position_query
from archive.queries.scope import PUBLIC
from archive.store import verify
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests import citus as servers
from tests.archive import test_pgbouncer as pgbouncer
from tests.archive.builders import ingest, ready
from tests.archive.test_workers import collection
from tests.serving import ROOT

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
    assert not engine().REMOTE_INDEX


@pytest.fixture
def spread_again() -> Iterator[None]:
    yield
    call_command("distribute", "--shards", str(servers.SHARDS), verbosity=0)


def answers() -> tuple[object, ...]:
    explorer = explore(PUBLIC, "shogi", START, "any", transpositions=True)
    return explorer, games_through(PUBLIC, "shogi", START)


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
def test_a_role_that_may_not_recover_transactions_is_told_of_by_distribute_and_by_the_check():
    role = f"limited_{connection.settings_dict['NAME']}"
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE ROLE "{role}"')
        cursor.execute(f'SET ROLE "{role}"')
        try:
            with pytest.raises(CommandError, match="GRANT EXECUTE ON FUNCTION recover_prepared"):
                call_command("distribute")
            result = checks.transactions_are_recovered(None, ["default"])
        finally:
            cursor.execute("RESET ROLE")
            cursor.execute(f'DROP ROLE "{role}"')
    assert [one.id for one in result] == ["archive.E006"]
    assert not checks.transactions_are_recovered(None, ["default"])


@contextmanager
def pooled() -> Iterator[str]:
    """The address of this database behind a PgBouncer with two connections for transactions."""
    (host, port), name = servers.servers()[0], connection.settings_dict["NAME"]
    with tempfile.TemporaryDirectory(prefix="kifu-pool-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        where = f"host={host} port={port} dbname={name}"
        with pgbouncer.bouncer(Path(folder, "p"), first=where, postgres=where) as running:
            yield running.address("first")


@given
@pytest.mark.skipif(pgbouncer.PROGRAM is None, reason="there is no pgbouncer on this machine")
def test_behind_pgbouncer_the_coordinator_has_to_know_how_shards_are_written_and_then_all_works():
    upload, _ = store.create_upload("some.csa", [collection(5)], None, "web")
    worker.work_off(upload.pk)
    ingest(ready("7g7f 3c3d 2g2f"))
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    through = {"ARCHIVE_DATABASE_POOLER": "1"}
    with pooled() as url:
        environment = pgbouncer.environment(url) | through
        refused = subprocess.run(
            [sys.executable, "manage.py", "verify_archive"], cwd=ROOT, env=os.environ | environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert refused.returncode and "ALTER DATABASE ... SET citus.multi_shard_modify_mode" in refused.stderr
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} SET citus.multi_shard_modify_mode = 'sequential'")
    try:
        with pooled() as url:
            data = pgbouncer.asked(pgbouncer.environment(url) | through, upload.pk)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER DATABASE {name} RESET citus.multi_shard_modify_mode")
    assert data["checked"] == [[], ["archive.W005"]] and data["limits"] == ["0"]
    assert data["deleted"] == [5, 0] and data["verified"] == "no difference"


@given
def test_the_last_day_of_a_counter_is_looked_for_once_all_rows_are_there(hot_at_three):
    ingest(*(ready("7g7f 3c3d 2g2f", black=name, day="2020/01/02") for name in "abcd"))
    key, game = position_query(PUBLIC, "shogi", START).keys[0], Game.objects.latest("slot")
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
    assert [result.id for result in checks.replicas_agree(None, ["default"])] == ["archive.E005"]


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
    with connection.cursor() as cursor:
        for table, _, _ in citus.SPREAD:
            if connection.vendor == "postgresql" or not table.startswith("archive_occurrence"):
                constraints = connection.introspection.get_constraints(cursor, table)
                assert not [one for one in constraints.values() if one["foreign_key"]], table
