"""304 for unchanged responses, never for changed ones or those of other visitors."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from archive import store
from archive.caching import responses
from archive.models import Entry, Game, Player, Upload, User
from archive.web.pages import views
from tests.archive.games import KIF, START, stored

pytestmark = pytest.mark.django_db

OTHER = KIF.replace("先手の人", "甲").replace("後手の人", "乙").replace("試しの棋戦", "別の棋戦")
LIVING = (
    "/", "/games/", "/players/", "/events/", "/statistics/",
    f"/positions/shogi/{START}/", "/api/v1/games", f"/api/v1/positions/shogi/{START}",
)  # fmt: skip
"""Addresses whose answers change when a game comes that has the same start."""


def addresses() -> list[str]:
    game = Game.objects.get()
    return [
        *LIVING, "/games/?player=先手の人", f"/games/{game.pk}/", f"/games/{game.pk}/?ply=2&flip=1",
        f"/embed/games/{game.pk}/",
        f"/players/{game.player0_id}/", f"/events/{game.event_id}/", f"/embed/positions/shogi/{START}/",
        f"/positions/shogi/{START}/?match=any&player=x", f"/positions/shogi/{START}/?part=moves",
        f"/api/v1/games/{game.pk}", f"/api/v1/games/{game.pk}/record.csa",
        f"/api/v1/games/{game.pk}/positions", f"/api/v1/positions/shogi/{START}.svg",
        f"/api/v1/positions/shogi/{START}/games",
    ]  # fmt: skip


@pytest.fixture
def upload() -> Upload:
    return stored(KIF, "one.kif")


@pytest.fixture
def visitor(upload: Upload) -> Client:
    """One who has been here before: the first page gave a token for forms."""
    client = Client()
    client.get("/")
    return client


def tag_of(client: Client, path: str, **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, path
    return answer.headers["ETag"]


def varies(answer: HttpResponse) -> set[str]:
    return set(answer.headers["Vary"].split(", "))


def again(client: Client, path: str, tag: str, **headers: str) -> int:
    return client.get(path, headers={"If-None-Match": tag, **headers}).status_code


def test_what_has_not_changed_is_told_in_304_with_the_headers_of_the_answer(visitor: Client):
    for path in addresses():
        first = visitor.get(path)
        same = visitor.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (same.status_code, same.content) == (304, b""), path
        assert same.headers["Cache-Control"] == first.headers["Cache-Control"], path
        assert varies(same) == varies(first) >= {"Accept-Language", "Accept-Encoding"}, path
        assert visitor.head(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
        assert again(visitor, path, 'W/"another", "one"') == 200


def test_a_tag_is_known_again_in_any_of_its_forms(visitor: Client):
    for path in ("/games/", "/api/v1/games"):
        tag = tag_of(visitor, path)
        assert tag.startswith('W/"')
        for query in (tag.removeprefix("W/"), f'"x", {tag}', "*"):
            assert again(visitor, path, query) == 304
        assert visitor.post(path, headers={"If-None-Match": tag}).status_code == 405


def test_a_compressed_answer_has_the_same_tag(visitor: Client):
    for path in ("/games/", "/api/v1/games", "/"):
        packed = visitor.get(path, headers={"Accept-Encoding": "gzip"})
        assert packed.headers["ETag"] == tag_of(visitor, path)


def test_pages_are_compressed_around_the_tokens_of_their_forms(visitor: Client):
    for path in ("/games/", f"/positions/shogi/{START}/", "/"):
        plain = visitor.get(path).content.decode()
        sizes = set()
        for _ in range(9):
            answer = visitor.get(path, headers={"Accept-Encoding": "gzip"})
            assert answer.headers["Content-Encoding"] == "gzip"
            assert int(answer.headers["Content-Length"]) == len(answer.content) < len(plain)
            page = gzip.decompress(answer.content).decode()
            assert without_tokens(page) == without_tokens(plain)
            assert not tokens(page) & tokens(plain)
            sizes.add(len(answer.content))
        assert len(sizes) > 1, "the length tells nothing of what is secret"
        assert "Content-Encoding" not in visitor.get(path, headers={"Accept-Encoding": "br"}).headers


@pytest.mark.django_db(transaction=True)
def test_a_page_is_not_made_where_it_is_known(visitor: Client, monkeypatch: pytest.MonkeyPatch):
    game = Game.objects.get()
    paths = (f"/games/{game.pk}/", f"/positions/shogi/{START}/", "/games/", "/")
    tagged = [(path, tag_of(visitor, path)) for path in paths]

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("this page is made")

    monkeypatch.setattr("archive.web.pages.views.render", refuse)
    assert [again(visitor, *one) for one in tagged] == [304] * len(paths)


def test_a_page_that_was_made_is_sent_again_with_tokens_of_the_visitors_own(visitor: Client):
    game = Game.objects.get().pk
    for path in (f"/games/{game}/", f"/positions/shogi/{START}/", "/games/", "/"):
        first, second = (visitor.get(path).content.decode() for _ in range(2))
        assert tokens(first) and not tokens(first) & tokens(second), path
        assert without_tokens(first) == without_tokens(second)
        stranger = Client(enforce_csrf_checks=True)
        page = stranger.get(path)
        assert without_tokens(page.content.decode()) == without_tokens(first)
        (token,) = tokens(page.content.decode())
        assert stranger.post("/theme/", {"csrfmiddlewaretoken": token, "next": "/"}).status_code == 302
        assert visitor.get(path, headers={"Accept-Language": "en"}).content.decode() != second


def tokens(page: str) -> set[str]:
    return set(re.findall('name="csrfmiddlewaretoken" value="(\\w+)"', page))


def without_tokens(page: str) -> str:
    return re.sub('(name="csrfmiddlewaretoken" value=")\\w+', r"\1", page)


@pytest.mark.django_db(transaction=True)
def test_a_page_is_drawn_once_for_all_strangers_and_always_for_who_is_signed_in(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
):
    path, made = f"/games/{Game.objects.get().pk}/", []
    render = views.render

    def counted(*args: Any, **options: Any) -> HttpResponse:
        made.append(args[1])
        return render(*args, **options)

    monkeypatch.setattr(views, "render", counted)
    for client in (Client(), Client()):
        assert client.get(path).status_code == 200
    assert len(made) == 1
    anna = Client()
    anna.force_login(User.objects.create_user("anna"))
    for _ in range(2):
        assert "anna" in anna.get(path).content.decode()
    assert len(made) == 3
    assert "anna" not in Client().get(path).content.decode()


def test_a_comment_that_looks_like_a_token_stays_as_it_is(upload: Upload):
    words = f'<input type="hidden" name="csrfmiddlewaretoken" value="{"x" * 64}">'
    stored(OTHER.replace("   2 ", f"*{words}\n   2 "), "odd.kif")
    path = f"/games/{Game.objects.latest('pk').pk}/"
    for _ in range(2):
        page = Client().get(path).content.decode()
        assert words not in page and page.count("x" * 64) == 1


@pytest.mark.django_db(transaction=True)
def test_a_page_that_is_too_large_is_made_each_time(visitor: Client, monkeypatch: pytest.MonkeyPatch):
    made = []
    of = responses.CachedResponse.of
    monkeypatch.setattr(responses.CachedResponse, "of", lambda page: made.append(page) or of(page))
    for largest, pages in ((1_000_000, 1), (1000, 3)):
        monkeypatch.setattr(responses, "LARGEST", largest)
        responses.cache.clear()
        for _ in range(2):
            assert visitor.get("/games/").status_code == 200
        assert len(made) == pages


def test_a_new_game_changes_what_tells_of_it(visitor: Client):
    before = {path: tag_of(visitor, path) for path in LIVING}
    stored(OTHER, "two.kif")
    assert [path for path, tag in before.items() if again(visitor, path, tag) != 200] == []


def test_a_corrected_game_is_not_shown_as_it_was(visitor: Client):
    game = Game.objects.get()
    paths = (f"/games/{game.pk}/", f"/embed/games/{game.pk}/", f"/api/v1/games/{game.pk}", "/games/")
    for change in ({"result": 2}, {"round": "第9局"}):
        before = {path: (tag_of(visitor, path), shown(visitor, path)) for path in paths}
        Game.objects.filter(pk=game.pk).update(**change)
        for path, (tag, page) in before.items():
            same = shown(visitor, path) == page
            assert again(visitor, path, tag) == (304 if same else 200), (path, change)
        assert shown(visitor, "/games/") != before["/games/"][1] or "result" not in change


def shown(client: Client, path: str, **headers: str) -> str:
    return without_tokens(client.get(path, headers=headers).content.decode())


def test_a_second_edition_changes_the_page_of_its_game(visitor: Client):
    path = f"/games/{Game.objects.get().pk}/"
    tag = tag_of(visitor, path)
    stored(KIF.replace("試しの棋戦", "試しの棋戦\n備考：二つ目"), "again.kif")
    assert Entry.objects.filter(game__pk=path.split("/")[2]).count() == 2
    assert again(visitor, path, tag) == 200


def test_a_name_that_changes_changes_the_lists(visitor: Client):
    tag = tag_of(visitor, "/games/")
    player = Player.objects.first()
    assert player is not None
    player.name = "改名"
    player.save()
    assert again(visitor, "/games/", tag) == 200


def test_what_is_deleted_is_gone_at_once_whatever_tag_is_sent(visitor: Client, upload: Upload):
    game = Game.objects.get().pk
    of_game = (
        f"/games/{game}/",
        f"/embed/games/{game}/",
        f"/api/v1/games/{game}",
        f"/api/v1/games/{game}/record.kif",
    )
    lists = ("/games/", f"/positions/shogi/{START}/", "/api/v1/games")
    existing = {path: tag_of(visitor, path) for path in (*of_game, *lists)}
    store.begin_deletion(upload.pk)
    assert [again(visitor, path, existing[path]) for path in of_game] == [410] * len(of_game)
    assert store.delete_upload(upload.pk)
    assert [again(visitor, path, existing[path]) for path in of_game] == [410] * len(of_game)
    assert [again(visitor, path, existing[path]) for path in lists] == [200] * len(lists)


def test_language_colours_and_pieces_make_other_pages(visitor: Client):
    game = Game.objects.get().pk
    for path in (f"/games/{game}/", f"/positions/shogi/{START}/", f"/embed/games/{game}/"):
        japanese = tag_of(visitor, path, **{"Accept-Language": "ja"})
        assert again(visitor, path, japanese, **{"Accept-Language": "en"}) == 200
        page = shown(visitor, path, **{"Accept-Language": "ja"})
        for cookie, value in (("theme", "dark"), ("pieces", "letters")):
            visitor.cookies[cookie] = value
            same = shown(visitor, path, **{"Accept-Language": "ja"}) == page
            assert not same or path.startswith("/embed/")
            assert again(visitor, path, japanese, **{"Accept-Language": "ja"}) == (304 if same else 200)
            del visitor.cookies[cookie]
        assert again(visitor, path, japanese, **{"Accept-Language": "ja"}) == 304
        assert {"Accept-Language", "Cookie"} <= varies(visitor.get(path))


def test_a_part_of_a_page_has_a_tag_of_its_own(visitor: Client):
    path = f"/positions/shogi/{START}/"
    full, part = tag_of(visitor, path), tag_of(visitor, path, **{"X-Part": "position"})
    assert full != part
    assert again(visitor, path, full, **{"X-Part": "position"}) == 200
    assert again(visitor, path, part) == 200
    assert again(visitor, path, part, **{"X-Part": "position"}) == 304
    for headers in ({}, {"X-Part": "position"}):
        assert "X-Part" in varies(visitor.get(path, headers=headers))


def test_the_same_page_of_another_address_or_host_has_another_tag(visitor: Client):
    assert again(visitor, "/games/?record_kind=game", tag_of(visitor, "/games/")) == 200
    game = f"/games/{Game.objects.get().pk}/"
    assert again(visitor, game, tag_of(visitor, game), host="127.0.0.1") == 200, "it has links with the host"


def test_who_has_signed_in_never_gets_the_page_of_a_stranger(visitor: Client):
    path = f"/games/{Game.objects.get().pk}/"
    tag = tag_of(visitor, path)
    anna = User.objects.create_user("anna")
    visitor.force_login(anna)
    page = visitor.get(path, headers={"If-None-Match": tag})
    assert page.status_code == 200 and "anna" in page.content.decode()
    assert "ETag" not in page.headers and "private" in page.headers["Cache-Control"]
    visitor.logout()
    visitor.get("/")
    assert "anna" not in visitor.get(path, headers={"If-None-Match": tag}).content.decode()


def test_a_page_with_a_message_is_made_and_has_no_tag(visitor: Client, monkeypatch: pytest.MonkeyPatch):
    tag = tag_of(visitor, "/games/")
    monkeypatch.setattr(responses, "get_messages", lambda _request: ["one waits"])
    page = visitor.get("/games/", headers={"If-None-Match": tag})
    assert page.status_code == 200 and "ETag" not in page.headers


def test_a_page_that_gives_a_token_has_no_tag_and_those_of_others_do_not_hold(visitor: Client):
    tag = tag_of(visitor, "/games/")
    stranger = Client()
    first = stranger.get("/games/", headers={"If-None-Match": tag})
    assert first.status_code == 200 and "csrftoken" in first.cookies and "ETag" not in first.headers
    assert "private" in first.headers["Cache-Control"] and "Cookie" in first.headers["Vary"]
    own = tag_of(stranger, "/games/")
    assert own != tag
    assert again(visitor, "/games/", own) == 200 and again(stranger, "/games/", tag) == 200


def test_a_token_that_is_none_is_replaced_and_not_answered_with_304(visitor: Client):
    tag = tag_of(visitor, "/games/")
    visitor.cookies["csrftoken"] = "broken"
    answer = visitor.get("/games/", headers={"If-None-Match": tag})
    assert answer.status_code == 200 and "csrftoken" in answer.cookies


def test_the_form_of_a_page_from_the_cache_can_still_be_sent(upload: Upload):
    visitor = Client(enforce_csrf_checks=True)
    visitor.get("/")
    page = visitor.get("/games/")
    token = page.content.decode().split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    assert again(visitor, "/games/", page.headers["ETag"]) == 304
    sent = {"csrfmiddlewaretoken": token, "next": "/games/"}
    assert visitor.post("/theme/", sent).status_code == 302


def test_errors_and_redirects_have_no_tags(visitor: Client):
    for path in ("/games/999999/", "/api/v1/games/999999", "/games/?result=bogus", "/positions/shogi/xx/"):
        answer = visitor.get(path, headers={"If-None-Match": "*"})
        assert answer.status_code in (400, 404) and "ETag" not in answer.headers


def test_the_api_tells_a_keeper_what_a_stranger_must_not_know(visitor: Client, upload: Upload):
    game = Game.objects.get().pk
    keeper = Client()
    keeper.force_login(User.objects.create_superuser("keeper"))
    store.begin_deletion(upload.pk)
    tag = tag_of(keeper, f"/api/v1/games/{game}")
    assert again(keeper, f"/api/v1/games/{game}", tag) == 304
    assert again(visitor, f"/api/v1/games/{game}", tag) == 410


def test_other_sites_may_ask_with_tags(visitor: Client):
    answer = visitor.get("/api/v1/games", headers={"Origin": "https://example.com"})
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    query = visitor.options("/api/v1/games", headers={"Access-Control-Request-Method": "GET"})
    assert "If-None-Match" in query.headers["Access-Control-Allow-Headers"]
