"""New accounts: of the owner, of who is invited, of everybody where registration is open."""

from __future__ import annotations

import re
from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from archive import libraries
from archive.accounts import invitations
from archive.accounts.roles import Role, set_role
from archive.models import AccountInvitation, User
from archive.web.accounts.leaving import end_account
from tests.archive.test_accounts_signing_in import failing_mail

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse"
FORM = {"username": "hanako", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def keeper() -> User:
    return User.objects.create_superuser("keeper", password=PASSWORD)


@pytest.fixture
def office(keeper) -> Client:
    """A browser of the administrator, who has just given the password."""
    client = Client(headers={"Accept-Language": "en"})
    client.force_login(keeper)
    client.post("/account/reauthenticate/", {"password": PASSWORD, "next": "/"})
    return client


def open_link(client: Client, key: str, **form: str):
    client.get(f"/sign-up/{key}/")
    return client.post("/sign-up/", FORM | form)


def test_registration_is_closed_until_a_setting_says_otherwise(client):
    page = client.get("/sign-up/")
    assert 'name="password1"' not in page.content.decode()
    client.post("/sign-up/", FORM | {"email": "h@example.org"})
    assert not User.objects.exists()


def test_the_first_link_makes_the_owner_and_is_good_once(client):
    key = invitations.owner_key()
    assert open_link(client, key).headers["Location"] == "/account/"
    owner = User.objects.get()
    assert (owner.role, owner.is_staff, owner.is_superuser) == ("administrator", True, True)
    assert client.get("/admin/").status_code == 200
    assert Client().get(f"/sign-up/{key}/").status_code == 404
    assert invitations.owner_key() == "", "an archive with an administrator prints no such link"


def test_a_new_link_for_the_owner_ends_the_one_before():
    first = invitations.owner_key()
    assert invitations.owner_key() != first
    assert Client().get(f"/sign-up/{first}/").status_code == 404


def test_no_key_is_kept(keeper):
    key = invitations.create(Role.READER, 1, keeper)[1]
    assert key not in str([*AccountInvitation.objects.values()])


def test_a_command_prints_a_link_for_any_role(client):
    printed = StringIO()
    call_command("invite", role="curator", stdout=printed)
    (key,) = re.findall(r"/sign-up/([^/]+)/", printed.getvalue())
    open_link(client, key)
    assert User.objects.get().role == "curator"


def test_an_administrator_invites_and_sees_who_came(office, client, settings):
    settings.ARCHIVE_REGISTRATION = "invitation"
    made = office.post(
        "/account/invitations/", {"note": "club", "role": "reader", "days": "7"}
    ).content.decode()
    (key,) = re.findall(r"/sign-up/([\w-]+)/", made)
    assert key not in office.get("/account/invitations/").content.decode(), "it is shown once"
    open_link(client, key)
    assert User.objects.get(username="hanako").role == "reader"
    assert "hanako" in office.get("/account/invitations/").content.decode()


def test_one_link_makes_accounts_for_a_club_and_members_of_its_group(office, keeper, settings):
    settings.ARCHIVE_REGISTRATION = "invitation"
    group = libraries.create_group(keeper, "研究会")
    parameters = {"note": "club", "role": "contributor", "days": "7", "people": "2", "group": group.pk}
    made = office.post("/account/invitations/", parameters).content.decode()
    (key,) = re.findall(r"/sign-up/([\w-]+)/", made)
    for name in ("hanako", "taro"):
        browser = Client()
        browser.get(f"/sign-up/{key}/")
        assert "研究会" in browser.get("/sign-up/").content.decode()
        browser.post("/sign-up/", FORM | {"username": name})
        assert libraries.is_member(User.objects.get(username=name), group)
    assert Client().get(f"/sign-up/{key}/").status_code == 404
    assert "used by hanako, taro" in office.get("/account/invitations/").content.decode()


def test_a_link_leads_into_no_group_that_its_maker_does_not_own(office, keeper, settings):
    settings.ARCHIVE_REGISTRATION = "invitation"
    other = User.objects.create_user("other")
    group = libraries.create_group(other, "他人の会")
    parameters = {"role": "reader", "days": "7", "group": group.pk}
    assert "/sign-up/" not in office.post("/account/invitations/", parameters).content.decode()
    _made, key = invitations.create(Role.READER, 7, keeper, group=group)
    open_link(Client(), key)
    assert not libraries.is_member(User.objects.get(username="hanako"), group)


def test_a_link_makes_one_administrator_at_most(office):
    parameters = {"role": "administrator", "days": "7", "people": "2"}
    assert "one administrator at most" in office.post("/account/invitations/", parameters).content.decode()
    assert not AccountInvitation.objects.exists()


@pytest.mark.parametrize("how", ["expired", "withdrawn", "used", "closed"])
def test_a_link_that_is_over_makes_no_account(office, keeper, client, settings, how):
    settings.ARCHIVE_REGISTRATION = "closed" if how == "closed" else "invitation"
    made, key = invitations.create(Role.CONTRIBUTOR, 7, keeper)
    client.get(f"/sign-up/{key}/")
    if how == "expired":
        AccountInvitation.objects.update(expires=timezone.now() - timedelta(seconds=1))
    elif how == "withdrawn":
        office.post(f"/account/invitations/{made.pk}/withdraw/")
    elif how == "used":
        open_link(Client(), key, username="taro")
    assert Client().get(f"/sign-up/{key}/").status_code == 404
    client.post("/sign-up/", FORM)
    assert not User.objects.filter(username="hanako").exists()


@pytest.mark.parametrize("how", ["demoted", "switched off", "deleted"])
def test_links_of_a_former_administrator_make_no_account(office, keeper, client, settings, how):
    """Otherwise who was dismissed comes back by a link made before, as an administrator."""
    settings.ARCHIVE_REGISTRATION = "invitation"
    second = User.objects.create_superuser("second", password=PASSWORD)
    _made, key = invitations.create(Role.ADMINISTRATOR, 30, second)
    browser = Client()
    browser.get(f"/sign-up/{key}/")
    if how == "demoted":
        set_role(second, Role.READER)
        assert "void" in office.get("/account/invitations/").content.decode()
    elif how == "switched off":
        User.objects.filter(pk=second.pk).update(is_active=False)
    else:
        end_account(second)
    assert client.get(f"/sign-up/{key}/").status_code == 404
    browser.post("/sign-up/", FORM)
    assert not User.objects.filter(username="hanako").exists()


def test_wide_letters_make_no_second_name(keeper, client):
    """A keyboard for Japanese writes them; they would pass for somebody else, and for reserved names."""
    for wide in ("ｋｅｅｐｅｒ", "ａｄｍｉｎ"):
        assert open_link(client, invitations.create(Role.READER, 1)[1], username=wide).status_code == 200
    open_link(client, invitations.create(Role.READER, 1)[1], username="ｈａｎａｋｏ１")
    assert {*User.objects.values_list("username", flat=True)} == {"keeper", "hanako1"}
    for written in ("hanako1", "ｈａｎａｋｏ１"):
        assert Client().post("/sign-in/", {"login": written, "password": PASSWORD}).status_code == 302


@pytest.mark.parametrize(
    "name",
    [
        "taro@example.org",
        "taro＠example.org",
        "h\N{CYRILLIC SMALL LETTER A}nako",
        "taro\N{HANGUL JUNGSEONG FILLER}",
        "\N{LATIN SMALL LETTER SCRIPT G}oro",
        "김ひろ",
        "keeper\N{GREEK SMALL LETTER OMICRON}",
    ],
)
def test_a_name_has_no_at_and_letters_of_scripts_that_go_together(office, client, name):
    answer = open_link(client, invitations.create(Role.READER, 1)[1], username=name)
    assert answer.status_code == 200
    add = {"username": name, "role": "reader", "usable_password": "true", "password1": PASSWORD}
    assert office.post("/admin/archive/user/add/", add | {"password2": PASSWORD}).status_code == 200
    with pytest.raises(CommandError):
        call_command("createsuperuser", interactive=False, username=name, email="")
    assert User.objects.count() == 1


@pytest.mark.parametrize(("language", "words"), [("en", "letters of any language"), ("ja", "漢字・かな")])
def test_the_words_about_a_wrong_name_are_true(office, client, language, words):
    for name in ("書記 花子", "hana@ko"):
        client.get(f"/sign-up/{invitations.create(Role.READER, 1)[1]}/")
        form = FORM | {"username": name}
        page = client.post("/sign-up/", form, headers={"Accept-Language": language}).content.decode()
        assert words in page
    adding = office.get("/admin/archive/user/add/", headers={"Accept-Language": language})
    assert words in adding.content.decode()


@pytest.mark.parametrize(
    "name", ["羽生Habu", "山田たろう", "ヤマダ々1", "Jürgen.Müller", "Łukasz", "Мария", "김철수", "Đặng_Văn"]
)
def test_a_name_may_be_of_any_keyboard(client, name):
    assert open_link(client, invitations.create(Role.READER, 1)[1], username=name).status_code == 302
    assert User.objects.get().username == name


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("力也", "カ也"),
        ("カ也", "力也"),
        ("cope", "соре"),
        ("соре", "cope"),
        ("TAKE", "ΤΑΚΕ"),
        ("Ömer", "ömer"),
    ],
)
def test_no_new_name_looks_like_one_that_is_there(client, there, new):
    User.objects.create_user(there)
    assert open_link(client, invitations.create(Role.READER, 1)[1], username=new).status_code == 200


def test_an_account_of_before_keeps_its_name_when_an_administrator_changes_it(office):
    old = User.objects.create_user("taro@example.org")
    address = f"/admin/archive/user/{old.pk}/change/"
    assert office.post(address, {"username": old.username, "role": "curator"}).status_code == 302
    assert office.post(address, {"username": "goro@example.org", "role": "reader"}).status_code == 200
    old.refresh_from_db()
    assert (old.username, old.role) == ("taro@example.org", "curator")


def test_only_administrators_invite(client):
    client.force_login(User.objects.create_user("taro", role=Role.CURATOR))
    assert client.get("/account/invitations/").status_code == 403


def test_an_open_archive_takes_who_confirms_an_address(client, settings, mailoutbox):
    settings.ARCHIVE_REGISTRATION = "open"
    response = client.post("/sign-up/", FORM | {"email": "h@example.org"})
    assert response.headers["Location"] == "/account/email/sent/"
    assert client.get("/account/").status_code == 302
    (link,) = re.findall(r"http://testserver(\S+)", mailoutbox[0].body)
    client.post(link)
    assert EmailAddress.objects.get().verified
    signed = client.post("/sign-in/", {"login": "hanako", "password": PASSWORD})
    assert signed.headers["Location"] == "/"
    assert User.objects.get().role == "contributor"


def test_registering_an_address_that_has_an_account_looks_the_same(settings, mailoutbox):
    settings.ARCHIVE_REGISTRATION = "open"
    user = User.objects.create_user("taro", password=PASSWORD)
    EmailAddress.objects.create(user=user, email="t@example.org", verified=True, primary=True)
    answers = []
    for name, address in (("a1", "t@example.org"), ("a2", "new@example.org")):
        answer = Client().post("/sign-up/", FORM | {"username": name, "email": address})
        answers.append((answer.status_code, answer.headers["Location"]))
    assert answers[0] == answers[1]
    assert [mail.to for mail in mailoutbox] == [["t@example.org"], ["new@example.org"]]
    assert not User.objects.filter(username="a1").exists()


@pytest.mark.parametrize("error", [OSError, UnicodeError, RuntimeError])
def test_a_registration_whose_mail_fails_leaves_no_account(client, settings, mailoutbox, error):
    settings.ARCHIVE_REGISTRATION = "open"
    User.objects.create_user("taro")
    EmailAddress.objects.create(user=User.objects.get(), email="t@example.org", verified=True)
    with failing_mail(error):
        for address in ("h@example.org", "t@example.org"):
            answer = client.post("/sign-up/", FORM | {"email": address}, headers={"Accept-Language": "en"})
            assert answer.status_code == 200
            assert "The mail could not be sent." in answer.content.decode()
    assert [one.username for one in User.objects.all()] == ["taro"]
    again = client.post("/sign-up/", FORM | {"email": "h@example.org"})
    assert (again.status_code, len(mailoutbox)) == (302, 1), "the name is still free"


def test_the_pages_that_a_stranger_needs_are_reachable_behind_a_login(client, settings):
    settings.ARCHIVE_LOGIN_REQUIRED = True
    settings.ARCHIVE_REGISTRATION = "open"
    required = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, required]
    pages = ["/sign-in/", "/sign-up/", "/account/password/reset/", "/account/password/reset/sent/",
             "/account/email/sent/", "/account/email/confirm/x/", "/account/inactive/"]  # fmt: skip
    assert [client.get(page).status_code for page in pages] == [200] * len(pages)
    assert client.get("/account/").status_code == 302


def test_registrations_of_one_address_are_counted(throttled):
    throttled.ARCHIVE_REGISTRATION = "open"
    throttled.ARCHIVE_THROTTLE_MAILS = 2
    statuses = [
        Client().post("/sign-up/", FORM | {"username": f"a{n}", "email": f"a{n}@example.org"}).status_code
        for n in range(3)
    ]
    assert statuses == [302, 302, 429]
