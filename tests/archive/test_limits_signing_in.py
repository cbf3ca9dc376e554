"""Passwords: so many wrong ones are tried, a right one is never refused for long nor hashed every time."""

from __future__ import annotations

import base64
import re
import threading

import pytest
from django.contrib.auth import hashers
from django.test import Client
from rest_framework.test import APIClient

from archive.api import authentication
from archive.api.authentication import PasswordCache
from archive.http.limits import counting
from archive.http.limits.counting import StoreAwayError
from archive.models import User

pytestmark = pytest.mark.django_db

WRONG, RIGHT = "wrong", "opensesame"


@pytest.fixture
def taro() -> User:
    return User.objects.create_user("taro", password=RIGHT, is_staff=True)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(authentication, "verified_passwords", PasswordCache())


@pytest.fixture
def hashed(monkeypatch) -> list[str]:
    """The passwords that were hashed, as they were."""
    found: list[str] = []
    plain = hashers.verify_password

    def verify(password, *rest, **options):
        found.append(password)
        return plain(password, *rest, **options)

    monkeypatch.setattr(hashers, "verify_password", verify)
    return found


def sign_in(name: str, password: str, language: str = "en", **options):
    """An attempt on the sign-in page; 302 if it is right, 200 if it is wrong."""
    fields = {"login": name, "password": password, "next": "/"}
    return Client(headers={"Accept-Language": language}).post("/sign-in/", fields, **options)


def basic(name: str, password: str, **options):
    """A request by Basic; 200 if it is right, 401 if it is wrong."""
    token = base64.b64encode(f"{name}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {token}"} | options.pop("headers", {})
    return APIClient().get("/api/v1/games", headers=headers, **options)


# --- the sign-in page ------------------------------------------------------------------------------------


def test_after_so_many_wrong_passwords_an_address_has_to_wait(throttled, taro):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 3
    assert [sign_in("taro", WRONG).status_code for _ in range(5)] == [200, 200, 200, 429, 429]
    refused = sign_in("taro", RIGHT)
    assert refused.status_code == 429, "also the right one: otherwise guessing would go on"
    assert 0 < int(refused["Retry-After"]) <= 600


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Too many attempts to sign in"), ("ja", "ログインの試行回数が多すぎます")]
)
def test_the_page_says_so(throttled, taro, language, words):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
    sign_in("taro", WRONG)
    assert words in sign_in("taro", WRONG, language).content.decode()


def test_other_addresses_go_on(throttled, taro):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
    assert [sign_in("taro", WRONG).status_code for _ in range(2)] == [200, 429]
    assert sign_in("taro", RIGHT, REMOTE_ADDR="198.51.100.1").status_code == 302


def test_an_account_has_an_end_of_guesses_from_all_addresses(throttled, taro):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    answers = [sign_in("taro", WRONG, REMOTE_ADDR=f"198.51.100.{n}").status_code for n in range(12)]
    assert answers == [200] * 10 + [429] * 2
    assert sign_in("Taro", WRONG, REMOTE_ADDR="203.0.113.1").status_code == 429
    assert sign_in("jiro", WRONG, REMOTE_ADDR="203.0.113.2").status_code == 200


def test_one_address_alone_cannot_lock_an_account(throttled, taro):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    for _ in range(30):
        sign_in("taro", WRONG)
    assert sign_in("taro", RIGHT, REMOTE_ADDR="198.51.100.1").status_code == 302


def test_right_passwords_do_not_count(throttled, taro):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    assert [sign_in("taro", RIGHT).status_code for _ in range(5)] == [302] * 5


def test_a_refused_attempt_is_not_looked_at(throttled, taro, hashed):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
    for _ in range(4):
        sign_in("taro", WRONG)
    assert hashed == [WRONG]


def test_a_forwarded_address_of_the_guessers_own_resets_nothing(throttled, taro):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
    answers = [sign_in("taro", WRONG, HTTP_X_FORWARDED_FOR=f"198.51.100.{n}").status_code for n in range(3)]
    assert answers == [200, 429, 429]


def test_guesses_are_counted_also_while_the_store_is_away(throttled, taro, monkeypatch):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2

    def fail(*_: object) -> None:
        raise StoreAwayError("gone")

    for name in ("add", "take_back"):
        monkeypatch.setattr(counting.counter().store, name, fail)
    assert sign_in("taro", RIGHT).status_code == 302
    assert [sign_in("taro", WRONG).status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize("name", ["ta\0ro", "t" * 100_000, "", "ｊｉｒｏ"])
def test_a_name_that_nobody_has_is_a_wrong_one(throttled, taro, name):
    assert sign_in(name, RIGHT).status_code == 200


# --- Basic -----------------------------------------------------------------------------------------------


def test_basic_is_off_and_a_stranger_stays_one(settings, taro, hashed):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    assert settings.ARCHIVE_BASIC_AUTH is False
    token = base64.b64encode(f"taro:{RIGHT}".encode()).decode()
    response = APIClient().post("/api/v1/uploads", headers={"Authorization": f"Basic {token}"})
    assert (response.status_code, response.json()["code"]) == (401, "not-authenticated")
    assert response["WWW-Authenticate"] == 'Bearer realm="kifu-archive"'
    assert hashed == []


@pytest.fixture
def basic_on(settings):
    settings.ARCHIVE_BASIC_AUTH = True


@pytest.mark.usefixtures("basic_on")
class TestBasic:
    def test_a_wrong_password_is_a_401_with_a_challenge(self, taro):
        response = basic("taro", WRONG)
        assert response.status_code == 401
        assert (
            response["WWW-Authenticate"]
            == 'Bearer realm="kifu-archive", Basic realm="kifu-archive", charset="UTF-8"'
        )
        assert basic("taro", RIGHT).status_code == 200

    @pytest.mark.parametrize("name", ["ta\0ro", "\0", "t" * 100_000, "nobody", ""])
    def test_a_name_that_nobody_has_is_a_401(self, taro, name):
        assert basic(name, RIGHT).status_code == 401

    @pytest.mark.parametrize("password", ["\0", "opense\0same", "p" * 100_000, ""])
    def test_so_is_any_other_password(self, taro, password):
        assert basic("taro", password).status_code == 401

    @pytest.mark.parametrize("header", ["Basic", "Basic ", "Basic x y", "Basic %%%", "Basic AA==", "Basic é"])
    def test_a_header_that_cannot_be_read_is_a_401(self, header):
        response = APIClient().get("/api/v1/games", headers={"Authorization": header})
        assert response.status_code == 401

    def test_failures_are_counted_with_those_of_the_sign_in_page(self, throttled, taro):
        throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
        assert [basic("taro", WRONG).status_code for _ in range(3)] == [401, 401, 429]
        assert sign_in("taro", RIGHT).status_code == 429
        refused = basic("taro", RIGHT)
        assert (refused.json()["code"], int(refused["Retry-After"]) > 0) == ("throttled", True)

    def test_a_right_password_is_hashed_once(self, taro, hashed):
        assert [basic("taro", RIGHT).status_code for _ in range(5)] == [200] * 5
        assert hashed == [RIGHT]

    def test_wrong_ones_are_hashed_each_time(self, taro, hashed):
        basic("taro", RIGHT)
        assert [basic("taro", WRONG).status_code for _ in range(2)] == [401] * 2
        assert hashed == [RIGHT, WRONG, WRONG]

    def test_a_program_that_is_known_goes_on_while_others_guess(self, throttled, taro):
        throttled.ARCHIVE_THROTTLE_SIGN_INS = 1
        assert basic("taro", RIGHT).status_code == 200
        assert [basic("taro", WRONG).status_code for _ in range(2)] == [401, 429]
        assert basic("taro", RIGHT).status_code == 200

    def test_a_changed_password_ends_it_at_once(self, taro):
        basic("taro", RIGHT)
        taro.set_password("another")
        taro.save()
        assert basic("taro", RIGHT).status_code == 401
        assert basic("taro", "another").status_code == 200

    def test_a_user_who_is_switched_off_is_out_at_once(self, taro):
        basic("taro", RIGHT)
        taro.is_active = False
        taro.save()
        assert basic("taro", RIGHT).status_code == 401

    def test_a_user_who_is_deleted_is_out_at_once_also_for_a_new_one_of_that_name(self, taro):
        basic("taro", RIGHT)
        taro.delete()
        assert basic("taro", RIGHT).status_code == 401
        User.objects.create_user("taro", password="of the new one")
        assert basic("taro", RIGHT).status_code == 401

    def test_after_a_while_it_is_hashed_again(self, taro, hashed, monkeypatch):
        monkeypatch.setattr(authentication, "CACHE_SECONDS", 0)
        for _ in range(2):
            basic("taro", RIGHT)
        assert hashed == [RIGHT, RIGHT]

    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://evil.example"},
            {"Origin": "http://["},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ],
    )
    def test_what_a_page_of_another_site_makes_a_browser_send_is_refused(self, taro, headers, hashed):
        response = basic("taro", RIGHT, headers=headers)
        assert (response.status_code, response.json()["code"]) == (403, "permission-denied")
        assert hashed == []

    def test_our_own_pages_may(self, taro):
        headers = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
        assert basic("taro", RIGHT, headers=headers).status_code == 200


def test_cached_passwords_are_bounded_and_no_passwords(taro):
    cache = PasswordCache()
    for number in range(3000):
        cache.add(taro, str(number))
    assert len(cache.digests._cache) == 1000
    assert cache.has(taro, "2999")
    assert not cache.has(taro, "0")
    assert all(re.fullmatch(r":1:[0-9a-f]{64}", key) for key in cache.digests._cache)
    assert not PasswordCache().has(taro, "2999"), "each process has a key of its own"


def test_threads_may_share_the_cache(taro):
    cache = PasswordCache()

    def work() -> None:
        for number in range(2000):
            cache.add(taro, str(number))
            cache.has(taro, str(number))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 900 < len(cache.digests._cache) <= 1000


# --- sessions for programs -------------------------------------------------------------------------------


def test_a_program_signs_in_by_session_as_the_documentation_says(settings, taro):
    settings.ARCHIVE_ANONYMOUS_UPLOAD = False
    client = APIClient(enforce_csrf_checks=True)
    client.get("/sign-in/")
    fields = {"login": "taro", "password": RIGHT, "csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    assert client.post("/sign-in/?next=/", fields).status_code == 302
    token = {"X-CSRFToken": client.cookies["csrftoken"].value}
    sent = client.post("/api/v1/uploads", {"text": "手合割：平手\n"}, format="json", headers=token)
    assert sent.status_code == 202
