"""The index on its engine: segments, bulk writing, plans, promotion, and what verify_archive finds."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, transaction

from archive import store
from archive.index import counters, postgresql, sqlite
from archive.index.engine import engine
from archive.index.schema import IndexRow
from archive.models import (
    Entry,
    Game,
    GameEvent,
    GamePlayer,
    GameRecord,
    GameSeries,
    HotMove,
    HotPosition,
    Occurrence,
    UploadChunk,
)
from archive.queries.positions.explorer import explore
from archive.queries.scope import PUBLIC
from archive.store import verify
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.keys.canonical import canonical
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, random_game, ready
from tests.archive.conftest import SMALL_SEGMENT, segments
from tests.archive.rows import change_keys, change_rows

START = shogi64.encode(Position.initial())
GAME = "7g7f 3c3d 2g2f 8c8d"


def vendor(name: str) -> None:
    if connection.vendor != name:
        pytest.skip(f"how {name} does it")


@pytest.mark.django_db
def test_extreme_values_survive_the_bulk_writer():
    rows = [
        IndexRow(-(2**63), 0, 1, 0, 0, 2, 3),
        IndexRow(2**63 - 1, 3_652_059, 1, 32_767, 32_767, 3, 4),
    ]
    engine().make_room()
    with transaction.atomic(), connection.cursor() as cursor:
        engine().insert(cursor, rows)
        for row in rows:
            assert engine().select(cursor, [one.key for one in rows], row.played, 1) == [row]
        assert engine().delete(cursor, [rows[0].key], 0, 1) == rows[:1]
        assert engine().delete_slot(cursor, 1) == rows[1:]
    assert not Occurrence.objects.exists()


@pytest.mark.django_db
def test_sqlite_keeps_rows_in_the_primary_key_alone():
    vendor("sqlite")
    with connection.cursor() as cursor:
        for table in (sqlite.RECENT, sqlite.SETTLED):
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
            assert "WITHOUT ROWID" in cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_there_is_always_an_empty_segment_ahead(small_segments):
    vendor("postgresql")
    ingest(ready(GAME))
    assert len(segments()) == 2
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('archive_slot', %s)", [SMALL_SEGMENT - 1])
    ingest(ready(GAME, black="甲"))
    ingest(ready(GAME, black="乙"))
    assert len(segments()) == 3
    assert sorted(Game.objects.values_list("slot", flat=True)) == [1, SMALL_SEGMENT, SMALL_SEGMENT + 1]
    assert explore(PUBLIC, "shogi", START).total == 3


@pytest.mark.django_db(transaction=True)
def test_a_kept_plan_sees_a_segment_that_was_attached_after_it(small_segments):
    vendor("postgresql")
    ingest(ready(GAME))
    assert explore(PUBLIC, "shogi", START).total == 1
    remaining = prepared()
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('archive_slot', %s)", [2 * SMALL_SEGMENT - 1])
    ingest(ready(GAME, black="甲"), ready(GAME, black="乙"))
    assert len(segments()) == 4 and segments()[2] in slots_of()
    assert explore(PUBLIC, "shogi", START).total == 3
    assert prepared() == remaining != []


def prepared() -> list[str]:
    """Statements whose plans this connection keeps."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements ORDER BY name")
        return [name for (name,) in cursor.fetchall()]


def slots_of() -> set[str]:
    """The segments in which games have rows."""
    slots = Occurrence.objects.values_list("slot", flat=True)
    return {one.name for one in engine().segments() for slot in slots if one.start <= slot < one.end}


@pytest.mark.django_db(transaction=True)
def test_a_segment_that_has_begun_is_looked_at_once_so_that_plans_are_made_anew(small_segments, monkeypatch):
    vendor("postgresql")
    if engine().REMOTE_INDEX:
        pytest.skip("the coordinator's statistics do not tell how full a segment of Citus is")
    monkeypatch.setattr(postgresql, "_BEGUN_GAMES", 2)

    def known_rows() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [segments()[0]])
            return int(cursor.fetchone()[0])

    with connection.cursor() as cursor:
        engine().make_room()
        cursor.execute("ANALYZE archive_occurrence")
    assert known_rows() == 0
    for number, rows in enumerate((0, 5, 5, 5)):
        ingest(ready(GAME, black="甲乙丙丁"[number]))
        assert known_rows() == rows


@pytest.mark.django_db
def test_only_the_latest_plans_are_kept(monkeypatch):
    vendor("postgresql")
    monkeypatch.setattr(postgresql, "CACHED_PLANS", 3)
    for number in range(6):
        assert engine().fetch_prepared(f"SELECT {number} + %s", [1]) == [(number + 1,)]
    engine().fetch_prepared("SELECT 5 + %s", [1])
    assert len(prepared()) == 3
    connection.close()


@pytest.mark.django_db
def test_behind_a_pooler_nothing_is_prepared_and_answers_are_the_same(monkeypatch):
    vendor("postgresql")
    ingest(ready(GAME))
    before, answer = prepared(), explore(PUBLIC, "shogi", START, "any", "all")
    assert len(prepared()) > len(before)
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert explore(PUBLIC, "shogi", START, "any", "all") == answer
    assert prepared() == []
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_writers_that_use_up_the_room_together_get_more(small_segments):
    vendor("postgresql")
    ingest(ready(GAME))
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('archive_slot', %s)", [SMALL_SEGMENT - 1])
        # As if others had taken the slots of all segments between making room and taking ours.
        original = engine().make_room
    calls = []

    def late() -> None:
        original()
        if not calls:
            with connection.cursor() as cursor:
                cursor.execute("SELECT setval('archive_slot', %s)", [5 * SMALL_SEGMENT])
        calls.append(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine(), "make_room", late)
        ingest(ready(GAME, black="甲"))
    assert len(calls) == 2 and explore(PUBLIC, "shogi", START).total == 2


# --- promotion -------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_key_gets_counters_when_enough_games_reach_it(hot_at_three):
    for number, name in enumerate("abcd", start=1):
        ingest(ready(GAME, black=name))
        assert bool(HotPosition.objects.count()) == (number >= 3)
    assert HotPosition.objects.filter(code=canonical(Position.initial()).code).exists()
    assert explore(PUBLIC, "shogi", START).total == 4
    assert sum(HotMove.objects.filter(move=0).values_list("n", flat=True)) == 4


@pytest.mark.django_db
def test_promoting_twice_counts_once():
    game = ready(GAME)
    ingest(game)
    for _ in range(2):
        counters.promote(game.rows[0].key, game.codes[0])
    assert HotMove.objects.get().n == 1


@pytest.mark.django_db
def test_counters_of_deleted_games_disappear(hot_at_three):
    ingest(*(ready(GAME, black=name, day="2020/01/02") for name in "abc"))
    store.delete_games(Game.objects.values_list("pk", flat=True))
    assert HotPosition.objects.exists() and not HotMove.objects.exists()
    assert explore(PUBLIC, "shogi", START).total == 0


# --- verification ----------------------------------------------------------------------------------------


@pytest.fixture
def archive(db, hot_at_three) -> Game:
    ingest(*(ready(GAME, black=name, white="乙", event="王位戦", day="2020/01/02") for name in "abcd"))
    return Game.objects.order_by("pk").first()


def failed_checks() -> set[str]:
    return {difference.check for difference in verify.verify()}


def test_an_archive_in_order_has_no_difference(archive, capsys):
    assert not failed_checks()
    call_command("verify_archive")
    call_command("verify_archive", "--sample", "2", "--seed", "1")
    assert "no difference" in capsys.readouterr().out


def test_each_kind_of_damage_is_found(archive):
    slot = archive.slot
    damages = {
        "rows": ("UPDATE {rows} SET result = 1 WHERE slot = %s AND ply = 2", slot),
        "orphan": ("UPDATE {rows} SET slot = 99 WHERE slot = %s AND ply = 2", slot),
        "counter": ("UPDATE archive_hotmove SET n = n + %s", 1),
        "digest": ("UPDATE archive_game SET result = 1 WHERE slot = %s", slot),
        "list": ("DELETE FROM archive_gameplayer WHERE slot = %s AND colour = 1", slot),
        "upload": ("UPDATE archive_upload SET size = size + %s", 1),
        "column": ("UPDATE archive_game SET plies = plies + %s", 1),
        "entries": ("UPDATE archive_upload SET expected = expected + %s", 1),
    }
    for check, (statement, value) in damages.items():
        with transaction.atomic():
            change_rows(statement, value)
            assert check in failed_checks(), check
            transaction.set_rollback(True)
    assert not failed_checks()


def test_other_lists_and_rows_are_found_too(archive):
    for damage in (
        lambda: GameEvent.objects.filter(slot=archive.slot).update(played=1),
        lambda: GamePlayer.objects.filter(slot=archive.slot, colour=0).update(slot=77),
        lambda: Game.objects.filter(pk=archive.pk).update(index_rows=3),
        lambda: UploadChunk.objects.update(bytes=b"other"),
        lambda: HotMove.objects.all().delete(),
        lambda: change_rows("DELETE FROM {rows} WHERE slot = %s", archive.slot),
        lambda: change_rows("UPDATE {rows} SET played = 1 WHERE slot = %s AND ply = 2", archive.slot),
        lambda: Entry.objects.filter(game=archive.pk).delete(),
        lambda: GameRecord.objects.filter(pk=archive.pk).delete(),
        lambda: Game.objects.filter(pk=archive.pk).update(played_from=date(2020, 1, 3)),
        lambda: GameSeries.objects.create(game=archive, series=b"of nothing"),
    ):
        with transaction.atomic():
            damage()
            assert failed_checks()
            transaction.set_rollback(True)


def test_rows_that_belong_to_no_game_or_upload_are_found(archive):
    assert not [*verify.orphans()]
    for table, row in (
        ("gamerecord", GameRecord(game_id=77, record=b"")),
        ("gameseries", GameSeries(game_id=78, series=b"")),
        ("uploadchunk", UploadChunk(upload_id=79, n=0, bytes=b"")),
    ):
        with transaction.atomic():
            row.save(force_insert=True)
            (difference,) = verify.orphans()
            assert (difference.check, difference.text) == ("orphan", f"archive_{table} has rows of it")
            transaction.set_rollback(True)


def test_colliding_keys_are_found(archive, monkeypatch):
    def colliding(code: str, orientation: int, *_: object) -> int:
        return (len(code) % 2) << 2 | orientation

    monkeypatch.setattr("archive.derive.game.key", colliding)
    assert "collision" in {difference.check for difference in verify.games([archive.pk])}


def test_differences_end_the_command_with_their_numbers(archive, capsys):
    change_rows("UPDATE archive_hotmove SET n = n + 1")
    with pytest.raises(CommandError, match="counter: "):
        call_command("verify_archive")
    assert "kept: n=5" in capsys.readouterr().out


def test_reindexing_repairs_everything_that_is_derived(archive, capsys):
    change_keys(7, "ply = 3")
    change_rows("UPDATE archive_hotmove SET n = 9")
    change_rows("UPDATE archive_game SET index_rows = 2")
    call_command("reindex_positions", "--all", "--scan", "--counters")
    assert not failed_checks()
    call_command("reindex_positions")
    assert "0 games indexed again" in capsys.readouterr().out


@pytest.mark.django_db
def test_reindexing_a_game_moves_it_to_a_new_slot():
    random = Random(3)
    ingest(*(random_game(random) for _ in range(5)))
    game = Game.objects.order_by("pk").first()
    before = GameRecord.objects.get(game=game).record
    call_command("reindex_positions", "--game", str(game.pk))
    after = Game.objects.get(pk=game.pk)
    assert after.slot != game.slot and bytes(GameRecord.objects.get(game=game).record) == bytes(before)
    assert not failed_checks()
