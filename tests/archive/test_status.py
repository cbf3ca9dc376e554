"""The page that tells the staff how the archive fares."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from archive import store
from archive.accounts.roles import Role, set_role
from archive.intake import worker
from archive.models import HeardProcess, Tally, Upload, User
from archive.observing import measures, replicas, tally
from kifu_core import __version__
from tests.archive.games import KIF, stored
from tests.archive.pages import text

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known_anew():
    measures.clear()
    yield
    measures.clear()


@pytest.fixture
def curator(client):
    user = User.objects.create_user("anna", password="x")
    set_role(user, Role.CURATOR)
    client.force_login(user)
    client.cookies["django_language"] = "en"
    return client


def status_text(client) -> str:
    answer = client.get("/status/")
    assert answer.status_code == 200
    return " ".join(text(answer.content.decode().replace("<", " <")).split())


def test_it_is_for_the_staff_alone(client):
    assert client.get("/status/").headers["Location"].startswith("/sign-in/")
    client.force_login(User.objects.create_user("otto", password="x"))
    assert client.get("/status/").status_code == 403


def test_an_archive_in_which_nothing_is_or_runs_says_so(curator):
    message = status_text(curator)
    assert (
        "database in order" in message and "tables in order" in message and "worker not heard of" in message
    )
    assert "No file is waiting." in message and "There are none." in message
    assert "No worker and no scheduler was heard of within a day." in message
    assert __version__ in message


def test_processes_are_told_with_when_they_were_heard_of(curator):
    now = timezone.now()
    for name, ago in (("worker-1@here", 5), ("worker-2@there", 300)):
        HeardProcess.objects.create(
            name=name, role="worker", version="1.2.3", started=now, seen=now - timedelta(seconds=ago)
        )
    first, second = status_text(curator).partition("worker-2@there")[::2]
    assert "worker-1@here" in first and "not heard of" not in first.partition("worker-1@here")[2]
    assert second.lstrip().startswith("not heard of")


def test_what_waits_and_what_failed_is_told_without_names(curator):
    stored(KIF)
    broken, _ = store.create_upload("secret name.kif", [b"no game"])
    Upload.objects.filter(pk=broken.pk).update(
        state="failed", reason={"code": "gave-up", "params": {"tries": 3}}
    )
    entry = stored("secret game").entries.get()
    entry.issues = [{"code": "unknown-format", "severity": "error", "params": {"text": "secret game"}}]
    entry.save()
    waiting, _ = store.create_upload("another.kif", [b"x"])
    Upload.objects.filter(pk=waiting.pk).update(received=timezone.now() - timedelta(hours=3))
    message = status_text(curator)
    assert "1 file is waiting or being read; it came 3 hours ago." in message
    assert f"file {broken.pk} given up after 3 tries" in message
    assert "the record format was not recognised: …" in message
    assert "secret" not in message


def test_entries_tasks_and_the_index_are_told(curator):
    stored(KIF)
    tally.write()  # what this process has counted before
    Tally.objects.all().delete()
    tally.add(tally.TASKS, "archive.sweep", "success", 4, seconds=2.0)
    tally.write()
    message = status_text(curator)
    assert "added 1 already here 0 failed 0" in message
    assert store.reread(Upload.objects.get().pk)
    worker.work_off(Upload.objects.get().pk)
    measures.clear()
    assert "added 1 already here 0 failed 0" in status_text(curator)
    assert "archive.sweep done 4 0.50" in message
    assert f"About {measures.index_rows()} rows" in message


def test_replicas_are_told_where_there_are_any(curator, monkeypatch):
    assert "Replicas" not in status_text(curator)
    monkeypatch.setattr(replicas, "_sources", [lambda: {"two": 1.5}])
    assert "Replicas, seconds behind two 1.5" in status_text(curator)


def test_failures_that_take_too_long_to_find_are_not_told(curator, monkeypatch):
    def late(_why: object) -> str:
        raise TimeoutError

    monkeypatch.setattr(measures, "_first_error", late)
    broken, _ = store.create_upload("broken.kif", [b"no game"])
    Upload.objects.filter(pk=broken.pk).update(state="failed")
    assert "To look for them would take too long here." in status_text(curator)
