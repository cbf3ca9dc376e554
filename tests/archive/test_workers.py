"""Real workers on both brokers: small uploads beside a large one, a watched folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.archive.games import CSA, KIF, START
from tests.containers import zipped
from tests.faults.servers import rabbitmq_host, redis_server
from tests.serving import (
    ROOT,
    START_SECONDS,
    STOP_SECONDS,
    Archive,
    archive_at,
    children_of,
    free_port,
    processes_of,
    wait_for,
)

pytestmark = pytest.mark.worker

LARGE = 1_000
"""Games of an import: many turns of a worker, also of a fast one."""

SHORT_TURNS = """
import django
setup = django.setup

def changed(*args, **options):
    setup(*args, **options)
    from archive.intake import worker
    worker.BATCH_ENTRIES, worker.TURN_SECONDS = 50, 0.2

django.setup = changed
"""
"""A worker that lets others have their turn after few games, however fast it is."""


def collection(games: int) -> bytes:
    return "/\n".join(CSA.replace("先手の人", f"人{n}") for n in range(games)).encode()


def paste_beside_an_import(archive: Archive) -> None:
    """Send a large file, then a pasted game, and see which is there first."""
    before = games_from_start(archive)
    large = archive.post_file(collection(LARGE), "large.csa")
    wait_for(lambda: count(archive, large) > 0, START_SECONDS, archive.log)
    text = KIF.replace("先手の人", "貼り付けた人").replace("７六歩(77)", "２六歩(27)").split("   2 ")[0]
    paste = archive.post_text(text + "   2 ３四歩(33)\n   3 投了\n", "paste.kif")
    pasted, imported = archive.wait_done(paste), archive.wait_done(large)
    assert pasted["received"] < pasted["finished"] < imported["finished"]
    assert imported["entries"]["stored"] == LARGE
    assert games_from_start(archive) == before + LARGE + 1


def count(archive: Archive, upload: int) -> int:
    return sum(archive.get(f"/api/v1/uploads/{upload}")["entries"].values())


def games_from_start(archive: Archive) -> int:
    total: int = archive.get(f"/api/v1/positions/shogi/{START}")["games"]
    return total


@pytest.fixture(scope="module")
def short_turns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of an archive whose workers have short turns."""
    folder = tmp_path_factory.mktemp("short")
    (folder / "sitecustomize.py").write_text(SHORT_TURNS)
    return {"PYTHONPATH": str(folder)}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, short_turns: dict[str, str]) -> Iterator[Archive]:
    """An archive with a watched folder that several tests use, one after the other."""
    watched = tmp_path_factory.mktemp("watched")
    settings = {"ARCHIVE_WATCH_DIR": str(watched), "ARCHIVE_SWEEP_SECONDS": "1"} | short_turns
    with archive_at(tmp_path_factory.mktemp("archive"), **settings) as running:
        yield running


def test_a_pasted_game_does_not_wait_for_a_large_import(archive):
    paste_beside_an_import(archive)


@pytest.mark.one_engine
def test_a_file_put_into_the_watched_folder_becomes_a_game(archive):
    before, file = games_from_start(archive), Path(archive.environment["ARCHIVE_WATCH_DIR"]) / "game.kif"
    file.write_text(KIF)
    wait_for(lambda: games_from_start(archive) == before + 1, START_SECONDS, archive.log)
    assert file.read_text() == KIF


@pytest.mark.one_engine
def test_a_pasted_game_does_not_wait_with_redis_and_two_workers_either(tmp_path, short_turns):
    with broker("redis") as address:
        port = address.split(":")[2].split("/")[0]
        settings = {"CELERY_BROKER_URL": address, "ARCHIVE_INGEST_WORKERS": "2"}
        with archive_at(tmp_path, **settings, **short_turns) as archive:
            paste_beside_an_import(archive)
            keys = subprocess.run(
                ["redis-cli", "-p", port, "keys", "*"], capture_output=True, text=True, check=True
            ).stdout
            assert "_kombu.binding.bulk" in keys


@pytest.mark.one_engine
def test_uploads_are_worked_off_with_rabbitmq(tmp_path):
    with broker("rabbitmq") as address:
        settings = {"CELERY_BROKER_URL": address, "ARCHIVE_INGEST_WORKERS": "2"}
        with archive_at(tmp_path, **settings) as archive:
            large = archive.post_file(collection(200), "large.csa")
            paste = archive.post_text(KIF, "paste.kif")
            assert archive.wait_done(paste)["entries"]["stored"] == 1
            assert archive.wait_done(large)["entries"]["stored"] == 200
            assert "no message for upload" not in archive.log.read_text()


@contextmanager
def broker(name: str) -> Iterator[str]:
    """The address of a broker of our own; the test is skipped where none can be made."""
    if name == "rabbitmq":
        with rabbitmq_host() as address:
            if address is None:
                skip("there is no RabbitMQ on this machine that we may make a virtual host on")
            yield str(address)
    else:
        if shutil.which("redis-server") is None:
            skip("there is no redis-server on this machine")
        port = free_port()
        with redis_server(port):
            yield f"redis://127.0.0.1:{port}/0"


def skip(reason: str) -> None:
    print(reason)
    pytest.skip(reason)


@contextmanager
def far_worker(folder: Path, archive: Archive, queues: str) -> Iterator[Path]:
    """A worker that has the database and the broker of an archive and nothing else of it: neither its folder
    nor its working directory. Yields its log."""
    folder.mkdir()
    shared = ("PATH", "HOME", "LANG", "DATABASE_URL", "SECRET_KEY", "CELERY_BROKER_URL", "PYTHONPATH")
    settings = {
        "ARCHIVE_DATA_DIR": str(folder / "data"), "ARCHIVE_WORKER_QUEUES": queues,
        "ARCHIVE_LOG_LEVEL": "info", "ARCHIVE_LOG_FORMAT": "json",
    }  # fmt: skip
    kept = {name: archive.environment[name] for name in shared if name in archive.environment}
    kept["PYTHONPATH"] = f"{kept['PYTHONPATH']}:{ROOT}"
    log = folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "archive.serving.child", "worker"],
            cwd=folder, env=kept | settings, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        yield log
    finally:
        process.terminate()
        try:
            process.wait(timeout=STOP_SECONDS)
        finally:
            process.kill()
            process.wait()


GAMES = 1_500
"""Games of an upload that no machine finishes in one turn."""


def test_workers_elsewhere_serve_queues_with_nothing_but_the_database_and_the_broker(tmp_path, short_turns):
    if "DATABASE_URL" not in os.environ:
        skip("SQLite is a folder of the machine that it is on")
    watched = tmp_path / "watched"
    watched.mkdir()
    with ExitStack() as stack:
        settings = {
            # Who has the watched folder looks into it, and reads nothing.
            "ARCHIVE_WORKER_QUEUES": "maintenance", "ARCHIVE_WATCH_DIR": str(watched),
            "ARCHIVE_SWEEP_SECONDS": "1", "CELERY_BROKER_URL": stack.enter_context(broker("redis")),
        }  # fmt: skip
        archive = stack.enter_context(archive_at(tmp_path / "here", **settings, **short_turns))
        new = stack.enter_context(far_worker(tmp_path / "new", archive, "interactive"))
        bulk = [stack.enter_context(far_worker(tmp_path / f"bulk{n}", archive, "bulk")) for n in (1, 2)]
        large = archive.post_file(collection(GAMES), "large.csa")
        paste = archive.post_text(KIF, "paste.kif")
        assert archive.wait_done(paste)["entries"]["stored"] == 1
        assert archive.wait_done(large)["entries"]["stored"] == GAMES
        (watched / "game.csa").write_text(CSA.replace("先手の人", "見張られた人"))
        wait_for(lambda: games_from_start(archive) == GAMES + 2, START_SECONDS, archive.log)
        assert f'"upload {paste} is worked off"' in new.read_text()
        assert f'"upload {large} is worked off"' in "".join(log.read_text() for log in bulk)
        assert "no message for upload" not in archive.log.read_text()


DEATHS = 2
"""From so many deaths within a minute on, such an archive gives up."""

DISTURBED = f"""
import signal, sys, django
setup = django.setup

def changed(*args, **options):
    setup(*args, **options)
    if "serve" in sys.argv:
        from archive.serving import supervisor
        supervisor.MAX_DEATHS = {DEATHS}
    from archive.intake import worker
    from kifu_core import games
    load = games.load

    def disturbed(data, name, **limits):
        if b"deadly" in data:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            while True:
                signal.pause()
        for word, mib in ((b"greedy", 100_000), (b"large", 300)):
            if word in data:
                hoard = [bytearray(b"x") * 1024 * 1024 for _ in range(mib)]
                del hoard  # django.setup is called twice, so each reader calls another one
        return load(data, name, **limits)

    games.load, worker.DEADLY_TRIES = disturbed, 2

django.setup = changed
"""
"""A reader that never comes back from some files and hears no alarm, and that takes memory without an end
for some, and much for others."""


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Archive]]:
    """Two archives by how their workers run tasks; both have a reader that some files disturb."""
    folder = tmp_path_factory.mktemp("pools")
    (folder / "sitecustomize.py").write_text(DISTURBED)
    settings = {
        "PYTHONPATH": str(folder), "ARCHIVE_TASK_SECONDS": "10", "ARCHIVE_CLAIM_SECONDS": "10",
        "ARCHIVE_SWEEP_SECONDS": "1", "ARCHIVE_WORKER_MEMORY_MB": "512",
    }  # fmt: skip
    with (
        archive_at(folder / "solo", ARCHIVE_WORKER_POOL="solo", **settings) as solo,
        archive_at(folder / "prefork", ARCHIVE_WORKER_POOL="prefork", **settings) as prefork,
    ):
        yield {"solo": solo, "prefork": prefork}


def game_of(player: str) -> str:
    return KIF.replace("先手の人", player)


@pytest.mark.one_engine
def test_a_file_that_never_ends_is_one_failed_entry_in_both_pools(pools):
    workers = {pool: children_of(archive, "worker") for pool, archive in pools.items()}
    deadly = {pool: archive.post_text("deadly", "deadly.kif") for pool, archive in pools.items()}
    for pool, archive in pools.items():
        assert archive.wait_done(deadly[pool])["entries"]["failed"] == 1
        (entry,) = archive.entries(deadly[pool])
        assert [issue["code"] for issue in entry["issues"]] == ["worker-died"]
        assert archive.wait_done(archive.post_text(game_of("一人目"), "game.kif"))["entries"]["stored"] == 1
        # With prefork it is the worker's child that was ended.
        assert (workers[pool] == children_of(archive, "worker")) is (pool == "prefork")
    assert "TimeLimitExceeded" in pools["prefork"].log.read_text()


# What a process may take, and when it is replaced, knows no database.
@pytest.mark.one_engine
def test_a_file_that_takes_too_much_memory_is_one_failed_entry_in_both_pools(pools):
    games = ("a.kif", game_of("二人目").encode()), ("b.csa", CSA.replace("先手の人", "二人目").encode())
    for archive in pools.values():
        upload = archive.post_file(zipped(games[0], ("greedy.kif", b"greedy"), games[1]), "all.zip")
        archive.wait_done(upload)
        found = [
            (entry["state"], [issue["code"] for issue in entry["issues"]])
            for entry in archive.entries(upload)
        ]
        assert found == [("stored", []), ("failed", ["too-much-memory"]), ("duplicate", [])]


@pytest.mark.one_engine
def test_a_worker_that_has_had_much_memory_is_replaced_in_both_pools(pools):
    for archive in pools.values():
        replace_again_and_again(archive)
        assert archive.wait_done(archive.post_text(game_of("三人目"), "game.kif"))["entries"]["stored"] == 1


def replace_again_and_again(archive: Archive) -> None:
    """Have a worker replaced more often than a process may die within a minute."""
    for number in range(DEATHS + 1):
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
