"""Visitors beside slow ones: what 500 connections that hold requests back cost everybody else.

    python -m benchmarks.slow [--slow 500] [--requests 600] [--clients 2] [--json]

Starts `manage.py serve` in a folder and on a port of its own. Visitors ask for an address that does nothing
and for a position, over connections that they keep: quiet first, then beside slow ones of each kind, and
quiet again. The slow ones are idle, stop in the middle of their headers or of a body, trickle a body byte by
byte, or never take the answer to a large download; those that are cut off come again.

How to read it: the ratio to the quieter of the two quiet rounds, of the same run; its target is 2 at p99.
An answer that is no 2xx, or a connection that breaks, is an error: there must be none.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from socket import create_connection, socket
from typing import Any, Final

from benchmarks import generate
from benchmarks.serve import HOST, Server, percentile, running, say
from benchmarks.support import interpreter
from benchmarks.support.targets import Target, verdict

HEALTH: Final = "/healthz"
TARGET: Final = 2.0
PATIENCE_SECONDS: Final = 30.0
LOOK_AGAIN_SECONDS: Final = 0.5
SETTLE_SECONDS: Final = 5.0
"""Coming all at once is work; what is measured is their staying."""

DOWNLOAD_GAMES: Final = 2_000
"""Games of the file whose download nobody takes; some 2 MB."""

_POST: Final = b"POST /api/v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
BEGINNINGS: Final = {
    "idle": b"",
    "half headers": b"GET / HTTP/1.1\r\nHost: local",
    "half bodies": _POST + b"x" * 1000,
    "trickling bodies": _POST,
    "untaken downloads": b"GET /api/v1/uploads/%d/source HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


class Crowd:
    """Connections that hold something back, kept at their number."""

    def __init__(self, port: int, count: int, beginning: bytes, trickle: bool) -> None:
        self.port = port
        self.beginning = beginning
        self.trickle = trickle
        self.ended = threading.Event()
        self.connections = [self._connect() for _ in range(count)]

    def _connect(self) -> socket:
        one = create_connection((HOST, self.port), timeout=PATIENCE_SECONDS)
        one.sendall(self.beginning)
        return one

    def keep(self) -> None:
        """Send a byte where that is the way, and come again where the server has hung up; until the end."""
        while not self.ended.wait(LOOK_AGAIN_SECONDS):
            for number, one in enumerate(self.connections):
                try:
                    one.sendall(b"x" if self.trickle else b"")
                except OSError:
                    one.close()
                    self.connections[number] = self._connect()

    def close(self) -> None:
        """Leave."""
        for one in self.connections:
            one.close()


@contextmanager
def crowd(port: int, count: int, kind: str, download: int) -> Iterator[None]:
    """Slow visitors of a kind, beside whom the body runs."""
    beginning = BEGINNINGS[kind]
    slow = Crowd(port, count, beginning % download if b"%d" in beginning else beginning, "trickling" in kind)
    keeper = threading.Thread(target=slow.keep)
    keeper.start()
    try:
        time.sleep(SETTLE_SECONDS)
        yield
    finally:
        slow.ended.set()
        keeper.join()
        slow.close()


def ask(port: int, path: str, count: int) -> tuple[list[float], int]:
    """Milliseconds of so many requests over one connection, and how many had no 2xx."""
    times, errors = [], 0
    connection = HTTPConnection(HOST, port, timeout=PATIENCE_SECONDS)
    for _ in range(count):
        began = time.perf_counter()
        try:
            connection.request("GET", path)
            with connection.getresponse() as answer:
                answer.read()
                errors += answer.status >= 300
        except (OSError, HTTPException):
            errors += 1
            connection.close()
        times.append((time.perf_counter() - began) * 1000)
    connection.close()
    return times, errors


def visitors(port: int, clients: int, requests: int) -> dict[str, Any]:
    """What polite visitors meet at the address that does nothing and at a position."""
    found: dict[str, Any] = {}
    position = f"/api/v1/positions/shogi/{generate.code(0, 5)}"
    for name, path in (("nothing", HEALTH), ("position", position)):
        with ThreadPoolExecutor(clients) as pool:
            asked = [pool.submit(ask, port, path, requests // clients) for _ in range(clients)]
        times = [one for work in asked for one in work.result()[0]]
        shares = {"p50": percentile(times, 0.5), "p99": percentile(times, 0.99), "max": max(times)}
        errors = sum(work.result()[1] for work in asked)
        found[name] = {key: round(value, 2) for key, value in shares.items()} | {"errors": errors}
    return found


def measure(server: Server, slow: int, clients: int, requests: int) -> dict[str, Any]:
    """The rounds by name: quiet ones at both ends, and one beside each kind of slow visitors."""
    download = server.send(generate.csa_file(range(DOWNLOAD_GAMES)) + "'", "large.csa")
    server.wait(download)
    visitors(server.port, clients, requests)
    found = {"quiet": visitors(server.port, clients, requests)}
    for kind in BEGINNINGS:
        say(f"{slow} visitors: {kind}")
        with crowd(server.port, slow, kind, download):
            found[kind] = visitors(server.port, clients, requests)
    found["quiet again"] = visitors(server.port, clients, requests)
    return found


def with_ratios(found: dict[str, Any]) -> dict[str, Any]:
    """The rounds with how many times as long p99 is as in the quieter quiet one."""
    for name in ("nothing", "position"):
        quiet = min(found["quiet"][name]["p99"], found["quiet again"][name]["p99"])
        for kind in found:
            found[kind][name]["ratio"] = round(found[kind][name]["p99"] / quiet, 2)
    return found


def print_table(found: dict[str, Any]) -> None:
    """A line per round."""
    names = ("p50", "p99", "max", "ratio", "errors")
    print(f"{'ms':20}" + "".join(f"{'nothing ' + name:>16}" for name in names))
    print(f"{'':20}" + "".join(f"{'position ' + name:>16}" for name in names))
    for kind, rows in found.items():
        print(f"{kind:20}" + "".join(f"{rows['nothing'][name]:16g}" for name in names))
        print(f"{'':20}" + "".join(f"{rows['position'][name]:16g}" for name in names))
    print(f"target: ratio {TARGET:g}, no errors")


def targets_of(figures: dict[str, Any]) -> Iterator[Target]:
    """The ratios beside slow visitors, and no errors in any round."""
    for kind, rows in figures.items():
        for name, row in rows.items():
            if kind in BEGINNINGS:
                yield Target(f"{kind}: p99 of {name}", row["ratio"], TARGET, " times")
            yield Target(f"{kind}: errors of {name}", row["errors"], 0)


def main() -> None:
    """Measure and print; exit with 1 if somebody was not answered, or waited too long."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slow", type=int, default=500, help="slow connections of each kind")
    parser.add_argument("--requests", type=int, default=600, help="requests of a round to each address")
    parser.add_argument("--clients", type=int, default=2, help="visitors at a time")
    parser.add_argument("--json", action="store_true", help="only the line of JSON")
    options = parser.parse_args()
    interpreter.announce(only_json=options.json)
    with running(options.clients) as (server, _):
        found = with_ratios(measure(server, options.slow, options.clients, options.requests))
    if not options.json:
        print_table(found)
    print(interpreter.as_json(found))
    sys.exit(verdict(targets_of(found)))


if __name__ == "__main__":
    main()
