"""From files on disk to committed, searchable games, beside the bare insertion of the same rows.

    python -m benchmarks.ingest [--engine sqlite|postgresql] [--games 2000] [--workers 2] [--json]
    python -m benchmarks.ingest --columns [--engine sqlite|postgresql] [--games 2000] [--rounds 3] [--json]
    python -m benchmarks.ingest --served [--games 2000] [--workers 1,2,4] [--broker rabbitmq] [--json]
    python -m benchmarks.ingest --corpus [--page] [--json]
    python -m benchmarks.ingest --paste [--games 10000] [--json]

For each engine an empty archive in a temporary folder takes in files of games (CSA and KIF in two encodings)
as `manage.py import_kifu` does, first with one process, on PostgreSQL then other games with several. Then the
rows of the position index that this gave are put into an empty table of the same shape by nothing but COPY
(PostgreSQL) or executemany (SQLite), in sorted batches of the same size: that is the limit. The steps of one
process are timed one by one, in processor time; what is left over is in `other`.

`--columns` takes in so many games a round without columns and tags of castles and openings, and as many
others with them, in turn: read, derived and stored, then written as columns. Told is the processor time a
game of the fastest rounds, on PostgreSQL with that of the server's process; beside it what it costs to put
files together, as happens once to those that are small. The target is 15 % more than without.

`--served` has archives on PostgreSQL with so many worker processes, one after the other, each with an empty
database; their API is sent the games in files of 100, and timed is from the first until all are stored; told
is also what web, workers, scheduler and database (and a Redis) took of the processor meanwhile. The broker is
a Redis of its own, with `--broker` a virtual host of this machine's RabbitMQ or the folder.

`--corpus` sends every file of the corpus beside the checkout in one ZIP through the API of a running archive
and prints what became of its entries, how long it took and the worker's largest memory; with `--page` through
its upload page in a headless Chromium.

`--paste` sends a file of so many games to a running archive as `make run` starts it, on SQLite with one
worker, and as long as that is worked off pastes one game after the other: seconds from the beginning of the
request to the moment when the paste's last position is found, asked for every 20 ms.

How to read it: games a second on a shared machine mean little by themselves; the share of the limit and the
shares of the steps, of one run, do.
"""

from __future__ import annotations

import argparse
import atexit
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import django

from benchmarks import generate

ENGINES = ("sqlite", "postgresql")
GAMES_A_FILE = 20
BATCH_ROWS = 10_000
CORPUS_SECONDS = 1200.0
SENT_GAMES = 100
"""Games of a file that is sent: many files for few workers, each of several turns."""
SERVED_SECONDS = 3600.0
BROKERS = ("redis", "rabbitmq", "folder")
PASTES = 40
PASTE_SECONDS = 3.0
"""What a paste may take during an import."""


@contextmanager
def empty_archive(engine: str) -> Iterator[Path]:
    """An archive of its own in this process; yields its folder."""
    from tests.postgres import postgres_url

    with tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "archive.settings", "ARCHIVE_DATA_DIR": name}
        os.environ.pop("DATABASE_URL", None)
        if engine == "sqlite":
            yield _prepared(Path(name))
            return
        with postgres_url() as url:
            os.environ |= {"DATABASE_URL": url, "SECRET_KEY": "only-for-benchmarks"}
            try:
                yield _prepared(Path(name))
            finally:
                from django.db import connections

                connections.close_all()


def _prepared(folder: Path) -> Path:
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return folder


def write_files(folder: Path, numbers: range) -> list[str]:
    """Files of games with these numbers, half of them CSA, the others KIF in UTF-8 and Shift_JIS."""
    from kifu_core import dump

    folder.mkdir()
    paths = []
    for start in range(numbers.start, numbers.stop, GAMES_A_FILE):
        chosen = range(start, min(start + GAMES_A_FILE, numbers.stop))
        if start // GAMES_A_FILE % 2:
            texts = [dump(generate.record(number), "kif") for number in chosen]
            encoding = "cp932" if start // GAMES_A_FILE % 4 == 1 else "utf-8"
            files = [
                (f"{number}.kif", text.encode(encoding)) for number, text in zip(chosen, texts, strict=True)
            ]
        else:
            files = [(f"{start}.csa", generate.csa_file(chosen).encode())]
        for name, data in files:
            path = folder / name
            path.write_bytes(data)
            paths.append(str(path))
    return paths


# --- steps -----------------------------------------------------------------------------------------------


class Steps:
    """Processor seconds spent in functions while it is entered; a step's own, without those inside it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inside: list[float] = []
        self._undo: list[Callable[[], None]] = []

    def watch(self, title: str, home: Any, name: str) -> None:
        """Time a function of a module or class."""
        original = getattr(home, name)

        def timed(*args: Any, **options: Any) -> Any:
            self._inside.append(0.0)
            began = time.process_time()
            try:
                return original(*args, **options)
            finally:
                taken = time.process_time() - began
                self.seconds[title] += taken - self._inside.pop()
                if self._inside:
                    self._inside[-1] += taken

        setattr(home, name, timed)
        self._undo.append(lambda: setattr(home, name, original))

    def __enter__(self) -> Steps:
        from django.db.models import QuerySet

        from archive import codec, store
        from archive.derive import game, series
        from archive.index import counters
        from archive.index.engine import engine
        from archive.intake import reader, worker
        from archive.store import batches, changes, matching
        from kifu_core import games

        self.watch("read", games, "load")
        self.watch("derive: headers, digests", reader, "derive_game")
        self.watch("derive: positions, keys", game, "index_rows")
        self.watch("derive: pack", codec, "pack")
        self.watch("derive: series", series, "series_of")
        self.watch("store uploads", store, "create_upload")
        self.watch("store uploads", store, "create_uploads")
        self.watch("claims", store, "claim")
        self.watch("claims", store, "finish")
        self.watch("claims", batches, "_prolong")
        self.watch("turns, walks", worker, "work_together")
        self.watch("transaction", store, "store_batches")
        self.watch("names", changes, "_names")
        self.watch("known games", changes, "known_games")
        self.watch("known games", matching, "alone")
        self.watch("games", changes, "insert_games")
        self.watch("rows", engine(), "insert")
        self.watch("entries", batches, "_entry_rows")
        self.watch("inserts of objects", QuerySet, "bulk_create")
        self.watch("counters", counters, "update")
        return self

    def __exit__(self, *_: object) -> None:
        for undo in self._undo:
            undo()


# --- measuring -------------------------------------------------------------------------------------------


def take_in(paths: Sequence[str], workers: int) -> float:
    """Import files; the seconds it took."""
    from archive.intake import importing

    began = time.perf_counter()
    for turn in importing.run((importing.File(path, "") for path in paths), workers):
        if turn.refusal:
            raise RuntimeError(f"{turn.path}: {turn.refusal}")
    return time.perf_counter() - began


def expect(games: int, kind: str, start: str) -> None:
    """Raises RuntimeError unless so many games of a kind can be found by the code of their start."""
    from archive.queries.explorer import explore
    from archive.queries.scope import PUBLIC

    found = explore(PUBLIC, kind, start).total
    if found != games:
        raise RuntimeError(f"{found} games of {games} are found")


def bare_rows() -> tuple[int, float]:
    """Put all rows of the index into an empty table of its shape; how many, and the seconds."""
    from django.db import connection, transaction

    from archive.index import postgresql
    from archive.index.schema import IndexRow

    columns = ", ".join(IndexRow._fields)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM archive_occurrence ORDER BY slot")
        rows = [IndexRow(*row) for row in cursor.fetchall()]
        _empty_table(cursor)
    batches = [sorted(rows[start : start + BATCH_ROWS]) for start in range(0, len(rows), BATCH_ROWS)]
    places = ", ".join(["%s"] * len(IndexRow._fields))
    began = time.perf_counter()
    for batch in batches:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.executemany(f"INSERT INTO bare_occurrence ({columns}) VALUES ({places})", batch)
            else:
                postgresql.insert(cursor, batch, "bare_occurrence")
    return len(rows), time.perf_counter() - began


def _empty_table(cursor: Any) -> None:
    """A table of the index's shape, `bare_occurrence`."""
    from django.db import connection

    from archive.index import sqlite

    if connection.vendor == "sqlite":
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [sqlite.RECENT])
        (statement,) = cursor.fetchone()
        cursor.execute(statement.replace(sqlite.RECENT, "bare_occurrence"))
    else:
        cursor.execute("CREATE TABLE bare_occurrence (LIKE archive_occurrence INCLUDING ALL)")


def measure(engine: str, games: int, workers: int) -> dict[str, Any]:
    """One engine's table."""
    from kifu_core import Position, shogi64

    start = shogi64.encode(Position.initial())
    with empty_archive(engine) as folder:
        files = write_files(folder / "one", range(games))
        began = time.process_time()
        with Steps() as steps:
            seconds = take_in(files, 1)
        busy = time.process_time() - began
        expect(games, "shogi", start)
        found: dict[str, Any] = {
            "engine": engine,
            "games": games,
            "files": len(files),
            "one": {"seconds": seconds, "games_a_second": games / seconds, "processor_seconds": busy},
            "steps": dict(steps.seconds) | {"other": busy - sum(steps.seconds.values())},
        }
        if engine == "postgresql" and workers > 1:
            more = write_files(folder / "several", range(games, 2 * games))
            seconds = take_in(more, workers)
            expect(2 * games, "shogi", start)
            found["several"] = {"workers": workers, "seconds": seconds, "games_a_second": games / seconds}
        rows, seconds = bare_rows()
        stored = 2 * games if "several" in found else games
        found["bare"] = {"rows": rows, "seconds": seconds, "games_a_second": stored / seconds}
    return found


@contextmanager
def _plain() -> Iterator[None]:
    """Games that come in get no tags, and wait for no columns."""
    from unittest.mock import patch

    from archive.columns import slots
    from archive.derive import formations

    with patch.object(formations, "found", lambda *_: ()), patch.object(slots, "wait", lambda _: None):
        yield


def _processor(do: Callable[[], object]) -> float:
    """The processor seconds of doing something: this process's, and those of PostgreSQL's process for it."""
    before = time.process_time() + _backend()
    do()
    return time.process_time() + _backend() - before


def _backend() -> float:
    from django.db import connection

    if connection.vendor == "sqlite":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def beside_columns(engine: str, games: int, rounds: int) -> dict[str, Any]:
    """Processor milliseconds a game without columns and tags and with them, of the fastest rounds."""
    spent: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, do: Callable[[], object], count: int = games) -> None:
        spent[name].append(1000 * _processor(do) / count)

    with empty_archive(engine) as folder:
        from archive.columns import building
        from archive.columns.folder import place
        from archive.columns.segments import merge_segments
        from archive.models import ColumnSegment
        from kifu_core.classes import PUBLIC

        take_in(write_files(folder / "first", range(GAMES_A_FILE)), 1)
        building.build()
        for turn in range(rounds):
            first = GAMES_A_FILE + 2 * turn * games
            without = write_files(folder / f"without {turn}", range(first, first + games))
            with_them = write_files(folder / f"with {turn}", range(first + games, first + 2 * games))
            # In turn, and each of them first as often: what grows, or drifts, meets both.
            for plain in (turn % 2 == 0, turn % 2 == 1):
                with _plain() if plain else nullcontext():
                    name, files = ("without", without) if plain else ("stored with them", with_them)
                    timed(name, lambda: take_in(files, 1))  # noqa: B023
            timed("columns", building.build)
        paths = [place(PUBLIC, name) for name in ColumnSegment.objects.values_list("name", flat=True)]
        for _ in range(rounds):
            timed("put together", lambda: merge_segments(paths, [], folder / "one"), rounds * games)
    found = {name: round(min(times), 3) for name, times in spent.items()}
    share = sum(found.values()) / found["without"] - 2
    return {"engine": engine, "games": games, "rounds": rounds, "ms_a_game": found, "more": round(share, 3)}


def show_beside(found: dict[str, Any]) -> None:
    print(f"{found['engine']}: {found['games']} games a round, {found['rounds']} rounds; ms a game")
    for name, spent in found["ms_a_game"].items():
        print(f"  {name:<18}{spent:8.3f}")
    print(f"  {found['more']:+.1%} with columns and tags")


def show(found: dict[str, Any]) -> None:
    """The table of one engine."""
    print(f"{found['engine']}: {found['games']} games in {found['files']} files")
    bare = found["bare"]["games_a_second"]
    for name in ("one", "several"):
        if name in found:
            rate = found[name]["games_a_second"]
            processes = found[name].get("workers", 1)
            print(
                f"  {processes} process(es)      {rate:8.0f} games/s   1/{bare / rate:.1f} of the bare rows"
            )
    print(f"  bare rows          {bare:8.0f} games/s   ({found['bare']['rows']} rows)")
    total = found["one"]["processor_seconds"]
    print(f"  processor time of one process: {total:.1f} s, {found['games'] / total:.0f} games/s")
    for step, seconds in sorted(found["steps"].items(), key=lambda item: -item[1]):
        print(f"    {step:<26}{seconds / total:6.0%}   {seconds / found['games'] * 1000:6.2f} ms a game")


# --- workers ---------------------------------------------------------------------------------------------


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
    until = time.monotonic() + CORPUS_SECONDS
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


# --- the corpus ------------------------------------------------------------------------------------------


def corpus_zip(folder: Path) -> tuple[bytes, int]:
    """Every file of the corpus in one ZIP, and how many."""
    out, count = io.BytesIO(), 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, str(path.relative_to(folder)))
                count += 1
    return out.getvalue(), count


def corpus(page: bool) -> dict[str, Any]:
    """Send the corpus through the API or the upload page of a running archive; the outcome. Raises SystemExit
    without it."""
    from tests.serving import archive_at, children_of
    from tests.shared import CORPUS

    if not CORPUS.is_dir():
        sys.exit("the corpus is not beside this checkout")
    data, files = corpus_zip(CORPUS)
    with tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name, archive_at(Path(name)) as archive:
        began = time.perf_counter()
        if page:
            (Path(name) / "corpus.zip").write_bytes(data)
            upload = send_by_page(archive.url, Path(name) / "corpus.zip")
        else:
            upload = archive.post_file(data, "corpus.zip")
        while (state := archive.get(f"/api/v1/uploads/{upload}"))["state"] not in ("done", "failed"):
            if time.perf_counter() - began > CORPUS_SECONDS:
                sys.exit("the import does not end")
            time.sleep(0.2)
        seconds = time.perf_counter() - began
        memory = max(
            _largest_memory(pid)
            for worker in children_of(archive, "worker")
            for pid in (worker, *_forked(worker))
        )
        codes: Counter[str] = Counter()
        for entry in archive.entries(upload):
            codes.update({issue["code"] for issue in entry["issues"] if entry["state"] == "failed"})
    return {
        "files": files,
        "bytes": len(data),
        "way": "upload page" if page else "API",
        "seconds": seconds,
        "memory_mib": memory,
        "entries": state["entries"],
        "codes_of_failures": dict(codes.most_common()),
    }


def send_by_page(url: str, path: Path) -> int:
    """Choose a file on the upload page and send it; the upload's id."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS, find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        opened = browser.new_page()
        opened.goto(f"{url}/upload/")
        opened.locator("#file").set_input_files(path)
        opened.locator("form.upload button.main").click()
        opened.wait_for_url("**/uploads/*/", timeout=CORPUS_SECONDS * 1000)
        upload = int(opened.url.rstrip("/").rpartition("/")[2])
        browser.close()
    return upload


def _forked(worker: int) -> list[int]:
    """The children of a worker."""
    return [int(pid) for pid in Path(f"/proc/{worker}/task/{worker}/children").read_text().split()]


def _largest_memory(pid: int) -> float:
    """The most memory a process has had so far, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def show_corpus(found: dict[str, Any]) -> None:
    print(f"{found['files']} files, {found['bytes'] / 2**20:.1f} MiB as ZIP, through the {found['way']}")
    for state, count in found["entries"].items():
        print(f"  {state:<12}{count:>7}")
    print(f"  {found['seconds']:.1f} s, largest memory of a worker {found['memory_mib']:.0f} MiB")
    for code, count in found["codes_of_failures"].items():
        print(f"    failed with {code:<24}{count:>5}")


# --- a paste beside an import ----------------------------------------------------------------------------


def pastes(games: int) -> dict[str, Any]:
    """Paste games while a file of many is worked off; how long each was not to be found."""
    from tests.serving import archive_at

    load = os.getloadavg()[0]
    data = generate.csa_file(range(games)).encode()
    taken: list[float] = []
    settings = {"ARCHIVE_WEB_WORKERS": "2", "DATABASE_URL": ""}
    with (
        tempfile.TemporaryDirectory(prefix="kifu-ingest-") as name,
        archive_at(Path(name), **settings) as archive,
    ):
        began = time.perf_counter()
        upload = archive.post_file(data, "games.csa")

        def stored() -> int:
            return sum(archive.get(f"/api/v1/uploads/{upload}")["entries"].values())

        while not stored():
            time.sleep(0.02)
        while len(taken) < PASTES and stored() < games:
            taken.append(_paste(archive, games + len(taken)))
        beside = stored()
        while stored() < games:
            time.sleep(0.2)
        seconds = time.perf_counter() - began
    taken.sort()
    return {
        "games": games, "load": load, "seconds": seconds, "stored_before_last_paste": beside,
        "pastes": taken, "target": PASTE_SECONDS,
    }  # fmt: skip


def _paste(archive: Any, number: int) -> float:
    """Paste a game and ask for its last position until it is found; the seconds that took."""
    text = generate.csa(number)
    code = generate.code(number, len(generate.moves(number)))
    began = time.perf_counter()
    archive.post_text(text, "paste.csa")
    while not archive.get(f"/api/v1/positions/shogi/{code}")["total"]:
        time.sleep(0.02)
    return time.perf_counter() - began


def show_pastes(found: dict[str, Any]) -> None:
    taken = found["pastes"]
    print(f"{found['games']} games imported in {found['seconds']:.0f} s; load before {found['load']:.1f}")
    print(f"  {len(taken)} pastes until {found['stored_before_last_paste']} of them were stored, found after")
    for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        print(f"    {name}  {taken[min(len(taken) - 1, int(share * len(taken)))]:6.2f} s")
    print(f"    target {found['target']:.0f} s")


def _numbers(written: str) -> list[int]:
    return [int(word) for word in written.split(",")]


def main() -> None:
    """Print tables, or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--games", type=int, help="2,000; beside pastes 10,000")
    parser.add_argument("--workers", type=_numbers, help="2; with --served 1,2,4")
    parser.add_argument("--columns", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--served", action="store_true")
    parser.add_argument("--broker", choices=BROKERS, default="redis")
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--paste", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.corpus:
        found = corpus(options.page)
        print(json.dumps(found)) if options.json else show_corpus(found)
    elif options.served:
        found = served(options.games or 2_000, options.workers or [1, 2, 4], options.broker)
        print(json.dumps(found)) if options.json else show_served(found)
    elif options.paste:
        found = pastes(options.games or 10_000)
        print(json.dumps(found)) if options.json else show_pastes(found)
    elif options.engine and options.columns:
        found = beside_columns(options.engine, options.games or 2_000, options.rounds)
        print(json.dumps(found)) if options.json else show_beside(found)
    elif options.engine:
        found = measure(options.engine, options.games or 2_000, (options.workers or [2])[-1])
        print(json.dumps(found)) if options.json else show(found)
    else:
        # Settings are read once in a process: each engine has its own.
        for engine in ENGINES:
            words = [sys.executable, "-m", "benchmarks.ingest", "--engine", engine, *sys.argv[1:]]
            subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
