"""Webhooks as accounts, pages and programs make, show and remove them."""

from __future__ import annotations

import pytest
from django.test import Client
from rest_framework.test import APIClient

from archive import libraries
from archive.accounts import tokens
from archive.hooks import own_hooks
from archive.hooks.errors import HookError
from archive.hooks.signing import secret_of
from archive.models import Hook, HookDelivery, User
from archive.web.accounts.leaving import account_data, end_account
from tests.archive.games import KIF, stored
from tests.archive.receiver import deliver_due, hook_to, receiving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def at_home(settings) -> None:
    settings.ARCHIVE_HOOKS_HTTP = True
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = True


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", email="anna@example.com", password="opensesame")


def test_hooks_go_with_their_account_and_are_told_with_it(anna):
    stored(KIF)
    with receiving() as one:
        hook = hook_to(anna, one, "player:別の人")
        own_hooks.request_test(hook)
        (held,) = account_data(anna)["hooks"]
        assert (held["address"], held["query"]) == (one.address, "player:別の人")
        assert secret_of(hook.salt) not in str(held)
        end_account(anna)
    assert not Hook.objects.exists() and not HookDelivery.objects.exists()


def test_an_account_has_so_many_hooks(anna, settings):
    settings.ARCHIVE_HOOKS_PER_ACCOUNT = 1
    with receiving() as one:
        hook_to(anna, one)
        with pytest.raises(HookError, match="too-many-hooks"):
            hook_to(anna, one)
        settings.ARCHIVE_HOOKS_PER_ACCOUNT = 0
        with pytest.raises(HookError, match="hooks-off"):
            hook_to(anna, one)


def proven(user: User) -> Client:
    """A browser in which somebody has just given their password."""
    client = Client()
    client.force_login(user)
    client.post("/account/reauthenticate/", {"password": "opensesame"})
    return client


def test_the_page_makes_a_hook_shows_its_secret_once_and_tries_it(anna):
    client = proven(anna)
    with receiving() as one:
        sent = {"target_url": one.address, "query": "player:別の人", "scope": ["public"]}
        page = client.post("/account/hooks/", sent).content.decode()
        hook = Hook.objects.get()
        secret = secret_of(hook.salt)
        assert secret in page
        again = client.get("/account/hooks/", headers={"accept-language": "en"}).content.decode()
        assert secret not in again and one.address in again and "player:別の人" in again
        assert client.post(f"/account/hooks/{hook.pk}/test/").status_code == 302
        deliver_due()
        assert one.received[0].json["test"] and one.received[0].json["games"] == []
        assert "204" in client.get("/account/hooks/").content.decode()
    Hook.objects.update(disabled="failing")
    off = client.get("/account/hooks/", headers={"accept-language": "en"}).content.decode()
    assert "it failed for too long" in off
    assert "switched off" in client.get("/account/", headers={"accept-language": "en"}).content.decode()
    client.post(f"/account/hooks/{hook.pk}/enable/")
    assert Hook.objects.get().disabled == ""
    client.post(f"/account/hooks/{hook.pk}/remove/")
    assert not Hook.objects.exists()


@pytest.mark.parametrize(
    ("address", "query", "words"),
    [
        ("https://localhost/", "", "private network"),
        ("https://example.com:22/", "", "port 443"),
        ("https://u:p@example.com/", "", "neither name nor password"),
        ("https://localhost/", "player:", "expected"),
    ],
)
def test_the_page_says_what_is_wrong(anna, settings, address, query, words):
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
    client = proven(anna)
    sent = {"target_url": address, "query": query, "scope": ["public"]}
    page = client.post("/account/hooks/", sent, headers={"accept-language": "en"}).content.decode()
    assert words in page
    assert not Hook.objects.exists()


def program(user: User, *scopes: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {tokens.create(user, 'test', scopes, None)[1]}")
    return client


def test_programs_make_hooks_with_a_token_for_them(anna):
    with receiving() as one:
        client = program(anna, "hooks")
        made = client.post("/api/v1/hooks", {"target_url": one.address, "query": "別の"}, format="json")
        assert made.status_code == 201
        hook = made.json()
        assert hook["secret"].startswith("kifu_hook_") and hook["scope"] == "public"
        assert "secret" not in client.get(f"/api/v1/hooks/{hook['id']}").json()
        assert [entry["id"] for entry in client.get("/api/v1/hooks").json()["results"]] == [hook["id"]]
        assert client.post(f"/api/v1/hooks/{hook['id']}/test").status_code == 202
        deliver_due()
        deliveries = client.get(f"/api/v1/hooks/{hook['id']}").json()["deliveries"]
        assert [(entry["status"], entry["test"]) for entry in deliveries] == [(204, True)]
        assert client.post(f"/api/v1/hooks/{hook['id']}/enable").json()["disabled"] == ""
        assert client.delete(f"/api/v1/hooks/{hook['id']}").status_code == 204
        assert client.delete(f"/api/v1/hooks/{hook['id']}").status_code == 404


def test_what_a_program_is_told_of_its_hooks_is_kept_by_nobody(anna):
    with receiving() as one:
        client = program(anna, "hooks")
        made = client.post("/api/v1/hooks", {"target_url": one.address}, format="json").json()
        for answer in (client.get("/api/v1/hooks"), client.get(f"/api/v1/hooks/{made['id']}")):
            assert answer["Cache-Control"] == "private, no-store" and "ETag" not in answer


@pytest.mark.parametrize("scopes", [["read-private"], ["upload"]])
def test_other_tokens_make_no_hooks(anna, scopes):
    assert program(anna, *scopes).get("/api/v1/hooks").status_code == 403
    assert APIClient().get("/api/v1/hooks").status_code == 401


def test_a_token_that_reads_nothing_private_makes_no_hook_that_does(anna):
    libraries.own_library(anna)
    with receiving() as one:
        blind, seeing = program(anna, "hooks"), program(anna, "hooks", "read-private")
        fields = {"target_url": one.address, "scope": "mine"}
        refused = blind.post("/api/v1/hooks", fields, format="json")
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown-hook-scope")
        all_of_it = blind.post("/api/v1/hooks", fields | {"scope": "all"}, format="json")
        assert all_of_it.json()["scope"] == "public"
        assert (
            seeing.post("/api/v1/hooks", fields | {"scope": "all"}, format="json").json()["scope"]
            == "public,mine"
        )


def test_nobody_sees_or_changes_the_hooks_of_others(anna):
    boris = User.objects.create_user("boris")
    with receiving() as one:
        hook = hook_to(anna, one)
    client = program(boris, "hooks")
    for method, address in [
        ("get", ""), ("delete", ""), ("post", "/test"), ("post", "/enable"),
    ]:  # fmt: skip
        assert getattr(client, method)(f"/api/v1/hooks/{hook.pk}{address}").status_code == 404
    signed = Client()
    signed.force_login(boris)
    for deed in ("test", "enable", "remove"):
        assert signed.post(f"/account/hooks/{hook.pk}/{deed}/").status_code == 404
    assert Hook.objects.exists()


@pytest.mark.parametrize(
    ("fields", "code", "field", "words"),
    [
        ({"target_url": "gopher://x/"}, "hook-address", "target_url", "such as https://example.com/games"),
        ({"target_url": "https://localhost/"}, "hook-private-host", "target_url", "private network"),
        (
            {"target_url": "https://localhost/", "query": "player:"},
            "query-syntax",
            "query",
            "expected a text",
        ),
        ({}, "invalid", "target_url", "as they should be"),
        (
            {"target_url": "https://localhost/", "scope": "group-9"},
            "unknown-hook-scope",
            "scope",
            "(public)",
        ),
    ],
)
def test_the_api_says_what_is_wrong(anna, settings, fields, code, field, words):
    settings.ARCHIVE_HOOKS_PRIVATE_NETWORKS = False
    answer = program(anna, "hooks").post("/api/v1/hooks", fields, format="json").json()
    assert (answer["status"], answer["code"], answer["errors"][0]["field"]) == (400, code, field)
    assert words in answer["detail"]
    if code != "invalid":
        assert not answer["errors"][0]["message"].isascii()


def test_no_test_is_promised_of_a_hook_that_is_switched_off(anna):
    with receiving() as one:
        hook = hook_to(anna, one)
    own_hooks.disable_hook(hook, Hook.Off.GONE)
    answer = program(anna, "hooks").post(f"/api/v1/hooks/{hook.pk}/test")
    assert (answer.status_code, answer.json()["code"]) == (409, "hook-disabled")
    signed = Client()
    signed.force_login(anna)
    assert f"/account/hooks/{hook.pk}/test/" not in signed.get("/account/hooks/").content.decode()
    page = signed.post(f"/account/hooks/{hook.pk}/test/", follow=True).content.decode()
    assert "試す前に再開してください" in page
    assert not hook.deliveries.exists()
