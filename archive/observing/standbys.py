"""The state of streaming replicas in this process: which of them can be read, and their lag.

At most once a second, one thread queries the primary for the end of its WAL, and each replica for its replay
position. A replica's lag is the age of the oldest end of the WAL that it has not reached, so it also grows
for a replica that has lost its connection to the primary.
"""

from __future__ import annotations

import logging
import time
from collections import deque
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
"""How long a replica is left out after an error."""
_SAMPLES: Final = 600

_END: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
_REPLAYED: Final = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint"
_NO_ANSWER: Final = (DatabaseError, InterfaceError)


@dataclass(slots=True)
class Standby:
    """A replica: its replay position in the WAL, and until when it is left out."""

    alias: str
    replayed: int = 0
    out_until: float = 0.0


@dataclass
class Standbys:
    """All replicas of the settings."""

    replicas: list[Standby] = field(default_factory=list)
    ends: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_SAMPLES))
    """Times, and the ends of the primary's WAL at them."""
    sampled: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def usable(self, visitor: int, seen: int) -> str:
        """Return a replica for a visitor who has seen the WAL up to a position; PRIMARY if none can be read.

        A visitor gets the same replica while it can be read, so that pages do not go back in time.
        """
        self.sample()
        start = visitor % len(self.replicas) if self.replicas else 0
        for replica in (*self.replicas[start:], *self.replicas[:start]):
            if self._may_be_read(replica, seen):
                return replica.alias
        return PRIMARY

    def _may_be_read(self, replica: Standby, seen: int) -> bool:
        if replica.replayed < seen or time.monotonic() < replica.out_until:
            return False
        return bool(replica.replayed) and self.lag(replica) <= settings.ARCHIVE_REPLICA_LAG_SECONDS

    def lag(self, replica: Standby) -> float:
        """Return the lag of a replica in seconds."""
        missed = next((at for at, end in list(self.ends) if end > replica.replayed), None)
        return 0.0 if missed is None else time.monotonic() - missed

    def lags(self) -> dict[str, float]:
        """Return the lags of reachable replicas by name."""
        self.sample()
        now = time.monotonic()
        reachable = [replica for replica in self.replicas if replica.replayed and now >= replica.out_until]
        return {replica.alias: self.lag(replica) for replica in reachable}

    def leave_out(self, alias: str, error: Exception) -> None:
        """Leave a replica out for `PAUSE_SECONDS`."""
        for replica in self.replicas:
            if replica.alias == alias:
                replica.out_until = time.monotonic() + PAUSE_SECONDS
        connections[alias].close()
        log.warning("replica %s is left out for %d s: %s", alias, PAUSE_SECONDS, error)

    def sample(self) -> None:
        """Query all positions, unless another thread does, or did within `SAMPLE_SECONDS`."""
        if time.monotonic() - self.sampled < SAMPLE_SECONDS or not self.lock.acquire(blocking=False):
            return
        try:
            self._sample()
        finally:
            self.sampled = time.monotonic()
            self.lock.release()

    def _sample(self) -> None:
        try:
            self.ends.append((time.monotonic(), _position(PRIMARY, _END)))
        except _NO_ANSWER as error:  # The replicas can still be read.
            log.warning("the database does not tell where its WAL ends: %s", error)
        for replica in self.replicas:
            if time.monotonic() >= replica.out_until:
                try:
                    replica.replayed = _position(replica.alias, _REPLAYED)
                except _NO_ANSWER as error:
                    self.leave_out(replica.alias, error)


def _position(alias: str, sql: str) -> int:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0] or 0)


def end_of_wal() -> int:
    """Return the end of the primary's WAL: all that is committed is before it."""
    return _position(PRIMARY, _END)


standbys: Final = Standbys([Standby(alias) for alias in settings.DATABASES if alias != PRIMARY])
if standbys.replicas:
    replicas.register(standbys.lags)
