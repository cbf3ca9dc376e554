"""Deletions beside each other, beside workers and beside other uploads of the same games."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import IO

import pytest
from django.db import connection
from django.utils import timezone

from archive import store
from archive.intake import sources, tasks, worker
from archive.intake.sources import stored_file
from archive.models import Entry, Game, GameRecord, GoneGame, Upload, UploadChunk
from archive.store import deletion, verify
from tests.archive.builders import upload
from tests.archive.games import CSA
from tests.archive.rows import change_keys
from tests.archive.test_invariants import wipe

pytestmark = pytest.mark.django_db(transaction=True)

GAMES = 24


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    wipe()
    GoneGame.objects.all().delete()


@pytest.fixture
def one_by_one(monkeypatch) -> None:
    """Every entry is removed in a transaction of its own."""
    monkeypatch.setattr(deletion, "BATCH", 1)
    monkeypatch.setattr(deletion, "LARGEST_BATCH", 1)


def games(count: int = GAMES) -> str:
    return "/\n".join(CSA.replace("先手の人", f"人{number}") for number in range(count))


def sent(text: str, name: str = "games.csa") -> int:
    made, _ = store.create_upload(name, [text.encode()], source="command")
    worker.work_off(made.pk)
    return made.pk


def all_right() -> bool:
    return not list(verify.verify())


def together(*jobs: Callable[[], object]) -> None:
    """Run all at once, each with a connection of its own; raises what any of them raised."""
    start, failures = threading.Barrier(len(jobs)), list[BaseException]()

    def run(job: Callable[[], object]) -> None:
        try:
            start.wait()
            job()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def let_claims_run_out(pk: int) -> None:
    Upload.objects.filter(pk=pk).update(claimed_until=timezone.now() - timedelta(seconds=1))


@pytest.fixture
def without_claims(monkeypatch) -> None:
    """As where claims run out again and again."""
    monkeypatch.setattr(deletion.Deletion, "claim", lambda deletion: True)
    monkeypatch.setattr(deletion.Deletion, "_mine", lambda self: Upload.objects.filter(pk=self.upload_id))


def test_two_processes_that_delete_the_same_upload_do_not_harm_each_other(one_by_one, without_claims):
    """The second one finds entries going that it has chosen: there are others behind them."""
    for _ in range(3):
        pk = sent(games())
        together(*[lambda pk=pk: store.delete_upload(pk)] * 3)
        assert not Upload.objects.exists() and not Game.objects.exists() and all_right()


def test_entries_that_somebody_else_has_just_removed_are_not_the_last(one_by_one, monkeypatch):
    pk = sent(games(4))
    remove, rounds = deletion._remove, list[int]()

    def late(entries: list[int]) -> None:
        if not rounds:
            Entry.objects.filter(pk__in=entries).update(game=None)
            Entry.objects.filter(pk__in=entries).delete()
        rounds.append(len(entries))
        remove(entries)

    monkeypatch.setattr(deletion, "_remove", late)
    assert store.delete_upload(pk) and len(rounds) == 4
    assert not Entry.objects.exists() and not Upload.objects.exists()


def test_only_one_has_a_deletion_until_it_gives_it_back_or_dies(one_by_one, settings):
    pk = sent(games(3))
    store.begin_deletion(pk)
    first, second = deletion.Deletion(pk, "first"), deletion.Deletion(pk, "second")
    assert first.claim() and not second.claim() and store.unfinished_deletions() == []
    assert not store.delete_upload(pk) and Entry.objects.count() == 3
    let_claims_run_out(pk)
    assert second.claim()
    assert len(list(first.steps())) == 0, "it has lost its claim and stops"
    second.hand_over()
    assert store.unfinished_deletions() == [], "a message is under way"
    assert store.delete_upload(pk) and all_right()


def test_one_that_was_killed_is_found_by_the_sweeper_once(one_by_one, monkeypatch):
    pk = sent(games(3))
    store.begin_deletion(pk)
    killed = deletion.Deletion(pk, "killed")
    assert killed.claim()
    next(killed.steps())
    told: list[int] = []
    monkeypatch.setattr(tasks, "send_deletion", told.append)
    tasks.sweep()
    assert told == []
    let_claims_run_out(pk)
    tasks.sweep()
    tasks.sweep()
    assert told == [pk] and all_right()
    tasks.delete_upload(pk)
    assert not Upload.objects.exists() and not Game.objects.exists() and all_right()


def test_a_worker_that_reads_the_upload_stops_without_a_word(monkeypatch):
    pieces = ["%" * 1024 * 1024, "\n" + CSA]
    made, _ = store.create_upload("large.csa", [piece.encode() for piece in pieces], source="command")
    stream = Upload.stream

    def slow(self: Upload) -> Iterator[bytes]:
        for number, piece in enumerate(stream(self)):
            yield piece
            if number == 0:
                store.delete_upload(made.pk)

    monkeypatch.setattr(Upload, "stream", slow)
    assert not worker.work_on(made.pk, "worker")
    assert not Upload.objects.exists() and not Entry.objects.exists()


def test_bytes_that_are_lost_otherwise_are_an_error():
    made, _ = store.create_upload("a.csa", [CSA.encode()], source="command")
    UploadChunk.objects.all().delete()
    with pytest.raises(UploadChunk.DoesNotExist):
        worker.work_on(made.pk, "worker")


def test_a_source_that_goes_while_it_is_read_is_gone(client, monkeypatch):
    pk = sent(CSA)

    def going(upload: Upload) -> IO[bytes]:
        store.delete_upload(pk)
        return stored_file(upload)

    monkeypatch.setattr(sources, "stored_file", going)
    answer = client.get(f"/api/v1/uploads/{pk}/entries/0/source")
    assert (answer.status_code, answer.json()["code"]) == (410, "gone")


def test_another_upload_of_the_same_games_may_come_meanwhile(one_by_one):
    for number in range(3):
        pk = sent(games())
        together(
            lambda pk=pk: store.delete_upload(pk),
            lambda number=number: sent(games() + "\n" * (number + 1), "again.csa"),
        )
        assert Game.objects.count() == GAMES and all_right()
        (left,) = Upload.objects.values_list("pk", flat=True)
        assert Entry.objects.filter(upload=left).exclude(game=None).count() == GAMES
        store.delete_upload(left)
        assert not Game.objects.exists() and all_right()


def test_two_uploads_of_the_same_games_can_go_at_once(one_by_one):
    first, second = sent(games()), sent(games() + "\n")
    together(lambda: store.delete_upload(first), lambda: store.delete_upload(second))
    assert not Entry.objects.exists() and not Game.objects.exists() and all_right()


def test_a_damaged_index_keeps_no_upload_from_being_deleted(hot_at_three):
    pk = sent(games(4))
    stays = sent(CSA.replace("先手の人", "甲"), "stays.csa")
    damaged = Game.objects.order_by("pk")[0]
    change_keys(5, "slot = %s AND ply = 3", damaged.slot)
    assert not all_right()
    assert store.delete_upload(pk)
    assert Entry.objects.get().upload_id == stays
    assert Game.objects.count() == 1


def test_games_that_were_stored_before_keys_were_kept_go_as_well(hot_at_three):
    pk = sent(games(5))
    GameRecord.objects.update(keys=None)
    assert all_right()
    assert store.delete_upload(pk) and not Game.objects.exists() and all_right()


def test_keys_that_are_not_those_of_the_record_are_found():
    sent(games(2))
    GameRecord.objects.filter(game=Game.objects.order_by("pk")[0]).update(keys=b"")
    assert [found.check for found in verify.verify()] == ["keys"]


def test_a_claimed_upload_can_be_deleted():
    made, token = upload(games(2).encode())
    assert store.delete_upload(made.pk)
    assert not store.finish(made.pk, token) and not store.claim(made.pk, token)
