"""Servers of Citus that go away and come back, and one that is added: on servers of our own, made with the
programs of those that are given (`tests.citus`)."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.utils import OperationalError
from pytest_django.plugin import DjangoDbBlocker

from archive import store
from archive.columns import building
from archive.derive.game import DerivedGame
from archive.index import counters
from archive.index.availability import RETRY_SECONDS, UndecidedError, is_unreachable
from archive.index.engine import engine
from archive.intake import tasks, worker
from archive.models import Game, GameRecord, HotPosition, Upload
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.positions.position_query import position_query
from archive.queries.scope import PUBLIC
from archive.store import verify
from tests import citus
from tests.archive.builders import ingest, ready
from tests.archive.games import KIF
from tests.citus import Cluster

PROGRAMS: Final = citus.programs_given()
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        PROGRAMS is None, reason=f"{citus.VARIABLE} names no servers whose programs are on this machine"
    ),
]
NAME: Final = "nodes"
FIRST, SECOND, SPARE = 1, 2, 3
LINE: Final = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 3g3f 7c7d 4i4h 7a7b 5i6h 5a4b"
PATIENCE: Final = 60.0


@pytest.fixture(scope="module")
def cluster(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Cluster]:
    """A coordinator, two nodes and a server that is none yet, which Django's connections lead to."""
    assert PROGRAMS is not None
    before = {name: connection.settings_dict[name] for name in ("HOST", "PORT", "NAME")}
    with tempfile.TemporaryDirectory(prefix="kifu-nodes-", dir="/tmp") as folder, django_db_blocker.unblock():
        Path(folder).chmod(0o755)
        created = Cluster(PROGRAMS, Path(folder), 4)
        try:
            created.make()
            citus.make(NAME, created.servers[:SPARE])
            with citus.asked(created.servers[SPARE]) as spare:
                spare.execute(f"CREATE DATABASE {NAME}")
            with citus.asked(created.servers[SPARE], NAME) as spare:
                spare.execute("CREATE EXTENSION citus")
            connection.close()
            host, port = created.servers[0]
            connection.settings_dict.update(HOST=host, PORT=port, NAME=NAME)
            call_command("migrate", verbosity=0)
            call_command("distribute", "--shards", str(citus.SHARDS), verbosity=0)
            connection.close()
            yield created
        finally:
            connection.close()
            connection.settings_dict.update(before)
            created.end()


@pytest.fixture
def nodes(cluster: Cluster, transactional_db: None) -> Iterator[Cluster]:
    """The servers, all of them running again when the test is over."""
    yield cluster
    for number in (FIRST, SECOND):
        cluster.start(number)
    with at(cluster) as coordinator:
        coordinator.execute("SELECT recover_prepared_transactions()")


@contextmanager
def at(cluster: Cluster, number: int = 0) -> Iterator[psycopg.Connection]:
    with citus.asked(cluster.servers[number], NAME) as result:
        yield result


def home_of(cluster: Cluster, key: int, table: str = "archive_occurrence") -> int:
    """The node whose server has the shard of a key."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nodeport FROM pg_dist_node n JOIN pg_dist_placement p ON p.groupid = n.groupid"
            " WHERE p.shardid = get_shard_id_for_distribution_column(%s, %s)",
            [table, key],
        )
        return cluster.ports.index(cursor.fetchone()[0])


def wait(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the servers do not do what they should"
        time.sleep(0.02)


def places(cluster: Cluster, game: DerivedGame) -> dict[int, list[tuple[int, str]]]:
    """By node, the keys of a game, those that their codes alone are asked under, and these codes."""
    result: dict[int, list[tuple[int, str]]] = {FIRST: [], SECOND: []}
    for row, code in zip(game.rows, game.codes, strict=True):
        if position_query(PUBLIC, "shogi", code).keys == (row.key,):
            result[home_of(cluster, row.key)].append((row.key, code))
    return result


def lost_between_the_phases(cluster: Cluster, *games: DerivedGame) -> None:
    """Store games, and kill the second node between PREPARE and COMMIT PREPARED.

    The coordinator waits for a standby that there is not, in the middle of its own commit.
    """

    def held(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if 'INSERT INTO "archive_arrival"' in sql:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit = on")
        return execute(sql, *rest)

    def writes() -> None:
        with connection.execute_wrapper(held):
            ingest(*games)
        connection.close()

    with at(cluster) as coordinator:
        for standby in ("'nobody'", "''"):
            coordinator.execute(f"ALTER SYSTEM SET synchronous_standby_names = {standby}")
            coordinator.execute("SELECT pg_reload_conf()")
            if standby != "''":
                writer = threading.Thread(target=writes)
                writer.start()
                wait(
                    lambda: coordinator.execute(
                        "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                    ).fetchone()
                )
                assert all(prepared(cluster, number) for number in (FIRST, SECOND))
                cluster.kill(SECOND)
        writer.join(PATIENCE)
        assert not writer.is_alive()


def prepared(cluster: Cluster, number: int) -> int:
    with at(cluster, number) as node:
        result = node.execute("SELECT count(*) FROM pg_prepared_xacts").fetchone()
    return int(result[0]) if result else 0


def refused() -> None:
    """What has to know all that was committed does nothing."""
    game = Game.objects.order_by("pk").last()
    with pytest.raises(UndecidedError, match="undecided"):
        counters.promote(7, "any")
    with pytest.raises(UndecidedError):
        store.delete_games([game.pk])
    with pytest.raises(UndecidedError):
        list(verify.verify())
    with pytest.raises(CommandError, match="undecided"):
        call_command("verify_archive")
    assert Game.objects.filter(pk=game.pk).exists()


def test_a_node_that_was_killed_between_the_phases_of_a_commit_gets_the_rest_when_it_is_back(nodes):
    ingest(ready(LINE, black="甲"))
    game = ready(LINE, black="乙")
    codes = {number: result[0][1] for number, result in places(nodes, game).items()}
    lost_between_the_phases(nodes, game)
    assert Game.objects.count() == 2, "the coordinator has committed"
    refused()
    assert len(games_through(PUBLIC, "shogi", codes[FIRST]).items) == 2
    nodes.start(SECOND)
    assert prepared(nodes, SECOND) == 1 and prepared(nodes, FIRST) == 0
    # Each key is right by itself, but here the last commit has not been heard of.
    assert len(games_through(PUBLIC, "shogi", codes[SECOND]).items) == 1
    assert not [*verify.verify()]
    assert prepared(nodes, SECOND) == 0
    assert len(games_through(PUBLIC, "shogi", codes[SECOND]).items) == 2
    assert store.delete_games([Game.objects.order_by("pk").last().pk]) == 1
    assert not [*verify.verify()]


def test_what_is_prepared_and_nobody_can_recover_is_waited_for_then_named(nodes, monkeypatch):
    monkeypatch.setattr("archive.index.citus.DECIDED_SECONDS", 0.1)
    ingest(ready(LINE))
    with at(nodes, SECOND) as node:
        node.execute("BEGIN; CREATE TABLE of_others(); PREPARE TRANSACTION 'citus_9_1_1_1'")
    try:
        with pytest.raises(UndecidedError, match=f"citus_9_1_1_1 on 127.0.0.1:{nodes.ports[SECOND]}"):
            counters.promote(7, "any")
        refused()
    finally:
        with at(nodes, SECOND) as node:
            node.execute("ROLLBACK PREPARED 'citus_9_1_1_1'")
    assert not [*verify.verify()]


def test_counters_that_cannot_be_made_come_with_a_later_game(nodes, hot_at_three, monkeypatch, caplog):
    monkeypatch.setattr("archive.index.citus.DECIDED_SECONDS", 0.1)
    with at(nodes, SECOND) as node:
        node.execute("BEGIN; CREATE TABLE of_others(); PREPARE TRANSACTION 'citus_9_1_1_1'")
    ingest(*(ready(LINE, black=name) for name in "abc"))
    assert not HotPosition.objects.exists() and "gets no counters yet" in caplog.text
    with at(nodes, SECOND) as node:
        node.execute("ROLLBACK PREPARED 'citus_9_1_1_1'")
    ingest(ready(LINE, black="d"))
    assert HotPosition.objects.exists() and not [*verify.verify()]


def test_a_node_that_is_away_is_503_for_what_lies_there_and_nothing_else(nodes, client):
    game = ready(LINE)
    ingest(game)
    present = places(nodes, game)
    pk = Game.objects.get().pk
    assert home_of(nodes, pk, "archive_gamerecord") in present
    nodes.kill(SECOND)
    for number, status in ((FIRST, 200), (SECOND, 503)):
        for _, code in present[number]:
            answer = client.get(f"/api/v1/positions/shogi/{code}/games?match=exact")
            assert answer.status_code == status, (number, code)
    assert answer["Retry-After"] == str(RETRY_SECONDS) and answer.json()["code"] == "unavailable"
    page = client.get(f"/positions/shogi/{present[SECOND][0][1]}/", headers={"accept-language": "en"})
    assert page.status_code == 503 and page["Retry-After"] == str(RETRY_SECONDS)
    assert "is away at present" in page.content.decode()
    for address in ("/events/", "/games/", "/players/", "/api/v1/games", "/api/v1/statistics"):
        assert client.get(address).status_code == 200, address
    nodes.start(SECOND)
    for _, code in present[FIRST] + present[SECOND]:
        assert client.get(f"/api/v1/positions/shogi/{code}/games?match=exact").status_code == 200


@pytest.mark.parametrize("number", [FIRST, SECOND])
def test_an_upload_loses_no_try_to_a_node_that_is_away_and_goes_on_when_it_is_back(nodes, number):
    created, _ = store.create_upload("one.kif", [KIF.encode()], None, "web")
    nodes.kill(number)
    for _ in range(worker.DEADLY_TRIES):
        with pytest.raises(OperationalError) as result:
            worker.work_with_others(created.pk, "task")
        assert is_unreachable(result.value) and isinstance(result.value, tasks.PASSING)
        assert Upload.objects.values_list("tries", "state").get() == (0, "processing")
    nodes.start(number)
    worker.work_off(created.pk)
    assert Upload.objects.get().state == Upload.State.DONE
    assert Game.objects.count() == GameRecord.objects.count() == 1
    assert not [*verify.verify()]


def test_columns_wait_for_a_node_that_is_away_and_say_so(nodes, settings, tmp_path, caplog):
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    ingest(ready(LINE))
    home = home_of(nodes, Game.objects.get().pk, "archive_gamerecord")
    nodes.kill(home)
    tasks.columns()
    assert "the columns wait for a server" in caplog.text and building.has_work()
    nodes.start(home)
    tasks.columns()
    assert not building.has_work()


def test_an_upload_is_hidden_at_once_and_deleted_when_all_nodes_are_back(nodes):
    created, _ = store.create_upload("one.kif", [KIF.encode()], None, "web")
    worker.work_off(created.pk)
    nodes.kill(FIRST)
    with pytest.raises((UndecidedError, OperationalError)):
        store.delete_upload(created.pk)
    assert Upload.objects.get().state == Upload.State.DELETING
    nodes.start(FIRST)
    assert store.delete_upload(created.pk) and not Game.objects.exists()
    assert not [*verify.verify()]


def test_shards_move_to_a_node_that_is_added_while_the_archive_is_read_and_written(nodes):
    games = [ready(LINE, black=name, day="2020/01/02") for name in "abcd"]
    ingest(*games)
    before = [explore(PUBLIC, "shogi", code, "any") for code in games[0].codes]
    with at(nodes) as coordinator:
        coordinator.execute("SELECT citus_add_node(%s, %s)", nodes.servers[SPARE])
        coordinator.execute("SELECT citus_rebalance_start()")
        ingest(ready("2g2f 8c8d", black="e"))
        coordinator.execute("SELECT citus_rebalance_wait()")
        shards = coordinator.execute(
            "SELECT nodeport, count(*) FROM citus_shards WHERE table_name = 'archive_occurrence'::regclass"
            " GROUP BY 1"
        ).fetchall()
    assert {port for port, _ in shards} == {*nodes.ports[1:]} and sum(n for _, n in shards) == citus.SHARDS
    assert [explore(PUBLIC, "shogi", code, "any") for code in games[0].codes][1:] == before[1:]
    ingest(ready(LINE, black="f"))
    assert engine().REMOTE_INDEX and not [*verify.verify()]
