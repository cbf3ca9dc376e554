"""Accounts as people use them: signing in, second factors, new passwords, addresses, browsers signed out."""

from __future__ import annotations

import re
import time
from contextlib import AbstractContextManager
from smtplib import SMTPException
from unittest.mock import patch

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client

from archive.http.limits import counting
from archive.models import User
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db

RIGHT, NEW = "opensesame", "correct horse"
SIGN_IN = "/sign-in/"


UNENCODABLE = [
    f"{'ü' * 63}.example",  # 63 letters are more than 63 bytes
    "xn--ü.example",
    "foo＠evil.example",  # it becomes an @
    f"{'a' * 63}.{'a' * 63}.{'a' * 63}.{'a' * 63}.example",  # longer than what is stored
]


def failing_mail(error: type[Exception]) -> AbstractContextManager[object]:
    """Have mails fail with an error while the body runs."""
    return patch.object(EmailBackend, "send_messages", side_effect=error("no mail today"))


@pytest.fixture
def hanako() -> User:
    user = User.objects.create_user("hanako", password=RIGHT)
    EmailAddress.objects.create(user=user, email="hanako@example.org", verified=True, primary=True)
    return user


def sign_in(client: Client, name: str = "hanako", password: str = RIGHT, **more: str):
    return client.post(SIGN_IN, {"login": name, "password": password, **more})


def prove(client: Client, password: str = RIGHT, following: str = "/account/"):
    """Give the password once more, as pages ask for that change what lets somebody in."""
    return client.post("/account/reauthenticate/", {"password": password, "next": following})


def some_time_later(client: Client) -> None:
    """Let it be so long since somebody signed in that it proves nothing any more."""
    session = client.session
    session["signed_in"] -= 301
    session.save()


def words(response) -> str:
    return tidy(response.content.decode())


def link_in(mail) -> str:
    (matches,) = re.findall(r"https?://testserver(/\S+)", mail.body)
    return matches


def code_of(secret: str, ahead: int = 0) -> str:
    """The code of an app now, or `later` half minutes later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + ahead))


def set_up_second_factor(client: Client) -> tuple[str, list[str]]:
    """Switch it on; the secret of the app and the recovery codes."""
    prove(client)
    page = client.get("/account/second-factor/app/")
    secret = page.context["form"].secret
    done = client.post("/account/second-factor/app/", {"code": code_of(secret)})
    assert done.headers["Location"] == "/account/second-factor/codes/"
    shown = client.get(done.headers["Location"])
    return secret, re.findall(r"<li><code>([^<]+)</code></li>", words(shown))


# --- who one is ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hanako", "hanako@example.org", "Hanako@Example.org", " hanako "])
def test_one_signs_in_by_name_or_by_a_confirmed_address(client, hanako, name):
    assert sign_in(client, name).headers["Location"] == "/"
    assert client.get("/account/").status_code == 200


def test_a_confirmed_address_comes_before_a_name(client, hanako):
    """Accounts that were made when names could have an @ may be called by the address of somebody else."""
    User.objects.create_user("hanako@example.org", password="of the other")
    assert sign_in(client, "hanako@example.org", "of the other").status_code == 200
    assert sign_in(client, "hanako@example.org").status_code == 302
    assert client.get("/account/").context["user"] == hanako


def test_whose_name_is_the_address_of_somebody_else_signs_in_by_an_address(client, hanako):
    other = User.objects.create_user("hanako@example.org", password="of the other")
    EmailAddress.objects.create(user=other, email="other@example.org", verified=True, primary=True)
    assert sign_in(client, "other@example.org").status_code == 200
    assert sign_in(client, "other@example.org", "of the other").headers["Location"] == "/"
    assert client.get("/account/").context["user"] == other
    new = {"oldpassword": "of the other", "password1": "another-long-one", "password2": "another-long-one"}
    assert client.post("/account/password/", new).status_code == 302
    other.refresh_from_db()
    assert other.check_password("another-long-one")


def test_an_account_whose_name_has_an_at_still_signs_in(client):
    User.objects.create_user("taro@example.org", password=RIGHT)
    assert sign_in(client, "taro@example.org").headers["Location"] == "/"


@pytest.mark.parametrize("written", ["taro@例え.example", "TARO@xn--r8jz45g.example"])
def test_an_address_has_one_form_however_its_domain_is_written(client, mailoutbox, written):
    user = User.objects.create_user("taro", password=RIGHT)
    EmailAddress.objects.create(user=user, email="taro@xn--r8jz45g.example", verified=True, primary=True)
    assert sign_in(client, written).headers["Location"] == "/"
    assert EmailAddress.objects.count() == 1
    Client().post("/account/password/reset/", {"email": written})
    assert "reset" in link_in(mailoutbox[-1])


def test_an_address_that_is_not_confirmed_signs_nobody_in(client, hanako):
    EmailAddress.objects.update(verified=False)
    assert sign_in(client, "hanako@example.org").status_code == 200


def test_a_wrong_password_an_unknown_name_and_a_closed_account_look_the_same(hanako):
    User.objects.create_user("gone", password=RIGHT, is_active=False)
    pages = set()
    for name, password in (("hanako", "x"), ("nobody", RIGHT), ("gone", RIGHT), ("no@example.org", RIGHT)):
        page = words(sign_in(Client(), name, password))
        pages.add(re.sub(r'value="[^"]*"', "", page))
    assert len(pages) == 1


def test_the_admin_is_entered_by_the_same_page(client):
    User.objects.create_superuser("keeper", password=RIGHT)
    led = client.get("/admin/", follow=True)
    assert led.redirect_chain[-1][0] == f"{SIGN_IN}?next=%2Fadmin%2F"
    posted = client.post("/admin/login/?next=/admin/", {"username": "keeper", "password": RIGHT})
    assert posted.headers["Location"] == f"{SIGN_IN}?next=%2Fadmin%2F"
    assert sign_in(client, "keeper", next="/admin/").headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_who_may_not_use_the_admin_is_told_so_and_not_led_around(client, hanako):
    client.force_login(hanako)
    assert client.get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize(
    "following",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "http:///evil.example",
    ],
)
@pytest.mark.parametrize("page", [SIGN_IN, "/account/reauthenticate/", "/account/password/"])
def test_no_form_leads_to_another_site(client, hanako, following, page):
    client.force_login(hanako) if page != SIGN_IN else None
    fields = {"login": "hanako", "password": RIGHT, "oldpassword": RIGHT, "password1": NEW, "password2": NEW}
    answer = client.post(page, {**fields, "next": following})
    assert answer.status_code == 302 and "evil" not in answer.headers["Location"]
    assert answer.headers["Location"].startswith("/")


# --- passwords -------------------------------------------------------------------------------------------


def test_a_forgotten_password_is_set_anew_by_a_link_that_is_good_once(client, hanako, mailoutbox):
    other = Client()
    sign_in(other)
    response = client.post("/account/password/reset/", {"email": "hanako@example.org"})
    assert response.headers["Location"] == "/account/password/reset/sent/"
    (mail,) = mailoutbox
    assert mail.to == ["hanako@example.org"] and "hanako" in mail.body
    form = client.get(link_in(mail)).headers["Location"]
    assert (
        client.post(form, {"password1": NEW, "password2": NEW}).headers["Location"].endswith("/reset/done/")
    )
    assert sign_in(Client()).status_code == 200
    assert sign_in(Client(), password=NEW).status_code == 302
    assert other.get("/account/").status_code == 302, "other browsers are signed out"
    again = words(Client().get(link_in(mail)))
    assert "<form" not in again[again.index("<main") : again.index("</main>")]
    assert mailoutbox[1].to == ["hanako@example.org"], "the owner of the mailbox is notified"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_asking_for_a_new_password_tells_nobody_whether_there_is_an_account(hanako, mailoutbox, language):
    answers = []
    for address in ("hanako@example.org", "nobody@example.org"):
        client = Client(headers={"Accept-Language": language})
        answer = client.post("/account/password/reset/", {"email": address}, follow=True)
        page = re.sub(r'value="\w{64}"', "", words(answer))
        answers.append((answer.status_code, answer.redirect_chain, page))
    assert answers[0] == answers[1]
    assert [mail.to for mail in mailoutbox] == [["hanako@example.org"], ["nobody@example.org"]]
    assert "http" not in mailoutbox[1].body


def test_mails_are_in_the_language_of_who_asks(client, hanako, mailoutbox):
    for language, subject in (
        ("ja", "棋譜アーカイブ: パスワードの再設定"),
        ("en", "Kifu Archive: a new password"),
    ):
        client.post(
            "/account/password/reset/", {"email": "hanako@example.org"}, headers={"Accept-Language": language}
        )
        assert mailoutbox[-1].subject == subject


def test_links_in_mails_lead_to_the_public_address_whatever_the_request_says(
    client, hanako, mailoutbox, settings
):
    from archive.project.env import Origin

    settings.PUBLIC_URL = Origin("https", "kifu.example")
    settings.ALLOWED_HOSTS = ["*"]
    client.post("/account/password/reset/", {"email": "hanako@example.org"}, headers={"Host": "evil.example"})
    assert "https://kifu.example/account/password/reset/" in mailoutbox[0].body
    assert "evil" not in mailoutbox[0].body.split("--")[0]


def test_mails_are_counted_by_who_asks_and_by_mailbox_whether_or_not_it_is_somebodys(
    throttled, hanako, mailoutbox
):
    throttled.ARCHIVE_THROTTLE_MAILS = 8
    for address in ("hanako@example.org", "nobody@example.org"):
        statuses = [
            Client()
            .post("/account/password/reset/", {"email": address}, REMOTE_ADDR=f"198.51.100.{n}")
            .status_code
            for n in range(3)
        ]
        assert statuses == [302, 302, 429]
    one = [
        Client().post("/account/password/reset/", {"email": f"a{n}@example.org"}).status_code
        for n in range(9)
    ]
    assert one == [302] * 8 + [429]


def test_a_password_is_changed_by_who_knows_it_and_wrong_ones_count(throttled, client, hanako):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    client.force_login(hanako)
    fields = {"password1": NEW, "password2": NEW}
    done = client.post("/account/password/", {"oldpassword": RIGHT, **fields})
    assert done.headers["Location"] == "/account/"
    assert client.get("/account/").status_code == 200, "this browser stays signed in"
    wrong = [client.post("/account/password/", {"oldpassword": "x", **fields}).status_code for _ in range(3)]
    assert wrong == [200, 200, 429]
    assert sign_in(Client(), password=NEW).status_code == 429, "one counting for all"


# --- addresses -------------------------------------------------------------------------------------------


def test_an_address_is_added_confirmed_made_the_main_one_and_removed(client, hanako, mailoutbox):
    client.force_login(hanako)
    add = {"email": "h2@example.org", "action_add": ""}
    assert client.post("/account/email/", add).headers["Location"].startswith("/account/reauthenticate/")
    prove(client)
    client.post("/account/email/", add)
    confirm = link_in(mailoutbox[-1])
    assert "h2@example.org" in words(client.get(confirm))
    assert not EmailAddress.objects.get(email="h2@example.org").verified, (
        "looking at the link confirms nothing"
    )
    assert client.post(confirm).headers["Location"] == "/account/email/"
    client.post("/account/email/", {"email": "h2@example.org", "action_primary": ""})
    client.post("/account/email/", {"email": "hanako@example.org", "action_remove": ""})
    assert [*EmailAddress.objects.values_list("email", "primary", "verified")] == [
        ("h2@example.org", True, True)
    ]
    assert any("h2@example.org" in mail.body and mail.to == ["hanako@example.org"] for mail in mailoutbox)


def test_adding_an_address_of_somebody_else_tells_nothing(client, hanako, mailoutbox):
    client.force_login(User.objects.create_user("taro", password=RIGHT))
    prove(client)
    answers = [
        client.post("/account/email/", {"email": address, "action_add": ""}).status_code
        for address in ("hanako@example.org", "free@example.org")
    ]
    assert answers == [302, 302]


def test_who_has_just_signed_in_is_not_asked_for_the_password_again(client, hanako):
    sign_in(client)
    pages = ("/account/export/", "/account/second-factor/app/", "/account/tokens/")
    assert [client.get(page).status_code for page in pages] == [200, 200, 200]
    made = client.post("/account/tokens/", {"name": "sync", "scopes": ["read-private"], "days": "30"})
    assert "kifu_" in words(made)
    some_time_later(client)
    for page in pages[:2]:
        assert client.get(page).headers["Location"].startswith("/account/reauthenticate/")


def test_a_password_before_the_second_factor_proves_nothing(client, hanako):
    sign_in(client)
    set_up_second_factor(client)
    half = Client()
    assert sign_in(half).headers["Location"] == "/sign-in/code/"
    assert "signed_in" not in half.session
    assert half.get("/account/export/").headers["Location"].startswith(SIGN_IN)


@pytest.mark.parametrize("domain", UNENCODABLE)
@pytest.mark.parametrize("page", ["/sign-up/", "/account/password/reset/", "/account/email/"])
def test_no_form_takes_an_address_that_no_mail_can_be_sent_to(hanako, settings, mailoutbox, page, domain):
    settings.ARCHIVE_REGISTRATION = "open"
    client = Client(headers={"Accept-Language": "en"})
    if page == "/account/email/":
        sign_in(client)
    fields = {"username": "taro", "password1": NEW, "password2": NEW, "action_add": ""}
    answer = client.post(page, {"email": f"taro@{domain}", **fields})
    assert answer.status_code == 200
    assert "Enter a valid email address." in words(answer)
    assert not mailoutbox and EmailAddress.objects.count() == 1


@pytest.mark.parametrize("error", [OSError, SMTPException, UnicodeError, ValueError, RuntimeError])
@pytest.mark.parametrize("page", ["/account/password/reset/", "/account/email/", "/account/password/"])
def test_a_mail_that_fails_is_said_on_the_page(hanako, page, error):
    client = Client(headers={"Accept-Language": "en"})
    if page != "/account/password/reset/":
        sign_in(client)
    fields = {"oldpassword": RIGHT, "password1": NEW, "password2": NEW, "action_add": ""}
    email = "hanako@example.org" if page == "/account/password/reset/" else "h2@example.org"
    with failing_mail(error):
        answer = client.post(page, {"email": email, **fields})
    assert answer.status_code == 302
    shown = client.get(answer.headers["Location"])
    assert "The mail could not be sent." in words(shown)


# --- the second factor -----------------------------------------------------------------------------------


def test_a_second_factor_is_asked_for_and_good_once(client, hanako):
    sign_in(client)
    secret, recovery = set_up_second_factor(client)
    assert len(recovery) == 10 and Authenticator.objects.count() == 2
    again = Client()
    assert sign_in(again, next="/games/").headers["Location"] == "/sign-in/code/"
    assert again.get("/account/").status_code == 302, "a password alone lets nobody in"
    code = code_of(secret, ahead=1)
    assert again.post("/sign-in/code/", {"code": code}).headers["Location"] == "/games/"
    third = Client()
    sign_in(third)
    assert third.post("/sign-in/code/", {"code": code}).status_code == 200, "a code is good once"
    assert third.post("/sign-in/code/", {"code": recovery[0]}).headers["Location"] == "/"
    fourth = Client()
    sign_in(fourth)
    assert fourth.post("/sign-in/code/", {"code": recovery[0]}).status_code == 200


def test_the_code_that_switched_it_on_signs_nobody_in(client, hanako):
    sign_in(client)
    prove(client)
    code = code_of(client.get("/account/second-factor/app/").context["form"].secret)
    assert client.post("/account/second-factor/app/", {"code": code}).status_code == 302
    other = Client()
    sign_in(other)
    assert other.post("/sign-in/code/", {"code": code}).status_code == 200


def test_recovery_codes_are_shown_once(client, hanako):
    sign_in(client)
    _secret, recovery = set_up_second_factor(client)
    page = words(client.get("/account/second-factor/codes/"))
    assert not any(code in page for code in recovery)


def test_what_is_kept_of_a_second_factor_is_encrypted(client, hanako):
    sign_in(client)
    secret, _recovery = set_up_second_factor(client)
    assert not any(secret in str(one.data) for one in Authenticator.objects.all())


def test_wrong_codes_count_with_wrong_passwords(throttled, client, hanako):
    sign_in(client)
    set_up_second_factor(client)
    counting.close()
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    again = Client()
    sign_in(again)
    assert [again.post("/sign-in/code/", {"code": "000000"}).status_code for _ in range(3)] == [200, 200, 429]
    assert sign_in(Client()).status_code == 429


def test_the_second_factor_guards_the_admin_too(client):
    User.objects.create_superuser("keeper", password=RIGHT)
    sign_in(client, "keeper")
    set_up_second_factor(client)
    again = Client()
    assert sign_in(again, "keeper", next="/admin/").headers["Location"] == "/sign-in/code/"
    assert again.get("/admin/").status_code == 302


def test_switching_it_off_takes_a_proof_and_the_recovery_codes_with_it(client, hanako):
    sign_in(client)
    set_up_second_factor(client)
    assert client.post("/account/second-factor/app/remove/").headers["Location"] == "/account/second-factor/"
    assert Authenticator.objects.count() == 0


# --- sessions --------------------------------------------------------------------------------------------


def test_browsers_are_listed_and_signed_out_one_by_one_or_all(hanako):
    agents = [
        "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0",
        "Mozilla/5.0 (iPhone) Version/18 Safari/604.1",
        "curl/8",
    ]
    browsers = [Client(headers={"User-Agent": agent, "Accept-Language": "en"}) for agent in agents]
    for browser in browsers:
        sign_in(browser)
    page = words(browsers[0].get("/account/sessions/"))
    assert all(name in page for name in ("Firefox · Linux", "Safari · iPhone", "curl", "this browser"))
    numbers = re.findall(r'name="session" value="(\d+)"', page)
    assert len(numbers) == 2
    browsers[0].post("/account/sessions/", {"session": numbers[0]})
    assert [one.get("/account/").status_code for one in browsers] == [200, 302, 200]
    browsers[0].post("/account/sessions/")
    assert [one.get("/account/").status_code for one in browsers] == [200, 302, 302]


def test_nobody_signs_another_account_out(client, hanako):
    other = Client(headers={"User-Agent": "x"})
    sign_in(other)
    number = re.findall(r"(\d+)", str(hanako.usersession_set.get().pk))[0]
    client.force_login(User.objects.create_user("taro", password=RIGHT))
    client.post("/account/sessions/", {"session": number})
    assert other.get("/account/").status_code == 200
