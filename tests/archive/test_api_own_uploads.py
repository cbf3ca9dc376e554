"""The list of one's own uploads in the API: that of the page, for accounts, sessions and tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from archive import store
from archive.accounts import tokens
from archive.intake.worker import work_off
from archive.models import Upload, User
from archive.queries.games import upload_progress as queries
from tests.archive.pages import page, text

pytestmark = pytest.mark.django_db

GAME = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n"
ADDRESS = "/api/v1/uploads"


@pytest.fixture(autouse=True)
def anyone_may_upload(settings: Settings) -> None:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = True


@pytest.fixture
def visitor() -> Client:
    """A browser without an account that has opened the upload page."""
    result = Client()
    result.get("/upload/")
    return result


@pytest.fixture
def hanako() -> User:
    return User.objects.create_user("hanako", password="pass")


@pytest.fixture
def owner(hanako: User) -> Client:
    result = Client()
    result.force_login(hanako)
    return result


def send(client: Client, name: str = "a.kif", text: str = GAME, space: str = "public") -> Upload:
    answer = client.post(ADDRESS, {"file": SimpleUploadedFile(name, text.encode()), "space": space})
    upload = Upload.objects.get(pk=answer.json()["uploads"][0]["id"])
    work_off(upload.pk)
    return upload


def get_json(client: Client, address: str = ADDRESS, **headers: str) -> Any:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200, answer.content
    return answer.json()


def assert_equal(client: Client) -> None:
    """Assert that a list is that of the page, each upload as it is told by itself."""
    result, shown = get_json(client), page(client, "/uploads/")
    listed = re.findall(r'<a href="/uploads/(\d+)/">(.*?)</a>', shown)
    assert [(str(one["id"]), one["name"]) for one in result["results"]] == listed
    if listed:
        assert f"{result['total']['count']} in all" in text(shown)
    for one in result["results"]:
        assert one["deletable"] == (f'action="/uploads/{one["id"]}/delete/"' in shown)
        itself = get_json(client, one["url"])
        assert {name: itself[name] for name in one} == one


def test_a_session_lists_what_it_sent_as_the_page_does(visitor: Client) -> None:
    send(visitor)
    second = send(visitor, "b.kif", "no record")
    assert_equal(visitor)
    first = get_json(visitor)["results"][0]
    assert (first["id"], first["name"], first["space"], first["deletable"]) == (
        second.pk,
        "b.kif",
        "public",
        True,
    )
    assert first["entries"]["failed"] == 1
    assert get_json(Client())["results"] == [] and get_json(Client())["total"] == {"count": 0, "exact": True}


def test_who_looks_only_is_given_no_session() -> None:
    client = Client()
    get_json(client)
    assert "sessionid" not in client.cookies


def test_an_account_lists_what_it_sent_to_its_library_too(owner: Client) -> None:
    public, private = send(owner), send(owner, "himitsu.kif", GAME + "\n", "mine")
    assert_equal(owner)
    spaces = {one["id"]: one["space"] for one in get_json(owner)["results"]}
    assert spaces == {public.pk: "public", private.pk: "mine"}
    answer = owner.get(ADDRESS)
    assert answer["Cache-Control"] == "private, no-store" and "ETag" not in answer
    other = Client()
    other.force_login(User.objects.create_user("taro", password="pass"))
    for client in (other, Client()):
        assert get_json(client)["results"] == []


def test_a_token_lists_what_it_reads(owner: Client, hanako: User) -> None:
    public, private = send(owner), send(owner, "himitsu.kif", GAME + "\n", "mine")
    for scopes, expected in ((["upload"], [public.pk]), (["read-private"], [private.pk, public.pk])):
        _token, key = tokens.create(hanako, "sync", scopes, None)
        result = get_json(Client(), Authorization=f"Bearer {key}")["results"]
        assert [one["id"] for one in result] == expected
        assert [one["deletable"] for one in result] == [False] * len(result)


def test_what_two_have_sent_is_deleted_by_neither_alone(visitor: Client, owner: Client) -> None:
    send(visitor)
    another = Client()
    another.get("/upload/")
    send(another)
    assert [one["deletable"] for one in get_json(visitor)["results"]] == [False]
    assert_equal(visitor)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_join_without_gaps_or_doubles(visitor: Client, limit: int) -> None:
    sent = [send(visitor, text=GAME + n * "\n").pk for n in range(4)]
    url, result = f"{ADDRESS}?limit={limit}", []
    while url:
        answer = get_json(visitor, url)
        assert len(answer["results"]) <= limit
        result += [one["id"] for one in answer["results"]]
        url = answer["next_url"]
    assert result == sent[::-1]


def test_many_are_counted_to_a_number(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "COUNT_LIMIT", 1)
    for n in range(2):
        send(visitor, text=GAME + n * "\n")
    assert get_json(visitor)["total"] == {"count": 1, "exact": False}


def test_what_is_being_deleted_is_in_no_list(visitor: Client) -> None:
    store.begin_deletion(send(visitor).pk)
    assert get_json(visitor)["results"] == []


def test_an_upload_that_was_given_up_has_its_reason(visitor: Client) -> None:
    pk = send(visitor).pk
    Upload.objects.filter(pk=pk).update(state="failed", reason={"code": "gave-up", "params": {"tries": 3}})
    reason = get_json(visitor, f"{ADDRESS}/{pk}", **{"Accept-Language": "en"})["reason"]
    assert (reason["code"], reason["severity"], reason["line"]) == ("gave-up", "error", None)
    assert reason["message"] == "given up after 3 tries without progress"


def test_names_that_are_hidden_are_not_told(visitor: Client) -> None:
    upload = send(visitor, "secret.kif")
    store.delete_games([upload.entries.get().game_id], hide_bytes=True)
    (result,) = get_json(visitor)["results"]
    assert (result["id"], result["name"]) == (upload.pk, "")


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ("cursor=x", "invalid-cursor", "cursor"),
        ("cursor=-1", "invalid-cursor", "cursor"),
        ("cursor=9999999999", "invalid-cursor", "cursor"),
        ("cursor=%00", "invalid", "cursor"),
        ("limit=0", "invalid-limit", "limit"),
        ("limit=101", "invalid-limit", "limit"),
        ("before=1", "invalid", "before"),
        ("user=1", "invalid", "user"),
        ("limit=1&limit=2", "invalid", "limit"),
    ],
)
def test_a_list_that_cannot_be_asked_for_is_refused(
    visitor: Client, query: str, code: str, field: str
) -> None:
    answer = visitor.get(f"{ADDRESS}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_what_is_sent_has_no_parameters_of_the_list(visitor: Client) -> None:
    answer = visitor.post(f"{ADDRESS}?limit=1", {"text": GAME})
    assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (400, ["limit"])
    assert not Upload.objects.exists()


def test_a_list_that_is_known_is_not_sent_again_and_nobody_elses(visitor: Client) -> None:
    send(visitor)
    answer = visitor.get(ADDRESS)
    assert "Cookie" in answer["Vary"] and answer["Cache-Control"] == "private, no-cache"
    again = {"If-None-Match": answer["ETag"]}
    assert visitor.get(ADDRESS, headers=again).status_code == 304
    assert Client().get(ADDRESS, headers=again).status_code == 200
    send(visitor, "b.kif", GAME + "\n")
    assert visitor.get(ADDRESS, headers=again).status_code == 200
    assert visitor.head(ADDRESS).content == b""


def test_a_list_costs_what_its_page_costs(throttled: Settings, visitor: Client) -> None:
    throttled.ARCHIVE_THROTTLE_WORK = 100
    left = [int(re.findall(r'"work";r=(\d+)', visitor.get(ADDRESS)["RateLimit"])[0]) for _ in range(2)]
    assert left[0] - left[1] == 2
