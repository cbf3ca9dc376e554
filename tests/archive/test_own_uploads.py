"""One's own uploads: found again by account or by session, and deleted by who sent them."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from archive import store
from archive.intake.worker import work_off
from archive.models import Sender, Upload, User
from archive.queries.games import upload_progress as queries
from archive.queries.games.totals import Total
from archive.queries.scope import PUBLIC
from archive.web.pages import uploading

pytestmark = pytest.mark.django_db

GAME = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n"


@pytest.fixture(autouse=True)
def anyone_may_upload(settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


@pytest.fixture
def visitor(client: Client) -> Client:
    """A browser without an account that has opened the upload page."""
    client.get("/upload/")
    return client


@pytest.fixture
def another() -> Client:
    """Another one."""
    found = Client()
    found.get("/upload/")
    return found


@pytest.fixture
def hanako() -> User:
    return User.objects.create_user("hanako", password="pass")


def send(client: Client, name: str = "a.kif", text: str = GAME) -> Upload:
    response = client.post("/upload/", {"file": SimpleUploadedFile(name, text.encode())})
    upload = Upload.objects.get(pk=int(re.findall(r"\d+", response.headers["Location"])[0]))
    work_off(upload.pk)
    return upload


def page(client: Client, address: str = "/uploads/") -> str:
    response = client.get(address, headers={"Accept-Language": "en"})
    assert response.status_code == 200
    return response.content.decode()


def listed(client: Client, query: str = "") -> list[int]:
    return [int(pk) for pk in re.findall(r'href="/uploads/(\d+)/"', page(client, f"/uploads/{query}"))]


def deletable(client: Client, upload: Upload) -> bool:
    """Whether its page has a button, and the list too."""
    action = f'action="/uploads/{upload.pk}/delete/"'
    shown = action in page(client, f"/uploads/{upload.pk}/")
    if upload.pk in listed(client):
        assert (action in page(client)) == shown
    return shown


def test_a_visitor_without_an_account_finds_what_this_browser_sent(visitor: Client, another: Client) -> None:
    first, second = send(visitor), send(visitor, "b.kif", GAME + "\n")
    assert listed(visitor) == [second.pk, first.pk]
    assert "2 in all" in page(visitor)
    assert "a.kif" in page(visitor)
    assert listed(another) == []
    assert "No games were added from this browser yet." in page(another)


def test_who_looks_only_is_given_no_session(client: Client) -> None:
    assert listed(client) == []
    client.get("/upload/")
    assert "sessionid" not in client.cookies


def test_the_sender_deletes_an_upload_and_nobody_else_does(visitor: Client, another: Client) -> None:
    upload = send(visitor)
    assert deletable(visitor, upload) and not deletable(another, upload)
    assert another.post(f"/uploads/{upload.pk}/delete/").status_code == 403
    assert visitor.post(f"/uploads/{upload.pk}/delete/").status_code == 302
    assert not Upload.objects.exists() and not Sender.objects.exists()
    assert listed(visitor) == []


def test_what_two_have_sent_neither_deletes_alone(visitor: Client, another: Client) -> None:
    upload = send(visitor)
    assert send(another) == upload
    assert listed(visitor) == listed(another) == [upload.pk]
    for client in (visitor, another):
        assert not deletable(client, upload)
        assert client.post(f"/uploads/{upload.pk}/delete/").status_code == 403


def test_what_is_sent_twice_in_a_session_is_still_its_own(visitor: Client) -> None:
    assert send(visitor) == send(visitor)
    assert deletable(visitor, Upload.objects.get())


def test_what_was_here_before_is_not_the_visitors_to_delete(visitor: Client) -> None:
    store.create_upload("a.kif", [GAME.encode()], source="samples")
    assert not deletable(visitor, send(visitor))


def test_what_an_archivist_imports_too_stays(visitor: Client) -> None:
    upload = send(visitor)
    made = store.create_uploads([("b.kif", GAME.encode())], "token", "command")
    assert made == [(upload, False)]
    assert not deletable(visitor, upload)


def test_uploads_that_are_sent_again_are_noted_in_an_order_that_cannot_deadlock(db: None) -> None:
    files = [(f"{n}.kif", b"%d" % n) for n in range(20)]
    for again in (files, files[::-1]):
        store.create_uploads(again, "token", "command")
    noted = list(Sender.objects.order_by("pk").values_list("upload_id", flat=True))
    assert len(noted) == 20 and noted == sorted(noted)


def test_a_program_that_sends_the_same_without_cookies_counts_as_another(visitor: Client) -> None:
    upload = send(visitor)
    answer = Client().post("/api/v1/uploads", {"text": GAME})
    assert answer.json()["uploads"][0]["id"] == upload.pk
    assert "sessionid" not in answer.cookies
    assert not deletable(visitor, upload)


def test_what_the_upload_pages_script_sends_is_found_and_deleted_too(
    visitor: Client, another: Client
) -> None:
    answer = visitor.post("/api/v1/uploads", {"text": GAME})
    pk = answer.json()["uploads"][0]["id"]
    assert listed(visitor) == [pk]
    assert another.delete(f"/api/v1/uploads/{pk}").status_code == 401
    elsewhere = {"Origin": "https://elsewhere.example"}
    assert visitor.delete(f"/api/v1/uploads/{pk}", headers=elsewhere).status_code == 401
    assert visitor.delete(f"/api/v1/uploads/{pk}").status_code == 204


def test_an_account_finds_what_it_sent_from_anywhere(client: Client, hanako: User, another: Client) -> None:
    client.force_login(hanako)
    upload = send(client)
    another.force_login(hanako)
    assert listed(another) == [upload.pk]
    assert deletable(another, upload)
    assert not Sender.objects.exists()
    assert listed(Client()) == []


def test_who_signs_in_keeps_what_this_browser_sent_before(visitor: Client, hanako: User) -> None:
    before = send(visitor)
    visitor.force_login(hanako)
    after = send(visitor, "b.kif", GAME + "\n")
    assert listed(visitor) == [after.pk, before.pk]
    assert deletable(visitor, before)
    visitor.logout()
    assert listed(visitor) == []


def test_long_lists_have_pages(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "_SHOWN_UPLOADS", 2)
    pks = [send(visitor, text=GAME + n * "\n").pk for n in range(3)]
    assert listed(visitor) == [pks[2], pks[1]]
    assert f'href="?before={pks[1]}"' in page(visitor)
    assert listed(visitor, f"?before={pks[1]}") == [pks[0]]
    monkeypatch.setattr(queries, "COUNT_LIMIT", 2)
    assert queries.number_of_uploads(PUBLIC, None, Sender.objects.all()[0].key) == Total(2, exact=False)


def test_what_is_being_deleted_is_in_no_list(visitor: Client) -> None:
    upload = send(visitor)
    store.begin_deletion(upload.pk)
    assert listed(visitor) == []


def test_the_list_is_kept_by_no_cache_and_found_from_the_upload_page(visitor: Client, hanako: User) -> None:
    assert "no-store" in visitor.get("/uploads/").headers["Cache-Control"]
    assert 'href="/uploads/"' in page(visitor, "/upload/")
    visitor.force_login(hanako)
    assert 'href="/uploads/"' in page(visitor, "/games/")


def test_where_uploads_need_an_account_the_list_says_so(client: Client, settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    assert "/sign-in/?next=/uploads/" in page(client)
