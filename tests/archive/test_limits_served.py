"""Limits on a real server: its processes count together, and a visitor's headers change nothing."""

from __future__ import annotations

import base64
import http.client
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.serving import ANSWER_SECONDS, Archive, archive_at

pytestmark = pytest.mark.worker

QUOTA, ASKED, AT_ONCE = 10, 60, 8
COST = 2
GUESSES = 5
WINDOW = 60
"""Seconds."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive with several web processes, which treats loopback as any other address."""
    settings = {
        "ARCHIVE_WEB_WORKERS": "3",
        "ARCHIVE_THROTTLE_LOOPBACK": "1",
        "ARCHIVE_THROTTLE_WORK": str(QUOTA * COST),
        "ARCHIVE_TRUSTED_PROXIES": "127.0.0.2",
        "ARCHIVE_BASIC_AUTH": "1",
        "ARCHIVE_THROTTLE_SIGN_INS": str(GUESSES),
    }
    with archive_at(tmp_path_factory.mktemp("archive"), **settings) as running:
        yield running


def ask(archive: Archive, source: str, path: str, **headers: str) -> int:
    """The status of a GET from an address of loopback, on a connection of its own."""
    address = urllib.parse.urlsplit(archive.url)
    assert address.hostname is not None
    connection = http.client.HTTPConnection(
        address.hostname, address.port, timeout=ANSWER_SECONDS, source_address=(source, 0)
    )
    try:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers=names)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def statuses(archive: Archive, source: str, forwarded: str) -> Counter[int]:
    """How often each status came of many requests at once; `{n}` in the header is the request's number."""

    def one(number: int) -> int:
        header = {"X_Forwarded_For": forwarded.format(n=number)} if forwarded else {}
        return ask(archive, source, "/api/v1/games", **header)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return Counter(pool.map(one, range(ASKED)))


def test_processes_count_together_and_lose_nothing(archive):
    began = time.monotonic()
    found = statuses(archive, "127.0.0.3", "")
    assert found[200] + found[429] == ASKED
    # On a very slow machine there are several windows.
    assert found[200] == QUOTA or (found[200] > QUOTA and time.monotonic() - began >= WINDOW)


def test_a_stranger_resets_nothing_by_naming_other_addresses(archive):
    found = statuses(archive, "127.0.0.4", "198.51.100.{n}")
    assert found[200] + found[429] == ASKED
    assert found[429] > 0


def test_visitors_behind_a_trusted_proxy_are_apart(archive):
    assert statuses(archive, "127.0.0.2", "198.51.100.{n}") == {200: ASKED}
    assert statuses(archive, "127.0.0.2", "6.6.6.{n}, 203.0.113.9")[429] > 0


def test_nul_in_basic_credentials_is_a_401(archive):
    # "ta\0ro:x"
    assert ask(archive, "127.0.0.5", "/api/v1/games", Authorization="Basic dGEAcm86eA==") == 401


def test_guesses_at_once_are_no_more_than_one_after_the_other(archive):
    def guess(number: int) -> int:
        token = base64.b64encode(f"taro:{number}".encode()).decode()
        return ask(archive, "127.0.0.7", "/api/v1/games", Authorization=f"Basic {token}")

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = Counter(pool.map(guess, range(4 * GUESSES)))
    assert found == {401: GUESSES, 429: 3 * GUESSES}


def test_counting_is_a_file_of_its_own_or_a_table(archive):
    assert ask(archive, "127.0.0.6", "/api/v1/games") == 200
    folder = Path(archive.environment["ARCHIVE_DATA_DIR"])
    assert (folder / "throttles.sqlite3").exists() is ("DATABASE_URL" not in archive.environment)
