"""What Prometheus is told: who may ask, whether the sums are right, and what they cost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from archive.http.limits.addresses import ForwardedHeaders
from archive.index.schema import Segment
from archive.models import Game, HeardProcess, Upload
from archive.observing import folder, measures, replicas, requests, shared, tally
from archive.project.env import networks
from archive.serving.child import MEMORY
from tests.archive.games import KIF, stored
from tests.serving import ANSWER_SECONDS, ROOT, START_SECONDS, archive_at, processes_of, wait_for

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]

ELSEWHERE: Final = "192.0.2.7"


@pytest.fixture(autouse=True)
def nothing_known():
    measures.clear()


def samples(text: str) -> Samples:
    """Every value that is told, by its name and labels."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            key = one.name, frozenset(one.labels.items())
            assert key not in found, key
            found[key] = one.value
    return found


def scrape(client: Client | None = None) -> Samples:
    answer = (client or Client()).get("/metrics")
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    return samples(answer.content.decode())


def value(found: Samples, name: str, **labels: str) -> float:
    return found.get((name, frozenset(labels.items())), 0.0)


# --- who may ask -----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
def test_who_sits_at_this_machine_is_told(client, address):
    assert client.get("/metrics", REMOTE_ADDR=address).status_code == 200


@pytest.mark.parametrize("address", [ELSEWHERE, "2001:db8::1", "", "unknown", "0.0.0.0", "127.0.0.1, ::1"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_asks_from_elsewhere_is_told_nothing(client, address, method):
    """Not even the database is asked, which this test has none of."""
    answer = client.generic(method, "/metrics", REMOTE_ADDR=address)
    assert answer.status_code == 403
    assert b"kifu_" not in answer.content


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"X-Forwarded-For": "127.0.0.1, ::1"},
        {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost"},
        {"Forwarded": "for=127.0.0.1"},
        {"X-Real-IP": "127.0.0.1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("trusted", [(), ("10.0.0.0/8",)])
def test_nobody_claims_to_sit_here(client, settings, headers, trusted):
    settings.TRUSTED_PROXIES = networks("NOT_SET", [*trusted])
    assert client.get("/metrics", headers=headers, REMOTE_ADDR=ELSEWHERE).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"X-Forwarded-For": ELSEWHERE}, {"X-Forwarded-Proto": "https"}, {"X-Real-IP": ELSEWHERE}],
    ids=str,
)
def test_who_comes_through_a_proxy_of_this_machine_that_nobody_has_named_is_told_nothing(client, headers):
    assert client.get("/metrics", headers=headers).status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize(
    "forwarded,status",
    [
        (None, 200),
        (ELSEWHERE, 403),
        (f"127.0.0.1, {ELSEWHERE}", 403),
        ("127.0.0.1", 200),
        ("nonsense", 403),
        ("127.0.0.1, nonsense", 403),
        ("127.0.0.1,", 403),
    ],
)
def test_behind_a_named_proxy_the_address_is_the_one_it_tells(client, settings, forwarded, status):
    settings.TRUSTED_PROXIES = networks("NOT_SET", ["127.0.0.0/8"])
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client.get("/metrics", headers=headers).status_code == status


def test_a_named_proxy_that_does_not_say_for_whom_it_asks_is_told_nothing(client, settings):
    settings.TRUSTED_PROXIES = networks("NOT_SET", ["127.0.0.0/8"])
    assert client.get("/metrics", headers={"X-Forwarded-Proto": "https"}).status_code == 403


@pytest.mark.django_db
def test_addresses_can_be_named(client, settings):
    settings.ARCHIVE_METRICS_FROM = networks("NOT_SET", ["192.0.2.0/24"])
    assert client.get("/metrics", REMOTE_ADDR=ELSEWHERE).status_code == 200
    assert client.get("/metrics").status_code == 403


def test_the_note_of_a_proxy_cannot_be_sent():
    """What is noted of a request is under a name that no header has."""
    seen: dict[str, Any] = {}
    request = RequestFactory().get(
        "/", headers={"archive.http.limits.passed_on": "", "X-Forwarded-For": "127.0.0.1"}
    )
    ForwardedHeaders(lambda request: seen.update(request.META) or None)(request)
    assert seen["archive.http.limits.passed_on"] is True


# --- requests --------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_requests_are_counted_by_the_name_of_their_route(client):
    def counts() -> list[float]:
        found = scrape(client)
        return [
            value(found, "kifu_http_requests_total", route="game", method="GET", status="404"),
            value(found, "kifu_http_requests_total", route="healthz", method="HEAD", status="200"),
            value(found, "kifu_http_requests_total", route="none", method="GET", status="404"),
            value(found, "kifu_http_request_seconds_count", route="game", method="GET"),
        ]

    before = counts()
    for path in ("/games/1/", "/games/2/", "/nowhere/1/", "/nowhere/2/"):
        client.get(path)
    client.head("/healthz")
    assert [after - begun for after, begun in zip(counts(), before, strict=True)] == [2, 1, 2, 2]


@pytest.mark.django_db
def test_what_visitors_make_up_makes_no_new_series(client):
    client.get("/nowhere/")
    client.generic("MADEUP", "/healthz")
    before = {key for key in scrape(client) if "http" in key[0]}
    for n in range(50):
        client.get(f"/nowhere/{n}/")
        client.get(f"/games/{n}/?q={n}", headers={"Host": f"h{n}.example"})
        client.generic(f"M{n}", "/healthz")
        client.generic(f"M{n}", "/\r\nkifu_forged 1")
    after = {key for key in scrape(client) if "http" in key[0]}
    assert {dict(labels)["route"] for _, labels in after - before} <= {"none", "game"}
    assert len(after - before) < 4 * (len(requests.BUCKETS) + 6)


@pytest.mark.django_db
def test_the_format_is_the_one_that_is_asked_for(client):
    accept = "application/openmetrics-text;version=1.0.0"
    answer = client.get("/metrics", headers={"Accept": accept})
    assert answer["Content-Type"].startswith("application/openmetrics-text")
    assert answer.content.endswith(b"# EOF\n")
    plain = client.get("/metrics", headers={"Accept": "\x00;;q=,*/*"})
    assert plain["Content-Type"].startswith("text/plain")


PROCESS = """
import os, sys
from archive.observing import requests
for _ in range(int(sys.argv[1])):
    requests.count("game", "GET", 200, 0.003)
requests.count("game", "GET", 200, 7.0)
print("counted", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Two processes that have counted together, and wait: 3 + 1 and 5 + 1 requests."""
    environment = os.environ | {folder.VARIABLE: str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(n)], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for n in (3, 5)
    ]  # fmt: skip
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"
    yield started
    for process in started:
        process.kill()
        process.communicate()


def sums(place: Path) -> tuple[float, float, float, float]:
    """Requests, observations, those of at most 5 ms, and seconds."""
    found = {
        (one.name, one.labels.get("le")): one.value
        for family in shared.merged_metrics(place)
        for one in family.samples
    }
    return (
        found["kifu_http_requests_total", None],
        found["kifu_http_request_seconds_count", None],
        found["kifu_http_request_seconds_bucket", "0.005"],
        round(found["kifu_http_request_seconds_sum", None], 3),
    )


@pytest.mark.one_engine
def test_two_processes_count_together_also_after_one_and_both_have_ended(two, tmp_path):
    expected = (10, 10, 8, 14.024)
    assert sums(tmp_path) == expected
    for left in (2, 1):
        two[left - 1].send_signal(signal.SIGKILL)
        two[left - 1].wait()
        assert sums(tmp_path) == expected
        assert sums(tmp_path) == expected
    assert {path.name for path in tmp_path.glob("*.db")} == {"counter_0.db", "histogram_0.db"}


@pytest.mark.one_engine
def test_a_server_takes_its_folder_away_and_those_of_servers_that_were_killed(tmp_path):
    left = tmp_path / "kifu-metrics-left"
    left.mkdir()
    (left / "owner").touch()
    with folder.metrics_folder(tmp_path):
        first = folder.shared_folder()
        assert first is not None and first.is_dir() and not left.exists()
        with folder.metrics_folder(tmp_path):
            assert first.is_dir()
        os.environ[folder.VARIABLE] = str(first)
    assert [*tmp_path.iterdir()] == []
    assert folder.shared_folder() is None


@pytest.mark.worker
def test_a_served_archive_with_two_web_processes_counts_right_also_when_one_is_replaced(tmp_path):
    asked = 40
    with archive_at(tmp_path, ARCHIVE_WEB_WORKERS="2") as archive:

        def metrics() -> Samples:
            """What is told. A visitor whose connection a dead process had has to come again."""
            for _ in range(5):
                with (
                    suppress(ConnectionError, urllib.error.URLError),
                    urllib.request.urlopen(f"{archive.url}/metrics", timeout=ANSWER_SECONDS) as answer,
                ):
                    return samples(answer.read().decode())
                time.sleep(0.2)
            raise AssertionError(f"nothing is told: {archive.log}")

        def games() -> float:
            return value(metrics(), "kifu_http_requests_total", route="api:games", method="GET", status="200")

        for _ in range(asked):
            archive.get("/api/v1/games")
        assert {games() for _ in range(10)} == {asked}
        ours = processes_of(tmp_path)
        (place,) = (found for found in MEMORY.glob("kifu-metrics-*") if counting_in(found) & ours)
        counting = counting_in(place)
        assert len(counting & ours) == 2
        os.kill(min(counting), signal.SIGKILL)
        wait_for(lambda: min(counting) not in processes_of(tmp_path), START_SECONDS, archive.log)
        wait_for(lambda: all(is_up(f"{archive.url}/healthz") for _ in range(20)), START_SECONDS, archive.log)
        assert games() == asked
        archive.post_text(KIF, "a.kif")

        def worked() -> bool:
            found = metrics()
            tasks = value(found, "kifu_tasks_total", task="archive.process_upload", outcome="success")
            return tasks >= 1 and value(found, "kifu_entries_total", outcome="stored") == 1

        wait_for(worked, START_SECONDS, archive.log)
        found = metrics()
        assert value(found, "kifu_processes", role="worker") == 1
        assert value(found, "kifu_processes", role="scheduler") == 1
        assert value(found, "kifu_database_up") == 1
    assert not place.exists()


def counting_in(place: Path) -> set[int]:
    """The numbers of the processes that count in a folder."""
    return {int(path.stem.rpartition("_")[2]) for path in place.glob("counter_*.db")}


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=ANSWER_SECONDS) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


# --- what the database tells -----------------------------------------------------------------------------


@pytest.mark.django_db
def test_what_is_in_the_archive_is_told(client):
    stored(KIF)
    now = timezone.now()
    Upload.objects.create(sha256="a", size=1, source="web", state=Upload.State.FAILED)
    waiting = Upload.objects.create(sha256="b", size=1, source="web")
    Upload.objects.filter(pk=waiting.pk).update(received=now - timedelta(hours=1))
    HeardProcess.objects.create(
        name="w", role="worker", version="1", started=now, seen=now, worked=now - timedelta(seconds=90)
    )
    tally.write()
    found = scrape(client)
    assert {key[1]: n for key, n in found.items() if key[0] == "kifu_uploads" and n} == {
        frozenset({("state", "done")}): 1,
        frozenset({("state", "failed")}): 1,
        frozenset({("state", "received")}): 1,
    }
    assert value(found, "kifu_queue_uploads") == 1
    assert 3600 <= value(found, "kifu_queue_age_seconds") < 4000
    assert value(found, "kifu_entries_total", outcome="stored") >= 1
    assert value(found, "kifu_index_rows") == Game.objects.get().index_rows > 0
    assert value(found, "kifu_processes", role="worker") == 1
    assert 90 <= value(found, "kifu_last_task_seconds") < 400
    assert ("kifu_replica_lag_seconds", frozenset()) not in {(name, frozenset()) for name, _ in found}


@pytest.mark.django_db
def test_an_empty_archive_tells_no_age_and_no_row(client):
    found = scrape(client)
    assert value(found, "kifu_queue_age_seconds") == value(found, "kifu_index_rows") == 0
    assert "kifu_last_task_seconds" not in {name for name, _ in found}


@pytest.mark.django_db
def test_rows_of_a_large_index_are_estimated_from_a_thousand_games(django_assert_max_num_queries):
    """Slots have gaps, and games before the last third are longer."""
    Game.objects.bulk_create(
        Game(
            kind="shogi", record_kind="game", digest=slot.to_bytes(16), digest_version=1, slot=slot, played=0,
            handicap="HIRATE", result=3, plies=0, index_version=1, index_rows=200 if slot < 4000 else 50,
        )
        for slot in range(6000)
        if slot % 7
    )  # fmt: skip
    right = sum(Game.objects.values_list("index_rows", flat=True))
    with django_assert_max_num_queries(measures.SAMPLES + 2):
        assert measures.index_rows() == pytest.approx(right, rel=0.1)
        assert measures.index_rows() == pytest.approx(right, rel=0.1)


@pytest.mark.django_db
def test_uploads_are_not_counted_at_every_question(django_assert_num_queries):
    first = measures.uploads_by_state()
    Upload.objects.create(sha256="a", size=1, source="web")
    with django_assert_num_queries(0):
        assert measures.uploads_by_state() == first


@pytest.mark.django_db
def test_uploads_that_take_too_long_to_count_are_not_told(client, monkeypatch):
    monkeypatch.setattr(measures, "_uploads", measures._CachedValue(lambda: None, lambda _: 60))
    assert "kifu_uploads" not in {name for name, _ in scrape(client)}


@pytest.mark.django_db
def test_a_large_archive_is_measured_without_reading_its_large_tables(client, django_assert_max_num_queries):
    scrape(client)
    with django_assert_max_num_queries(12):
        scrape(client)


@pytest.mark.django_db
def test_segments_tell_their_room(client):
    if connection.vendor == "postgresql":
        stored(KIF)  # the first of a segment attaches it
        first = measures.segments()[0]
        assert (first.start, first.taken) == (0, min(first.end, _next_slot()))
        room = sum(one.room for one in measures.segments())
        assert value(scrape(client), "kifu_segment_room_games") == room > 0
    else:
        assert measures.segments() == ()
        assert "kifu_segment_room_games" not in {name for name, _ in scrape(client)}
    assert Segment("a", 500, 1500, 400).room == 600


def _next_slot() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM archive_slot")
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
def test_replicas_are_told_of_where_somebody_reads_from_them(client, monkeypatch):
    monkeypatch.setattr(replicas, "_sources", [])
    assert "kifu_replica_lag_seconds" not in {name for name, _ in scrape(client)}
    replicas.register(lambda: {"one": 0.25})
    assert value(scrape(client), "kifu_replica_lag_seconds", replica="one") == 0.25


@pytest.mark.django_db
def test_a_database_that_is_away_is_told_beside_the_requests(client, monkeypatch):
    def away() -> Any:
        raise TimeoutError

    monkeypatch.setattr(measures, "queue", away)
    found = scrape(client)
    assert value(found, "kifu_database_up") == 0
    assert any(name == "kifu_http_requests_total" for name, _ in found)
    assert "kifu_index_rows" not in {name for name, _ in found}


@pytest.mark.django_db
def test_every_metric_is_described_in_both_languages(client):
    replicas_told = {"kifu_replica_lag_seconds", "kifu_segment_room_games", "kifu_last_task_seconds"}
    families = {
        family.name for family in text_string_to_metric_families(client.get("/metrics").content.decode())
    }
    wanted = {name.removesuffix("_created") for name in families} | replicas_told
    for page in ("operations.md", "operations.ja.md"):
        text = (ROOT / "docs" / page).read_text()
        assert [name for name in sorted(wanted) if f"`{name}" not in text] == []
