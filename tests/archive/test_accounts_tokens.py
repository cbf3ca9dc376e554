"""Keys for programs, and what roles may do: by token, on pages and in the admin."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from archive.accounts import tokens
from archive.accounts.roles import Role, set_role
from archive.libraries import create_group
from archive.models import Token, Upload, User

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"
RECORD = {"text": "手合割：平手\n"}


@pytest.fixture
def hanako(settings) -> User:
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    return User.objects.create_user("hanako", password=PASSWORD)


def program(key: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def with_token(user: User, *scopes: str) -> APIClient:
    return program(tokens.create(user, "test", scopes, None)[1])


def test_a_token_is_made_after_a_proof_and_shown_once(client, hanako):
    client.force_login(hanako)
    form = {"name": "sync", "scopes": ["upload"], "days": "30"}
    assert client.post("/account/tokens/", form).headers["Location"].startswith("/account/reauthenticate/")
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/"})
    (key,) = re.findall(r">(kifu_[^<]+)</code>", client.post("/account/tokens/", form).content.decode())
    again = client.get("/account/tokens/").content.decode()
    assert "sync" in again and key not in again
    assert key not in str([*Token.objects.values()])
    assert program(key).post("/api/v1/uploads", RECORD, format="json").status_code == 202
    assert Upload.objects.get().uploader == hanako


def test_a_program_learns_whose_token_it_has_and_what_for(client, hanako):
    expires = timezone.now().replace(microsecond=0) + timedelta(days=30)
    key = tokens.create(hanako, "sync", ["upload", "read-private"], expires)[1]
    answer = program(key).get("/api/v1/account")
    assert answer.headers["Cache-Control"] == "private, no-store" and "ETag" not in answer.headers
    data = answer.json()
    assert (data["name"], data["role"], data["token"]) == ("hanako", "contributor", "sync")
    assert data["scopes"] == ["read-private", "upload"]
    assert datetime.fromisoformat(data["expires"]) == expires
    client.force_login(hanako)
    data = client.get("/api/v1/account").json()
    assert (data["name"], data["token"], data["scopes"], data["expires"]) == ("hanako", None, ["admin"], None)
    assert Client().get("/api/v1/account").json()["code"] == "not-authenticated"


@pytest.mark.parametrize("how", ["wrong", "expired", "revoked", "switched off", "empty", "odd"])
def test_a_token_that_is_not_good_is_a_401(client, hanako, how):
    token, key = tokens.create(hanako, "test", ["upload"], None)
    if how == "expired":
        Token.objects.update(expires=timezone.now() - timedelta(seconds=1))
    elif how == "revoked":
        client.force_login(hanako)
        client.post(f"/account/tokens/{token.pk}/revoke/")
    elif how == "switched off":
        User.objects.update(is_active=False)
    sent = {"wrong": key[:-1], "empty": "", "odd": "\udcff\0"}.get(how, key)
    answer = program(sent).get("/api/v1/games")
    assert (answer.status_code, answer.json()["code"]) == (401, "authentication-failed")
    assert answer.json()["detail"] == "this token is wrong, expired or revoked"
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"].startswith("Bearer ")


def test_wrong_tokens_are_counted_with_wrong_passwords(throttled, hanako):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    assert [program("kifu_x").get("/api/v1/games").status_code for _ in range(3)] == [401, 401, 429]
    signed = Client().post("/sign-in/", {"login": "hanako", "password": PASSWORD})
    assert signed.status_code == 429


def test_the_last_use_is_written_once_a_minute(hanako, django_assert_num_queries):
    _token, key = tokens.create(hanako, "test", ["upload"], None)
    with django_assert_num_queries(2):
        tokens.find(key)
    first = Token.objects.get().last_used
    with django_assert_num_queries(1):
        tokens.find(key)
    Token.objects.update(last_used=first - timedelta(minutes=2))
    tokens.find(key)
    assert Token.objects.get().last_used > first


def test_scopes_leave_no_more_than_they_say(hanako):
    set_role(hanako, Role.CURATOR)
    statuses = {}
    for scope in ("read-private", "upload", "edit", "admin"):
        other = Upload.objects.create(sha256=scope, size=1, source="api", state=Upload.State.DONE)
        client = with_token(hanako, scope)
        upload = client.post("/api/v1/uploads", {"text": f"手合割：平手\n*{scope}\n"}, format="json")
        delete = client.delete(f"/api/v1/uploads/{other.pk}")
        statuses[scope] = (client.get("/api/v1/games").status_code, upload.status_code, delete.status_code)
    assert statuses == {
        "read-private": (200, 403, 403),
        "upload": (200, 202, 403),
        "edit": (200, 403, 204),
        "admin": (200, 202, 204),
    }


def test_a_program_is_told_where_its_games_went_and_why_it_reads_none(hanako):
    group = create_group(hanako, "研究会")
    client = with_token(hanako, "upload")
    for space in ("mine", f"group-{group.pk}", "public"):
        sent = client.post("/api/v1/uploads", RECORD | {"space": space}, format="json")
        assert sent.json()["uploads"][0]["space"] == space
    wrong = client.post("/api/v1/uploads", RECORD | {"space": "group-0"}, format="json").json()
    assert wrong["detail"].endswith(f"(public, mine, group-{group.pk})")
    private = client.get("/api/v1/games?scope=mine")
    assert private.status_code == 404
    assert private.json()["detail"] == "this account, or this token, reads by `scope` public"


def test_a_token_gives_nobody_more_than_their_role(hanako):
    set_role(hanako, Role.READER)
    other = Upload.objects.create(sha256="x", size=1, source="api", state=Upload.State.DONE)
    client = with_token(hanako, "upload", "edit", "admin")
    assert client.post("/api/v1/uploads", RECORD, format="json").status_code == 403
    assert client.delete(f"/api/v1/uploads/{other.pk}").status_code == 403


def test_nobody_revokes_a_token_of_somebody_else(client, hanako):
    token, key = tokens.create(hanako, "test", ["upload"], None)
    client.force_login(User.objects.create_user("taro"))
    client.post(f"/account/tokens/{token.pk}/revoke/")
    assert tokens.find(key) is not None


@pytest.mark.parametrize(
    ("role", "upload", "delete", "admin", "accounts"),
    [
        (Role.READER, 403, 403, 403, 403),
        (Role.CONTRIBUTOR, 202, 403, 403, 403),
        (Role.CURATOR, 202, 204, 200, 403),
        (Role.ADMINISTRATOR, 202, 204, 200, 200),
    ],
)
def test_what_a_role_may_do_in_the_api_and_the_admin(hanako, role, upload, delete, admin, accounts):
    set_role(hanako, role)
    other = Upload.objects.create(sha256="x", size=1, source="api", state=Upload.State.DONE)
    client = APIClient()
    client.force_login(hanako)
    assert client.post("/api/v1/uploads", RECORD, format="json").status_code == upload
    assert client.delete(f"/api/v1/uploads/{other.pk}").status_code == delete
    assert client.get("/admin/", follow=True).status_code == admin
    assert client.get("/admin/archive/user/", follow=True).status_code == accounts


def test_an_administrator_sets_roles_and_never_takes_away_the_last_one(client, hanako):
    keeper = User.objects.create_superuser("keeper", password=PASSWORD)
    client.force_login(keeper)
    fields = {"username": "hanako", "role": "curator", "is_active": "on"}
    assert client.post(f"/admin/archive/user/{hanako.pk}/change/", fields).status_code == 302
    hanako.refresh_from_db()
    assert (hanako.role, hanako.is_staff, hanako.is_superuser) == ("curator", True, False)
    fields = {"username": "keeper", "role": "reader", "is_active": "on"}
    assert client.post(f"/admin/archive/user/{keeper.pk}/change/", fields).status_code == 200
    keeper.refresh_from_db()
    assert keeper.is_superuser


def test_basic_does_not_go_round_a_second_factor(settings, hanako):
    from allauth.mfa.models import Authenticator

    settings.ARCHIVE_BASIC_AUTH = True
    Authenticator.objects.create(user=hanako, type="totp", data={})
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Basic aGFuYWtvOmNvcnJlY3QgaG9yc2U=")
    assert client.get("/api/v1/games").status_code == 403
    Authenticator.objects.all().delete()
    assert client.get("/api/v1/games").status_code == 200
    Authenticator.objects.create(user=hanako, type="totp", data={})
    assert client.get("/api/v1/games").status_code == 403, "also where the password is remembered"
