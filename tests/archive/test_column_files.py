"""The files of columns: what is stored, moved and deleted comes into them, is found, and leaves them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from django.utils import timezone

from archive import store
from archive.columns import building, checking, folder
from archive.columns.segments import slots_in
from archive.columns.state import column_state
from archive.derive.game import DerivedGame, derive_game
from archive.models import ColumnGone, ColumnSegment, ColumnWaiting, Game, Space
from archive.queries.patterns.pattern_slots import slots_with_pattern
from archive.queries.patterns.summary import pattern_games
from archive.queries.scope import PUBLIC, Scope
from archive.queries.search.errors import QueryError
from kifu_core.shogi.patterns import parse
from tests.archive.builders import ingest, parsed, ready
from tests.archive.columns import build, matches_of, segments, summary_of
from tests.archive.games import KIF, stored
from tests.kifu_core.random_games import random_record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> Path:
    """Files of these tests alone."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path
    return tmp_path


def test_what_is_stored_waits_until_it_is_written(own_folder):
    stored(KIF)
    assert summary_of("P7f").games == 0 and summary_of("P7f").waiting == 1
    build()
    assert summary_of("P7f").games == 1 and summary_of("P7f").waiting == 0
    (one,) = segments()
    game = Game.objects.get()
    assert (one.space, one.first, one.last, one.games, one.rows) == (0, game.slot, game.slot, 1, 8)
    assert (own_folder / "0" / one.name).stat().st_size == one.size
    assert one.name in (own_folder / "0" / folder.MANIFEST).read_text()


def test_files_are_the_same_of_lines_that_wait_and_of_records_that_are_opened():
    for seed in range(4):
        ingest(parsed_game(seed))
    assert all(ColumnWaiting.objects.values_list("lines", flat=True))
    build()
    building.rebuild()
    assert not any(ColumnWaiting.objects.values_list("lines", flat=True))
    build()
    first, second = ColumnSegment.objects.order_by("pk")
    assert first.name != second.name and first.sha256 == second.sha256 and first.games == 4


@pytest.mark.parametrize("among", [1, 2, 3])
def test_only_what_waits_is_written_whatever_lies_between(among):
    """Near neighbours are read together, those far apart one by one."""
    for seed in range(7):
        ingest(parsed_game(seed))
    slots = [*Game.objects.order_by("slot").values_list("slot", flat=True)]
    ColumnWaiting.objects.exclude(slot__in=slots[::among]).delete()
    build()
    (one,) = segments()
    assert slots_in(folder.column_path(0, one.name)) == slots[::among]


def parsed_game(seed: int) -> DerivedGame:
    return derive_game(parsed(random_record(seed, plies=30, forks=seed % 3)))


def test_what_is_deleted_is_found_no_more_from_then_on():
    stored(KIF)
    build()
    store.delete_games([Game.objects.get().pk])
    assert summary_of("P7f").games == 0 and not slots_with_pattern(PUBLIC, "P7f")
    assert ColumnGone.objects.count() == 1


def test_what_is_deleted_leaves_the_files_when_these_are_written_again(own_folder):
    stored(KIF)
    build()
    store.delete_games([Game.objects.get().pk])
    assert building.has_work()
    build()
    assert not segments() and not ColumnGone.objects.exists()


def test_what_is_deleted_before_it_was_written_is_never_written():
    stored(KIF)
    store.delete_games([Game.objects.get().pk])
    assert not ColumnWaiting.objects.exists()
    build()
    assert not segments() and not ColumnGone.objects.exists()


def test_who_takes_the_place_of_what_is_gone_is_found():
    """On SQLite the highest slot would be given again."""
    stored(KIF)
    build()
    store.delete_games([Game.objects.get().pk])
    ingest(ready("2g2f 8c8d"))
    assert summary_of("P2f").games == 0
    build()
    assert summary_of("P2f").games == 1 and summary_of("P7f").games == 0


def test_a_game_that_goes_while_it_is_written_is_not_found(monkeypatch):
    stored(KIF)
    write = building.write_segment

    def slow(*arguments):
        store.delete_games([Game.objects.get().pk])
        return write(*arguments)

    monkeypatch.setattr(building, "write_segment", slow)
    build()
    assert summary_of("P7f").games == 0 and [*checking.wrong_slots()] == []


def test_a_game_that_moves_to_another_space_is_found_there_alone():
    space = Space.objects.create(kind=Space.Kind.GROUP, name="x").pk
    stored(KIF)
    build()
    store.move_game(Game.objects.get().pk, space)
    assert summary_of("P7f").games == 0
    build()
    assert summary_of("P7f").games == 0
    assert pattern_games(Scope((space,)), parse("P7f")).games == 1
    assert pattern_games(Scope((0, space)), parse("P7f")).games == 1


def test_a_game_that_is_indexed_again_is_found_once():
    stored(KIF)
    build()
    store.reindex_games([Game.objects.get().pk])
    assert summary_of("P7f").waiting == 1
    build()
    assert summary_of("P7f").games == 1 and [*checking.wrong_slots()] == []


def test_small_files_become_one(monkeypatch, own_folder):
    for number in range(building.MANY):
        ingest(ready("7g7f 3c3d", event=f"e{number}"))
        build()
    (one,) = segments()
    assert one.games == building.MANY and summary_of("P7f").games == building.MANY
    monkeypatch.setattr(building, "GRACE", -building.GRACE)
    build()
    path = own_folder / "0" / one.name
    assert {*path.parent.iterdir()} == {path, folder.runs_of(path), path.parent / folder.MANIFEST}


def test_a_file_is_not_written_again_for_every_few_games_that_come_after_it(monkeypatch):
    monkeypatch.setattr(building, "MANY", 3)
    for number in range(27):
        ingest(ready("7g7f 3c3d", event=f"e{number}"))
        build()
    games = ColumnSegment.objects.values_list("games", flat=True)
    assert Counter(games) == {1: 27, 3: 9, 9: 3, 27: 1}
    assert [one.games for one in segments()] == [27]


def test_who_asks_for_a_file_that_has_just_been_replaced_asks_again(monkeypatch, own_folder):
    stored(KIF)
    build()
    (one,) = segments()
    missing = own_folder / "0" / one.name
    remaining = missing.read_bytes()
    missing.unlink()
    with pytest.raises(QueryError) as caught:
        summary_of("P7f")
    assert (caught.value.code, caught.value.status) == ("query-not-here", 503)
    looks = []

    def state_later(spaces):
        looks.append(spaces)
        if len(looks) == 2:
            missing.write_bytes(remaining)
        return column_state(spaces)

    monkeypatch.setattr("archive.columns.state.column_state", state_later)
    assert summary_of("P7f").games == 1 and len(looks) == 2


@pytest.mark.parametrize(
    "name", ["left.parquet", "left.runs1", ".left.parquet.new", ".left.runs1.new", "known.runs0"]
)
def test_files_that_nobody_knows_are_deleted(own_folder, name):
    stored(KIF)
    build()
    (one,) = segments()
    left = own_folder / "0" / name.replace("known", Path(one.name).stem)
    left.write_text("x")
    build()
    assert not left.exists() and summary_of("P7f").games == 1


def test_runs_that_are_missing_are_missed_and_made_again(own_folder):
    stored(KIF)
    build()
    assert not building.has_work()
    (one,) = segments()
    runs = folder.runs_of(own_folder / "0" / one.name)
    before = runs.read_bytes()
    runs.unlink()
    with pytest.raises(QueryError) as caught:
        summary_of("P7f")
    assert caught.value.code == "query-not-here"
    assert building.lag().missing == 1 and building.has_work()
    build()
    assert runs.read_bytes() == before and building.lag().missing == 0 and not building.has_work()


def test_a_file_that_is_deleted_takes_no_room_once_it_was_asked(own_folder):
    stored(KIF)
    build()
    assert summary_of("P7f").games == 1
    mapped = Path("/proc/self/maps").read_text()
    assert str(own_folder) not in mapped


def test_games_that_have_just_come_wait_for_those_that_come_with_them():
    """A file for each turn of a large import would be put together with others again and again."""
    ingest(ready("7g7f"), ready("2g2f"))
    assert building.build(patient=True) and not segments()
    came = timezone.now() - building.SETTLED
    ColumnWaiting.objects.update(since=came)
    ingest(ready("6g6f"))
    assert building.build(patient=True) and not segments()
    ColumnWaiting.objects.filter(since=came).update(since=timezone.now() - building.PATIENCE)
    assert building.build(patient=True)
    (one,) = segments()
    assert one.games == 3
    ingest(ready("5g5f"))
    ColumnWaiting.objects.update(since=came)
    assert building.build(patient=True) and len(segments()) == 2


def test_games_that_are_enough_for_a_file_wait_for_no_others_and_are_written_a_file_at_a_time(monkeypatch):
    """Between the files a worker takes in what has come meanwhile."""
    monkeypatch.setattr(building, "TURN_GAMES", 2)
    ingest(*(ready(f"{file}g{file}f") for file in range(1, 6)))
    assert not building.build(patient=True)
    assert [one.games for one in segments()] == [2]
    assert building.build(patient=True)
    assert [one.games for one in segments()] == [2, 2]
    assert ColumnWaiting.objects.count() == 1


def test_all_can_be_thrown_away_and_written_again():
    ingest(ready("7g7f"), ready("2g2f"))
    build()
    before = matches_of(PUBLIC, parse("X5i"))
    building.rebuild()
    assert summary_of("X5i").waiting == 2 and not segments()
    build()
    assert matches_of(PUBLIC, parse("X5i")) == before != {}


def test_it_is_checked_what_files_have(own_folder):
    ingest(ready("7g7f"), ready("2g2f"))
    build()
    assert [*checking.wrong_files()] == [] == [*checking.wrong_slots()]
    ColumnWaiting.objects.create(slot=Game.objects.order_by("slot").first().slot)
    ColumnGone.objects.create(slot=Game.objects.order_by("slot").last().slot, waited=False)
    assert {text for _, text in checking.wrong_slots()} == {
        "is in a file and waits",
        "is in no file and does not wait",
    }
    (one,) = segments()
    path = own_folder / "0" / one.name
    runs = folder.runs_of(path)
    complete = runs.read_bytes()
    runs.write_bytes(complete[:-1] + b"\1")
    assert [*checking.wrong_files()] == [(f"0/{one.name}", "has runs that are not its own")]
    runs.write_bytes(complete)
    path.write_bytes(path.read_bytes()[:-1])
    assert [*checking.wrong_files()] == [(f"0/{one.name}", "is not as it was written")]
    path.unlink()
    assert [*checking.wrong_files()] == [(f"0/{one.name}", "is not there")]


def test_only_one_process_writes():
    with folder.columns_lock(), pytest.raises(folder.ColumnsLockedError):
        building.build()
