"""Uploads through the API: who may, what is stored, what became of it."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from archive.intake import tasks, uploads, worker
from archive.models import Game, Upload, User
from tests.archive.games import BROKEN, CSA, KIF, UNREADABLE, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(settings) -> APIClient:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True
    return APIClient(enforce_csrf_checks=True)


def send(client: APIClient, *contents: str | bytes, **headers: str):
    data = [text.encode() if isinstance(text, str) else text for text in contents]
    files = [SimpleUploadedFile(f"game{n}.kif", content) for n, content in enumerate(data)]
    return client.post("/api/v1/uploads", {"file": files}, format="multipart", headers=headers)


def worked_off(response) -> list[Upload]:
    ids = [upload["id"] for upload in response.json()["uploads"]]
    for pk in ids:
        worker.work_off(pk)
    return list(Upload.objects.filter(pk__in=ids).order_by("pk"))


def test_a_new_file_is_accepted_and_can_be_followed(client):
    response = send(client, KIF)
    assert response.status_code == 202
    (upload,) = response.json()["uploads"]
    assert (upload["state"], upload["duplicate"]) == ("received", False)
    detail = client.get(upload["url"]).json()
    assert (detail["name"], detail["size"], detail["state"]) == ("game0.kif", len(KIF.encode()), "received")


def test_the_same_file_twice_is_one_upload_and_one_game(client):
    worked_off(send(client, KIF))
    again = send(client, KIF)
    assert again.status_code == 200
    assert again.json()["uploads"][0]["duplicate"] is True
    assert (Upload.objects.count(), Game.objects.count()) == (1, 1)


def test_the_same_game_as_kif_and_csa_is_one_game_with_two_entries(client):
    worked_off(send(client, KIF, CSA))
    game = Game.objects.get()
    sources = client.get(f"/api/v1/games/{game.pk}").json()["sources"]
    assert [(source["state"], source["format"]) for source in sources] == [
        ("stored", "kif"),
        ("duplicate", "csa"),
    ]


def test_pasted_text_is_an_upload_too(client):
    response = client.post("/api/v1/uploads", {"text": KIF, "name": "paste.kif"}, format="json")
    assert response.status_code == 202
    worked_off(response)
    assert Game.objects.get().plies == 7


def test_a_broken_file_ends_as_a_failed_entry_that_names_line_and_reason(client):
    (upload,) = worked_off(send(client, UNREADABLE))
    detail = client.get(f"/api/v1/uploads/{upload.pk}").json()
    assert detail["state"] == "done"
    assert detail["entries"]["failed"] == 1
    (entry,) = client.get(detail["entries_url"]).json()["results"]
    assert (entry["state"], entry["game_id"]) == ("failed", None)
    issue = next(issue for issue in entry["issues"] if issue["severity"] == "error")
    assert issue["line"] == 1
    assert "五々将棋" in issue["source_line"]
    assert issue["message"]


def test_issues_are_told_in_the_language_that_is_asked_for(client):
    (upload,) = worked_off(send(client, BROKEN))

    def message_in(language: str) -> str:
        answer = client.get(f"/api/v1/uploads/{upload.pk}/entries", headers={"Accept-Language": language})
        return answer.json()["results"][0]["issues"][0]["message"]

    assert message_in("ja") != message_in("en")


@pytest.mark.parametrize("content", [BROKEN.encode("cp932"), b"\x00\xff not a record", KIF.encode()])
def test_the_bytes_can_be_downloaded_as_they_came(client, content):
    (upload,) = worked_off(send(client, content))
    response = client.get(f"/api/v1/uploads/{upload.pk}/source")
    assert b"".join(response.streaming_content) == content
    assert response["Content-Disposition"].startswith("attachment")


def test_entries_come_in_pages(client):
    games = "/\n".join(CSA.replace("先手の人", f"人{n}") for n in range(5))
    upload = stored(games, "five.csa")
    address, seen = f"/api/v1/uploads/{upload.pk}/entries?limit=2", []
    while address:
        page = client.get(address).json()
        seen += [row["seq"] for row in page["results"]]
        address = page["next_url"]
    assert seen == [0, 1, 2, 3, 4]


# --- who may ---------------------------------------------------------------------------------------------


def test_without_signing_in_nobody_uploads_where_that_is_off(client, settings):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    response = send(client, KIF)
    assert response.status_code == 401
    assert response.json()["code"] == "not-authenticated"
    assert not Upload.objects.exists()


def test_basic_authentication_lets_a_user_upload(client, settings):
    settings.ARCHIVE_BASIC_AUTH = True
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    User.objects.create_user("taro", password="opensesame")
    token = base64.b64encode(b"taro:opensesame").decode()
    response = send(client, KIF, Authorization=f"Basic {token}")
    assert response.status_code == 202
    uploader = Upload.objects.get().uploader
    assert uploader is not None
    assert uploader.get_username() == "taro"


def test_a_session_uploads_only_with_its_csrf_token(client, settings):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    client.force_login(User.objects.create_user("taro"))
    assert send(client, KIF).status_code == 403
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://["},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_page_of_another_site_cannot_upload_for_its_visitor(client, headers):
    assert send(client, KIF, **headers).status_code == 401
    assert not Upload.objects.exists()


def test_a_page_at_the_public_address_can_where_a_proxy_asks_by_another_name(client, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://kifu.example"]
    assert send(client, KIF, Origin="https://kifu.example").status_code == 202


def test_a_page_of_this_site_can(client):
    response = send(client, KIF, Origin="http://testserver", **{"Sec-Fetch-Site": "same-origin"})
    assert response.status_code == 202


# --- hostile input ---------------------------------------------------------------------------------------


def test_a_file_beyond_the_limit_is_refused_and_not_stored(client, settings):
    settings.ARCHIVE_MAX_UPLOAD_BYTES = 100
    response = send(client, KIF)
    assert response.status_code == 413
    assert response.json()["code"] == "too-large"
    assert not Upload.objects.exists()


def test_an_empty_file_is_refused_with_a_reason(client):
    response = send(client, b"")
    assert response.status_code == 400
    assert response.json()["code"] in {"empty", "nothing-to-upload"}


def test_a_file_that_is_refused_does_not_keep_the_others(client, settings):
    settings.ARCHIVE_MAX_UPLOAD_BYTES = 10_000
    sent = [(b"", "b.kif"), (KIF.encode(), "a.kif"), (b"x" * 10_001, "c.kif"), (CSA.encode(), "d.csa")]
    files = [SimpleUploadedFile(name, data) for data, name in sent]
    answer = client.post("/api/v1/uploads", {"file": files})
    assert answer.status_code == 202
    assert [Upload.objects.get(pk=one["id"]).name for one in answer.json()["uploads"]] == ["a.kif", "d.csa"]
    assert answer.json()["refused"] == [
        {"name": "b.kif", "code": "empty", "detail": "the file is empty"},
        {"name": "c.kif", "code": "too-large", "detail": "a file has at most 10000 bytes"},
    ]
    assert "refused" not in client.post("/api/v1/uploads", {"text": KIF}).json()


def test_of_files_and_a_text_none_is_passed_over(client):
    def sent(text: str) -> Any:
        file = SimpleUploadedFile("a.kif", KIF.encode())
        return client.post("/api/v1/uploads", {"file": file, "text": text})

    answer = sent(CSA)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "text")
    assert not Upload.objects.exists()
    assert sent("").status_code == 202


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        ({"text": 5}, "json"),
        ({"text": ["a"]}, "json"),
        ({"text": KIF, "file": "a"}, "json"),
        ({"text": KIF, "file": "a"}, "multipart"),
    ],
)
def test_what_is_of_another_type_is_named(client, sent, kind):
    answer = client.post("/api/v1/uploads", sent, format=kind)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["errors"][0]["field"] == [*sent][-1]
    assert not Upload.objects.exists()


def test_a_request_without_anything_says_what_is_missing(client):
    response = client.post("/api/v1/uploads", {}, format="multipart")
    assert response.status_code == 400
    problem = response.json()
    assert problem["code"] == "nothing-to-upload"
    assert response["Content-Type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "code", "errors"} == set(problem)


def test_more_than_a_request_may_hold_is_a_problem_with_a_code(client, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = settings.ARCHIVE_MAX_FILES_PER_REQUEST = 2
    files = [SimpleUploadedFile(f"{n}.kif", KIF.encode()) for n in range(3)]
    answer = client.post("/api/v1/uploads", {"file": files})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-many-files")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = settings.ARCHIVE_MAX_TEXT_BYTES = 100
    for kind in ("json", "multipart"):
        answer = client.post("/api/v1/uploads", {"text": KIF}, format=kind)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
    assert answer["Content-Type"] == "application/problem+json" and not Upload.objects.exists()


@pytest.mark.parametrize("what", ["uploads", "check"])
def test_a_body_of_unknown_length_is_refused_by_that_name(client, what):
    answer = client.post(f"/api/v1/{what}", headers={"Transfer-Encoding": "chunked"})
    assert (answer.status_code, answer.json()["code"]) == (411, "length-required")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\games\\a.kif", "a.kif"),
        ("a\u202efik.exe", "afik.exe"),
        ("", "text"),
    ],
)
def test_a_name_is_never_a_path_and_hides_nothing(client, sent, shown):
    client.post("/api/v1/uploads", {"text": KIF, "name": sent}, format="json")
    assert Upload.objects.get().name == shown


def test_an_upload_that_is_not_there_is_a_problem_with_a_code(client):
    response = client.get("/api/v1/uploads/999999")
    assert (response.status_code, response.json()["code"]) == (404, "not-found")


def test_an_upload_is_deleted_by_who_sent_it(client):
    anna, bert = User.objects.create_user("anna"), User.objects.create_user("bert")
    client = APIClient()
    client.force_authenticate(anna)
    (upload,) = worked_off(send(client, KIF))
    url = f"/api/v1/uploads/{upload.pk}"
    assert APIClient().delete(url).status_code in (401, 403)
    client.force_authenticate(bert)
    refused = client.delete(url)
    assert (refused.status_code, refused.json()["code"]) == (403, "permission-denied")
    client.force_authenticate(anna)
    assert client.delete(url).status_code == 204
    assert not Upload.objects.exists() and not Game.objects.exists()
    assert client.delete(url).status_code == 410


def keeper(*rights: str) -> User:
    """A user with rights to uploads."""
    user = User.objects.create_user("keeper")
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


def test_who_has_the_right_deletes_what_nobody_in_particular_sent(client):
    (upload,) = worked_off(send(client, KIF))
    assert client.delete(f"/api/v1/uploads/{upload.pk}").status_code in (401, 403)
    client.force_authenticate(User.objects.create_user("staff", is_staff=True))
    assert client.delete(f"/api/v1/uploads/{upload.pk}").status_code == 403
    client.force_authenticate(keeper("delete_upload"))
    assert client.delete(f"/api/v1/uploads/{upload.pk}").status_code == 204


def test_what_takes_long_to_delete_is_left_to_a_worker(client, monkeypatch):
    (upload,) = worked_off(send(client, KIF))
    client.force_authenticate(keeper("delete_upload", "view_upload"))
    monkeypatch.setattr(uploads, "DELETE_SECONDS", 0)
    for _ in range(2):
        assert client.delete(f"/api/v1/uploads/{upload.pk}").status_code == 202
    assert client.get(f"/api/v1/uploads/{upload.pk}").json()["state"] == "deleting"
    tasks.delete_upload(upload.pk)
    assert not Upload.objects.exists()
