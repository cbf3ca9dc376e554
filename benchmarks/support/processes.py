"""What processes take of the processor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process as Linux tells of it; its processor seconds have those of its children that ended."""

    name: str
    parent: int
    seconds: float


def all_processes() -> dict[int, Process]:
    """Return all processes of this machine by their ids; none where the system is not Linux."""
    found, tick = {}, os.sysconf("SC_CLK_TCK")
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = path.read_text(errors="replace")
        except OSError:  # it has ended just now
            continue
        name, _end, rest = told.partition("(")[2].rpartition(")")
        words = rest.split()
        seconds = sum(map(int, words[11:15])) / tick
        found[int(path.parent.name)] = Process(name, int(words[1]), seconds)
    return found


def processor_of(roots: set[int]) -> float:
    """Return the processor seconds of processes and of all below them."""
    known = all_processes()

    def belongs(pid: int) -> bool:
        while pid in known and pid not in roots:
            pid = known[pid].parent
        return pid in roots

    return sum(one.seconds for pid, one in known.items() if belongs(pid))


def server_seconds() -> float:
    """Return the processor seconds of PostgreSQL's process for the connection of this one; 0 on SQLite."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return all_processes()[pid].seconds
