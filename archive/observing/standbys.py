"""Streaming replicas as this process knows them: which can be read now, and how far behind each is.

At most once a second one thread asks the first database where its WAL ends, and each replica how far it has
replayed it. A replica is behind by the age of the oldest such place that it has not reached: so one that
hears nothing any more falls behind, whatever it says itself.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from django.conf import settings
from django.db import connections
from django.db.utils import DatabaseError, InterfaceError

from archive.observing import replicas
from archive.project.reading import PRIMARY

log = logging.getLogger(__name__)

SAMPLE_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 10.0
"""After an error a replica is not asked for so long."""
_SAMPLES: Final = 600

_END: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
_REPLAYED: Final = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint"
_NO_ANSWER: Final = (DatabaseError, InterfaceError)


@dataclass(slots=True)
class Standby:
    """A replica: up to which byte of the WAL it has replayed, and until when it is left out."""

    alias: str
    replayed: int = 0
    out_until: float = 0.0


@dataclass
class Standbys:
    """All replicas of the settings, as this process knows them."""

    known: list[Standby] = field(default_factory=list)
    ends: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_SAMPLES))
    """Where the WAL of the first database ended, and when that was seen."""
    sampled: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def usable(self, visitor: int, seen: int) -> str:
        """Return the replica for a visitor who has seen the WAL up to a byte: always the same one while it
        can be read, so that pages do not jump back. Return the first database where there is none."""
        self.sample()
        start = visitor % len(self.known) if self.known else 0
        for one in (*self.known[start:], *self.known[:start]):
            if self._may_be_read(one, seen):
                return one.alias
        return PRIMARY

    def _may_be_read(self, one: Standby, seen: int) -> bool:
        if one.replayed < seen or time.monotonic() < one.out_until:
            return False
        return bool(one.replayed) and self.lag(one) <= settings.ARCHIVE_REPLICA_LAG_SECONDS

    def lag(self, one: Standby) -> float:
        """Return how many seconds a replica is behind."""
        missed = next((at for at, end in list(self.ends) if end > one.replayed), None)
        return 0.0 if missed is None else time.monotonic() - missed

    def lags(self) -> dict[str, float]:
        """Return the lags of those replicas that are there, by their names."""
        self.sample()
        now = time.monotonic()
        return {one.alias: self.lag(one) for one in self.known if one.replayed and now >= one.out_until}

    def leave_out(self, alias: str, error: Exception) -> None:
        """Leave a replica out for a while."""
        for one in self.known:
            if one.alias == alias:
                one.out_until = time.monotonic() + PAUSE_SECONDS
        connections[alias].close()
        log.warning("replica %s is left out for %d s: %s", alias, PAUSE_SECONDS, error)

    def sample(self) -> None:
        """Ask all of them where they are, unless that was done a moment ago or is being done."""
        if time.monotonic() - self.sampled < SAMPLE_SECONDS or not self.lock.acquire(blocking=False):
            return
        try:
            self._sample()
        finally:
            self.sampled = time.monotonic()
            self.lock.release()

    def _sample(self) -> None:
        try:
            self.ends.append((time.monotonic(), _asked(PRIMARY, _END)))
        except _NO_ANSWER as error:  # What there is to read can still be read.
            log.warning("the database does not tell where its WAL ends: %s", error)
        for one in self.known:
            if time.monotonic() >= one.out_until:
                try:
                    one.replayed = _asked(one.alias, _REPLAYED)
                except _NO_ANSWER as error:
                    self.leave_out(one.alias, error)


def _asked(alias: str, sql: str) -> int:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0] or 0)


def end_of_wal() -> int:
    """Return the byte at which the WAL of the first database ends: all that is committed stands before it."""
    return _asked(PRIMARY, _END)


def _made(aliases: Sequence[str]) -> Standbys:
    found = Standbys([Standby(alias) for alias in aliases])
    if aliases:
        replicas.tell_by(found.lags)
    return found


standbys: Final = _made([alias for alias in settings.DATABASES if alias != PRIMARY])
