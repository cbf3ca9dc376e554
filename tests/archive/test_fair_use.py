"""What each role may send in a day, and what strangers send waiting for a curator."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from archive.accounts.roles import Role, set_role
from archive.intake import uploads, worker
from archive.models import Game, Upload, User
from archive.project import env
from tests.archive.games import CSA, KIF

pytestmark = pytest.mark.django_db

NO_LIMIT = {"anonymous": 0, "reader": 0, "contributor": 0, "curator": 0, "administrator": 0}


@pytest.fixture(autouse=True)
def open_to_strangers(settings) -> None:
    """An archive that takes uploads of strangers, as one at home does."""
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


def send(user: User | None, *texts: str):
    client = Client(REMOTE_ADDR="192.0.2.7")
    if user:
        client.force_login(user)
    files = [SimpleUploadedFile(f"{number}.kif", text.encode()) for number, text in enumerate(texts)]
    return client.post("/api/v1/uploads", {"file": files})


def games(number: int) -> str:
    return "/\n".join(CSA.replace("05/01", f"05/{day:02}") for day in range(1, number + 1))


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def quotas(throttled, settings):
    settings.ARCHIVE_DAILY_BYTES = settings.ARCHIVE_DAILY_FILES = settings.ARCHIVE_DAILY_GAMES = NO_LIMIT
    return settings


def test_files_of_a_day_are_counted_by_role(quotas, anna):
    quotas.ARCHIVE_DAILY_FILES = NO_LIMIT | {"anonymous": 1, "contributor": 2}
    assert [send(None, KIF + "*a"), send(None, KIF + "*b")][-1].status_code == 429
    assert [send(anna, KIF, CSA).status_code, send(anna, KIF).status_code] == [202, 429]
    set_role(anna, Role.CURATOR)
    assert send(anna, KIF + "*c").status_code == 202


def test_bytes_of_a_day_are_counted_by_role(quotas, anna):
    quotas.ARCHIVE_DAILY_BYTES = NO_LIMIT | {"contributor": 100}
    assert [send(anna, KIF).status_code, send(anna, KIF + "*b").status_code] == [202, 429]
    assert send(None, KIF).status_code == 202
    answer = send(anna, KIF + "*c")
    assert answer.json()["code"] == "throttled" and int(answer.headers["Retry-After"]) > 3600


@pytest.mark.parametrize("somebody", [True, False])
def test_games_of_a_day_are_counted_when_they_are_stored(quotas, anna, somebody):
    quotas.ARCHIVE_DAILY_GAMES = NO_LIMIT | {"anonymous": 4, "contributor": 4}
    user = anna if somebody else None
    assert send(user, games(3)).status_code == 202
    worker.work_off(Upload.objects.latest("pk").pk)
    assert send(user, games(5)).status_code == 202
    worker.work_off(Upload.objects.latest("pk").pk)
    assert Game.objects.count() == 5
    assert send(user, KIF).status_code == 429


def test_known_games_and_second_readings_cost_nothing(quotas, anna):
    quotas.ARCHIVE_DAILY_GAMES = NO_LIMIT | {"contributor": 2}
    assert send(anna, CSA).status_code == 202
    first = Upload.objects.latest("pk").pk
    worker.work_off(first)
    assert uploads.reread(first)
    worker.work_off(first)
    assert send(anna, CSA + "\n").status_code == 202
    worker.work_off(Upload.objects.latest("pk").pk)
    assert send(anna, KIF + "*d").status_code == 202


def test_the_counter_of_an_upload_does_not_reveal_who_sent_it(quotas, anna):
    send(anna, KIF)
    send(None, KIF)
    for upload in Upload.objects.all():
        assert (
            len(upload.games_counter) == 32
            and "anna" not in upload.games_counter
            and "192" not in bytes.fromhex(upload.games_counter).decode("latin-1")
        )


def test_what_strangers_send_waits_for_a_curator(settings, anna):
    settings.ARCHIVE_ANONYMOUS_WAITS = True
    answer = send(None, KIF)
    upload = Upload.objects.get()
    assert answer.status_code == 202 and upload.state == "waiting"
    worker.work_off(upload.pk)
    assert not Game.objects.exists()
    page = Client(HTTP_ACCEPT_LANGUAGE="en").get(f"/uploads/{upload.pk}/").content.decode()
    assert "waits for a curator" in page
    assert uploads.admit([upload.pk]) == 1 and uploads.admit([upload.pk]) == 0
    worker.work_off(upload.pk)
    assert Game.objects.count() == 1
    send(anna, CSA)
    assert Upload.objects.latest("pk").state == "received"


def test_a_curator_lets_in_what_waits_in_the_admin(settings):
    settings.ARCHIVE_ANONYMOUS_WAITS = True
    send(None, KIF)
    boss = User.objects.create_user("boss")
    set_role(boss, Role.ADMINISTRATOR)
    client = Client()
    client.force_login(boss)
    pk = Upload.objects.get().pk
    client.post("/admin/archive/upload/", {"action": "admit", "_selected_action": [pk]})
    assert Upload.objects.get().state == "received"


def test_quotas_by_role_are_read_from_one_setting(monkeypatch):
    monkeypatch.setenv("X", "anonymous=5, curator = 0")
    assert env.by_role("X", {"anonymous": 1, "reader": 2, "curator": 3}) == {
        "anonymous": 5,
        "reader": 2,
        "curator": 0,
    }
    for wrong in ("boss=1", "reader", "reader=-1", "reader=１", "reader=1=2"):
        monkeypatch.setenv("X", wrong)
        with pytest.raises(ImproperlyConfigured):
            env.by_role("X", {"reader": 2})
