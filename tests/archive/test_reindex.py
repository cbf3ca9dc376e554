"""Rebuilding the index under a new version while it is used, and being killed at it."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Iterator
from random import Random

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from archive import store
from archive.index import schema, versions
from archive.index.engine import engine
from archive.management.progress import Progress
from archive.models import Game, HotPosition, IndexState, Occurrence
from archive.queries.positions.explorer import explore
from archive.queries.positions.position_games import games_through
from archive.queries.scope import PUBLIC
from archive.store import verify
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive.builders import ingest, random_game, ready
from tests.archive.on_test_database import start
from tests.archive.rows import change_rows
from tests.archive.test_invariants import wipe

START = shogi64.encode(Position.initial())
NEXT = {"KEY_VERSIONS": {1: 1, 2: 2}, "INDEX_VERSION": 2, "HOT_GAMES": 3}
KILLS = 4
STATEMENTS = 80
"""Of a rebuild that is killed: far fewer than it needs."""


@pytest.fixture
def next_version(monkeypatch) -> None:
    """This program knows a second version of the index and writes it."""
    for name, value in NEXT.items():
        monkeypatch.setattr(schema, name, value)


def answers(codes: list[str]) -> list[tuple[object, ...]]:
    result = []
    for code in codes:
        answer = explore(PUBLIC, "shogi", code, "any", "all", transpositions=True)
        games = games_through(PUBLIC, "shogi", code, "any", limit=500)
        result.append(
            (answer.total, answer.results, answer.others, answer.moves, answer.unplayed, len(games.items))
        )
    return result


def codes_of(games: int = 40) -> list[str]:
    """Codes that stored games reach."""
    random = Random(games)
    created = [random_game(random) for _ in range(games)]
    ingest(*created)
    return [*sorted({code for game in created for code in random.sample(game.codes, 1)})[:20], START]


# --- versions --------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_games_of_two_versions_are_found_together(hot_at_three, monkeypatch):
    codes = codes_of()
    before = answers(codes)
    for name, value in NEXT.items():
        monkeypatch.setattr(schema, name, value)
    assert answers(codes) == before
    half = list(Game.objects.order_by("pk").values_list("pk", flat=True)[:15])
    store.reindex_games(half)
    assert sorted(set(Game.objects.values_list("index_version", flat=True))) == [1, 2]
    assert answers(codes) == before
    assert not list(verify.verify())


@pytest.mark.django_db
def test_a_rebuild_moves_every_game_and_retires_the_old_version(hot_at_three, monkeypatch, capsys):
    codes = codes_of()
    before, games = answers(codes), Game.objects.count()
    keys = set(Occurrence.objects.values_list("key", flat=True))
    for name, value in NEXT.items():
        monkeypatch.setattr(schema, name, value)
    call_command("reindex_positions")
    assert f"{games} games indexed again" in capsys.readouterr().out
    assert not keys & set(Occurrence.objects.values_list("key", flat=True))
    assert dict(IndexState.objects.values_list("version", "state")) == {1: "retired", 2: "live"}
    assert versions.queried_versions() == (2,)
    assert answers(codes) == before
    assert not list(verify.verify())
    assert not HotPosition.objects.filter(key__in=keys).exists()


@pytest.mark.django_db
def test_a_rebuild_that_was_stopped_goes_on_where_it_was(next_version, hot_at_three, capsys):
    ingest(*(ready("7g7f 3c3d", black=name) for name in "abcdef"))
    Game.objects.update(index_version=2)
    assert versions.queried_versions() == (2, 1)
    call_command("reindex_positions")
    assert "0 games indexed again" in capsys.readouterr().out


@pytest.mark.django_db
def test_games_added_during_a_rebuild_are_of_the_new_version(monkeypatch):
    ingest(ready("7g7f 3c3d", black="a"))
    for name, value in NEXT.items():
        monkeypatch.setattr(schema, name, value)
    versions.begin()
    ingest(ready("7g7f 3c3d", black="b"))
    assert list(Game.objects.order_by("pk").values_list("index_version", flat=True)) == [1, 2]
    assert explore(PUBLIC, "shogi", START).total == 2
    assert not versions.complete()
    assert dict(IndexState.objects.values_list("version", "state")) == {2: "filling"}
    store.delete_games(Game.objects.values_list("pk", flat=True))
    assert explore(PUBLIC, "shogi", START).total == 0 and not Occurrence.objects.exists()


@pytest.mark.django_db
def test_nobody_writes_a_version_that_is_retired():
    IndexState.objects.create(version=1, state=IndexState.State.RETIRED)
    with pytest.raises(versions.RetiredVersionError):
        ingest(ready("7g7f 3c3d"))
    assert not Game.objects.exists()


@pytest.mark.django_db
def test_a_damaged_game_does_not_keep_others_from_being_indexed(capsys):
    ingest(*(ready("7g7f 3c3d", black=name) for name in "abc"))
    second = Game.objects.order_by("pk")[1]
    change_rows("DELETE FROM {rows} WHERE slot = %s AND ply = 1", second.slot)
    with pytest.raises(CommandError, match=f"--scan --game {second.pk}`$"):
        call_command("reindex_positions", "--all")
    assert "2 games indexed again" in capsys.readouterr().out
    call_command("reindex_positions", "--scan", "--game", str(second.pk))
    assert not list(verify.verify())


# --- progress --------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_and_a_file_gets_lines():
    for output in (Terminal(), io.StringIO()):
        progress = Progress(output, 4)
        for done in range(1, 5):
            progress.update(done)
        text = output.getvalue()
        assert "0 of 4 games" in text and "4 of 4 games" in text and text.endswith("\n")
        assert ("[" + "#" * 30 + "]" in text) == output.isatty()
        assert text.count("\n") == (1 if output.isatty() else 2)


def test_nothing_to_do_is_told_too():
    for output in (Terminal(), io.StringIO()):
        Progress(output, 0)
        assert "0 of 0 games" in output.getvalue()


# --- killed ----------------------------------------------------------------------------------------------


@pytest.fixture
def empty(transactional_db) -> Iterator[None]:
    yield
    wipe()
    IndexState.objects.all().delete()


@pytest.mark.worker
def test_a_rebuild_that_is_killed_at_any_moment_leaves_the_archive_right(empty, monkeypatch):
    for name, value in NEXT.items():
        monkeypatch.setattr(schema, name, value)
    monkeypatch.setattr(schema, "INDEX_VERSION", 1)
    codes = codes_of(160)
    before = answers(codes)
    monkeypatch.setattr(schema, "INDEX_VERSION", 2)
    for kill_at in [*Random(1).sample(range(1, STATEMENTS), KILLS), 0]:
        process = start(NEXT, "reindex_positions", "--batch", "3", kill_at=kill_at)
        output, errors = process.communicate()
        assert process.returncode == (-signal.SIGKILL if kill_at else 0), errors
        assert ("games indexed again" in output) == (not kill_at)
        assert answers(codes) == before
        assert not list(verify.verify())
    assert set(Game.objects.values_list("index_version", flat=True)) == {2}


def told() -> tuple[int, int]:
    """How many games reach the start, and how many are listed."""
    listed = len(games_through(PUBLIC, "shogi", START, limit=500).items)
    return explore(PUBLIC, "shogi", START, "any", "all").total, listed


@pytest.mark.worker
def test_answers_stay_the_same_all_through_a_rebuild(empty, monkeypatch):
    for name, value in NEXT.items():
        monkeypatch.setattr(schema, name, value)
    monkeypatch.setattr(schema, "INDEX_VERSION", 1)
    codes_of(60)
    before = told()
    monkeypatch.setattr(schema, "INDEX_VERSION", 2)
    seen, ended = list[tuple[int, int]](), threading.Event()

    def ask() -> None:
        try:
            while not (seen and ended.is_set()):
                seen.append(told())
        finally:
            connection.close()

    asker = threading.Thread(target=ask)
    asker.start()
    process = start(NEXT, "reindex_positions", "--batch", "2")
    process.communicate()
    ended.set()
    asker.join()
    assert process.returncode == 0
    assert told() == before
    # In shards an answer is of one moment for each key only: meanwhile a game may be under both or neither.
    assert engine().REMOTE_INDEX or set(seen) == {before}


@pytest.mark.worker
def test_a_verification_that_is_killed_leaves_the_archive_right(empty, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(schema, "HOT_GAMES", 3)
    codes_of(60)
    for kill_at in (1, 4, 12):
        process = start({"HOT_GAMES": 3}, "verify_archive", kill_at=kill_at)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not list(verify.verify())
        assert not list(tmp_path.iterdir())
    process = start({"HOT_GAMES": 3}, "verify_archive")
    output, _ = process.communicate()
    assert (process.returncode, output) == (0, "no difference\n")
