"""Reading and uploading while a large import runs: an archive of its own, as `make run` starts it, on SQLite.

    python -m benchmarks.serve [--games 2000] [--loads 200] [--uploads 50] [--clients 2] [--json]
    python -m benchmarks.serve --pages [options of benchmarks.pages]
    python -m benchmarks.serve --mixed [options of benchmarks.mixed]

Starts `manage.py serve` in a folder and on a port of its own, sends one file of many games, and as soon as
the first of them are stored asks from several threads, without a pause, for pages and with small uploads.
Then the same pages are asked for again from the idle server, and single uploads are followed until search
finds them. A page load is the HTML or JSON of one address over a new connection.

How to read it: times on a shared machine mean little by themselves; the ratios of busy to idle, of one run,
do. `nothing` is an address that looks at no data, asked for among the others: what it takes longer than when
idle is the processor's share, what a page takes longer than that is the database's. An error is any answer
but 2xx; there must be none, and no game may be lost: otherwise the exit code is 1. `within` says how many
requests had their answer before the import ended; the others meet a worker that is busy with the small
uploads. Percentiles of a kind stand on a few dozen requests: p99 is nearly the maximum.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from socket import socket
from typing import Any, cast

from benchmarks import generate
from benchmarks.support import interpreter

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
SINGLES = 10
WARMING = 48
"""Page loads before anything is measured, so that each web process has its templates."""

POLL_SECONDS = 0.2
ANSWER_SECONDS = 60.0
START_SECONDS = 120.0
IMPORT_SECONDS = 1200.0
STOP_SECONDS = 20.0

UPLOADS = "/api/v1/uploads"
POSITIONS = "/api/v1/positions/shogi"
UPLOAD = "small upload"
STATE = "state of the import"
NOTHING = "nothing (limit)"
APART = {UPLOAD, STATE, NOTHING}
"""Kinds that are no page loads."""

# --- requests --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """A request: POST if it has a body."""

    kind: str
    path: str
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it; `status` 0 means no answer, and `body` says why. `ended` is a time of day."""

    call: Call
    status: int
    seconds: float
    ended: float
    body: bytes

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def json(self) -> dict[str, Any]:
        """The body as an object. Raises RuntimeError for an answer that is an error."""
        if not self.ok:
            raise RuntimeError(self.failure)
        return cast(dict[str, Any], json.loads(self.body))

    @property
    def failure(self) -> str:
        return f"{self.call.path}: {self.status or 'no answer'}: {self.body[:300].decode(errors='replace')}"


def upload_of(text: str, name: str) -> Call:
    """A file as a browser's form sends it."""
    boundary = "kifu-archive-benchmark"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return Call(UPLOAD, UPLOADS, f"{head}{text}\r\n--{boundary}--\r\n".encode())


@dataclass(frozen=True, slots=True)
class Server:
    """A running archive, as its visitors see it, so many of whom ask at once."""

    port: int
    clients: int = 1

    def ask(self, call: Call) -> Answer:
        """One request over a connection of its own; never raises for what the server does."""
        day, began = time.time(), time.perf_counter()
        try:
            status, body = self._exchange(call)
        except (OSError, HTTPException) as error:
            status, body = 0, repr(error).encode()
        seconds = time.perf_counter() - began
        return Answer(call, status, seconds, day + seconds, body)

    def _exchange(self, call: Call) -> tuple[int, bytes]:
        connection = HTTPConnection(HOST, self.port, timeout=ANSWER_SECONDS)
        kind = {"Content-Type": "multipart/form-data; boundary=kifu-archive-benchmark"} if call.body else {}
        try:
            connection.request("POST" if call.body else "GET", call.path, call.body, kind)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path: str, kind: str = "") -> dict[str, Any]:
        """The object at an address."""
        return self.ask(Call(kind, path)).json

    def send(self, text: str, name: str) -> int:
        """Upload a file; the upload's id."""
        return new_id(self.ask(upload_of(text, name)))

    def upload(self, upload: int) -> dict[str, Any]:
        """State and counts of an upload."""
        return self.get(f"{UPLOADS}/{upload}")

    def wait(self, upload: int, entries: int | None = None) -> dict[str, Any]:
        """The upload once it has so many entries, or has ended. Raises TimeoutError."""
        for _ in polls(IMPORT_SECONDS):
            found = self.upload(upload)
            if found["finished"] or (entries and sum(found["entries"].values()) >= entries):
                return found
        raise TimeoutError(f"upload {upload} is not done after {IMPORT_SECONDS} s")

    def time_requests(self, calls: Sequence[Call], watched: int | None = None) -> list[Answer]:
        """All requests at once, no client pausing; meanwhile the watched upload's state."""
        watching: list[Answer] = []
        with ThreadPoolExecutor(self.clients) as pool:
            asked = [pool.submit(self.ask, call) for call in calls]
            if watched is not None:
                for _ in polls(IMPORT_SECONDS):
                    watching.append(self.ask(Call(STATE, f"{UPLOADS}/{watched}")))
                    if all(one.done() for one in asked):
                        break
        return [one.result() for one in asked] + watching


def polls(seconds: float, pause: float = POLL_SECONDS) -> Iterator[None]:
    """Goes on for so long, with pauses."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(pause)


def new_id(answer: Answer) -> int:
    """The id of an upload just sent. Raises RuntimeError if it was not new."""
    (upload,) = answer.json["uploads"]
    if upload["duplicate"]:
        raise RuntimeError(f"upload {upload['id']} was there already: the games are not distinct")
    return int(upload["id"])


# --- the server ------------------------------------------------------------------------------------------


@contextmanager
def running(clients: int) -> Iterator[tuple[Server, Path]]:
    """An archive with its samples in a folder of its own, and its log; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="archive-benchmark-") as folder:
        log = Path(folder) / "serve.log"
        port = free_port()
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=ROOT, env=environment(folder, port), stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        try:
            yield started(Server(port, clients), process, log), log
        finally:
            stop(process)


@contextmanager
def served(port: int, log: Path, values: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py serve` with these variables, once it answers; nothing is sent to it. Raises RuntimeError
    where it has ended, TimeoutError."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT, env=values, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        _wait_for_answer(Server(port), process, log)
        yield process
    finally:
        stop(process)


def free_port() -> int:
    with socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def environment(folder: str, port: int) -> dict[str, str]:
    """The caller's environment without what would lead to another archive than the embedded default."""
    others = {"DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG"}
    kept = {k: v for k, v in os.environ.items() if k not in others and not k.startswith("ARCHIVE_")}
    ours = {"ARCHIVE_DATA_DIR": folder, "ARCHIVE_BIND": f"{HOST}:{port}", "ARCHIVE_SAMPLES": "1"}
    return kept | ours


def started(server: Server, process: subprocess.Popen[bytes], log: Path) -> Server:
    """The server, once it answers and has worked off a first upload. Raises RuntimeError, TimeoutError."""
    _wait_for_answer(server, process, log)
    server.wait(server.send(generate.csa(-1), "first.csa"))
    return server


def _wait_for_answer(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in polls(START_SECONDS):
        if process.poll() is not None:
            raise RuntimeError(f"serve ended with {process.returncode}:\n{tail(log)}")
        if server.ask(Call("", "/healthz")).ok:
            return
    raise TimeoutError(f"no answer after {START_SECONDS} s:\n{tail(log)}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End serve, which ends its children; they end by themselves when it has to be killed."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        time.sleep(STOP_SECONDS)


def tail(log: Path, lines: int = 40) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


# --- what is asked ---------------------------------------------------------------------------------------


def page_calls(count: int, games: Sequence[int], imported: int) -> list[Call]:
    """Page loads, as many of each kind; of the positions, which are the import's, half are openings."""
    dice = random.Random(count)

    def code() -> str:
        return generate.code(dice.randrange(imported), dice.choice([dice.randrange(12), dice.randrange(150)]))

    def call(number: int) -> Call:
        choices: list[tuple[str, Callable[[], str]]] = [
            ("home", lambda: "/"),
            ("list of games", lambda: "/games/"),
            ("game", lambda: f"/games/{dice.choice(games)}/"),
            ("position", lambda: f"/positions/shogi/{code()}/"),
            ("position, any match", lambda: f"/positions/shogi/{code()}/?match=any"),
            ("position, API", lambda: f"{POSITIONS}/{code()}"),
        ]
        kind, path = choices[number % len(choices)]
        return Call(kind, path())

    return [call(number) for number in range(count)]


def mixed(*kinds: Iterable[Call]) -> list[Call]:
    """Requests in a mixed order that is always the same."""
    calls = [call for kind in kinds for call in kind]
    random.Random(0).shuffle(calls)
    return calls


# --- the measurement -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Import:
    """An import that visitors met: when it ended (a time of day), how long it took, games stored."""

    ended: float
    seconds: float
    stored: int


@dataclass(frozen=True, slots=True)
class Run:
    """Everything one run gave. Waits are seconds from an upload to its game being stored or found."""

    busy: list[Answer]
    idle: list[Answer]
    imported: Import
    small_stored: int
    small_waits: list[float]
    single_waits: list[float]
    log_errors: int
    load_before: float


def measure(games: int, loads: int, uploads: int, clients: int) -> Run:
    """The whole run. Raises RuntimeError or TimeoutError where the archive does not do its part."""
    say(f"making {games + uploads + SINGLES} games ...")
    text = generate.csa_file(range(games))
    small = [upload_of(generate.csa(n), f"{n}.csa") for n in range(games, games + uploads)]
    load = os.getloadavg()[0]
    say("starting an archive ...")
    with running(clients) as (server, log):
        pages = page_calls(loads, game_ids(server), games)
        server.time_requests(pages[:WARMING])
        nothing = [Call(NOTHING, "/healthz")] * (loads // 6)
        busy, imported = visited_import(server, text, mixed(pages, small, nothing))
        done = worked_off(server, busy)
        say("asking the idle server ...")
        idle = server.time_requests(mixed(pages, nothing))
        singles = [single(server, number) for number in range(games + uploads, games + uploads + SINGLES)]
        idle += [answer for answer, _ in singles]
        stored = sum(one["entries"]["stored"] for one in done)
        waits = [moment(one["finished"]) - moment(one["received"]) for one in done]
        return Run(busy, idle, imported, stored, waits, [wait for _, wait in singles], complaints(log), load)


def visited_import(server: Server, text: str, calls: Sequence[Call]) -> tuple[list[Answer], Import]:
    """Import a file and ask for all this from the moment on when its first games are stored."""
    say(f"importing {len(text) / 1e6:.1f} MB ...")
    began = time.time()
    upload = server.send(text, "import.csa")
    server.wait(upload, entries=1)
    say(f"{len(calls)} pages and small uploads meanwhile ...")
    answers = server.time_requests(calls, watched=upload)
    done = server.wait(upload)
    ended = moment(done["finished"])
    return answers, Import(ended, ended - began, done["entries"]["stored"])


def worked_off(server: Server, answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """The small uploads among what was asked, once they have ended."""
    say("waiting for the small uploads ...")
    sent = [new_id(answer) for answer in answers if answer.call.kind == UPLOAD and answer.ok]
    return [server.wait(one) for one in sent]


def complaints(log: Path) -> int:
    """How many tracebacks the server's log has; its end is shown if there is any."""
    found = log.read_text(errors="replace").count("Traceback")
    if found:
        say(tail(log))
    return found


def game_ids(server: Server) -> list[int]:
    return [game["id"] for game in server.get("/api/v1/games?limit=100")["results"]]


def moment(text: str) -> float:
    """An ISO time of the API as a time of day."""
    return datetime.fromisoformat(text).timestamp()


def single(server: Server, number: int) -> tuple[Answer, float]:
    """Send one game and ask for its last position until search has it; the first answer, and all the time."""
    call, code = upload_of(generate.csa(number), f"{number}.csa"), generate.code(number, 1000)
    began = time.perf_counter()
    answer = server.ask(call)
    new_id(answer)
    for _ in polls(ANSWER_SECONDS, pause=0.005):
        if server.get(f"{POSITIONS}/{code}")["total"]:
            return answer, time.perf_counter() - began
    raise TimeoutError(f"game {number} is not found {ANSWER_SECONDS} s after its upload")


# --- the report ------------------------------------------------------------------------------------------


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all do not exceed; 0 of none."""
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)] if ranked else 0.0


def figures(answers: Sequence[Answer]) -> dict[str, float]:
    """Count, errors, and milliseconds."""
    times = [answer.seconds * 1000 for answer in answers]
    points = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {"count": len(answers), "errors": sum(not answer.ok for answer in answers)} | {
        name: round(percentile(times, share), 1) for name, share in points.items()
    }


def summary(run: Run) -> dict[str, Any]:
    """The run as numbers: per kind busy, idle and their ratios, then the import and the waits."""
    asked = [answer for answer in run.busy if answer.call.kind not in (STATE, NOTHING)]
    kinds = sorted({answer.call.kind for answer in run.busy}, key=lambda kind: (kind in APART, kind))
    chosen = {"all pages": {*kinds} - APART} | {kind: {kind} for kind in kinds}
    rows = {name: row(of_kinds(run.busy, only), of_kinds(run.idle, only)) for name, only in chosen.items()}
    return {
        "kinds": rows,
        "within_import": sum(answer.ended < run.imported.ended for answer in asked),
        "asked": len(asked),
        "import_games": run.imported.stored,
        "import_games_per_s": round(run.imported.stored / run.imported.seconds, 1),
        "small_stored": run.small_stored,
        "small_wait_s_p50": round(percentile(run.small_waits, 0.5), 2),
        "single_searchable_ms_p50": round(percentile(run.single_waits, 0.5) * 1000, 1),
        "single_searchable_ms_max": round(percentile(run.single_waits, 1.0) * 1000, 1),
        "log_errors": run.log_errors,
        "load_before": round(run.load_before, 2),
    }


def of_kinds(answers: Iterable[Answer], kinds: Collection[str]) -> list[Answer]:
    return [answer for answer in answers if answer.call.kind in kinds]


def row(busy: Sequence[Answer], idle: Sequence[Answer]) -> dict[str, Any]:
    """Figures of both, and how many times as long p50 and p95 are when busy."""
    ours, theirs = figures(busy), figures(idle)
    ratios = {name: round(ours[name] / theirs[name], 2) for name in ("p50", "p95") if theirs[name]}
    return {"busy": ours, "idle": theirs if idle else None, "ratio": ratios}


def print_table(found: dict[str, Any]) -> None:
    """A line per kind, then what else there is to say."""
    names = ("count", "errors", "p50", "p95", "p99", "max")
    print(f"{'during the import, ms':22}" + "".join(f"{name:>8}" for name in names), end="")
    print("   idle p50     p95   ratio p50     p95")
    for kind, both in found["kinds"].items():
        print(f"{kind:22}" + "".join(f"{both['busy'][name]:8g}" for name in names), end="")
        idle, ratio = both["idle"], both["ratio"]
        print(f"{idle['p50']:11.1f}{idle['p95']:8.1f}{ratio['p50']:12.2f}{ratio['p95']:8.2f}" if idle else "")
    print(f"load of the machine before: {found['load_before']} on {os.cpu_count()} cores")
    print(f"within the import: {found['within_import']} of {found['asked']} requests")
    print(f"import: {found['import_games']} games, {found['import_games_per_s']} games/s with these visitors")
    print(
        f"small uploads stored: {found['small_stored']}, p50 {found['small_wait_s_p50']} s after their upload"
    )
    print(
        f"one upload to searchable, idle: p50 {found['single_searchable_ms_p50']} ms, "
        f"max {found['single_searchable_ms_max']} ms"
    )


def faults(run: Run, games: int, uploads: int) -> list[str]:
    """Everything that must not be."""
    found = [answer.failure for answer in [*run.busy, *run.idle] if not answer.ok]
    if run.imported.stored != games or run.small_stored != uploads:
        found.append(f"{run.imported.stored} of {games} and {run.small_stored} of {uploads} games stored")
    if run.log_errors:
        found.append(f"{run.log_errors} tracebacks in the server's log")
    return found


def say(text: str) -> None:
    """Progress goes to standard error, so that standard output is the report alone."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Measure and print; exit with 1 if anything went wrong."""
    if "--pages" in sys.argv:
        from benchmarks import pages

        pages.main([word for word in sys.argv[1:] if word != "--pages"])
    if "--mixed" in sys.argv:
        from benchmarks import mixed as programs

        programs.main([word for word in sys.argv[1:] if word != "--mixed"])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=2000, help="games of the import")
    parser.add_argument("--loads", type=int, default=200, help="page loads during the import, and after it")
    parser.add_argument("--uploads", type=int, default=50, help="small uploads during the import")
    parser.add_argument("--clients", type=int, default=2, help="threads that ask")
    parser.add_argument("--json", action="store_true", help="only the line of JSON")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run = measure(options.games, options.loads, options.uploads, options.clients)
    found = summary(run)
    if not options.json:
        print_table(found)
    print(interpreter.as_json(found))
    wrong = faults(run, options.games, options.uploads)
    for fault in wrong:
        say(fault)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
