"""Games sent to the API of archives with more and more workers."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks import generate

BROKERS: Final = ("redis", "rabbitmq", "folder")
SENT_GAMES: Final = 100
"""Games of a file that is sent: many files for few workers, each of several turns."""
SERVED_SECONDS: Final = 3600.0
START_SECONDS: Final = 1200.0


@contextmanager
def _broker(name: str) -> Iterator[dict[str, str]]:
    """Settings for a broker of our own. Raises SystemExit where there is none on this machine."""
    from tests.faults.servers import rabbitmq_host, redis_server
    from tests.serving import free_port

    if name == "folder":
        yield {}
    elif name == "rabbitmq":
        with rabbitmq_host() as address:
            if address is None:
                sys.exit("there is no RabbitMQ on this machine that we may make a virtual host on")
            yield {"CELERY_BROKER_URL": address}
    else:
        if shutil.which("redis-server") is None:
            sys.exit("there is no redis-server on this machine")
        port = free_port()
        with redis_server(port):
            yield {"CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0"}


def served(games: int, workers: Sequence[int], broker: str) -> dict[str, Any]:
    """Send games to archives with so many workers; how long each took. Raises SystemExit where games are
    missing in the end, or it never ends."""
    from tests.postgres import postgres_url

    load, server = os.getloadavg()[0], ExitStack()
    # It outlives the archives: the database that theirs are copies of is dropped at the end of the process.
    atexit.register(server.close)
    os.environ["DATABASE_URL"] = server.enter_context(postgres_url())
    with _broker(broker) as address:
        found = [_served(games, count, address) for count in workers]
    return {"games": games, "broker": broker, "load": load, "cores": os.cpu_count(), "runs": found}


def _served(games: int, workers: int, broker: dict[str, str]) -> dict[str, Any]:
    from tests.serving import archive_at

    settings = {"ARCHIVE_INGEST_WORKERS": str(workers), "ARCHIVE_THROTTLE": "0"} | broker
    files = [
        generate.csa_file(range(first, min(first + SENT_GAMES, games))).encode()
        for first in range(0, games, SENT_GAMES)
    ]
    with (
        tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name,
        archive_at(Path(name), **settings) as archive,
    ):
        _wait_for_workers(archive, workers)
        began, busy = time.perf_counter(), _processor_below()
        waiting = [archive.post_file(data, f"{n}.csa") for n, data in enumerate(files)]
        stored = 0
        while waiting:
            told = archive.get(f"/api/v1/uploads/{waiting[0]}")
            if told["state"] in ("done", "failed"):
                stored += told["entries"].get("stored", 0)
                del waiting[0]
            elif time.perf_counter() - began > SERVED_SECONDS:
                sys.exit("the import does not end")
            else:
                time.sleep(0.05)
        seconds, busy = time.perf_counter() - began, _processor_below() - busy
    if stored != games:
        sys.exit(f"{stored} games of {games} were stored")
    return {
        "workers": workers,
        "seconds": seconds,
        "games_a_second": games / seconds,
        "ms_a_game": 1000 * busy / games,
    }


def _processor_below() -> float:
    """The processor seconds of all processes that this one has begun, without its own."""
    from benchmarks.support.processes import processor_of

    return processor_of({os.getpid()}) - sum(os.times()[:2])


def _wait_for_workers(archive: Any, workers: int) -> None:
    """Return when so many workers were heard of."""
    wanted = f'kifu_processes{{role="worker"}} {float(workers)}'
    until = time.monotonic() + START_SECONDS
    while True:
        with urllib.request.urlopen(f"{archive.url}/metrics") as answer:
            if wanted in answer.read().decode():
                return
        if time.monotonic() > until:
            sys.exit("the workers do not begin")
        time.sleep(0.2)


def show_served(found: dict[str, Any]) -> None:
    print(
        f"{found['games']} games through the API, broker {found['broker']}, {found['cores']} cores; "
        f"load before {found['load']:.1f}"
    )
    one = found["runs"][0]
    for run in found["runs"]:
        print(
            f"  {run['workers']} worker(s) {run['seconds']:8.1f} s {run['games_a_second']:8.0f} games/s   "
            f"x {run['games_a_second'] / one['games_a_second']:.2f}"
            f"   {run['ms_a_game']:.1f} ms of a processor a game"
        )
