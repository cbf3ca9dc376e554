"""Pages and small uploads while a large import runs, on an archive as `make run` starts it, on SQLite.

    python -m benchmarks.serve [--games 2000] [--loads 200] [--uploads 50] [--clients 2] [--json]

Starts `manage.py serve` in a folder and on a port of its own and sends one file of many games. Once the
first of them are stored, several threads request pages and send small uploads without a pause. Then the
same pages are requested from the idle server, and single uploads are followed until search finds them. A
page load is the HTML or JSON of one address over a new connection.

Compare the ratios of busy to idle, not times. `nothing` is an address whose view reads no data, requested
among the others: its ratio is the processor's share, and the rest of a page's ratio is the database's.
Any answer but 2xx is an error. An error or a lost game makes the exit code 1. `within the import` counts the
requests that were answered before the import ended; the others met a worker that was busy with the small
uploads. A kind has only a few dozen requests, so its p99 is nearly the maximum.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, cast

from benchmarks import generate
from benchmarks.support import announce, as_json, options_of, percentile, say
from tests.serving import free_port, started

HOST = "127.0.0.1"
SINGLES = 10
WARMING = 48
"""Page loads before anything is measured, so that each web process has its templates."""

POLL_SECONDS = 0.2
ANSWER_SECONDS = 60.0
IMPORT_SECONDS = 1200.0

UPLOADS = "/api/v1/uploads"
POSITIONS = "/api/v1/positions/shogi"
UPLOAD = "small upload"
STATE = "state of the import"
NOTHING = "nothing (limit)"
APART = {UPLOAD, STATE, NOTHING}
"""Kinds of requests other than page loads."""

# --- requests --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """A request: a POST if it has a body."""

    kind: str
    path: str
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `status` 0 means that there was none, and `body` is the error. `ended` is a time of day."""

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
        """Return the body as an object. Raises RuntimeError for an answer that is an error."""
        if not self.ok:
            raise RuntimeError(self.failure)
        return cast(dict[str, Any], json.loads(self.body))

    @property
    def failure(self) -> str:
        return f"{self.call.path}: {self.status or 'no answer'}: {self.body[:300].decode(errors='replace')}"


def upload_of(text: str, name: str) -> Call:
    """Return the upload of a file, as a browser's form sends it."""
    boundary = "kifu-archive-benchmark"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return Call(UPLOAD, UPLOADS, f"{head}{text}\r\n--{boundary}--\r\n".encode())


@dataclass(frozen=True, slots=True)
class Server:
    """A running archive, as so many clients at once see it."""

    port: int
    clients: int = 1

    def request(self, call: Call) -> Answer:
        """Send a request over a connection of its own; a failure becomes an answer with status 0."""
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
        """Return the JSON object at an address. Raises RuntimeError for an error."""
        return self.request(Call(kind, path)).json

    def send(self, text: str, name: str) -> int:
        """Upload a file; return the upload's id."""
        return new_id(self.request(upload_of(text, name)))

    def upload(self, upload: int) -> dict[str, Any]:
        return self.get(f"{UPLOADS}/{upload}")

    def wait(self, upload: int, entries: int | None = None) -> dict[str, Any]:
        """Wait until an upload has so many entries or has ended; return it. Raises TimeoutError."""
        for _ in polls(IMPORT_SECONDS):
            state = self.upload(upload)
            if state["finished"] or (entries and sum(state["entries"].values()) >= entries):
                return state
        raise TimeoutError(f"upload {upload} is not done after {IMPORT_SECONDS} s")

    def time_requests(self, calls: Sequence[Call], watched: int | None = None) -> list[Answer]:
        """Send all requests without a pause; meanwhile poll the watched upload's state."""
        watching: list[Answer] = []
        with ThreadPoolExecutor(self.clients) as pool:
            sent = [pool.submit(self.request, call) for call in calls]
            if watched is not None:
                for _ in polls(IMPORT_SECONDS):
                    watching.append(self.request(Call(STATE, f"{UPLOADS}/{watched}")))
                    if all(one.done() for one in sent):
                        break
        return [one.result() for one in sent] + watching


def polls(seconds: float, pause: float = POLL_SECONDS) -> Iterator[None]:
    """Yield for so many seconds, with pauses."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(pause)


def new_id(answer: Answer) -> int:
    """Return the id of a new upload. Raises RuntimeError for a duplicate."""
    (upload,) = answer.json["uploads"]
    if upload["duplicate"]:
        raise RuntimeError(f"upload {upload['id']} existed already: the games are not distinct")
    return int(upload["id"])


# --- the server ------------------------------------------------------------------------------------------


def environment(folder: Path) -> dict[str, str]:
    """Return this environment with the defaults of `make run`, a data folder and a free port."""
    others = {"DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG"}
    inherited = {k: v for k, v in os.environ.items() if k not in others and not k.startswith("ARCHIVE_")}
    bind = f"{HOST}:{free_port()}"
    return inherited | {"ARCHIVE_DATA_DIR": str(folder), "ARCHIVE_BIND": bind, "ARCHIVE_SAMPLES": "1"}


@contextmanager
def running(clients: int) -> Iterator[tuple[Server, Path]]:
    """Start an archive with its samples in a temporary folder; yield it and its log after a first upload."""
    with tempfile.TemporaryDirectory(prefix="archive-benchmark-") as name:
        log = Path(name) / "serve.log"
        with started(environment(Path(name)), log) as archive:
            server = Server(int(archive.url.rpartition(":")[2]), clients)
            server.wait(server.send(generate.csa(-1), "first.csa"))
            yield server, log


# --- the requests ---------------------------------------------------------------------------------------


def page_calls(count: int, games: Sequence[int], imported: int) -> list[Call]:
    """Return page loads, the same number of each kind; half of the import's positions are openings."""
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
    """Shuffle requests into an order that is always the same."""
    calls = [call for kind in kinds for call in kind]
    random.Random(0).shuffle(calls)
    return calls


# --- the measurement -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Import:
    """An import beside visitors: its end (a time of day), its seconds, the games stored."""

    ended: float
    seconds: float
    stored: int


@dataclass(frozen=True, slots=True)
class Run:
    """The results of a run. Waits are seconds from an upload until its game is stored or found."""

    busy: list[Answer]
    idle: list[Answer]
    imported: Import
    small_stored: int
    small_waits: list[float]
    single_waits: list[float]
    log_errors: int
    load_before: float


def measure(games: int, loads: int, uploads: int, clients: int) -> Run:
    """Run it. Raises RuntimeError or TimeoutError where the archive fails."""
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
        say("requests to the idle server ...")
        idle = server.time_requests(mixed(pages, nothing))
        singles = [single(server, number) for number in range(games + uploads, games + uploads + SINGLES)]
        idle += [answer for answer, _ in singles]
        stored = sum(one["entries"]["stored"] for one in done)
        waits = [moment(one["finished"]) - moment(one["received"]) for one in done]
        return Run(busy, idle, imported, stored, waits, [wait for _, wait in singles], complaints(log), load)


def visited_import(server: Server, text: str, calls: Sequence[Call]) -> tuple[list[Answer], Import]:
    """Import a file, and send all requests from the moment on when its first games are stored."""
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
    """Wait until the small uploads among the answers have ended; return them."""
    say("waiting for the small uploads ...")
    sent = [new_id(answer) for answer in answers if answer.call.kind == UPLOAD and answer.ok]
    return [server.wait(one) for one in sent]


def complaints(log: Path) -> int:
    """Count the tracebacks in the server's log, and show its end if there are any."""
    text = log.read_text(errors="replace")
    if count := text.count("Traceback"):
        say("\n".join(text.splitlines()[-40:]))
    return count


def game_ids(server: Server) -> list[int]:
    return [game["id"] for game in server.get("/api/v1/games?limit=100")["results"]]


def moment(text: str) -> float:
    """Return a time of the API as seconds since the epoch."""
    return datetime.fromisoformat(text).timestamp()


def single(server: Server, number: int) -> tuple[Answer, float]:
    """Upload a game and poll its last position until a game reaches it; return the upload's answer and the
    seconds."""
    call, code = upload_of(generate.csa(number), f"{number}.csa"), generate.code(number, 1000)
    began = time.perf_counter()
    answer = server.request(call)
    new_id(answer)
    for _ in polls(ANSWER_SECONDS, pause=0.005):
        if server.get(f"{POSITIONS}/{code}")["games"]:
            return answer, time.perf_counter() - began
    raise TimeoutError(f"game {number} is not searchable {ANSWER_SECONDS} s after its upload")


# --- the report ------------------------------------------------------------------------------------------


def figures(answers: Sequence[Answer]) -> dict[str, float]:
    """Return count, errors, and percentiles in milliseconds."""
    times = [answer.seconds * 1000 for answer in answers]
    points = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {"count": len(answers), "errors": sum(not answer.ok for answer in answers)} | {
        name: round(percentile(times, share), 1) for name, share in points.items()
    }


def summary(run: Run) -> dict[str, Any]:
    """Return the run as numbers: busy, idle and ratios by kind, then the import and the waits."""
    counted = [answer for answer in run.busy if answer.call.kind not in (STATE, NOTHING)]
    kinds = sorted({answer.call.kind for answer in run.busy}, key=lambda kind: (kind in APART, kind))
    chosen = {"all pages": {*kinds} - APART} | {kind: {kind} for kind in kinds}
    rows = {name: row(of_kinds(run.busy, only), of_kinds(run.idle, only)) for name, only in chosen.items()}
    return {
        "kinds": rows,
        "within_import": sum(answer.ended < run.imported.ended for answer in counted),
        "requests": len(counted),
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
    """Return figures of both, and the ratios of busy to idle for p50 and p95."""
    ours, theirs = figures(busy), figures(idle)
    ratios = {name: round(ours[name] / theirs[name], 2) for name in ("p50", "p95") if theirs[name]}
    return {"busy": ours, "idle": theirs if idle else None, "ratio": ratios}


def print_table(run: dict[str, Any]) -> None:
    """Print a line per kind, then the other figures."""
    names = ("count", "errors", "p50", "p95", "p99", "max")
    print(f"{'during the import, ms':22}" + "".join(f"{name:>8}" for name in names), end="")
    print("   idle p50     p95   ratio p50     p95")
    for kind, both in run["kinds"].items():
        print(f"{kind:22}" + "".join(f"{both['busy'][name]:8g}" for name in names), end="")
        idle, ratio = both["idle"], both["ratio"]
        print(f"{idle['p50']:11.1f}{idle['p95']:8.1f}{ratio['p50']:12.2f}{ratio['p95']:8.2f}" if idle else "")
    print(f"load of the machine before: {run['load_before']} on {os.cpu_count()} cores")
    print(f"within the import: {run['within_import']} of {run['requests']} requests")
    print(f"import: {run['import_games']} games, {run['import_games_per_s']} games/s with these visitors")
    print(f"small uploads stored: {run['small_stored']}, p50 {run['small_wait_s_p50']} s after their upload")
    print(
        f"one upload to searchable, idle: p50 {run['single_searchable_ms_p50']} ms, "
        f"max {run['single_searchable_ms_max']} ms"
    )


def faults(run: Run, games: int, uploads: int) -> list[str]:
    """Describe errors and lost games."""
    messages = [answer.failure for answer in [*run.busy, *run.idle] if not answer.ok]
    if run.imported.stored != games or run.small_stored != uploads:
        messages.append(f"{run.imported.stored} of {games} and {run.small_stored} of {uploads} games stored")
    if run.log_errors:
        messages.append(f"{run.log_errors} tracebacks in the server's log")
    return messages


def main() -> None:
    """Measure and print; exit with 1 if anything went wrong."""
    parser = options_of(__doc__)
    parser.add_argument("--games", type=int, default=2000, help="games of the import")
    parser.add_argument("--loads", type=int, default=200, help="page loads during the import, and after it")
    parser.add_argument("--uploads", type=int, default=50, help="small uploads during the import")
    parser.add_argument("--clients", type=int, default=2, help="threads that send requests")
    options = parser.parse_args()
    announce(only_json=options.json)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run = measure(options.games, options.loads, options.uploads, options.clients)
    results = summary(run)
    if not options.json:
        print_table(results)
    print(as_json(results))
    wrong = faults(run, options.games, options.uploads)
    for fault in wrong:
        say(fault)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
