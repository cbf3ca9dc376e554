"""Tokens for programs without a browser: what the programs and their users see (RFC 8628)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from archive.accounts import devices
from archive.accounts.roles import Role, set_role
from archive.models import DeviceGrant, Token, User
from archive.web.accounts.devices import GRANT_TYPE

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"


@pytest.fixture
def hanako(client) -> User:
    user = User.objects.create_user("hanako", password=PASSWORD)
    client.force_login(user)
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/"})
    return user


def begun(**more: str) -> dict[str, Any]:
    """The codes for a program."""
    answer = Client().post("/oauth/device", {"client_id": "board", "scope": "read-private upload"} | more)
    assert (answer.status_code, answer.headers["Cache-Control"].split(", ")[-1]) == (200, "private")
    return dict(answer.json())


def request_token(codes: dict[str, Any], **more: str) -> tuple[int, dict[str, Any]]:
    """The answer to a program that asks for its token."""
    form = {"grant_type": GRANT_TYPE, "device_code": codes["device_code"], "client_id": "board"} | more
    answer = Client().post("/oauth/token", form)
    return answer.status_code, answer.json()


def error(codes: dict[str, Any], **more: str) -> str:
    status, answer = request_token(codes, **more)
    assert status == 400 and answer.keys() == {"error", "error_description"}
    return str(answer["error"])


def later(seconds: int) -> None:
    """Let the last request of the program, and the beginning of the grant, lie further back."""
    for grant in DeviceGrant.objects.all():
        grant.polled = grant.polled and grant.polled - timedelta(seconds=seconds)
        grant.expires -= timedelta(seconds=seconds)
        grant.save()


def page_of(client: Client, codes: dict[str, Any], language: str) -> str:
    answer = client.get(codes["verification_uri_complete"], headers={"Accept-Language": language})
    return answer.content.decode()


def decided(client: Client, codes: dict[str, Any], **form: str) -> Any:
    return client.post(codes["verification_uri_complete"], form)


def test_a_program_gets_the_token_that_its_user_allows_once(client, hanako):
    codes = begun()
    assert codes["verification_uri"] == "http://testserver/device/"
    assert (codes["expires_in"], codes["interval"]) == (900, 5)
    assert error(codes) == "authorization_pending"
    for language, words in (("en", "add games"), ("ja", "棋譜を追加する")):
        page = page_of(client, codes, language)
        assert "board" in page and codes["user_code"] in page and words in page
    assert not Token.objects.exists()
    assert decided(client, codes, action="allow", days="30").status_code == 200
    status, answer = request_token(codes)
    assert (status, answer["token_type"], answer["scope"]) == (200, "Bearer", "read-private upload")
    assert 0 <= 30 * 24 * 3600 - answer["expires_in"] < 60
    key = {"Authorization": f"Bearer {answer['access_token']}"}
    account = Client().get("/api/v1/account", headers=key).json()
    assert (account["name"], account["token"]) == ("hanako", "board")
    assert error(codes) == "invalid_grant"
    assert Token.objects.count() == 1


def test_a_code_is_read_in_any_spelling_and_a_wrong_one_is_refused(client, hanako):
    codes = begun()
    spelled = codes["user_code"].lower().replace("-", " ")
    assert "board" in client.get("/device/", {"user_code": spelled}).content.decode()
    assert client.get("/device/", {"user_code": "BBBB-BBBB"}).status_code == 400
    assert client.get("/device/").status_code == 200


def test_wrong_codes_are_counted(client, hanako, throttled):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 3
    answers = [client.get("/device/", {"user_code": f"BBBB-BBB{last}"}) for last in "BCDF"]
    assert [answer.status_code for answer in answers] == [400, 400, 400, 429]


def test_strangers_sign_in_first_and_allowing_needs_a_proof(client):
    codes = begun()
    answer = client.get(codes["verification_uri_complete"])
    assert answer.headers["Location"].startswith("/sign-in/?next=/device/%3Fuser_code")
    client.force_login(User.objects.create_user("taro", password=PASSWORD))
    answer = decided(client, codes, action="allow", days="")
    assert answer.headers["Location"].startswith("/account/reauthenticate/")
    assert error(codes) == "authorization_pending"


def test_a_user_can_deny_a_token(client, hanako):
    codes = begun()
    assert decided(client, codes, action="deny").status_code == 200
    assert error(codes) == "access_denied"
    assert client.get(codes["verification_uri_complete"]).status_code == 400
    assert not Token.objects.exists()


def test_a_decision_is_refused_if_somebody_else_has_decided_meanwhile(client, hanako, monkeypatch):
    codes = begun()
    grant = devices.waiting(codes["user_code"])
    monkeypatch.setattr(devices, "waiting", lambda code: grant)
    assert devices.decide(grant, User.objects.create_user("taro", password=PASSWORD), [], None)
    answer = decided(client, codes, action="allow", days="30")
    assert (answer.status_code, 'role="alert"' in answer.content.decode()) == (400, True)
    assert error(codes) == "access_denied"


def test_a_program_that_asks_too_often_is_slowed_down(client, hanako):
    codes = begun()
    assert [error(codes), error(codes)] == ["authorization_pending", "slow_down"]
    later(6)
    assert error(codes) == "slow_down"
    later(16)
    assert error(codes) == "authorization_pending"
    decided(client, codes, action="allow", days="90")
    assert request_token(codes)[0] == 200


def test_codes_expire(client, hanako):
    codes = begun()
    later(901)
    assert error(codes) == "expired_token"
    assert client.get(codes["verification_uri_complete"]).status_code == 400
    DeviceGrant.objects.update(expires=timezone.now() - timedelta(days=2))
    begun()
    assert error(codes) == "invalid_grant"


def test_a_token_has_only_scopes_that_the_role_allows(client, hanako):
    set_role(hanako, Role.READER)
    codes = begun()
    assert "add games" not in page_of(client, codes, "en")
    decided(client, codes, action="allow", days="")
    _status, answer = request_token(codes)
    assert answer["scope"] == "read-private" and "expires_in" not in answer
    only = begun(scope="upload")
    decided(client, only, action="allow", days="")
    assert error(only) == "access_denied"


def test_an_account_that_was_switched_off_gets_no_token(client, hanako):
    codes = begun()
    decided(client, codes, action="allow", days="")
    User.objects.update(is_active=False)
    assert error(codes) == "access_denied"


@pytest.mark.parametrize(
    ("form", "code"),
    [
        ({}, "invalid_request"),
        ({"client_id": ""}, "invalid_request"),
        ({"client_id": ["a", "b"]}, "invalid_request"),
        ({"client_id": "a\0b"}, "invalid_request"),
        ({"client_id": "x" * 81}, "invalid_request"),
        ({"client_id": "board", "scope": "everything"}, "invalid_scope"),
    ],
)
def test_a_wrong_request_for_codes_says_what_is_wrong(form, code):
    answer = Client().post("/oauth/device", form)
    assert (answer.status_code, answer.json()["error"]) == (400, code)


def test_a_wrong_request_for_a_token_says_what_is_wrong():
    codes = begun(scope="")
    assert error(codes, grant_type="password") == "unsupported_grant_type"
    assert error(codes, device_code="x") == "invalid_grant"
    assert error(codes, client_id="other") == "invalid_grant"
    assert Client().post("/oauth/token", {"grant_type": GRANT_TYPE}).json()["error"] == "invalid_request"
    assert Client().get("/oauth/token").status_code == 405
    assert DeviceGrant.objects.get().scopes == ["read-private"]
