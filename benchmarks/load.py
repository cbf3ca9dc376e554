"""Reading and uploading for minutes while the database, the broker and a worker are restarted under it.

    python -m benchmarks.load [--games 10000] [--minutes 10] [--clients 4] [--pause 0.1] [--every 5]
        [--sent 20] [--fillers 2] [--keep-log FILE] [--seed 1] [--json]

Stores so many made-up games on a PostgreSQL of its own, with the settings of a server that must not lose
anything, then runs `manage.py serve` with two web and two worker processes and a Redis without a file. For so
many minutes `--clients` ask for the mixture of `benchmarks.mixed`, each with `--pause` seconds between an
answer and the next request, and a file of `--sent` new games is sent every `--every` seconds. After a quarter
of the time the database is stopped ("fast": sessions are ended) and started again, after a half the broker is
killed and an empty one takes its place, after three quarters a worker is killed.

How to read it: failed is any answer but 200 and 304 to who reads, any but 2xx to who sends; what could not be
sent is sent again until it is taken. For each restart: how many failed before the next one, with which
status (0 is no answer), and how many seconds after the restart began the last of them ended. Milliseconds are
those of a machine whose cores clients, servers and whatever else runs there share: upper bounds. Memory is
what a process has for itself (RssAnon), in MiB: when it was first seen, after a fifth of the time that it was
seen, at the end, and the most.

Nothing may be lost: in the end every upload is done with as many entries as games were sent, the archive has
exactly as many games more, and `verify_archive` finds no difference. Otherwise the exit code is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from benchmarks import generate, mixed
from benchmarks.serve import HOST, ROOT, Call, Server, environment, free_port, percentile, say, upload_of
from benchmarks.support import interpreter
from benchmarks.support.databases import DURABLE
from benchmarks.support.keep_alive import Answered, visit

FIRST_SENT: Final = 10_000_000
"""The number of the first game that is sent: the archive's own have lower ones."""

LOOK_SECONDS: Final = 10.0
WORK_OFF_SECONDS: Final = 900.0
AGAIN_SECONDS: Final = 1.0
"""After so long a file that was not taken is sent again."""

READ: Final = {200, 304}
ROLE: Final = re.compile(r"archive\.serving\.child\0(\w+)\0|manage\.py\0(serve)\0")
SETTINGS: Final = DURABLE | {"shared_buffers": "1GB", "effective_cache_size": "4GB"}


# --- servers that are restarted --------------------------------------------------------------------------


class Database:
    """A PostgreSQL server of our own in a folder, that loses nothing."""

    def __init__(self, folder: Path) -> None:
        from tests import postgres

        self.tools, self.folder, self.runner = postgres, folder, postgres.Runner()
        self.runner.own(folder)
        self.programs = postgres.make_cluster(self.runner, folder)
        self.start()

    def start(self) -> None:
        """Start it; returns when it takes connections."""
        self.process = self.tools.start_server(self.runner, self.programs, self.folder, **SETTINGS)
        self.tools.wait_for_server(self.process, self.folder)

    def stop(self) -> None:
        """Have it end all sessions and end."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def restart(self) -> None:
        self.stop()
        self.start()


class Broker:
    """A Redis server of our own that keeps nothing when it ends. Raises SystemExit where there is none."""

    def __init__(self) -> None:
        self.port = free_port()
        self.start()

    def start(self) -> None:
        """Start it; returns when it answers."""
        words = ["redis-server", "--port", str(self.port), "--bind", HOST, "--save", "", "--appendonly", "no"]
        try:
            self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        except FileNotFoundError:
            sys.exit("there is no redis-server on this machine")
        ping = ["redis-cli", "-p", str(self.port), "ping"]
        while subprocess.run(ping, capture_output=True, check=False).stdout != b"PONG\n":
            time.sleep(0.05)

    def stop(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        self.stop()
        self.start()


# --- what is noted while it runs -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer: when it was there (a time of day), what was asked, its status, seconds."""

    at: float
    kind: str
    status: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Restart:
    """What was restarted, when that began, and after how many seconds it was done."""

    what: str
    at: float
    seconds: float


@dataclass(slots=True)
class Run:
    """What came of it. `taken`: uploads that were taken, with the games of each."""

    began: float
    read: list[Noted] = field(default_factory=list)
    sent: list[Noted] = field(default_factory=list)
    taken: dict[int, int] = field(default_factory=dict)
    restarts: list[Restart] = field(default_factory=list)
    memory: dict[tuple[str, int], list[float]] = field(default_factory=dict)


def _private(pid: int) -> float:
    """The memory that a process has for itself, in MiB; nothing where it has ended."""
    with suppress(OSError):
        found = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return 0.0


def processes(folder: Path) -> dict[int, str]:
    """The archive's processes, with what each of them is."""
    from tests.serving import processes_of

    found = {}
    for pid in processes_of(folder):
        with suppress(OSError):
            match = ROLE.search(Path(f"/proc/{pid}/cmdline").read_text(errors="replace"))
            if match:
                found[pid] = match[1] or match[2]
    return found


def watch(folder: Path, run: Run, ended: Event) -> None:
    """Note what memory each process has, every few seconds."""
    while not ended.wait(LOOK_SECONDS):
        for pid, role in processes(folder).items():
            if size := _private(pid):
                run.memory.setdefault((role, pid), []).append(size)


def send(server: Server, run: Run, options: argparse.Namespace, ended: Event) -> None:
    """Send a file of new games now and again, each until it is taken."""
    first = FIRST_SENT
    while not ended.wait(options.every):
        text = generate.csa_file(range(first, first + options.sent))
        while True:
            answer = server.ask(upload_of(text, f"{first}.csa"))
            run.sent.append(Noted(answer.ended, "upload", answer.status, answer.seconds))
            if answer.ok:
                run.taken[answer.json["uploads"][0]["id"]] = options.sent
                break
            time.sleep(AGAIN_SECONDS)
        first += options.sent


def read(address: str, run: Run, options: argparse.Namespace, until: float) -> None:
    """Have all clients ask until that moment of `perf_counter`."""
    sample = mixed.sampled(address, random.Random(options.seed))

    def told(one: Answered) -> None:
        run.read.append(Noted(time.time(), one.kind, one.status, one.seconds))

    async def visits() -> None:
        async with asyncio.TaskGroup() as group:
            for client in range(options.clients):
                asked = mixed.asked(sample, options.seed * 100 + client, None)
                group.create_task(visit(address, asked, until, told, options.pause))

    asyncio.run(visits())


def disturb(steps: Sequence[tuple[str, Callable[[], None]]], seconds: float, run: Run, ended: Event) -> None:
    """Restart one thing after the other, at equal distances."""
    for what, restart in steps:
        if ended.wait(seconds / (len(steps) + 1)):
            return
        say(f"  {what} is restarted ...")
        at = time.time()
        restart()
        run.restarts.append(Restart(what, at, time.time() - at))


def kill_worker(folder: Path) -> None:
    """Kill one worker with all that it has begun; `serve` starts another one."""
    pids = [pid for pid, role in processes(folder).items() if role == "worker" and os.getsid(pid) == pid]
    os.killpg(min(pids), signal.SIGKILL)


# --- the run ---------------------------------------------------------------------------------------------


def prepared(address: str, folder: Path, options: argparse.Namespace) -> int:
    """Fill the database and return how many games it has."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="archive.settings", SECRET_KEY="only-for-benchmarks",
        ARCHIVE_DATA_DIR=str(folder), DATABASE_URL=address,
    )  # fmt: skip
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection, connections

    from archive.models import Game
    from benchmarks.support.filling import fill, writers

    call_command("migrate", verbosity=0)
    with writers(options.fillers) as pool:
        for part in fill(pool, 0, options.games):
            say(f"  {part.games} games stored, {part.wall:.0f} s")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    games = Game.objects.count()
    connections.close_all()
    return games


@contextmanager
def archive(folder: Path, address: str, broker: Broker) -> Iterator[Server]:
    """An archive of two web and two worker processes, once it answers."""
    from benchmarks import serve

    port = free_port()
    values = environment(str(folder), port) | {
        "DATABASE_URL": address,
        "CELERY_BROKER_URL": f"redis://{HOST}:{broker.port}/0",
        "SECRET_KEY": "only-for-benchmarks",
        "ARCHIVE_SAMPLES": "0",
        "ARCHIVE_ANONYMOUS_UPLOAD": "1",
        "ARCHIVE_WEB_WORKERS": "2",
        "ARCHIVE_INGEST_WORKERS": "2",
        "ARCHIVE_THROTTLE_LOOPBACK": "1000000",
    }
    with serve.served(port, folder / "serve.log", values):
        yield Server(port)


def measured(server: Server, folder: Path, steps: Sequence[tuple[str, Callable[[], None]]],
             options: argparse.Namespace) -> Run:  # fmt: skip
    """Read, send and restart for the time asked for, and wait until all that was sent is worked off."""
    run, ended, seconds = Run(time.time()), Event(), options.minutes * 60
    threads = [
        Thread(target=watch, args=(folder, run, ended)),
        Thread(target=send, args=(server, run, options, ended)),
        Thread(target=disturb, args=(steps, seconds, run, ended)),
    ]
    for thread in threads:
        thread.start()
    try:
        read(f"http://{HOST}:{server.port}", run, options, time.perf_counter() + seconds)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    say("waiting for what was sent ...")
    for upload in run.taken:
        _worked_off(server, upload)
    return run


def _worked_off(server: Server, upload: int) -> None:
    until = time.monotonic() + WORK_OFF_SECONDS
    while time.monotonic() < until:
        answer = server.ask(Call("", f"/api/v1/uploads/{upload}"))
        if answer.ok and answer.json["state"] in ("done", "failed"):
            return
        time.sleep(0.2)


def losses(run: Run, before: int) -> dict[str, Any]:
    """What the database has of that which was sent, and what `verify_archive` says."""
    from django.db import connections
    from django.db.models import F

    from archive.models import Entry, Game, Upload

    known = Upload.objects.filter(pk__in=run.taken)
    waits = sorted(
        one.total_seconds()
        for one in known.filter(finished__isnull=False).values_list(F("finished") - F("received"), flat=True)
    )
    found = {
        "uploads": len(run.taken),
        "done": known.filter(state=Upload.State.DONE).count(),
        "games_sent": sum(run.taken.values()),
        "entries": Entry.objects.filter(upload__in=known).count(),
        "games_before": before,
        "games_after": Game.objects.count(),
        "finished_after_s": {"p50": percentile(waits, 0.5), "max": waits[-1]} if waits else {},
    }
    connections.close_all()
    command = [sys.executable, "manage.py", "verify_archive"]
    began = time.time()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = (done.stdout or done.stderr).strip().splitlines()
    return found | {
        "verify": {"exit": done.returncode, "told": told[-1:], "seconds": round(time.time() - began)}
    }


def lost(found: dict[str, Any]) -> bool:
    """Whether anything is missing, or there that should not be."""
    return (
        found["uploads"] != found["done"]
        or found["entries"] != found["games_sent"]
        or found["games_after"] != found["games_before"] + found["games_sent"]
        or bool(found["verify"]["exit"])
    )


# --- the report ------------------------------------------------------------------------------------------


def times(answers: Sequence[Noted]) -> dict[str, Any]:
    """How many answers, and their milliseconds."""
    taken = [1000 * one.seconds for one in answers]
    return {
        "requests": len(taken),
        "p50": round(percentile(taken, 0.5), 1) if taken else None,
        "p99": round(percentile(taken, 0.99), 1) if taken else None,
    }


def failures(
    answers: Sequence[Noted], well: Callable[[int], bool], start: float, end: float
) -> dict[str, Any]:
    """What failed between two times: how many by status, and when the last of them was answered."""
    failed = [one for one in answers if start <= one.at < end and not well(one.status)]
    return {
        "failed": len(failed),
        "statuses": dict(Counter(str(one.status) for one in failed)),
        "last_after_s": round(max(one.at for one in failed) - start, 1) if failed else None,
    }


def summary(run: Run) -> dict[str, Any]:
    """All that was noted, as numbers."""
    starts = [run.began, *(one.at for one in run.restarts), float("inf")]
    restarts = [Restart("nothing yet", run.began, 0.0), *run.restarts]
    kinds = sorted({one.kind for one in run.read})
    return {
        "read": times(run.read) | {"kinds": {k: times([a for a in run.read if a.kind == k]) for k in kinds}},
        "sent": times(run.sent),
        "restarts": [
            {
                "what": one.what,
                "took_s": round(one.seconds, 1),
                "read": failures(run.read, READ.__contains__, one.at, end),
                "sent": failures(run.sent, lambda status: 200 <= status < 300, one.at, end),
                "times": times([a for a in run.read if one.at <= a.at < end]),
            }
            for one, end in zip(restarts, starts[1:], strict=True)
        ],
        "memory": [_memory(role, pid, sizes) for (role, pid), sizes in sorted(run.memory.items())],
    }


def _memory(role: str, pid: int, sizes: Sequence[float]) -> dict[str, Any]:
    """Tell how the memory of a process went, in MiB."""
    found = {"first": sizes[0], "fifth": sizes[len(sizes) // 5], "end": sizes[-1], "most": max(sizes)}
    rounded = {name: round(size, 1) for name, size in found.items()}
    return {"role": role, "pid": pid, "seen_s": round(len(sizes) * LOOK_SECONDS)} | rounded


def show(found: dict[str, Any]) -> None:
    """Print it as tables."""
    print(f"{found['games']} games, {found['minutes']} minutes, load {found['load']} before and after")
    named = found["read"]["kinds"] | {"all reading": found["read"], "uploads": found["sent"]}
    for name, one in named.items():
        print(f"  {name:14}{one['requests']:8} requests   p50 {one['p50']} ms   p99 {one['p99']} ms")
    for one in found["restarts"]:
        read = f"p50 {one['times']['p50']}, p99 {one['times']['p99']} ms"
        print(f"after {one['what']} (restarted in {one['took_s']} s), reading {read}")
        for who in ("read", "sent"):
            failed = one[who]
            print(f"    {who}: {failed['failed']} failed {failed['statuses']}", end="")
            print(f", the last {failed['last_after_s']} s after" if failed["failed"] else "")
    print("MiB: first seen, after a fifth of the time, at the end, most")
    for one in found["memory"]:
        sizes = "".join(f"{one[name]:8}" for name in ("first", "fifth", "end", "most"))
        print(f"  {one['role']:10}{one['pid']:8} seen {one['seen_s']:5} s{sizes}")
    print(f"kept: {found['kept']}")


def main() -> None:
    """Measure and print; exit with 1 if anything was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=10_000, help="games of the archive before")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=4, help="connections that ask at once")
    parser.add_argument(
        "--pause", type=float, default=0.1, help="seconds between an answer and the next request"
    )
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two files that are sent")
    parser.add_argument("--sent", type=int, default=20, help="games in a file that is sent")
    parser.add_argument("--fillers", type=int, default=2, help="processes that fill the archive")
    parser.add_argument("--keep-log", type=Path, help="a file for the archive's log")
    parser.add_argument("--seed", type=int, default=1, help="draws other requests")
    parser.add_argument("--json", action="store_true", help="one line for programs")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    # So that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    found = loaded(options)
    print(interpreter.as_json(found)) if options.json else show(found)
    sys.exit(lost(found["kept"]))


def loaded(options: argparse.Namespace) -> dict[str, Any]:
    """Make the archive, disturb it, and tell what came of it."""
    # A short path: Unix sockets have names of at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="kifu-ld-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        database_folder, folder = Path(name, "pg"), Path(name, "archive")
        database_folder.mkdir()
        folder.mkdir()
        with ExitStack() as servers:
            broker = Broker()
            servers.callback(broker.stop)
            database = Database(database_folder)
            servers.callback(database.stop)
            address = database.tools.address_of(database_folder)
            before, load = prepared(address, folder, options), os.getloadavg()[0]
            steps = (
                ("the database", database.restart),
                ("the broker", broker.restart),
                ("a worker", lambda: kill_worker(folder)),
            )
            with archive(folder, address, broker) as server:
                run = measured(server, folder, steps, options)
            if options.keep_log:
                options.keep_log.write_bytes((folder / "serve.log").read_bytes())
            loads = [round(load, 1), round(os.getloadavg()[0], 1)]
            about = {"games": options.games, "minutes": options.minutes, "load": loads}
            return about | summary(run) | {"kept": losses(run, before)}


if __name__ == "__main__":
    main()
