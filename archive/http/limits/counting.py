"""Counters of time windows, shared by all processes; while the store is away each process counts alone."""

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
"""Pause after a failure of the store, so that a dead one does not delay every request."""


class LocalCounts:
    """Up to `limit` counters in this process, for the time while the store is away."""

    def __init__(self, limit: int = 10_000) -> None:
        self.limit = limit
        self.counts: dict[bytes, tuple[float, int]] = {}
        self.lock = threading.Lock()

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        with self.lock:
            now = time.monotonic()
            until, total = self.counts.pop(key, (0.0, 0))
            if until <= now:
                until, total = now + seconds, 0
            while len(self.counts) >= self.limit:
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
    """A store, with counters of this process as its fallback."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.name = name
        self.local = LocalCounts()
        self.away_until = 0.0

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        return self._call(lambda store: store.add(key, amount, seconds))

    def take_back(self, key: bytes, amount: int) -> None:
        self._call(lambda store: store.take_back(key, amount))

    def close(self) -> None:
        self.store.close()

    def _call(self, method: Callable[[Store], T]) -> T:
        if time.monotonic() < self.away_until:
            return method(self.local)
        try:
            result = method(self.store)
        except StoreAwayError as error:
            self.away_until = time.monotonic() + AWAY_SECONDS
            log.warning("throttles: %s is away, each process counts for itself: %s", self.name, error)
            return method(self.local)
        if self.away_until:
            self.away_until = 0.0
            log.warning("throttles: %s is back", self.name)
        return result


def key_of(*words: str) -> bytes:
    """Return the key of a counter, a 16-byte hash with the site's secret: stores contain no addresses."""
    secret = hashlib.sha256(settings.SECRET_KEY.encode()).digest()
    text = "\0".join(words).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16, key=secret).digest()


_counters: dict[str, Counter] = {}
_creating = threading.Lock()


def counter() -> Counter:
    """Return this process's counter for the store of the settings: `ARCHIVE_THROTTLE_STORE`, else a Valkey or
    Redis that is the broker, else PostgreSQL, else a SQLite file."""
    name = store_name()
    existing = _counters.get(name)
    if existing is None:
        with _creating:
            existing = _counters.setdefault(name, Counter(_store(name), name.partition(":")[0]))
    return existing


def store_name() -> str:
    """Return `sqlite`, `postgresql`, or the address of a Valkey or Redis."""
    if settings.ARCHIVE_THROTTLE_STORE:
        return str(settings.ARCHIVE_THROTTLE_STORE)
    if is_redis_url(settings.CELERY_BROKER_URL):
        return str(settings.CELERY_BROKER_URL)
    return connection.vendor


def is_redis_url(address: str) -> bool:
    """Return whether a URL names one Valkey or Redis; a broker's URL may name several."""
    return address.startswith(("redis://", "rediss://")) and ";" not in address


def _store(name: str) -> Store:
    # Each store needs a library of its own, so it is imported only if it is used.
    if is_redis_url(name):
        from archive.http.limits.redis import RedisStore

        return RedisStore(name)
    if name == "postgresql":
        from archive.http.limits.postgresql import PostgreSQLStore

        return PostgreSQLStore()
    from archive.http.limits.sqlite import SQLiteStore

    return SQLiteStore(settings.DATA_DIR / "throttles.sqlite3")


def close() -> None:
    """Close all connections of this process; later counts open new ones."""
    for each in _counters.values():
        each.close()
    _counters.clear()


def _drop_connections() -> None:
    """Forget the parent's connections, which a forked child must not use."""
    global _creating
    _counters.clear()
    _creating = threading.Lock()


os.register_at_fork(after_in_child=_drop_connections)
