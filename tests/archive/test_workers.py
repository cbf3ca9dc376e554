"""Real workers on both brokers: small uploads beside a large one, a watched folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from archive.serving.supervisor import MAX_DEATHS
from tests.archive.games import CSA, KIF, START
from tests.archive.packing import zipped
from tests.faults.servers import rabbitmq_host, redis_server
from tests.serving import START_SECONDS, Archive, archive_at, children_of, free_port, processes_of, wait_for

pytestmark = pytest.mark.worker

LARGE = 5_000
"""Games of an import: several turns of a worker, also of a fast one."""


def collection(games: int) -> bytes:
    return "/\n".join(CSA.replace("先手の人", f"人{n}") for n in range(games)).encode()


def paste_beside_an_import(archive: Archive) -> None:
    """Send a large file, then a pasted game, and see which is there first."""
    large = archive.post_file(collection(LARGE), "large.csa")
    wait_for(lambda: count(archive, large) > 100, START_SECONDS, archive.log)
    text = KIF.replace("先手の人", "貼り付けた人").replace("７六歩(77)", "２六歩(27)").split("   2 ")[0]
    paste = archive.post_text(text + "   2 ３四歩(33)\n   3 投了\n", "paste.kif")
    pasted, imported = archive.wait_done(paste), archive.wait_done(large)
    assert pasted["received"] < pasted["finished"] < imported["finished"]
    assert imported["entries"]["stored"] == LARGE
    assert archive.get(f"/api/v1/positions/shogi/{START}")["total"] == LARGE + 1


def count(archive: Archive, upload: int) -> int:
    return sum(archive.get(f"/api/v1/uploads/{upload}")["entries"].values())


def test_a_pasted_game_does_not_wait_for_a_large_import(tmp_path):
    with archive_at(tmp_path) as archive:
        paste_beside_an_import(archive)


def test_the_same_with_redis_and_two_workers(tmp_path):
    if shutil.which("redis-server") is None:
        reason = "there is no redis-server on this machine"
        print(reason)
        pytest.skip(reason)
    port = free_port()
    with redis_server(port):
        settings = {"CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0", "ARCHIVE_INGEST_WORKERS": "2"}
        with archive_at(tmp_path, **settings) as archive:
            paste_beside_an_import(archive)
            keys = subprocess.run(
                ["redis-cli", "-p", str(port), "keys", "*"], capture_output=True, text=True, check=True
            ).stdout
            assert "_kombu.binding.bulk" in keys


@pytest.mark.one_engine
def test_uploads_are_worked_off_with_rabbitmq(tmp_path):
    with rabbitmq_host() as address:
        if address is None:
            reason = "there is no RabbitMQ on this machine that we may make a virtual host on"
            print(reason)
            pytest.skip(reason)
        settings = {"CELERY_BROKER_URL": address, "ARCHIVE_INGEST_WORKERS": "2"}
        with archive_at(tmp_path, **settings) as archive:
            large = archive.post_file(collection(500), "large.csa")
            paste = archive.post_text(KIF, "paste.kif")
            assert archive.wait_done(paste)["entries"]["stored"] == 1
            assert archive.wait_done(large)["entries"]["stored"] == 500
            assert "no message for upload" not in archive.log.read_text()


DEADLY = """
import signal, django
setup = django.setup

def changed(*args, **options):
    setup(*args, **options)
    from archive.intake import worker
    from kifu_core import games
    load = games.load

    def deadly(data, name, **limits):
        if b"deadly" in data:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            while True:
                signal.pause()
        return load(data, name, **limits)

    games.load, worker.DEADLY_TRIES = deadly, 2

django.setup = changed
"""
"""A reader that never comes back from some files and hears no alarm."""


def test_a_file_that_never_ends_is_one_failed_entry_in_both_pools(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    settings = {
        "PYTHONPATH": str(tmp_path), "ARCHIVE_TASK_SECONDS": "6", "ARCHIVE_CLAIM_SECONDS": "6",
        "ARCHIVE_SWEEP_SECONDS": "1", "ARCHIVE_MESSAGE_SECONDS": "1",
    }  # fmt: skip
    with (
        archive_at(tmp_path / "solo", ARCHIVE_WORKER_POOL="solo", **settings) as solo,
        archive_at(tmp_path / "prefork", ARCHIVE_WORKER_POOL="prefork", **settings) as prefork,
    ):
        workers = {pool: children_of(archive, "worker") for pool, archive in pools(solo, prefork)}
        deadly = {pool: archive.post_text("deadly", "deadly.kif") for pool, archive in pools(solo, prefork)}
        for pool, archive in pools(solo, prefork):
            assert archive.wait_done(deadly[pool])["entries"]["failed"] == 1
            (entry,) = archive.entries(deadly[pool])
            assert [issue["code"] for issue in entry["issues"]] == ["worker-died"]
            assert archive.wait_done(archive.post_text(KIF, "game.kif"))["entries"]["stored"] == 1
            # With prefork it is the worker's child that was ended.
            assert (workers[pool] == children_of(archive, "worker")) is (pool == "prefork")
    assert "TimeLimitExceeded" in prefork.log.read_text()


GREEDY = """
import django
setup = django.setup

def changed(*args, **options):
    setup(*args, **options)
    from kifu_core import games
    load = games.load

    def greedy(data, name, **limits):
        for word, mib in ((b"greedy", 100_000), (b"large", 300)):
            if word in data:
                hoard = [bytearray(b"x") * 1024 * 1024 for _ in range(mib)]
                del hoard  # django.setup is called twice, so each reader calls another one
        return load(data, name, **limits)

    games.load = greedy

django.setup = changed
"""
"""A reader that takes memory without an end for some files, and much for others."""


def test_a_file_that_takes_too_much_memory_is_one_failed_entry_in_both_pools(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(GREEDY)
    settings = {"PYTHONPATH": str(tmp_path), "ARCHIVE_WORKER_MEMORY_MB": "512"}
    files = ("a.kif", KIF.encode()), ("greedy.kif", b"greedy"), ("b.csa", CSA.encode())
    with (
        archive_at(tmp_path / "solo", ARCHIVE_WORKER_POOL="solo", **settings) as solo,
        archive_at(tmp_path / "prefork", ARCHIVE_WORKER_POOL="prefork", **settings) as prefork,
    ):
        for archive in (solo, prefork):
            upload = archive.post_file(zipped(*files), "all.zip")
            archive.wait_done(upload)
            found = [
                (entry["state"], [issue["code"] for issue in entry["issues"]])
                for entry in archive.entries(upload)
            ]
            assert found == [("stored", []), ("failed", ["too-much-memory"]), ("duplicate", [])]


def test_a_worker_that_has_had_much_memory_is_replaced_in_both_pools(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(GREEDY)
    settings = {"PYTHONPATH": str(tmp_path), "ARCHIVE_WORKER_MEMORY_MB": "512"}
    with (
        archive_at(tmp_path / "solo", ARCHIVE_WORKER_POOL="solo", **settings) as solo,
        archive_at(tmp_path / "prefork", ARCHIVE_WORKER_POOL="prefork", **settings) as prefork,
    ):
        for archive in (solo, prefork):
            replace_again_and_again(archive)
            assert archive.wait_done(archive.post_text(KIF, "game.kif"))["entries"]["stored"] == 1


def replace_again_and_again(archive: Archive) -> None:
    """Have a worker replaced more often than a process may die within a minute."""
    for number in range(MAX_DEATHS + 1):
        upload = archive.post_text(f"large {number}", "large.kif")
        assert archive.wait_done(upload)["entries"]["failed"] == 1
        wait_for(lambda: peak_of_worker(archive) < 200, START_SECONDS, archive.log)


def peak_of_worker(archive: Archive) -> float:
    """The most memory in MiB that a process of a worker has had, among those that live."""
    command, peaks = b"archive.serving.child\0worker\0", [0.0]
    for pid in processes_of(Path(archive.environment["ARCHIVE_DATA_DIR"])):
        with suppress(OSError):
            if command in Path(f"/proc/{pid}/cmdline").read_bytes():
                found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
                peaks.append(int(found[1]) / 1024 if found else 0.0)
    return max(peaks)


def pools(solo: Archive, prefork: Archive) -> list[tuple[str, Archive]]:
    return [("solo", solo), ("prefork", prefork)]


def test_a_file_put_into_the_watched_folder_becomes_a_game(tmp_path):
    folder = tmp_path / "watched"
    folder.mkdir()
    with archive_at(tmp_path / "data", ARCHIVE_WATCH_DIR=str(folder), ARCHIVE_SWEEP_SECONDS="1") as archive:
        (folder / "game.kif").write_text(KIF)
        wait_for(
            lambda: archive.get(f"/api/v1/positions/shogi/{START}")["total"] == 1, START_SECONDS, archive.log
        )
        assert (folder / "game.kif").read_text() == KIF
