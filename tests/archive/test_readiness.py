"""Whether the archive can work, as whoever watches over it is told."""

from __future__ import annotations

import errno
import json
import socket
import urllib.error
from contextlib import closing, suppress
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Final

import psycopg
import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from archive.models import HeardProcess, ProcessRole, Tally, User
from archive.observing import heartbeats, readiness, tally
from archive.observing.heartbeats import Heartbeat
from archive.project import disk
from tests.servers import RABBITMQ, REDIS, reachable
from tests.serving import START_SECONDS, Archive, archive_at, free_port, wait_for

WORKER: Final = ProcessRole.WORKER


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    """What one test found out about broker and migrations is not told to the next."""
    monkeypatch.setattr(readiness, "_broker", readiness._Broker())
    monkeypatch.setattr(readiness, "_migrations", readiness._Migrations())


def of_driver(error: Exception) -> OperationalError:
    """Django's error for one of the driver's."""
    found = OperationalError("of the driver")
    found.__cause__ = error
    return found


def create_heartbeat(ago: timedelta = timedelta(0), role: ProcessRole = WORKER) -> None:
    now = timezone.now()
    HeardProcess.objects.create(name=f"{role}-1@here", role=role, version="1", started=now, seen=now - ago)


def get_readiness(client: Client, query: str = "") -> tuple[int, dict[str, Any]]:
    answer = client.get(f"/readyz{query}")
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Type"] == "application/json"
    return answer.status_code, answer.json()


def test_a_process_that_lives_says_so_and_looks_at_nothing(client):
    """Without the mark of the database a query would fail."""
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_an_archive_with_a_worker_is_ready(client):
    create_heartbeat()
    everything = {"database": "ok", "migrations": "ok", "worker": "ok", "disk": "ok", "work": "ok"}
    assert get_readiness(client) == (200, {"status": "ok", "checks": everything})


@pytest.mark.django_db
def test_to_be_asked_again_takes_a_few_queries(client, django_assert_max_num_queries):
    create_heartbeat()
    get_readiness(client)
    # PostgreSQL is told of the limit of time in a statement of its own.
    with django_assert_max_num_queries(8 if connection.vendor == "postgresql" else 7):
        get_readiness(client)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "ago,role",
    [(heartbeats.LATELY, WORKER), (timedelta(0), ProcessRole.SCHEDULER)],
    ids=["long ago", "other"],
)
def test_an_archive_whose_workers_were_not_heard_of_lately_is_not_ready(client, ago, role):
    create_heartbeat(ago, role)
    status, told = get_readiness(client)
    assert (status, told["status"], told["checks"]["worker"]) == (503, "unavailable", "not-heard")


@pytest.mark.django_db
def test_who_asks_every_few_seconds_does_not_fill_the_log(client, caplog):
    assert get_readiness(client)[0] == 503
    assert caplog.records == []


@pytest.mark.django_db
def test_a_part_that_is_excluded_is_not_asked_for(client):
    told = {"status": "ok", "checks": {"database": "ok", "migrations": "ok"}}
    assert get_readiness(client, "?exclude=worker,broker,disk,work") == (200, told)
    assert get_readiness(client, "?exclude=worker&exclude=broker,disk,work") == (200, told)
    assert get_readiness(client, "?exclude=database,migrations,worker,disk,work")[1]["checks"] == {}


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["?exclude=wroker", "?exclude=%00", "?exclude=", "?exclude=database%0A"])
def test_a_part_that_there_is_not_is_named_wrong(client, query):
    status, told = get_readiness(client, query)
    assert (status, told) == (400, {"status": "invalid", "exclude": [*readiness.CHECKS]})


@pytest.mark.django_db
def test_an_archive_whose_migrations_wait_is_not_ready_also_after_it_was(client):
    create_heartbeat()
    assert get_readiness(client)[0] == 200
    newest = MigrationRecorder.Migration.objects.filter(app="archive").order_by("name").last()
    newest.delete()
    status, told = get_readiness(client)
    assert (status, told["checks"]) == (
        503, {"database": "ok", "migrations": "waiting", "worker": "unknown", "disk": "ok"},
    )  # fmt: skip


@pytest.mark.django_db
def test_a_database_that_is_away_is_named_and_its_error_is_not(client, monkeypatch):
    def away(_self: Any) -> Any:
        raise OperationalError("password authentication failed for user secret-name")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", away)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    unknown = {"migrations": "unknown", "worker": "unknown"}
    assert answer.json()["checks"] == {"database": "away", **unknown, "disk": "ok"}
    assert b"secret" not in answer.content


def test_a_broker_that_is_away_is_named_without_its_address(client, settings):
    settings.CELERY_BROKER_URL = f"redis://somebody:secret@127.0.0.1:{free_port()}/0"
    answer = client.get("/readyz?exclude=database,migrations,worker,disk,work")
    assert (answer.status_code, answer.json()["checks"]) == (503, {"broker": "away"})
    assert b"secret" not in answer.content and b"127" not in answer.content


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_a_broker_that_takes_connections_and_says_nothing_is_away_in_bounded_time(
    settings, monkeypatch, scheme
):
    monkeypatch.setattr(readiness, "SECONDS", 0.2)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        settings.CELERY_BROKER_URL = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}//"
        assert readiness.broker_answers() is False


@pytest.mark.parametrize("address", [REDIS, RABBITMQ], ids=["redis", "amqp"])
def test_a_broker_that_lets_us_in_is_ok(client, settings, address):
    settings.CELERY_BROKER_URL = reachable(address)
    answer = client.get("/readyz?exclude=database,migrations,worker,disk,work")
    assert (answer.status_code, answer.json()["checks"]) == (200, {"broker": "ok"})


@pytest.mark.django_db
def test_a_process_that_tells_of_itself_again_has_one_row(django_assert_num_queries):
    process = Heartbeat(WORKER, 17)
    process.beat()
    first = HeardProcess.objects.get()
    process.worked = timezone.now()
    process.beat()
    again = HeardProcess.objects.get()
    assert (again.name, again.started, again.worked) == (first.name, first.started, process.worked)
    assert again.seen > first.seen
    assert again.name.startswith("worker-17@")


@pytest.mark.django_db
def test_a_process_that_was_not_heard_of_for_a_day_is_forgotten():
    create_heartbeat(heartbeats.FORGOTTEN + timedelta(seconds=1), ProcessRole.SCHEDULER)
    Heartbeat(WORKER, 17).beat()
    assert [row.role for row in HeardProcess.objects.all()] == [WORKER]


@pytest.mark.django_db
def test_what_processes_count_is_added_up():
    for seconds in (0.5, 0.25):
        tally.add(tally.TASKS, "archive.sweep", "success", seconds=seconds)
        tally.write()
    tally.add(tally.ENTRIES, "", "stored", 300)
    Heartbeat(WORKER, 17).beat()
    assert [(counted.label, n, seconds) for counted, n, seconds in tally.sums()] == [
        ("", 300, 0.0), ("archive.sweep", 2, 0.75),
    ]  # fmt: skip


@pytest.mark.django_db
def test_what_the_database_does_not_take_is_counted_still(monkeypatch):
    tally.add(tally.TASKS, "archive.sweep", "success")
    with monkeypatch.context() as broken, pytest.raises(TypeError):
        broken.setattr(tally, "_ADD", None)
        tally.write()
    tally.write()
    assert Tally.objects.get().n == 1


def ready(archive: Archive) -> bool:
    """Whether an archive says that all of it works."""
    with suppress(urllib.error.HTTPError):
        return bool(archive.get("/readyz")["status"] == "ok")
    return False


@pytest.mark.one_engine
@pytest.mark.worker
@pytest.mark.parametrize("pool", ["prefork", "solo"])
def test_an_archive_becomes_ready_when_its_worker_and_its_scheduler_run(tmp_path, pool):
    with archive_at(tmp_path, ARCHIVE_WORKER_POOL=pool, ARCHIVE_SWEEP_SECONDS="1") as archive:
        wait_for(lambda: ready(archive), START_SECONDS, archive.log)
        assert archive.get("/readyz")["checks"]["worker"] == "ok"
        assert json.dumps(archive.get("/healthz")) == '{"status": "ok"}'


# --- roles that only one process may have ----------------------------------------------------------------

SCHEDULER: Final = ProcessRole.SCHEDULER


@pytest.mark.django_db
def test_of_two_schedulers_the_later_one_ends(monkeypatch, capsys):
    monkeypatch.setattr(heartbeats, "PATIENCE", 0)
    create_heartbeat(role=SCHEDULER)
    second = Heartbeat(SCHEDULER, 7, alone=True)
    with pytest.raises(SystemExit):
        second.wait_alone()
    assert "another scheduler works on this database (scheduler-1@here)" in capsys.readouterr().err
    assert [row.name for row in HeardProcess.objects.all()] == ["scheduler-1@here"]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["elsewhere", "of a process that is gone"])
def test_a_scheduler_takes_the_place_of_one_that_is_not_there_any_more(name):
    now = timezone.now()
    silent = now - heartbeats.AT_WORK - timedelta(seconds=1)
    row = HeardProcess(name="scheduler-1@here", role=SCHEDULER, version="1", started=now, seen=silent)
    if name != "elsewhere":
        row.name, row.seen = f"scheduler-{2**22}{heartbeats._here()}", now
    row.save()
    second = Heartbeat(SCHEDULER, 7, alone=True)
    second.wait_alone()
    assert second.elder() == ""


# --- a full disk -----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_an_archive_without_room_on_its_disk_is_not_ready_and_tells_how_much_there_is(client, monkeypatch):
    create_heartbeat()
    monkeypatch.setattr(
        disk.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=5_000_000, total=9**9)
    )
    status, told = get_readiness(client)
    assert (status, told["checks"]["disk"]) == (503, "full")
    assert get_readiness(client, "?exclude=disk")[0] == 200
    assert 'kifu_disk_free_bytes{folder="data"} 5e+06' in client.get("/metrics").content.decode()
    client.force_login(User.objects.create_user("cora", role="curator", is_staff=True))
    shown = client.get("/status/", headers={"accept-language": "en"}).content.decode()
    assert "4.8\xa0MB of 369.5\xa0MB" in shown.replace("&nbsp;", "\xa0")


@pytest.fixture
def full_database():
    """A database that takes no further page, where the engine can be told so."""
    connection.ensure_connection()
    driver = connection.connection
    driver.execute("VACUUM")  # pages that other tests left free would be room
    driver.execute(f"PRAGMA max_page_count = {driver.execute('PRAGMA page_count').fetchone()[0]}")
    yield
    driver.execute("PRAGMA max_page_count = 4294967294")


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="a server's disk cannot be filled from here")
def test_what_a_full_disk_has_no_room_for_is_answered_with_507_and_reading_goes_on(
    client, full_database, caplog
):
    text = "".join(f"*{number}\n" for number in range(200_000))
    sent = client.post("/api/v1/uploads", {"text": text, "name": "a.kif"}, content_type="application/json")
    assert (sent.status_code, sent.json()["code"]) == (507, "disk-full")
    page = client.post("/upload/", {"text": text}, headers={"accept-language": "en"})
    assert page.status_code == 507 and "no room left" in page.content.decode()
    assert client.get("/games/").status_code == 200
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "no space"), True),
        (OSError(errno.EDQUOT, "quota"), True),
        (OSError(errno.EIO, "broken"), False),
        (of_driver(psycopg.errors.DiskFull()), True),
        (of_driver(psycopg.errors.DeadlockDetected()), False),
    ],
    ids=repr,
)
def test_a_full_disk_is_told_from_other_errors(error, full):
    assert disk.is_full(error) is full
