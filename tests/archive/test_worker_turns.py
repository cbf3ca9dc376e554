"""Working in turns: every turn ends soon, whoever takes the next goes on where the last one was."""

from __future__ import annotations

import errno
import signal
from datetime import timedelta

import pytest
from django.db.utils import OperationalError
from django.utils import timezone

from archive import store
from archive.derive.game import derive_game
from archive.index.engine import engine
from archive.intake import reader, resume, tasks, texts, worker
from archive.models import Entry, Game, Upload
from archive.store import leases, verify
from kifu_core import games
from kifu_core.containers import refusals
from kifu_core.errors import Issue
from tests.archive.games import CSA, KIF, UNREADABLE
from tests.containers import seven_zipped, tarred, zipped

pytestmark = pytest.mark.django_db


def csa(number: int) -> str:
    return CSA.replace("先手の人", f"人{number}")


def collection(count: int) -> bytes:
    return "/\n".join(csa(n) for n in range(count)).encode()


def uploaded(data: bytes, name: str = "games.zip") -> Upload:
    return store.create_upload(name, [data], source="command")[0]


def rows(upload: Upload) -> list[tuple[int, str, int, str]]:
    found = Entry.objects.filter(upload=upload).order_by("seq")
    return list(found.values_list("seq", "path", "index", "state"))


@pytest.fixture(autouse=True)
def other_processes():
    """Every test begins without walks kept from other uploads, as a new process does."""
    resume.close_all()
    yield resume.close_all
    resume.close_all()


@pytest.fixture(autouse=True)
def patient_batches(monkeypatch):
    """No batch ends early because the machine is busy."""
    monkeypatch.setattr(worker, "BATCH_SECONDS", 600)


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    monkeypatch.setattr(worker, "BATCH_ENTRIES", 2)


# --- turns -----------------------------------------------------------------------------------------------


def test_an_upload_is_worked_off_in_turns(small_parts):
    upload, turns = uploaded(collection(7), "games.csa"), 0
    while worker.work_on(upload.pk, f"turn {turns}", seconds=0):
        turns += 1
        assert Entry.objects.count() == min(2 * turns, 7)
    upload.refresh_from_db()
    assert (turns, upload.state, upload.expected, upload.tries) == (3, "done", 7, 1)
    assert [(seq, index) for seq, _, index, _ in rows(upload)] == [(n, n) for n in range(7)]


def test_a_new_process_goes_on_where_the_last_one_was(small_parts, other_processes):
    files = [("a.csa", collection(3)), ("b.kif", KIF.encode()), ("c.csa", b"/\n".join([collection(2)] * 2))]
    upload = uploaded(zipped(*files))
    while worker.work_on(upload.pk, "any", seconds=0):
        other_processes()
    found = rows(upload)
    whole = uploaded(zipped(*files) + b"\0")
    worker.work_off(whole.pk)
    assert [row[:3] for row in found] == [row[:3] for row in rows(whole)]
    assert [row[1] for row in found] == ["a.csa"] * 3 + ["b.kif"] + ["c.csa"] * 4


def test_workers_that_take_turns_do_not_disturb_each_other(small_parts):
    upload = uploaded(collection(9), "games.csa")
    kept: list[dict] = [{}, {}]
    turn = 0
    more = True
    while more:
        resume._open.clear()
        resume._open.update(kept[turn % 2])
        more = worker.work_on(upload.pk, f"worker {turn % 2}", seconds=0)
        kept[turn % 2] = dict(resume._open)
        turn += 1
    resume._open.update(kept[turn % 2])
    assert [(seq, index, state) for seq, _, index, state in rows(upload)] == [
        (n, n, "stored") for n in range(9)
    ]


def test_nothing_is_done_where_another_worker_has_the_upload(small_parts):
    upload = uploaded(collection(3), "games.csa")
    assert store.claim(upload.pk, "another")
    assert not worker.work_on(upload.pk, "one")
    assert not Entry.objects.exists()


def test_an_upload_between_turns_can_be_taken_at_once_and_is_not_swept_up(small_parts):
    upload = uploaded(collection(5), "games.csa")
    assert worker.work_on(upload.pk, "one", seconds=0)
    assert store.sweep() == []
    assert store.claim(upload.pk, "two")


def test_an_upload_whose_message_is_lost_between_turns_is_swept_up_once(small_parts):
    upload = uploaded(collection(5), "games.csa")
    worker.work_on(upload.pk, "one", seconds=0)
    Upload.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert store.sweep() == [upload.pk]
    assert store.sweep() == []


def test_an_upload_that_waits_long_is_sent_again_ever_less_often(settings):
    upload, begun = uploaded(b"x"), timezone.now()
    Upload.objects.update(received=begun - timedelta(hours=1))
    assert store.sweep() == [upload.pk]
    upload.refresh_from_db()
    assert upload.claimed_until is not None
    assert upload.claimed_until - begun > timedelta(minutes=59)


def test_failed_entries_that_are_read_anew_take_their_old_places(small_parts):
    files = [("a.kif", KIF.encode()), ("b.kif", UNREADABLE.encode()), ("c.csa", collection(3))]
    upload = uploaded(zipped(*files))
    worker.work_off(upload.pk)
    before = rows(upload)
    assert store.retry(upload.pk)
    assert len(rows(upload)) == len(before) - 1
    worker.work_off(upload.pk)
    assert rows(upload) == before


def places(upload: Upload) -> list[tuple[int, int, str, int]]:
    found = Entry.objects.filter(upload=upload).order_by("seq")
    return list(found.values_list("seq", "part", "path", "index"))


@pytest.mark.parametrize("again", [store.retry, store.reread])
def test_a_file_that_gives_more_games_when_it_is_read_anew_takes_no_place_of_others(settings, again):
    files = [(name, csa(n).encode()) for n, name in enumerate(("a.csa", "c.csa", "d.csa"), 10)]
    settings.ARCHIVE_MAX_TEXT_BYTES = len(collection(1)) + 10
    upload = uploaded(zipped(files[0], ("b.csa", collection(3)), *files[1:]))
    worker.work_off(upload.pk)
    assert [state for *_, state in rows(upload)] == ["stored", "failed", "stored", "stored"]
    ids = dict(Entry.objects.exclude(path="b.csa").values_list("path", "game"))
    settings.ARCHIVE_MAX_TEXT_BYTES = 1024 * 1024
    assert again(upload.pk)
    worker.work_off(upload.pk)
    fresh = [("a.csa", 0), ("b.csa", 0), ("b.csa", 1), ("b.csa", 2), ("c.csa", 0), ("d.csa", 0)]
    assert [(path, index) for _, path, index, _ in rows(upload)] == fresh
    assert {state for *_, state in rows(upload)} == {"stored"} and Game.objects.count() == 6
    assert dict(Entry.objects.exclude(path="b.csa").values_list("path", "game")) == ids
    assert Upload.objects.get().state == "done" and not list(verify.verify())


def test_a_file_that_gives_fewer_entries_when_it_is_read_anew_leaves_none_behind(monkeypatch):
    files = [("a.csa", csa(1).encode()), ("b.csa", csa(2).encode()), ("c.csa", csa(3).encode())]
    upload = uploaded(zipped(*files))
    read = reader.read_part

    def twice_failed(part, *args):
        once = reader.failed(part, Issue("internal-error", "error"))
        return iter([once, once]) if part.path == "a.csa" else read(part, *args)

    with monkeypatch.context() as patch:
        patch.setattr(resume, "read_part", twice_failed)
        worker.work_off(upload.pk)
    assert [path for _, path, *_ in rows(upload)] == ["a.csa", "a.csa", "b.csa", "c.csa"]
    assert store.retry(upload.pk)
    worker.work_off(upload.pk)
    assert places(upload) == [(0, 0, "a.csa", 0), (1, 1, "b.csa", 0), (2, 2, "c.csa", 0)]
    assert Game.objects.count() == 3 and not list(verify.verify())


def test_an_upload_of_too_many_entries_says_so_in_its_last_one(settings):
    settings.ARCHIVE_MAX_ENTRIES = 4
    upload = uploaded(collection(9), "games.csa")
    worker.work_off(upload.pk)
    assert [state for *_, state in rows(upload)] == ["stored"] * 4 + ["failed"]
    assert Entry.objects.latest("seq").issues[0]["code"] == "too-many-entries"


@pytest.mark.parametrize("pack", [zipped, tarred, seven_zipped])
def test_a_container_of_too_many_files_is_read_up_to_the_limit(settings, pack):
    settings.ARCHIVE_MAX_ENTRIES = 4
    uploads = [
        uploaded(pack(*((f"{n}.csa", csa(n).encode()) for n in range(count))), f"{count}.zip")
        for count in (4, 5, 50)
    ]
    for upload in uploads:
        worker.work_off(upload.pk)
    assert [len(rows(upload)) for upload in uploads] == [4, 5, 5]
    assert [state for *_, state in rows(uploads[0])] == ["stored"] * 4
    for upload in uploads[1:]:
        assert [state for *_, state in rows(upload)] == ["duplicate"] * 4 + ["failed"]
        last = Entry.objects.filter(upload=upload).latest("seq")
        assert (last.path, last.issues[0]["code"]) == ("4.csa", "too-many-entries")


# --- several uploads at once -----------------------------------------------------------------------------


def states() -> list[str]:
    return list(Upload.objects.order_by("pk").values_list("state", flat=True))


def test_small_uploads_that_wait_are_worked_off_together_with_one(django_assert_max_num_queries):
    uploads = [uploaded(csa(n).encode(), f"{n}.csa") for n in range(20)]
    uploads.append(uploaded(zipped(("a.csa", csa(0).encode()), ("b.kif", UNREADABLE.encode()))))
    engine().make_room()  # what only the first games of an archive need
    with django_assert_max_num_queries(47):
        assert worker.work_with_others(uploads[3].pk, "one") == []
    assert states() == ["done"] * 21
    assert [len(rows(upload)) for upload in uploads] == [1] * 20 + [2]
    assert Game.objects.count() == 20
    assert [state for *_, state in rows(uploads[20])] == ["duplicate", "failed"]
    assert {upload.expected for upload in Upload.objects.all()} == {1, 2}


def test_large_claimed_and_once_tried_uploads_stay_alone(monkeypatch):
    monkeypatch.setattr(leases, "SMALL_BYTES", 1000)
    small, large, taken, tried = (uploaded(data, "x.csa") for data in (
        csa(1).encode(), collection(9), csa(2).encode(), csa(3).encode()
    ))  # fmt: skip
    assert store.claim(taken.pk, "another")
    Upload.objects.filter(pk=tried.pk).update(tries=1)
    worker.work_with_others(small.pk, "one")
    assert states() == ["done", "received", "processing", "received"]
    worker.work_with_others(tried.pk, "one")
    worker.work_with_others(large.pk, "one")
    assert states() == ["done", "done", "processing", "done"]


def test_a_message_of_an_upload_that_is_done_serves_the_small_one_that_waits_longest(monkeypatch):
    monkeypatch.setattr(leases, "SMALL_BYTES", 1000)
    done = uploaded(csa(0).encode(), "x.csa")
    worker.work_off(done.pk)
    _large, taken, tried = (uploaded(data, "x.csa") for data in (
        collection(9), csa(1).encode(), csa(2).encode()
    ))  # fmt: skip
    assert store.claim(taken.pk, "another")
    Upload.objects.filter(pk=tried.pk).update(tries=1)
    assert worker.work_with_others(done.pk, "one") == []
    assert states() == ["done", "received", "processing", "received"]
    for number in (3, 4):
        uploaded(csa(number).encode(), "x.csa")
    assert worker.work_with_others(taken.pk, "one") == []
    assert states() == ["done", "received", "processing", "received", "done", "done"]


def test_uploads_that_a_turn_does_not_come_to_are_told_of_again(sent, monkeypatch):
    monkeypatch.setattr(worker, "TURN_SECONDS", 0)
    monkeypatch.setattr(worker, "BATCH_ENTRIES", 2)
    first, _, third = (uploaded(csa(n).encode(), "x.csa") for n in range(3))
    tasks.process_upload(first.pk)
    assert states() == ["done", "done", "processing"]
    assert sent == [(third.pk, "interactive")]
    tasks.process_upload(third.pk)
    assert states() == ["done"] * 3


def test_a_lost_claim_takes_nothing_of_the_others(monkeypatch):
    uploads = [uploaded(csa(n).encode(), "x.csa") for n in range(3)]
    batches = worker.batches

    def one_is_lost(walks, size):
        for group in batches(walks, size):
            Upload.objects.filter(pk=uploads[1].pk).update(claimed_by="another")
            yield group

    monkeypatch.setattr(worker, "batches", one_is_lost)
    assert worker.work_with_others(uploads[0].pk, "one") == [uploads[0].pk, uploads[2].pk]
    assert not Entry.objects.exists()
    assert [upload.claimed_by for upload in Upload.objects.order_by("pk")] == [None, "another", None]


@pytest.fixture
def deadly_files(monkeypatch) -> None:
    """Files with the word "deadly" end the process that reads them."""
    load = games.load

    def deadly(data, name, **limits):
        if b"deadly" in data:
            raise SystemExit
        return load(data, name, **limits)

    monkeypatch.setattr(games, "load", deadly)


def test_a_deadly_upload_among_others_fails_alone(deadly_files):
    uploads = [uploaded(csa(n).encode() if n != 2 else b"deadly", "x.csa") for n in range(4)]
    with pytest.raises(SystemExit):
        worker.work_with_others(uploads[0].pk, "one")
    Upload.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    for upload in uploads:
        survive(upload)
    assert [rows(upload)[0][3] for upload in uploads] == ["stored", "stored", "failed", "stored"]


def test_an_upload_that_is_read_again_among_others_is_finished():
    first, second = uploaded(csa(1).encode(), "x.csa"), uploaded(csa(2).encode(), "x.csa")
    worker.work_off(second.pk)
    game = Game.objects.get().pk
    assert store.reread(second.pk)
    assert worker.work_with_others(first.pk, "one") == []
    assert states() == ["done", "done"]
    assert Entry.objects.get(upload=second).rereads == 1
    assert Entry.objects.get(upload=second).game_id == game


# --- what is slow, what kills --------------------------------------------------------------------------


def test_a_record_that_takes_too_long_fails_and_the_rest_is_read(settings, monkeypatch):
    load = games.load

    def slow(data, name, **limits):
        if b"slow" in data:
            # Its time is up at once; the other record has as much as it needs, however busy the machine is.
            assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= settings.ARCHIVE_ENTRY_SECONDS
            signal.raise_signal(signal.SIGALRM)
        return load(data, name, **limits)

    monkeypatch.setattr(games, "load", slow)
    upload = uploaded(zipped(("a.kif", b"slow"), ("b.kif", KIF.encode())))
    worker.work_off(upload.pk)
    assert [state for *_, state in rows(upload)] == ["failed", "stored"]
    assert Entry.objects.get(seq=0).issues[0]["code"] == "too-slow"


def survive(upload: Upload) -> int:
    """Start a new process whenever one ends, once its claim has run out; how many ended."""
    for deaths in range(50):
        resume.close_all()
        try:
            worker.work_off(upload.pk)
        except SystemExit:
            Upload.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
        else:
            return deaths
    raise AssertionError("it never ended")


@pytest.mark.parametrize("place", [0, 1, 4])
def test_a_file_that_kills_its_worker_fails_and_the_rest_is_read(place, deadly_files, small_parts):
    files = [(f"{n}.csa", csa(n).encode()) for n in range(5)]
    files[place] = ("deadly.kif", b"deadly")
    upload = uploaded(zipped(*files))
    assert survive(upload) <= 8
    states = ["stored"] * 5
    states[place] = "failed"
    assert [state for *_, state in rows(upload)] == states
    assert Entry.objects.get(seq=place).issues[0]["code"] == "worker-died"


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_game_that_kills_its_worker_fails_and_the_other_games_of_its_file_do_not(place, monkeypatch):
    def deadly(parsed, *args):
        if parsed.index == place:
            raise SystemExit
        return derive_game(parsed, *args)

    monkeypatch.setattr(reader, "derive_game", deadly)
    upload = uploaded(zipped(("five.csa", collection(5)), ("one.kif", UNREADABLE.encode())))
    survive(upload)
    states = [state for *_, state in rows(upload)]
    # The very first entry cannot be told from its file: nothing of it was ever stored.
    assert states == (["failed", "failed"] if place == 0 else [
        "failed" if n in (place, 5) else "stored" for n in range(6)
    ])  # fmt: skip


# --- tasks -----------------------------------------------------------------------------------------------


@pytest.fixture
def sent(monkeypatch):
    messages: list[tuple[int, str]] = []
    monkeypatch.setattr(
        tasks.process_upload, "apply_async", lambda args, queue: messages.append((args[0], queue))
    )
    return messages


def test_what_is_not_done_in_a_turn_goes_on_in_the_queue_for_large_work(small_parts, sent, monkeypatch):
    monkeypatch.setattr(worker, "TURN_SECONDS", 0)
    upload = uploaded(collection(5), "games.csa")
    tasks.process_upload(upload.pk)
    assert sent == [(upload.pk, "bulk")]


@pytest.mark.parametrize(("size", "queue"), [(100, "interactive"), (tasks.BULK_BYTES, "bulk")])
def test_large_uploads_begin_in_the_queue_for_large_work(
    size, queue, sent, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        tasks.enqueue(7, size)
    assert sent == [(7, queue)]


@pytest.mark.parametrize("name", ["move_upload", "delete_upload"])
def test_what_nobody_waits_for_goes_on_in_a_queue_of_its_own(name, monkeypatch):
    task, queues = getattr(tasks, name), []
    monkeypatch.setattr(tasks.store, name, lambda *_: False)
    monkeypatch.setattr(task, "apply_async", lambda args, queue: queues.append((args, queue)))
    task(7)
    assert queues == [((7,), "maintenance")]


def test_without_room_to_unpack_nothing_is_concluded_and_work_goes_on_when_there_is(monkeypatch):
    upload = uploaded(zipped(("a.csa", csa(1).encode()), ("b.csa", csa(2).encode())))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(refusals.Budget, "_copy", full)
        for _ in range(worker.DEADLY_TRIES):
            with pytest.raises(OSError, match="No space left"):
                worker.work_on(upload.pk, "one")
    assert rows(upload) == []
    assert not worker.work_on(upload.pk, "one")
    assert rows(upload) == [(0, "a.csa", 0, "stored"), (1, "b.csa", 0, "stored")]


def test_a_passing_fault_is_tried_again_a_few_times_and_bad_input_is_not(monkeypatch):
    tries = []

    def locked(upload_id, token):
        tries.append(token)
        raise OperationalError("database is locked")

    monkeypatch.setattr(worker, "work_with_others", locked)
    result = tasks.process_upload.apply((1,))
    assert len(tries) == tasks.RETRIES + 1
    assert len(set(tries)) == 1, "the claim stays the task's own"
    assert result.state == "FAILURE"

    def broken(upload_id, token):
        tries.append(token)
        raise ValueError

    tries.clear()
    monkeypatch.setattr(worker, "work_with_others", broken)
    tasks.process_upload.apply((1,))
    assert len(tries) == 1


def test_a_broker_that_is_away_leaves_the_upload_for_the_sweeper(monkeypatch, caplog):
    def away(args, queue):
        raise ConnectionRefusedError

    monkeypatch.setattr(tasks.process_upload, "apply_async", away)
    tasks.send(7, tasks.BULK)
    assert "no message for upload 7" in caplog.text


def test_games_of_all_turns_are_found(small_parts):
    upload = uploaded(collection(5), "games.csa")
    worker.work_off(upload.pk)
    assert Game.objects.count() == 5
