"""Counters of windows, for all processes together; a process counts for itself while the store is away."""

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from django.conf import settings
from django.db import connection

from archive.http.limits.stores import Count, Store, StoreAwayError

log = logging.getLogger(__name__)

T = TypeVar("T")

AWAY_SECONDS: Final = 5.0
"""After a failure a store is not asked for so long: a dead one must not hold up every request."""


class OwnCounts:
    """Counters of one process alone, at most `most` of them: better than none while the store is away."""

    def __init__(self, most: int = 10_000) -> None:
        self.most = most
        self.counts: dict[bytes, tuple[float, int]] = {}
        self.lock = threading.Lock()

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        with self.lock:
            now = time.monotonic()
            until, total = self.counts.pop(key, (0.0, 0))
            if until <= now:
                until, total = now + seconds, 0
            while len(self.counts) >= self.most:
                del self.counts[next(iter(self.counts))]
            self.counts[key] = until, total + amount
            return Count(total + amount, until - now)

    def take_back(self, key: bytes, amount: int) -> None:
        with self.lock:
            if key in self.counts:
                until, total = self.counts[key]
                self.counts[key] = until, max(0, total - amount)

    def close(self) -> None:
        self.counts.clear()


class Counter:
    """A store, and what stands in for it while it is away."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self.own = OwnCounts()
        self.away_until = 0.0

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        return self._ask(
            lambda: self.store.add(key, amount, seconds), lambda: self.own.add(key, amount, seconds)
        )

    def take_back(self, key: bytes, amount: int) -> None:
        self._ask(lambda: self.store.take_back(key, amount), lambda: self.own.take_back(key, amount))

    def close(self) -> None:
        self.store.close()

    def _ask(self, ask: Callable[[], T], instead: Callable[[], T]) -> T:
        if time.monotonic() < self.away_until:
            return instead()
        try:
            found = ask()
        except StoreAwayError as error:
            self.away_until = time.monotonic() + AWAY_SECONDS
            log.warning("throttles: %s is away, each process counts for itself: %s", self.name, error)
            return instead()
        if self.away_until:
            self.away_until = 0.0
            log.warning("throttles: %s is back", self.name)
        return found


def key_of(*words: str) -> bytes:
    """Return the name of a counter, 16 bytes: nobody reads addresses or names of users out of a store."""
    secret = hashlib.sha256(settings.SECRET_KEY.encode()).digest()
    text = "\0".join(words).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16, key=secret).digest()


_counters: dict[str, Counter] = {}
_making = threading.Lock()


def counter() -> Counter:
    """Return the counter of this process, of the store that the settings name: `ARCHIVE_THROTTLE_STORE`, or
    what the archive has anyway: a Valkey or Redis as broker, else PostgreSQL, else a SQLite file."""
    name = store_name()
    found = _counters.get(name)
    if found is None:
        with _making:
            found = _counters.setdefault(name, Counter(_made(name), name.partition(":")[0]))
    return found


def store_name() -> str:
    """Return `sqlite`, `postgresql`, or the address of a Valkey or Redis."""
    if named := settings.ARCHIVE_THROTTLE_STORE:
        return str(named)
    if is_redis(settings.CELERY_BROKER_URL):
        return str(settings.CELERY_BROKER_URL)
    return connection.vendor


def is_redis(address: str) -> bool:
    """Return whether an address is that of one Valkey or Redis; that of a broker may name several."""
    return address.startswith(("redis://", "rediss://")) and ";" not in address


def _made(name: str) -> Store:
    # Each needs a library of its own, which only who uses it loads.
    if is_redis(name):
        from archive.http.limits.redis import RedisStore

        return RedisStore(name)
    if name == "postgresql":
        from archive.http.limits.postgresql import PostgreSQLStore

        return PostgreSQLStore()
    from archive.http.limits.sqlite import SQLiteStore

    return SQLiteStore(settings.DATA_DIR / "throttles.sqlite3")


def close() -> None:
    """Give all connections of this process back; counting goes on with new ones."""
    for one in _counters.values():
        one.close()
    _counters.clear()


def _forget() -> None:
    """Forget the parent's connections, on which a child must not speak."""
    global _making
    _counters.clear()
    _making = threading.Lock()


os.register_at_fork(after_in_child=_forget)
