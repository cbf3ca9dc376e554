"""Passkeys: made, used behind a password, once more and alone, and refused where anything is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from fido2.cose import CoseKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive.http.limits import counting
from archive.intake import tasks
from archive.models import AuditEvent, AuditLine, User
from archive.project.env import Origin
from archive.web.accounts import passkeys
from archive.web.accounts.leaving import account_data, end_account
from tests.archive.authenticator import Passkey
from tests.archive.html import tidy
from tests.archive.test_accounts_signing_in import code_of, some_time_later

pytestmark = pytest.mark.django_db

PASSWORD = "opensesame"
INDEX, NEW = "/account/second-factor/", "/account/second-factor/passkeys/new/"
APP = f"{INDEX}app/"
SIGN_IN, CODE, ALONE = "/sign-in/", "/sign-in/code/", "/sign-in/passkey/"
AGAIN = "/account/reauthenticate/passkey/"
JSON = {"Accept": "application/json"}


@pytest.fixture
def hanako() -> User:
    return User.objects.create_user("hanako", password=PASSWORD)


def visitor(host: str = "localhost", **more: Any) -> Client:
    return Client(SERVER_NAME=host, headers={"Accept-Language": "en"}, **more)


def sign_in(client: Client, name: str = "hanako", **more: str):
    return client.post(SIGN_IN, {"login": name, "password": PASSWORD, **more})


def prove(client: Client) -> None:
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/"})


@pytest.fixture
def browser(hanako) -> Client:
    client = visitor()
    sign_in(client)
    prove(client)
    return client


def words(response) -> str:
    return tidy(response.content.decode())


def passkey_options(page) -> dict[str, Any]:
    """The options for the authenticator on a page or in a response."""
    if page.headers["Content-Type"] == "application/json":
        return page.json()["request_options"]["publicKey"]
    (matches,) = re.findall(r'<script id="passkey-options"[^>]*>(.*?)</script>', page.content.decode(), re.S)
    return json.loads(matches)["publicKey"]


def make(client: Client, name: str = "telephone") -> Passkey:
    """A stored passkey."""
    options = passkey_options(client.get(NEW))
    made = Passkey(options["rp"]["id"], options["user"]["id"])
    answer = client.post(NEW, {"name": name, "credential": made.made(options["challenge"])})
    assert answer.status_code == 302
    return made


def challenge_alone(client: Client) -> str:
    return str(passkey_options(client.get(ALONE, headers=JSON))["challenge"])


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


# --- making one ------------------------------------------------------------------------------------------


def test_a_passkey_is_asked_for_under_the_sites_name_by_somebodys_name_and_alone_usable(browser, hanako):
    options = passkey_options(browser.get(NEW))
    assert options["rp"] == {"id": "localhost", "name": "Kifu Archive"}
    assert (options["user"]["name"], options["user"]["displayName"]) == ("hanako", "hanako")
    chosen = options["authenticatorSelection"]
    assert (chosen["residentKey"], chosen["userVerification"]) == ("required", "required")


def test_the_first_one_brings_recovery_codes_the_second_none(browser, hanako):
    options = passkey_options(browser.get(NEW))
    first = Passkey("localhost", options["user"]["id"])
    answer = browser.post(NEW, {"name": "first", "credential": first.made(options["challenge"])})
    assert answer.headers["Location"] == "/account/second-factor/codes/"
    assert len(re.findall(r"<li><code>", words(browser.get(answer.headers["Location"])))) == 10
    options = passkey_options(browser.get(NEW))
    assert [one["id"] for one in options["excludeCredentials"]] == [first.name]
    second = Passkey("localhost", options["user"]["id"])
    answer = browser.post(NEW, {"name": "", "credential": second.made(options["challenge"])})
    assert answer.headers["Location"] == INDEX
    page = words(browser.get(INDEX))
    assert "first" in page and "Passkey 2" in page and "never used" in page


def test_only_the_key_is_kept_of_what_a_browser_sends(browser):
    options = passkey_options(browser.get(NEW))
    sent = json.loads(Passkey("localhost", "MQ").made(options["challenge"]))
    sent["note"] = sent["clientExtensionResults"]["note"] = "\0 anything"
    assert browser.post(NEW, {"credential": json.dumps(sent)}).status_code == 302
    stored = Authenticator.objects.get(type="webauthn").data["credential"]
    assert set(stored) == {"id", "rawId", "type", "response"}
    assert set(stored["response"]) == {"clientDataJSON", "attestationObject"}


def test_a_proof_is_asked_for_before_one_is_made_renamed_or_removed(browser, hanako):
    make(browser)
    number = Authenticator.objects.get(type="webauthn").pk
    late = visitor()
    late.force_login(hanako)
    for address in (NEW, f"{INDEX}passkeys/{number}/rename/", f"{INDEX}passkeys/{number}/remove/"):
        for answer in (late.get(address), late.post(address, {"name": "mine"})):
            assert answer.headers["Location"].startswith("/account/reauthenticate/"), address
    assert Authenticator.objects.filter(type="webauthn", data__name="telephone").exists()


WRONG_ONES = {
    "another origin": {"origin": "https://evil.example"},
    "a site below this one": {"origin": "https://evil.localhost"},
    "another port": {"origin": "http://localhost:8001"},
    "another site's name": {"party": "evil.example"},
    "nobody showed a finger": {"verified": False},
    "an answer to another question": {"type": "webauthn.other"},
}


@pytest.mark.parametrize("wrong", WRONG_ONES.values(), ids=WRONG_ONES)
def test_one_that_is_made_wrong_is_not_kept(browser, wrong):
    options = passkey_options(browser.get(NEW))
    sent = Passkey("localhost", "MQ").made(options["challenge"], **wrong)
    answer = browser.post(NEW, {"name": "x", "credential": sent})
    assert answer.status_code == 200 and "This passkey was not accepted." in words(answer)
    assert not Authenticator.objects.exists()


def test_one_for_another_challenge_is_not_kept_and_one_that_was_kept_not_once_more(browser):
    other = passkey_options(browser.get(NEW))["challenge"]
    right = passkey_options(browser.get(NEW))["challenge"]
    made = Passkey("localhost", "MQ")
    assert browser.post(NEW, {"credential": made.made(other)}).status_code == 200
    right = passkey_options(browser.get(NEW))["challenge"]
    sent = {"credential": made.made(right)}
    assert [browser.post(NEW, sent).status_code for _ in range(2)] == [302, 200]
    assert Authenticator.objects.filter(type="webauthn").count() == 1


def test_a_passkey_belongs_to_one_account(browser):
    made = make(browser)
    User.objects.create_user("taro", password=PASSWORD)
    other = visitor()
    sign_in(other, "taro")
    prove(other)
    sent = made.made(passkey_options(other.get(NEW))["challenge"])
    assert other.post(NEW, {"credential": sent}).status_code == 200
    assert Authenticator.objects.filter(type="webauthn").count() == 1


@pytest.mark.parametrize(
    "public", [{1: 2, 3: -65535}, {1: 2, 3: -7, -1: 1, -2: b"x", -3: b"y"}, {1: 3, 3: -257}], ids=str
)
def test_a_key_that_signs_nothing_is_not_kept(browser, public):
    sent = Passkey("localhost", "MQ").made(
        passkey_options(browser.get(NEW))["challenge"], public=CoseKey(public)
    )
    assert browser.post(NEW, {"credential": sent}).status_code == 200
    assert not Authenticator.objects.exists()


def test_an_account_has_so_many_and_no_more(browser, hanako, monkeypatch):
    monkeypatch.setattr(passkeys, "MOST", 1)
    challenge = passkey_options(browser.get(NEW))["challenge"]
    make(browser)
    page = browser.get(NEW)
    assert "remove one first" in words(page) and "passkey-options" not in words(page)
    sent = Passkey("localhost", "MQ").made(challenge)
    assert browser.post(NEW, {"credential": sent}).status_code == 200
    assert Authenticator.objects.filter(type="webauthn").count() == 1


def test_nobody_renames_or_removes_those_of_others(browser, hanako):
    make(browser)
    number = Authenticator.objects.get(type="webauthn").pk
    User.objects.create_user("taro", password=PASSWORD)
    other = visitor()
    sign_in(other, "taro")
    prove(other)
    for deed in ("rename", "remove"):
        assert other.post(f"{INDEX}passkeys/{number}/{deed}/", {"name": "mine"}).status_code == 404
    assert Authenticator.objects.get(type="webauthn").data["name"] == "telephone"


def test_one_is_renamed_and_removed_and_the_recovery_codes_go_with_the_last(browser, hanako):
    make(browser)
    number = Authenticator.objects.get(type="webauthn").pk
    assert browser.post(f"{INDEX}passkeys/{number}/rename/", {"name": ""}).status_code == 200
    renamed = browser.post(f"{INDEX}passkeys/{number}/rename/", {"name": "key <b>"})
    assert renamed.headers["Location"] == INDEX
    assert "key &lt;b&gt;" in words(browser.get(INDEX))
    removed = browser.post(f"{INDEX}passkeys/{number}/remove/")
    assert removed.headers["Location"] == INDEX and not Authenticator.objects.exists()


def test_the_audit_log_has_each(browser, hanako, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        make(browser)
    browser.post(f"{INDEX}passkeys/{Authenticator.objects.get(type='webauthn').pk}/remove/")
    lines = AuditLine.objects.filter(account=hanako.pk, event=AuditEvent.ACCOUNT).order_by("pk")
    assert [line.what for line in lines] == ["second factor added"] * 2 + ["second factor removed"] * 2


@pytest.mark.parametrize(
    ("language", "subjects"),
    [
        ("en", ["Kifu Archive: a new passkey", "Kifu Archive: a passkey was removed"]),
        ("ja", ["棋譜アーカイブ: パスキーが追加されました", "棋譜アーカイブ: パスキーが削除されました"]),
    ],
)
def test_who_has_the_mailbox_is_told(browser, hanako, mailoutbox, language, subjects):
    EmailAddress.objects.create(user=hanako, email="h@example.org", verified=True, primary=True)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    make(browser)
    browser.post(f"{INDEX}passkeys/{Authenticator.objects.get(type='webauthn').pk}/remove/")
    assert [mail.subject for mail in mailoutbox] == subjects
    assert all("hanako" in mail.body for mail in mailoutbox)


def test_without_the_app_the_passkey_is_the_second_factor(browser, hanako):
    make(browser)
    browser.post(APP, {"code": code_of(browser.get(APP).context["form"].secret)})
    assert Authenticator.objects.filter(type="totp").exists()
    assert "Your passkeys stay" in words(browser.get(f"{APP}remove/"))
    browser.post(f"{APP}remove/")
    assert {*Authenticator.objects.values_list("type", flat=True)} == {"webauthn", "recovery_codes"}
    client = visitor()
    assert sign_in(client).headers["Location"] == CODE
    assert client.post(CODE, {"code": "000000"}).status_code == 200 and not is_in(client)


# --- using one -------------------------------------------------------------------------------------------


def test_behind_a_password_it_stands_for_the_code(browser, hanako):
    made = make(browser)
    client = visitor()
    assert sign_in(client, next="/games/").headers["Location"] == CODE
    options = passkey_options(client.get(CODE))
    assert [one["id"] for one in options["allowCredentials"]] == [made.name]
    sent = {"credential": made.used(options["challenge"])}
    assert client.post(CODE, sent).headers["Location"] == "/games/"
    assert is_in(client) and Authenticator.objects.get(type="webauthn").last_used_at is not None


def test_alone_it_signs_in_and_leads_where_one_was_going(browser, hanako):
    made = make(browser)
    client = visitor()
    sent = made.used(challenge_alone(client))
    assert client.post(ALONE, {"credential": sent, "next": "/games/"}).headers["Location"] == "/games/"
    assert is_in(client)


def test_once_more_it_proves_who_one_is(browser, hanako):
    made = make(browser)
    client = visitor()
    client.post(ALONE, {"credential": made.used(challenge_alone(client))})
    some_time_later(client)
    led = client.get(NEW).headers["Location"]
    assert "Use a passkey" in words(client.get(led))
    options = passkey_options(client.get(f"{AGAIN}?next={NEW}"))
    sent = {"credential": made.used(options["challenge"]), "next": NEW}
    assert client.post(AGAIN, sent).headers["Location"] == NEW
    assert client.get(NEW).status_code == 200


@pytest.mark.parametrize("evil", ["https://evil.example/", "//evil.example/"])
def test_it_leads_to_no_other_site(browser, evil):
    made = make(browser)
    client = visitor()
    sent = {"credential": made.used(challenge_alone(client)), "next": evil}
    assert client.post(ALONE, sent).headers["Location"] == "/"
    again = {"credential": made.used(passkey_options(client.get(AGAIN))["challenge"]), "next": evil}
    assert client.post(AGAIN, again).headers["Location"] == "/"


WRONG_USES = WRONG_ONES | {
    "another key": {"signature": b"0\6\2\1\1\2\1\1"},
    "no signature": {"signature": b""},
}


@pytest.mark.parametrize("way", [CODE, ALONE, AGAIN])
@pytest.mark.parametrize("wrong", WRONG_USES.values(), ids=WRONG_USES)
def test_one_that_is_used_wrong_lets_nobody_in(browser, hanako, way, wrong):
    made = make(browser)
    client = visitor()
    if way == CODE:
        sign_in(client)
    elif way == AGAIN:
        client.force_login(hanako)
    challenge = passkey_options(client.get(way, headers=JSON if way == ALONE else {}))["challenge"]
    answer = client.post(way, {"credential": made.used(challenge, **wrong)}, follow=True)
    assert "This passkey was not accepted." in words(answer)
    if way == AGAIN:
        assert client.get(NEW).status_code == 302
    else:
        assert not is_in(client)


def test_an_answer_is_good_once_and_for_its_own_challenge(browser, hanako):
    made = make(browser)
    client = visitor()
    first = made.used(challenge_alone(client))
    challenge_alone(client)
    assert client.post(ALONE, {"credential": first}).headers["Location"] == SIGN_IN and not is_in(client)
    sent = made.used(challenge_alone(client))
    client.post(ALONE, {"credential": sent})
    assert is_in(client)
    client.post("/sign-out/")
    assert not is_in(client)
    client.post(ALONE, {"credential": sent})
    assert not is_in(client), "a used challenge is forgotten"
    other = visitor()
    challenge_alone(other)
    other.post(ALONE, {"credential": sent})
    assert not is_in(other), "another browser has another challenge"


def test_a_passkey_of_somebody_else_is_none(browser, hanako):
    made = make(browser)
    taro = User.objects.create_user("taro", password=PASSWORD)
    other = visitor()
    sign_in(other, "taro")
    prove(other)
    theirs = make(other, "theirs")
    for handle in (theirs.handle, "AAAA", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "_w", "", None):
        client = visitor()
        client.post(ALONE, {"credential": made.used(challenge_alone(client), handle=handle)})
        assert not is_in(client), handle
    client = visitor()
    sign_in(client)
    challenge = passkey_options(client.get(CODE))["challenge"]
    assert client.post(CODE, {"credential": theirs.used(challenge)}).status_code == 200
    assert not is_in(client)
    client = visitor()
    client.force_login(taro)
    challenge = passkey_options(client.get(AGAIN))["challenge"]
    assert client.post(AGAIN, {"credential": made.used(challenge)}).status_code == 200


def test_one_that_was_removed_lets_nobody_in(browser):
    made = make(browser)
    client = visitor()
    challenge = challenge_alone(client)
    Authenticator.objects.all().delete()
    client.post(ALONE, {"credential": made.used(challenge)})
    assert not is_in(client)


def test_an_account_that_is_closed_stays_closed(browser, hanako):
    made = make(browser)
    User.objects.update(is_active=False)
    client = visitor()
    answer = client.post(ALONE, {"credential": made.used(challenge_alone(client))})
    assert answer.headers["Location"] == "/account/inactive/" and not is_in(client)


def test_the_recovery_codes_sign_in_where_the_passkey_is_not_at_hand(browser, hanako):
    make(browser)
    (code, *_others) = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    for host in ("localhost", "testserver"):
        client = visitor(host)
        assert sign_in(client).headers["Location"] == CODE
    assert "passkey" not in words(client.get(CODE)).lower(), "no encryption, no passkeys"
    assert client.post(CODE, {"code": code}).headers["Location"] == "/"


# --- where there are none --------------------------------------------------------------------------------

ELSEWHERE = {
    "no encryption": ("testserver", False, None),
    "a network address": ("127.0.0.1", False, None),
    "an encrypted network address": ("192.0.2.1", True, None),
    "another name than the public one": ("localhost", True, Origin("https", "kifu.example")),
    "a public name without encryption": ("kifu.example", False, Origin("http", "kifu.example")),
}


@pytest.mark.parametrize(("host", "secure", "public"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_nothing_is_shown_and_nothing_is_changed(browser, hanako, settings, host, secure, public):
    made = make(browser)
    settings.ALLOWED_HOSTS, settings.PUBLIC_URL = ["*"], public
    origin = f"{'https' if secure else 'http'}://{host}"
    client = visitor(host)
    sign = words(client.get(SIGN_IN, secure=secure))
    assert "passkey" not in sign.lower()
    client.force_login(hanako)
    session = client.session
    session["account_authentication_methods"] = browser.session["account_authentication_methods"]
    session["account_authentication_methods_user"] = str(hanako.pk)
    session.save()
    number = Authenticator.objects.get(type="webauthn").pk
    before = [*Authenticator.objects.order_by("pk").values()]
    for address in (INDEX, "/account/reauthenticate/"):
        page = client.get(address, secure=secure)
        assert page.status_code == 200 and "passkey" not in words(page).lower(), address
    addresses = [NEW, AGAIN, ALONE, *(f"{INDEX}passkeys/{number}/{deed}/" for deed in ("rename", "remove"))]
    for address in addresses:
        for sent in (made.used("AAAA", origin), made.made("AAAA", origin)):
            fields = {"name": "x", "credential": sent}
            assert client.post(address, fields, secure=secure).status_code == 404, address
        assert client.get(address, secure=secure).status_code == 404, address
    assert [*Authenticator.objects.order_by("pk").values()] == before


def test_a_page_for_codes_takes_no_passkey_without_encryption(browser, hanako):
    made = make(browser)
    client = visitor("testserver")
    sign_in(client)
    client.get(CODE)
    challenge = client.session["mfa.webauthn.state"]["challenge"]
    for origin in ("http://testserver", "http://localhost", "https://testserver"):
        sent = made.used(challenge, origin, party="testserver")
        assert client.post(CODE, {"credential": sent}).status_code == 200
    assert not is_in(client)


def test_passkeys_are_kept_for_the_public_name(hanako, settings):
    settings.ALLOWED_HOSTS, settings.PUBLIC_URL = ["*"], Origin("https", "kifu.example", 8443)
    client = visitor("kifu.example:8443")
    place = {"secure": True}
    client.post(SIGN_IN, {"login": "hanako", "password": PASSWORD}, **place)
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/account/"}, **place)
    options = passkey_options(client.get(NEW, **place))
    assert options["rp"]["id"] == "kifu.example"
    made = Passkey("kifu.example", options["user"]["id"])
    wrong = made.made(options["challenge"], "https://kifu.example")
    assert client.post(NEW, {"credential": wrong}, **place).status_code == 200
    right = made.made(passkey_options(client.get(NEW, **place))["challenge"], "https://kifu.example:8443")
    assert client.post(NEW, {"credential": right}, **place).status_code == 302


def test_an_archive_for_members_lets_them_in_by_passkey(browser, settings):
    made = make(browser)
    middleware = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, middleware]
    client = visitor()
    client.post(ALONE, {"credential": made.used(challenge_alone(client))})
    assert is_in(client)


@pytest.mark.parametrize("name", ["mfa_list_webauthn", "mfa_signup_webauthn"])
def test_what_is_not_offered_is_not_there(name):
    with pytest.raises(NoReverseMatch):
        reverse(name)


# --- limits, leaving, nonsense ---------------------------------------------------------------------------


def test_wrong_ones_behind_a_password_count_with_wrong_passwords(throttled, browser, hanako):
    made = make(browser)
    counting.close()
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    client = visitor()
    sign_in(client)
    wrong = {"credential": made.used("AAAA")}
    assert [client.post(CODE, wrong).status_code for _ in range(3)] == [200, 200, 429]
    assert sign_in(visitor()).status_code == 429
    elsewhere = []
    for number in range(5):
        client = visitor(REMOTE_ADDR=f"198.51.100.{number}")
        elsewhere += [sign_in(client).status_code, *(client.post(CODE, wrong).status_code for _ in range(2))]
    assert elsewhere == [302, 200, 200] * 4 + [429, 302, 302], "an account has ten from all addresses"


def test_wrong_ones_alone_count_for_their_address_and_not_for_the_account(throttled, browser, hanako):
    made = make(browser)
    counting.close()
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
    wrong = {"credential": made.used("AAAA")}
    client = visitor()
    assert [client.post(ALONE, wrong).status_code for _ in range(2)] == [302, 429]
    for number in range(8):
        visitor(REMOTE_ADDR=f"198.51.100.{number}").post(ALONE, wrong)
    assert sign_in(visitor()).status_code == 429
    assert sign_in(visitor(REMOTE_ADDR="203.0.113.1")).status_code == 302


def test_right_ones_do_not_count(throttled, browser, hanako):
    made = make(browser)
    counting.close()
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
    for _ in range(3):
        client = visitor()
        client.post(ALONE, {"credential": made.used(challenge_alone(client))})
        assert is_in(client)


def test_an_export_tells_of_them_and_keeps_their_keys(browser, hanako):
    made = make(browser)
    held = account_data(hanako)
    assert [one["name"] for one in held["passkeys"]] == ["telephone"] and held["second_factor"]
    assert made.name not in browser.get("/account/export/").content.decode()


def test_they_end_with_the_account(browser, hanako):
    make(browser)
    end_account(hanako)
    assert not Authenticator.objects.exists()


def test_sessions_of_strangers_who_only_asked_are_forgotten_once_they_end(browser):
    visitors = [visitor() for _ in range(3)]
    for one in visitors:
        challenge_alone(one)
    Session.objects.exclude(pk=browser.session.session_key).update(expire_date=timezone.now())
    tasks.sweep()
    assert [one.pk for one in Session.objects.all()] == [browser.session.session_key]


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("AAAA"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def refused(browser) -> Callable[[str], None]:
    """Have a text that is no passkey be refused wherever one is taken."""
    make(browser)
    stranger = visitor()
    challenge_alone(stranger)

    def send(text: str) -> None:
        assert stranger.post(ALONE, {"credential": text}).headers["Location"] == SIGN_IN
        assert not is_in(stranger)
        for address in (NEW, AGAIN):
            assert browser.post(address, {"credential": text}).status_code == 200
        assert Authenticator.objects.filter(type="webauthn").count() == 1

    return send


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nonsense_is_refused(refused, data):
    key = Passkey("localhost", "MQ")
    sent = json.loads(data.draw(st.sampled_from([key.used, key.made]))("AAAA"))
    inside = data.draw(st.sampled_from([sent["response"], sent]))
    inside[data.draw(st.sampled_from(sorted(inside)))] = data.draw(_ODD)
    refused(json.dumps(sent))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=_ODD)
def test_what_is_no_passkey_at_all_is_refused(refused, value):
    refused(json.dumps(value))


_DEEP = '{"a":' * 3_000 + "1" + "}" * 3_000


@pytest.mark.parametrize(
    "text",
    ["", "[", "9" * 5_000, _DEEP, "[" * 5_000, '{"id":"\\ud800"}', "{" + " " * 30_000 + "}"],
    ids=["nothing", "half", "number", "deep", "brackets", "half a letter", "long"],
)
def test_what_breaks_readers_of_json_is_refused(refused, text):
    refused(text)
