"""Counters of windows: nothing is lost between processes, and a store that is away is no error."""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from archive.http.limits import counting
from archive.http.limits.counting import Counter, LocalCounts, Store, StoreAwayError
from archive.http.limits.postgresql import PostgreSQLStore
from archive.http.limits.redis import RedisStore
from archive.http.limits.sqlite import SQLiteStore

ROOT = Path(__file__).resolve().parents[2]
REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/15")
PROCESSES, ADDS = 4, 200
WAIT_SECONDS = 60

# One of several processes: it counts when it is told to, and prints what each count came to.
ADDING = """
import sys
import time
from pathlib import Path
import django
django.setup()
from archive.http.limits.counting import StoreAwayError
from archive.http.limits.postgresql import PostgreSQLStore
from archive.http.limits.redis import RedisStore
from archive.http.limits.sqlite import SQLiteStore

kind, place, prefix, adds = sys.argv[1:]
PostgreSQLStore.parameters = staticmethod(lambda: {"conninfo": place, "autocommit": True})
stores = {
    "sqlite": lambda: SQLiteStore(Path(place)),
    "redis": lambda: RedisStore(place, prefix.encode()),
    "postgresql": PostgreSQLStore,
}
store = stores[kind]()

def add():
    until = time.monotonic() + 60
    while True:
        try:
            return store.add(b"shared", 1, 600).total
        except StoreAwayError:  # on a busy machine the others held it for longer than a request would wait
            if time.monotonic() > until:
                raise

print("ready", flush=True)
sys.stdin.readline()
print(*[add() for _ in range(int(adds))])
"""


@pytest.fixture
def redis_prefix() -> Iterator[bytes]:
    """Keys of this test alone, on a Redis or Valkey where one is running; gone afterwards."""
    import redis

    client = redis.Redis.from_url(REDIS, socket_connect_timeout=1)
    try:
        client.ping()
    except redis.RedisError as error:
        pytest.skip(f"no Redis or Valkey at {REDIS}: {error}")
    prefix = b"kifu-test:" + os.urandom(8).hex().encode() + b":"
    yield prefix
    for key in client.scan_iter(prefix + b"*"):
        client.delete(key)
    client.close()


# Redis and what stands in for a store that is away know nothing of the database.
REDIS_STORE = pytest.param("redis", marks=pytest.mark.one_engine)
OWN_STORE = pytest.param("own", marks=pytest.mark.one_engine)


@pytest.fixture(params=["engine", REDIS_STORE, OWN_STORE])
def store(request: pytest.FixtureRequest, tmp_path: Path, db: None) -> Iterator[Store]:
    """Every store: that of the database engine of this run, Redis, and what stands in for them."""
    if request.param == "own":
        found: Store = LocalCounts()
    elif request.param == "redis":
        found = RedisStore(REDIS, request.getfixturevalue("redis_prefix"))
    elif connection.vendor == "sqlite":
        found = SQLiteStore(tmp_path / "counts.sqlite3")
    else:
        request.getfixturevalue("throttled")
        found = PostgreSQLStore()
    yield found
    found.close()


def test_a_counter_adds_up_and_tells_when_its_window_ends(store):
    counts = [store.add(b"a", amount, 600) for amount in (1, 5, 10)]
    assert [count.total for count in counts] == [1, 6, 16]
    assert all(0 < count.seconds < 601 for count in counts)


def test_counters_are_apart(store):
    store.add(b"a", 5, 600)
    assert store.add(b"b", 1, 600).total == 1


def test_a_window_that_has_ended_begins_anew(store):
    store.add(b"a", 5, 1)
    until = time.monotonic() + WAIT_SECONDS
    while (count := store.add(b"a", 1, 1)).total != 1:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert 0 < count.seconds < 2


def test_what_shall_not_count_is_taken_back(store):
    store.add(b"a", 5, 600)
    store.take_back(b"a", 2)
    assert store.add(b"a", 1, 600).total == 4


def test_no_more_is_taken_back_than_was_counted(store):
    store.add(b"a", 1, 600)
    store.take_back(b"a", 7)
    store.take_back(b"never", 7)
    assert (store.add(b"a", 1, 600).total, store.add(b"never", 1, 600).total) == (1, 1)


def test_large_amounts_are_counted(store):
    assert store.add(b"a", 10**12, 600).total == 10**12


# --- several processes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("store", ["engine", REDIS_STORE], indirect=True)
def test_processes_that_count_at_once_lose_no_count(store, tmp_path):
    """Each number from 1 on is given out once: no two of them saw the same count."""
    command = [sys.executable, "-c", ADDING, *_place(store), str(ADDS)]
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "archive.project.settings",
        "ARCHIVE_DATA_DIR": str(tmp_path),
    }
    processes = [
        subprocess.Popen(
            command, cwd=ROOT, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    totals = [int(word) for process in processes for word in process.communicate(timeout=240)[0].split()]
    assert [process.returncode for process in processes] == [0] * PROCESSES
    assert sorted(totals) == list(range(1, PROCESSES * ADDS + 1))


def _place(store: Store) -> list[str]:
    if isinstance(store, SQLiteStore):
        return ["sqlite", str(store.path), ""]
    if isinstance(store, RedisStore):
        return ["redis", REDIS, store.prefix.decode()]
    told = {
        name: value
        for name, value in PostgreSQLStore.parameters().items()
        if name in ("dbname", "user", "password", "host", "port")
    }
    return ["postgresql", psycopg.conninfo.make_conninfo(**told), ""]


@pytest.mark.django_db
def test_a_count_stays_where_the_request_is_rolled_back(throttled):
    from django.db import transaction

    with transaction.atomic():
        first = counting.counter().add(b"a", 1, 600)
        transaction.set_rollback(True)
    assert (first.total, counting.counter().add(b"a", 1, 600).total) == (1, 2)


# --- a store that is away --------------------------------------------------------------------------------


class Switch:
    """A store that can be switched off."""

    def __init__(self) -> None:
        self.counts = LocalCounts()
        self.away = False
        self.asked = 0

    def add(self, key, amount, seconds):
        self.asked += 1
        if self.away:
            raise StoreAwayError("switched off")
        return self.counts.add(key, amount, seconds)

    def take_back(self, key, amount):
        if self.away:
            raise StoreAwayError("switched off")
        self.counts.take_back(key, amount)

    def close(self):
        pass


def test_while_the_store_is_away_a_process_counts_for_itself_and_says_so_once(caplog, monkeypatch):
    store = Switch()
    counter = Counter(store, "the store")
    assert counter.add(b"a", 3, 600).total == 3
    store.away = True
    with caplog.at_level(logging.WARNING, "archive.http.limits"):
        assert [counter.add(b"a", 1, 600).total for _ in range(3)] == [1, 2, 3]
        counter.take_back(b"a", 1)
    assert store.asked == 2, "it is not asked again and again"
    assert [record.getMessage() for record in caplog.records] == [
        "throttles: the store is away, each process counts for itself: switched off"
    ]
    store.away = False
    monkeypatch.setattr(counter, "away_until", time.monotonic() - 1)
    assert counter.add(b"a", 1, 600).total == 4
    assert caplog.records[-1].getMessage() == "throttles: the store is back"


def test_own_counts_are_bounded():
    counts = LocalCounts(limit=100)
    for number in range(1000):
        counts.add(str(number).encode(), 1, 600)
    assert len(counts.counts) == 100


def test_a_redis_that_is_not_there_is_away():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(StoreAwayError):
            RedisStore(f"redis://127.0.0.1:{taken.getsockname()[1]}/0").add(b"a", 1, 60)


def test_a_redis_that_does_not_answer_is_away():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(StoreAwayError):
            RedisStore(f"redis://127.0.0.1:{silent.getsockname()[1]}/0").add(b"a", 1, 60)


@pytest.mark.parametrize("address", ["redis://host:port/0", "redis://[/0"])
def test_an_address_that_cannot_be_read_is_away(address):
    with pytest.raises(StoreAwayError):
        RedisStore(address).add(b"a", 1, 60)


def test_a_file_that_is_damaged_locked_or_not_there_is_away(tmp_path):
    broken = tmp_path / "broken.sqlite3"
    broken.write_bytes(b"no database" * 1000)
    locked = tmp_path / "locked.sqlite3"
    store = SQLiteStore(locked)
    store.add(b"a", 1, 60)
    holder = sqlite3.connect(locked, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for one in (SQLiteStore(broken), SQLiteStore(tmp_path / "nowhere" / "counts.sqlite3"), store):
        with pytest.raises(StoreAwayError):
            one.add(b"a", 1, 60)
    holder.close()
    assert store.add(b"a", 1, 60).total == 2
    store.close()


@pytest.mark.django_db
def test_a_postgresql_whose_table_is_locked_is_away(throttled):
    if connection.vendor != "postgresql":
        pytest.skip("for PostgreSQL")
    store = PostgreSQLStore()
    with psycopg.connect(**PostgreSQLStore.parameters()) as holder, holder.transaction():
        holder.execute("LOCK archive_throttle")
        with pytest.raises(StoreAwayError):
            store.add(b"a", 1, 60)
    assert store.add(b"a", 1, 60).total == 1
    store.close()


@pytest.mark.django_db
def test_a_connection_that_postgresql_has_ended_is_opened_again(throttled):
    if connection.vendor != "postgresql":
        pytest.skip("for PostgreSQL")
    store = PostgreSQLStore()
    store.add(b"a", 1, 60)
    assert store.connection is not None
    with psycopg.connect(**PostgreSQLStore.parameters()) as other:
        other.execute("SELECT pg_terminate_backend(%s::int, 5000)", [store.connection.info.backend_pid])
    assert store.add(b"a", 1, 60).total == 2
    store.close()


# --- housekeeping ----------------------------------------------------------------------------------------


def test_windows_that_have_ended_are_deleted(tmp_path):
    store = SQLiteStore(tmp_path / "counts.sqlite3")
    for number in range(100):
        store.add(str(number).encode(), 1, 0)
    store.swept = 0.0
    store.add(b"last", 1, 600)
    store.close()
    rows = sqlite3.connect(store.path).execute("SELECT key FROM counts").fetchall()
    assert rows == [(b"last",)]


@pytest.mark.parametrize(
    ("named", "broker", "engine", "store"),
    [
        ("", "filesystem://localhost", "sqlite", "sqlite"),
        ("", "filesystem://localhost", "postgresql", "postgresql"),
        ("", "amqp://localhost", "postgresql", "postgresql"),
        ("", "redis://valkey:6379/0", "postgresql", "redis://valkey:6379/0"),
        ("", "redis://a:6379/0;redis://b:6379/0", "postgresql", "postgresql"),
        ("postgresql", "redis://valkey:6379/0", "postgresql", "postgresql"),
        ("redis://other:6379/1", "amqp://localhost", "postgresql", "redis://other:6379/1"),
    ],
)
def test_the_store_is_the_one_named_or_what_is_there_anyway(
    settings, monkeypatch, named, broker, engine, store
):
    settings.ARCHIVE_THROTTLE_STORE = named
    settings.CELERY_BROKER_URL = broker
    monkeypatch.setattr(connection, "vendor", engine)
    assert counting.store_name() == store


def test_a_store_holds_no_names_or_addresses():
    key = counting.key_of("sign-ins", "account", "taro")
    assert len(key) == 16
    assert key != counting.key_of("sign-ins", "account", "jiro")
    assert b"taro" not in key
