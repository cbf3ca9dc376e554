"""Numbers that processes share, and pages whose numbers are of one moment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from errno import ENOSPC
from threading import Thread

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from archive.caching.values import one_snapshot
from archive.models import Game
from archive.project import settings as own
from archive.queries.games import records_by_kind
from archive.queries.games.statistics import counts
from archive.queries.scope import PUBLIC
from tests.archive import builders

pytestmark = pytest.mark.django_db(transaction=True)

REPLIES = ("3c3d", "8c8d", "4a3b", "5a4b")


@pytest.fixture(autouse=True)
def shared(settings: Settings) -> Iterator[None]:
    """The place that processes share."""
    settings.CACHES = {"default": settings.CACHES["default"], "counted": own.CACHES["counted"]}
    caches["counted"].clear()
    yield
    caches["counted"].clear()


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games are as many as those that are not counted after each change."""
    monkeypatch.setattr(records_by_kind, "RECOUNT_LIMIT", 0)
    monkeypatch.setattr(records_by_kind, "GAMES_A_SECOND", 0.001)


def store(*replies: str) -> None:
    builders.ingest(*(builders.ready(f"7g7f {reply}") for reply in replies))


def other_process() -> None:
    """Forget what one process alone remembers."""
    cache.clear()


def test_a_small_archive_is_counted_after_each_change() -> None:
    store(*REPLIES[:2])
    assert (counts(PUBLIC).games, counts(PUBLIC).exact) == (2, True)
    store(*REPLIES[2:])
    assert (counts(PUBLIC).games, counts(PUBLIC).exact) == (4, True)


@pytest.mark.usefixtures("large")
def test_all_processes_tell_the_same_numbers(client: Client) -> None:
    store(*REPLIES[:2])
    address = "/api/v1/statistics"
    assert (client.get(address).json()["games"], client.get(address).json()["exact"]) == (2, True)
    store(*REPLIES[2:])
    data = client.get(address).json()
    other_process()
    assert client.get(address).json() == data
    assert (data["games"], data["exact"], data["holdings"]["exact"]) == (2, False, False)


@pytest.mark.usefixtures("large")
def test_a_full_disk_keeps_nobody_from_numbers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_values: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    store(*REPLIES)
    monkeypatch.setattr(caches["counted"], "set", full)
    assert counts(PUBLIC).games == 4
    assert "numbers are not shared" in caplog.text


@pytest.mark.usefixtures("large")
def test_no_number_is_below_one_beside_it(client: Client) -> None:
    store(*REPLIES[:2])
    client.get("/")
    store(*REPLIES[2:])

    def shown(address: str, pattern: str) -> str:
        html = client.get(address, headers={"Accept-Language": "en"}).content.decode()
        result = re.search(pattern, html)
        assert result, html
        return result[1]

    # The table of first moves has all four.
    assert shown("/", r"<dt>games</dt><dd>([^<]*)</dd>") == "4+"
    assert shown("/statistics/", r'class="lead">\s*([^<]*?)\s*<').startswith("4+ games")
    assert shown("/games/", r'class="total muted">\s*([^<]*?)\s*<') == "4 in all"


def test_what_one_page_reads_is_of_one_moment() -> None:
    store(*REPLIES[:2])

    def meanwhile() -> None:
        store(*REPLIES[2:])
        connection.close()

    with one_snapshot():
        before = Game.objects.count(), counts(PUBLIC)
        writer = Thread(target=meanwhile)
        writer.start()
        writer.join()
        assert (Game.objects.count(), counts(PUBLIC)) == before
    assert (Game.objects.count(), counts(PUBLIC).games) == (4, 4)
