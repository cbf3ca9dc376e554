"""One attack on one archive: what is sent, what is watched, and what came of it."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from django.conf import settings
from django.db import connections
from django.db.models import Count

from archive.models import Entry, Game, Upload
from tests.hostile import files
from tests.hostile.bodies import MULTIPART, multipart, part
from tests.hostile.classics import classics, heavy
from tests.hostile.client import Answer, exchange
from tests.hostile.drawing import Drawer
from tests.hostile.judging import Fault, faults
from tests.hostile.known import CSRF, learn, sign_in
from tests.hostile.requests import Request
from tests.hostile.routes import parameter_names, routes
from tests.hostile.size import Size
from tests.hostile.slow import SlowConnections, manners
from tests.hostile.visitors import Served, Visitors
from tests.hostile.watching import MIB, Watch
from tests.serving import Archive

SLOW_SECONDS = 2.0
"""No answer may take longer, as far as that is up to the archive."""
LIMITS = {"scheduler": 256 * MIB, "serve": 256 * MIB}
"""Resident bytes that no process of a role may have; for the others the settings say it."""
GIVE_UP = 8
"""After so many requests without any answer there is nothing left to attack."""
WORK_SECONDS = 1800
"""Patience with the worker: it has bombs to work off, on a machine that may be busy."""

_TRACEBACK = re.compile(r"^([ \t]*)Traceback \(most recent call last\):", re.MULTILINE)


@dataclass(frozen=True)
class Slow:
    """A request that was answered late: seconds as seen, and without those of waiting for a processor."""

    seconds: float
    own: float
    request: Request


@dataclass
class Report:
    """What an attack came to."""

    engine: str
    seed: int
    sent: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    twists: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By kind, detail and route."""
    examples: dict[tuple[str, str, str], str] = field(default_factory=dict)
    slow: list[Slow] = field(default_factory=list)
    memory: dict[str, int] = field(default_factory=dict)
    processes: dict[str, int] = field(default_factory=dict)
    visitors: dict[str, Served] = field(default_factory=dict)
    closed: Counter[str] = field(default_factory=Counter)
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fault(self, fault: Fault, where: str, example: Callable[[], str]) -> None:
        """Count one; the first of its sort gives the example."""
        key = (fault.kind, fault.detail, where)
        self.faults[key] += 1
        if self.faults[key] == 1:
            self.examples[key] = example()


class Attack:
    """An attack on a running archive, whose database this process can reach too."""

    def __init__(self, archive: Archive, engine: str, size: Size, seed: int, folder: Path) -> None:
        self.archive, self.size, self.folder = archive, size, folder
        self.host = archive.url.removeprefix("http://")
        name, _, port = self.host.rpartition(":")
        self.place = (name, int(port))
        self.report = Report(engine, seed)
        self.dice = Random(seed)
        self.kept: set[int] = set()
        self._lock = threading.Lock()
        self._silent = 0
        self.guilty: list[Slow] = []
        self.spans: dict[str, tuple[float, float]] = {}
        self.data = Path(archive.environment["ARCHIVE_DATA_DIR"])
        self.watch = Watch(self.data)
        cookies = {"user": sign_in("user", staff=False), "staff": sign_in("staff", staff=True)}
        self.drawer = Drawer(routes(), parameter_names(), self.host, seed, cookies)

    # --- the whole ---------------------------------------------------------------------------------------

    def run(self) -> Report:
        """Attack, and look what is left."""
        pages = self._pages_of_visitors()
        self._learn()
        log = self.data / "visitors.log"
        log.touch()
        visitors = Visitors(self.host, log, pages)
        self.watch.start()
        try:
            with self._phase("quiet"):
                time.sleep(self.size.quiet_seconds)
            slow = SlowConnections(self.place, self.size.slow, manners(self.host, pages))
            slow.start()
            try:
                if self.size.slow:
                    with self._phase("beside slow connections"):
                        time.sleep(self.size.quiet_seconds)
                with self._phase("under attack"):
                    self._attack()
            finally:
                slow.stop()
                self.report.closed = slow.closed
            self._wait_for_worker()
            with self._phase("afterwards"):
                time.sleep(self.size.quiet_seconds)
                self._ask_again()
        finally:
            self.watch.stop()
            visitors.stop()
        self.report.visitors = {title: visitors.between(*span) for title, span in self.spans.items()}
        self._judge_rest()
        return self.report

    @contextmanager
    def _phase(self, title: str) -> Iterator[None]:
        began = time.monotonic()
        print(f"  {title} ...", flush=True)
        try:
            yield
        finally:
            self.spans[title] = (began, time.monotonic())

    def _pages_of_visitors(self) -> list[str]:
        """What polite visitors ask for, from an upload that is attacked by nobody."""
        # Numbers that are often tried lead to the first uploads.
        later = Game.objects.filter(kind="shogi", entries__upload__gt=10)
        game = later.order_by("-plies").first()
        assert game is not None
        self.kept = set(Entry.objects.filter(game=game).values_list("upload", flat=True))
        code = self.archive.get(f"/api/v1/games/{game.pk}/positions")["results"][8]["code"]
        return [
            f"/games/{game.pk}/",
            "/healthz",
            f"/api/v1/positions/shogi/{code}",
            "/healthz",
            f"/positions/shogi/{code}/",
        ]

    def _learn(self) -> None:
        self.drawer.known = learn(self.archive, self.kept)
        connections.close_all()

    def _attack(self) -> None:
        first = self.size.requests // 2
        with ThreadPoolExecutor(1, "uploads") as uploads:
            sent = uploads.submit(self._upload)
            self._send_all(classics(self.host, self.drawer.known))
            self._send_all(self._drawn(0, first))
            sent.result()
        if self.size.heavy:
            self._send_all(heavy(self.host))
        self._wait_for_worker()
        if not self._given_up:
            self._learn()
        # What the files have become is among the values now.
        self._look_at_entries()
        self._send_all(self._stored())
        self._send_all(self._taken_down())
        self._send_all(self._drawn(first, self.size.requests))

    def _drawn(self, first: int, last: int) -> Iterator[Request]:
        return (self.drawer.draw(number) for number in range(first, last))

    # --- sending -----------------------------------------------------------------------------------------

    @property
    def _given_up(self) -> bool:
        return self._silent >= GIVE_UP

    def _send_all(self, requests: Iterable[Request]) -> None:
        waiting, turn = iter(requests), threading.Lock()

        def lane() -> None:
            while not self._given_up:
                with turn:
                    request = next(waiting, None)
                if request is None:
                    return
                self._send(request)

        lanes = [threading.Thread(target=lane, name=f"lane {n}") for n in range(self.size.lanes)]
        for one in lanes:
            one.start()
        for one in lanes:
            one.join()

    def _send(self, request: Request) -> Answer:
        answer = exchange(request, self.place, self.size.patience)
        found = list(faults(request, answer))
        with self._lock:
            report = self.report
            report.sent += 1
            report.statuses[answer.status] += 1
            report.routes[request.route] += 1
            report.twists.update(request.twists)
            self._silent += "out of time" in answer.problem
            number = sum(report.faults.values())
            for fault in found:
                where = f"answers of {answer.status}" if fault.kind == "missing header" else request.route
                report.fault(fault, where, lambda: self._again(request, number))
            if answer.seconds > SLOW_SECONDS:
                waited = self.watch.starved(answer.began, answer.began + answer.seconds)
                report.slow.append(Slow(answer.seconds, max(0.0, answer.seconds - waited), request))
        return answer

    def _again(self, request: Request, number: int) -> str:
        return request.again(self.host, self.folder, f"{number}.bin")

    def _upload(self) -> None:
        """Send the files, one after the other."""
        for title in files.chosen(self.size.files, self.dice):
            if self._given_up:
                return
            name, data = files.FILES[title]()
            self.report.files.append(title)
            shown = name.encode("utf-8", "surrogatepass").replace(b'"', b"%22").replace(b"\n", b"%0A")
            body = multipart(part(b"file", data, shown, b"application/octet-stream"))
            given = (("Host", self.host.encode()), ("Content-Type", MULTIPART.encode()))
            answer = self._send(
                Request("POST", b"/api/v1/uploads", given, body, route="/api/v1/uploads", twists=(title,))
            )
            if answer.status not in {200, 202}:
                self.report.notes.append(f"{title}: answered {answer.status} {answer.problem}")

    def _stored(self) -> Iterator[Request]:
        """Everything there is of the uploads that came in, and of their games, asked for politely."""
        given = (("Host", self.host.encode()),)
        uploads = list(Upload.objects.exclude(source="samples").order_by("pk").values_list("pk", flat=True))
        few = self.dice.sample(uploads, min(len(uploads), max(20, self.size.files)))
        addresses = [f"/uploads/{pk}/" for pk in few]
        addresses += [
            f"/api/v1/uploads/{pk}{rest}"
            for pk in few
            for rest in ("", "/entries", "/entries?format=csv", "/source")
        ]
        for upload in few:
            rows = Entry.objects.filter(upload=upload).order_by("seq")
            for seq, game in rows.values_list("seq", "game_id")[:3]:
                at = f"/api/v1/uploads/{upload}/entries/{seq}"
                addresses += [f"{at}/source", f"{at}/report"]
                if game:
                    addresses += [f"/games/{game}/", f"/embed/games/{game}/", f"/games/{game}/?ply=3"]
                    addresses += [
                        f"/api/v1/games/{game}{rest}"
                        for rest in (
                            "",
                            "/series",
                            "/positions",
                            "/record.jkf",
                            "/record.kifu",
                            "/record.csa",
                            "/record.json",
                        )
                    ]
        connections.close_all()
        for address in dict.fromkeys(addresses):
            title = re.sub(r"/\d+", "/{n}", address)
            yield Request("GET", address.encode(), given, route=title, twists=("stored",))

    def _taken_down(self) -> Iterator[Request]:
        """The largest upload, deleted again and again while it is looked at."""
        largest = (
            Upload.objects.exclude(source="samples").annotate(n=Count("entries")).order_by("-n", "pk").first()
        )
        connections.close_all()
        if largest is None:
            return
        cookie = self.drawer.cookies["staff"].encode()
        signed = (("Host", self.host.encode()), ("Cookie", cookie), ("X-CSRFToken", CSRF.encode()))
        about, title = f"/api/v1/uploads/{largest.pk}", "/api/v1/uploads/{n}"
        for _ in range(8):
            yield Request("DELETE", about.encode(), signed, route=title, twists=("deleted again",))
            for rest in ("", "/entries", "/entries/0/source", "/source"):
                yield Request(
                    "GET", f"{about}{rest}".encode(), signed, route=title + rest, twists=("deleted",)
                )

    def _look_at_entries(self) -> None:
        """An entry that failed for a fault of ours, whatever was sent."""
        failed = Entry.objects.filter(state=Entry.State.FAILED).order_by("pk")
        rows = failed.values_list("upload__name", "path", "issues")
        for name, path, issues in rows.iterator():
            if any(issue["code"] == "internal-error" for issue in issues):
                fault = Fault("internal error", f"an entry of {name[:40]!r}")
                self.report.fault(fault, "worker", partial(str, f"{name[:40]!r}: {path[:80]!r}"))

    # --- afterwards --------------------------------------------------------------------------------------

    def _wait_for_worker(self) -> None:
        until = time.monotonic() + WORK_SECONDS
        waiting = Upload.objects.filter(state__in=["received", "processing", "deleting"])
        while waiting.exists() and time.monotonic() < until and not self._given_up:
            connections.close_all()
            time.sleep(0.3)
        if waiting.exists():
            names = [
                f"{pk} ({name[:30]!r}, {state})"
                for pk, name, state in waiting.values_list("pk", "name", "state")[:5]
            ]
            fault = Fault("not worked off", f"{waiting.count()} uploads")
            self.report.fault(fault, "worker", lambda: ", ".join(names))
        connections.close_all()

    def _ask_again(self) -> None:
        """Ask for what was slow once more, when nobody else asks for much; what is quick now, was held up."""
        self.guilty = [one for one in self.report.slow if one.own > SLOW_SECONDS]
        if self.size.again:
            self.guilty = [one for one in self.guilty if self._slow_again(one)]

    def _slow_again(self, one: Slow) -> bool:
        before = len(self.report.slow)
        self._send(one.request)
        again = any(late.own > SLOW_SECONDS for late in self.report.slow[before:])
        if not again:
            self.report.notes.append(
                f"{one.seconds:.1f} s once, not again: {one.request.method} {one.request.route}"
            )
        return again

    def _judge_rest(self) -> None:
        """Slow answers, memory, the log, and visitors that were not served."""
        for number, one in enumerate(self.guilty):
            fault = Fault("over 2 s", ", ".join(one.request.twists)[:60])
            command = self._again(one.request, 100_000 + number)
            example = f"{one.seconds:.1f} s, {one.own:.1f} s of its own: {command}"
            self.report.fault(fault, one.request.route, partial(str, example))
        self.report.memory = self.watch.largest()
        self.report.processes = {role: len(found) for role, found in self.watch.peaks.items()}
        limits = {"web": settings.WEB_MEMORY_MB * MIB, "worker": settings.WORKER_MEMORY_MB * MIB} | LIMITS
        for role, size in self.report.memory.items():
            if size > limits.get(role, limits["worker"]):
                self.report.fault(Fault("memory", f"{role} had {size // MIB} MiB"), role, lambda: "")
        for title, served in self.report.visitors.items():
            for began, seconds, path in served.late(self.size.visitor_seconds):
                if seconds - self.watch.starved(began, began + seconds) > self.size.visitor_seconds:
                    over = f"over {self.size.visitor_seconds:.0f} s"
                    self.report.fault(
                        Fault("a visitor waited", over), title, partial(str, f"{seconds:.1f} s: {path}")
                    )
            for path in served.unserved:
                self.report.fault(Fault("a visitor was not served", path), title, lambda: "")
        if self._given_up:
            self.report.fault(Fault("gave up", f"{GIVE_UP} requests had no answer"), "all", lambda: "")
        for text in errors(self.archive.log.read_text(errors="replace")):
            self.report.fault(Fault("in the log", text[:100]), "log", lambda: str(self.folder / "serve.log"))


def errors(log: str) -> Iterator[str]:
    """The last line of each traceback, and what else tells of a fault of ours."""
    for found in _TRACEBACK.finditer(log):
        # What follows a traceback as far indented as it begins is the error.
        last = re.compile(rf"^{found[1]}(?!\s|Traceback).*", re.MULTILINE).search(log, found.end())
        yield last[0].strip() if last else "Traceback"
    for line in log.splitlines():
        if "panicked at" in line or "died; it starts again" in line or "Unexpected exit" in line:
            yield line
