"""Every address that is read, asked by everybody, first and again: what caches are told, what 304 costs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from django.test import Client

from archive import libraries, store
from archive.accounts import tokens
from archive.intake import worker
from archive.models import Game, ProcessRole, SiteText, User
from archive.observing.heartbeats import Heartbeat
from tests.archive.games import KIF, START, stored
from tests.archive.routes import routes
from tests.archive.test_api_answers import address_of

pytestmark = pytest.mark.django_db(transaction=True)

Ask = Callable[..., Any]

NOBODY: Final = "private, no-store"
KEPT: Final = {
    "/api/v1/positions/{kind}/{code}.svg": "public, max-age=86400",
    "/api/v1/formations/{formation}.svg": "public, max-age=86400",
}
"""What is told of answers that everybody may keep; of all others that they are to be asked for each time."""

WITHOUT_TAG: Final = {
    "/healthz": "tells how it is now",
    "/readyz": "tells how it is now",
    "/metrics": "tells how it is now",
    "/robots.txt": "a few lines",
    "/.well-known/security.txt": "a few lines",
    "/manifest/{language}.webmanifest": "a few lines",
    "/service-worker.js": "browsers compare it themselves",
    "/offline/": "a few lines",
    "/upload/share/": "a form",
    "/api/v1/uploads/{pk}/source": "is sent while it is read",
    "/games/new/": "a form",
    "/positions/shogi/edit/": "a form",
    "/quoridor/board/": "a form",
    "/upload/": "a form",
    "/uploads/": "of one visitor",
    "/uploads/{upload_id}/": "changes while it is read",
    "/analysis/": "changes while it is read",
    "/games/{game_id}/report/": "a form",
    "/games/{game_id}/history/": "a form",
    "/players/{name_id}/history/": "a form",
    "/events/{name_id}/history/": "a form",
    "/places/{name_id}/history/": "a form",
    "/games/{game_id}/editions/": "a form",
    "/problems/known/": "a form",
    "/problems.atom": "changes with the day",
    "/dumps/": "of files that lie beside the archive",
    "/terms/": "changes with the links of its foot",
    "/privacy/": "changes with the links of its foot",
    "/contact/": "changes with the links of its foot",
}
"""Addresses whose answers to strangers have no tag, and why. Pages of accounts have none either."""

PUBLIC_ANYWAY: Final = {
    "/healthz", "/readyz", "/metrics", "/robots.txt", "/.well-known/security.txt",
    "/api/v1/", "/api/v1/schema", "/api/v1/docs",
    "/api/v1/dumps",
    "/api/v1/about", "/api/v1/texts",
    "/api/v1/positions/{kind}/{code}.svg", "/api/v1/positions/{kind}/{code}/legal",
    "/api/v1/formations/{formation}.svg",
    "/api/v1/positions/{kind}/{code}/board", "/api/v1/positions/shogi/oddities",
    "/positions/shogi/{code}/bod/", "/embed/positions/{kind}/{code}/",
    "/api/v1/games/{pk}/record.{name}", "/api/v1/games/{pk}/positions", "/api/v1/games/{pk}/series",
    "/api/v1/games/{pk}/analyses", "/api/v1/games/{pk}/mistakes",
    "/api/v1/games/{pk}/corrections", "/api/v1/games/{pk}/versions/{number}",
    "/api/v1/reconcile/{names}", "/api/v1/reconcile/{names}/suggest/{what}", "/api/v1/players/same",
    "/api/v1/reconcile/{names}/properties", "/api/v1/reconcile/{names}/preview/{row}",
}  # fmt: skip
"""Addresses whose answers are made of nothing that is stored, or of a public game alone."""

DEAR: Final = {
    "/api/v1/positions/{kind}/{code}/tree": "takes up to half a second to find out",
    "/api/v1/games/{pk}/corrections": "also takes corrections",
    "/api/v1/games/{pk}/versions/{number}": "also restores versions",
    "/api/v1/players/{player_id}/corrections": "also takes corrections",
    "/api/v1/events/{event_id}/corrections": "also takes corrections",
    "/api/v1/places/{place_id}/corrections": "also takes corrections",
    "/api/v1/players/same": "also rejects pairs of players",
    "/api/v1/changes": "changes without a commit, when changes are numbered",
    "/api/v1/collections": "is also where collections are made",
    "/api/v1/analyses": "is also where requests are made, and changes with the work of engines",
}
"""Addresses at which 304 costs what the answer would have, and why."""

ACCOUNTS: Final = ("/account/", "/sign-", "/libraries/", "/join/", "/shared/", "/scope/", "/i18n/")


@pytest.fixture(scope="module")
def read() -> set[str]:
    """The routes that strangers read, the same for all tests: empty until the first has asked for each."""
    return set()


@pytest.fixture(autouse=True)
def addresses(settings: Any, read: set[str]) -> dict[str, str]:
    """All addresses that strangers read, by their routes."""
    settings.SECURITY_CONTACT = "mailto:x@example.org"
    Heartbeat(ProcessRole.WORKER, 1).beat()
    stored(KIF.replace("開始日時", "場所：試しの会館\n開始日時"))
    for page in SiteText.Page.values:
        SiteText.objects.create(page=page, language="ja", text="言葉")
    result = {one.template: address_of(one) for one in routes() if not one.template.startswith(ACCOUNTS)}
    if not read:
        stranger = Client()
        read |= {route for route, address in result.items() if stranger.get(address).status_code == 200}
    return {route: address for route, address in result.items() if route in read}


@pytest.fixture
def anna(addresses: dict[str, str]) -> User:
    """One who has a library with a game in it."""
    user = User.objects.create_user("anna")
    text = KIF.replace("先手の人", "秘密の人").encode()
    created, _new = store.create_upload("own.kif", [text], user, space=libraries.own_library(user).pk)
    worker.work_off(created.pk)
    return user


def stranger() -> Ask:
    return asking(Client())


def with_token(user: User, *scopes: str) -> Ask:
    return asking(Client(), Authorization=f"Bearer {tokens.create(user, 'test', scopes, None)[1]}")


def with_session(user: User) -> Ask:
    client = Client()
    client.force_login(user)
    return asking(client)


def asking(client: Client, **always: str) -> Ask:
    """Return how a client asks; it was here before, and has a token for forms."""
    client.get("/upload/")

    def ask(address: str, method: str = "GET", tag: str = "", language: str = "ja") -> Any:
        headers = always | {"Accept-Language": language} | ({"If-None-Match": tag} if tag else {})
        return client.generic(method, address, headers=headers)

    return ask


def varies(answer: Any) -> set[str]:
    return {name.strip() for name in answer.headers.get("Vary", "").split(",")}


def body_of(answer: Any) -> bytes:
    """What an answer says, without the tokens of its forms."""
    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", answer.getvalue())


def caching(answer: Any) -> tuple[str | None, str | None, set[str]]:
    return answer.headers.get("ETag"), answer.headers.get("Cache-Control"), varies(answer)


def test_strangers_are_told_what_to_keep_and_by_what_answers_differ(addresses: dict[str, str]):
    ask, without = stranger(), set()
    assert len(addresses) > 40
    for route, address in addresses.items():
        tag, remaining, differs = caching(ask(address))
        without |= set() if tag else {route}
        never = {"no-store"} if route in WITHOUT_TAG else set()
        assert remaining == KEPT.get(route, "private, no-cache") or never & {*str(remaining).split(", ")}, (
            route
        )
        assert differs >= {"Cookie", "Accept-Language"}, route
        assert "Authorization" in differs or not route.startswith("/api/"), route
    assert without == WITHOUT_TAG.keys()


def test_what_is_known_is_304_with_the_same_headers_and_nothing_else(addresses: dict[str, str], anna: User):
    for ask in (stranger(), with_token(anna, "upload")):
        for route, address in addresses.items():
            first = ask(address)
            tag = first.headers.get("ETag")
            if tag is None or first.status_code != 200:
                continue
            again = ask(address, tag=tag)
            assert (again.status_code, again.content) == (304, b""), route
            assert caching(again) == caching(first), route
            assert ask(address, "HEAD", tag=tag).status_code == 304, route
            assert ask(address, tag='"x"').status_code == 200, route


def test_head_tells_what_get_tells(addresses: dict[str, str], anna: User):
    names = ("ETag", "Cache-Control", "Content-Type", "Content-Length", "Content-Language")
    for ask in (stranger(), with_session(anna), with_token(anna, "read-private")):
        for route, address in addresses.items():
            if route == "/metrics":  # which counts itself: no two answers are the same
                continue
            answers = [ask(address, method) for method in ("GET", "HEAD")]
            read, head = ([one.headers.get(name) for name in names] for one in answers)
            assert read == head and varies(answers[0]) == varies(answers[1]), route


def test_what_may_not_be_public_is_kept_by_nobody_and_never_304(addresses: dict[str, str], anna: User):
    tags = {route: stranger()(address).headers.get("ETag", "") for route, address in addresses.items()}
    for ask, rooms in ((with_session(anna), "/"), (with_token(anna, "read-private"), "/api/")):
        open_to_all = set()
        for route, address in addresses.items():
            if not route.startswith(rooms):
                continue
            answer = ask(address, tag=tags[route])
            if answer.headers["Cache-Control"] not in (NOBODY, "no-store"):
                open_to_all.add(route)
                continue
            assert answer.status_code in (200, 404) and "ETag" not in answer.headers, route
            assert ask(address, tag="*").status_code == answer.status_code, route
        assert open_to_all <= PUBLIC_ANYWAY


def test_whatever_is_told_of_a_game_of_a_library_is_kept_by_nobody(anna: User):
    game = Game.objects.latest("pk").pk
    parts = ("", "/record.kif", "/record.jkf", "/positions", "/series", "/novelty", "/analyses")
    of_game = [f"/api/v1/games/{game}{part}" for part in parts]
    pages = [f"/games/{game}/", f"/embed/games/{game}/"]
    # Pages know nothing of tokens.
    for ask, existing in (
        (with_session(anna), of_game + pages),
        (with_token(anna, "read-private"), of_game),
    ):
        for address in existing:
            answer = ask(address, tag="*")
            assert (answer.status_code, answer.headers["Cache-Control"]) == (200, NOBODY), address
            assert "ETag" not in answer.headers


def test_the_pages_of_accounts_are_kept_by_nobody(anna: User):
    ask, seen = with_session(anna), 0
    for route in routes():
        if route.template.startswith(ACCOUNTS):
            answer = ask(address_of_account(route))
            assert "no-store" in answer.headers["Cache-Control"], route.template
            assert "ETag" not in answer.headers and "Cookie" in varies(answer), route.template
            seen += answer.status_code == 200
    assert seen > 10


def address_of_account(route: Any) -> str:
    return route.address(**{name: "1" for name in route.parts})


def test_what_differs_between_languages_has_another_tag(addresses: dict[str, str]):
    differ = 0
    for route, address in addresses.items():
        first, second = (stranger()(address, language=language) for language in ("ja", "en"))
        if "ETag" in first.headers and body_of(first) != body_of(second):
            assert first.headers["ETag"] != second.headers["ETag"], route
            differ += 1
    assert differ > 10


def test_what_differs_between_scopes_is_never_taken_for_the_same(addresses: dict[str, str], anna: User):
    ask, data = with_token(anna, "read-private"), 0
    for route, address in addresses.items():
        if route.startswith("/api/") and "ETag" in stranger()(address).headers:
            public = stranger()(f"{address}?scope=public")
            own = ask(f"{address}?scope=mine", tag=public.headers["ETag"])
            if own.headers["Cache-Control"] == NOBODY:
                assert own.status_code != 304, route
                data += body_of(own) != body_of(public)
    assert data > 5


# --- what it costs ---------------------------------------------------------------------------------------


def quota_left(answer: Any) -> int:
    """What remains of the quota."""
    return int(re.findall(r'"(?:work|sources)";r=(\d+)', answer.headers["RateLimit"])[0])


def test_304_costs_nothing(throttled: Any, addresses: dict[str, str]):
    throttled.ARCHIVE_THROTTLE_WORK = throttled.ARCHIVE_THROTTLE_SOURCES = 100_000
    ask, dear = stranger(), set()
    for route, address in addresses.items():
        first = ask(address)
        if "ETag" in first.headers:
            again = [ask(address, tag=first.headers["ETag"]) for _ in range(3)]
            assert [one.status_code for one in again] == [304] * 3
            dear |= set() if quota_left(again[-1]) == quota_left(first) else {route}
            changed = ask(address, tag='"x"')
            assert quota_left(changed) < quota_left(again[-1]), route
    assert dear == DEAR.keys()


def test_who_names_no_answer_pays_and_so_does_who_has_an_old_one(throttled: Any):
    throttled.ARCHIVE_THROTTLE_WORK = 10
    ask = stranger()
    for tag in ("*", '"x"'):
        before = quota_left(ask("/api/v1/openings", tag='"y"'))
        assert before - quota_left(ask("/api/v1/openings", tag=tag)) == 2


def test_a_quota_that_is_used_up_holds_for_all(throttled: Any):
    throttled.ARCHIVE_THROTTLE_WORK = 4
    ask = stranger()
    address = f"/api/v1/positions/shogi/{START}"
    tag = ask(address).headers["ETag"]
    assert [ask(address, tag=tag).status_code for _ in range(9)] == [304] * 9
    assert ask(address, tag='"x"').status_code == 200
    assert ask(address, tag=tag).status_code == 429
