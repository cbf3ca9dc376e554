"""Feeds of new games: of lists, of players and events, of positions."""

from __future__ import annotations

from datetime import timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.http import http_date

from archive import store
from archive.accounts import tokens
from archive.intake import worker
from archive.libraries import own_library
from archive.models import Arrival, Game, Player, Upload, User
from archive.project.env import Origin
from archive.queries.search import patience
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, START, stored

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
OTHER = KIF.replace("先手の人", "別の人").replace("７六歩(77)", "２六歩(27)", 1).split("   3 ")[0]


def feed(client: Client, address: str = "/games.atom", **headers: str) -> ElementTree.Element:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200, answer.content.decode()
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(answer.content)


def titles(root: ElementTree.Element) -> list[str]:
    return [entry.findtext(f"{ATOM}title") or "" for entry in root.iter(f"{ATOM}entry")]


def links(root: ElementTree.Element) -> dict[str, str]:
    return {one.get("rel", ""): one.get("href", "") for one in root.findall(f"{ATOM}link")}


def in_library(user: User, text: str) -> Game:
    """A game in somebody's own library."""
    upload, _ = store.create_upload(
        "a.kif", [text.encode()], source="web", uploader=user, space=own_library(user).pk
    )
    worker.work_off(upload.pk)
    return Game.objects.get(space=own_library(user).pk)


@pytest.fixture
def anna() -> User:
    return User.objects.create_user("anna", password="opensesame")


def test_a_feed_has_the_last_game_first_with_all_that_a_reader_needs(client, settings):
    settings.PUBLIC_URL = Origin("https", "kifu.example")
    stored(KIF)
    stored(OTHER)
    root = feed(client)
    assert titles(root) == ["別の人 対 後手の人 (試しの棋戦)", "先手の人 対 後手の人 (試しの棋戦)"]
    first = root.find(f"{ATOM}entry")
    pk = Game.objects.latest("pk").pk
    assert first.findtext(f"{ATOM}id") == f"https://kifu.example/games/{pk}/"
    assert first.find(f"{ATOM}link").get("href") == f"https://kifu.example/games/{pk}/"
    assert "2024-05-01" in first.findtext(f"{ATOM}summary")
    assert links(root)["self"] == "https://kifu.example/games.atom"
    assert links(root)["alternate"] == "https://kifu.example/games/"
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    when = Upload.objects.latest("pk").received
    for element in (root, first):
        assert timezone.datetime.fromisoformat(element.findtext(f"{ATOM}updated")) == when


def test_titles_are_in_the_language_of_the_reader(client):
    stored(KIF)
    assert titles(feed(client, accept_language="en")) == ["先手の人 vs 後手の人 (試しの棋戦)"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("player=別の人", ["別の人"]),
        ("q=別の", ["別の人"]),
        ("q=NOT 先手の", ["別の人"]),
        ("event=試しの棋戦", ["別の人", "先手の人"]),
        ("min_plies=5", ["先手の人"]),
        ("player=いない人", []),
        ("order=oldest", ["別の人", "先手の人"]),
    ],
)
def test_a_feed_takes_what_the_list_takes(client, query, expected):
    stored(KIF)
    stored(OTHER)
    request = "&".join(quote(part, safe="=") for part in query.split("&"))
    root = feed(client, f"/games.atom?{request}")
    assert [title.split(" ")[0] for title in titles(root)] == expected


def test_a_feed_without_games_is_a_feed(client):
    assert titles(feed(client)) == []


def test_a_position_has_a_feed_of_the_games_that_reach_it(client):
    stored(KIF)
    stored(OTHER)
    root = feed(client, f"/positions/shogi/{START}.atom")
    assert len(titles(root)) == 2
    assert links(root)["alternate"].endswith(f"/positions/shogi/{START}/")
    after = client.get("/api/v1/games/1/positions").json() if Game.objects.filter(pk=1).exists() else None
    code = after or client.get(f"/api/v1/games/{Game.objects.earliest('pk').pk}/positions").json()
    reached = code["results"][1]["code"]
    assert titles(feed(client, f"/positions/shogi/{reached}.atom")) == ["先手の人 対 後手の人 (試しの棋戦)"]
    assert len(titles(feed(client, f"/positions/shogi/{reached}.atom?match=any"))) == 1


def test_a_long_feed_goes_on_at_another_address(client, monkeypatch):
    monkeypatch.setattr("archive.web.lists.feeds.MOST", 1)
    stored(KIF)
    stored(OTHER)
    root = feed(client)
    assert titles(root) == ["別の人 対 後手の人 (試しの棋戦)"]
    rest = feed(client, links(root)["next"].removeprefix("http://testserver"))
    assert titles(rest) == ["先手の人 対 後手の人 (試しの棋戦)"]
    assert "next" not in links(rest)


def test_what_xml_forbids_or_means_otherwise_harms_nothing(client):
    stored(KIF)
    Player.objects.filter(name="先手の人").update(name="<b>&\x0b\x1f\ufffe]]>")
    Game.objects.update(site="<i>&\x0b")
    root = feed(client)
    assert titles(root) == ["<b>&]]> 対 後手の人 (試しの棋戦)"]
    summary = root.find(f"{ATOM}entry/{ATOM}summary")
    # Summaries are HTML, so they are escaped as such.
    assert summary.get("type") == "html" and "&lt;i&gt;&amp; " in summary.text


def test_what_a_reader_has_is_not_sent_again(client):
    stored(KIF)
    first = client.get("/games.atom")
    again = {"If-None-Match": first["ETag"]}
    assert client.get("/games.atom", headers=again).status_code == 304
    assert first["Cache-Control"] == "private, no-cache"
    assert "Authorization" in first["Vary"]
    last = parsedate_to_datetime(first["Last-Modified"])
    assert (
        client.get("/games.atom", headers={"If-Modified-Since": http_date(last.timestamp())}).status_code
        == 304
    )
    before = http_date((last - timedelta(seconds=1)).timestamp())
    assert client.get("/games.atom", headers={"If-Modified-Since": before}).status_code == 200
    stored(OTHER)
    assert client.get("/games.atom", headers=again).status_code == 200


def test_a_game_that_is_published_comes_first(client, anna):
    game = in_library(anna, KIF)
    stored(OTHER)
    assert titles(feed(client)) == ["別の人 対 後手の人 (試しの棋戦)"]
    store.move_game(game.pk, PUBLIC)
    assert titles(feed(client))[0] == "先手の人 対 後手の人 (試しの棋戦)"
    assert Arrival.objects.filter(moved=True).count() == 1
    store.delete_games([game.pk])
    assert not Arrival.objects.filter(game=game.pk).exists()


def test_private_games_are_told_to_who_shows_a_token(client, anna):
    in_library(anna, KIF)
    assert titles(feed(client)) == []
    _token, key = tokens.create(anna, "reader", ["read-private"], None)
    _other, blind = tokens.create(anna, "uploads", ["upload"], None)
    assert len(titles(feed(client, authorization=f"Bearer {key}"))) == 1
    assert titles(feed(client, authorization=f"Bearer {blind}")) == []
    assert titles(feed(client, "/games.atom?scope=public", authorization=f"Bearer {key}")) == []
    answer = client.get("/games.atom", headers={"authorization": f"Bearer {key}"})
    assert answer["Cache-Control"] == "private, no-store"
    wrong = client.get("/games.atom", headers={"authorization": "Bearer kifu_wrong"})
    assert (wrong.status_code, wrong["WWW-Authenticate"]) == (401, 'Bearer realm="kifu-archive"')


def test_wrong_tokens_of_feeds_are_counted(throttled, client):
    throttled.ARCHIVE_THROTTLE_SIGN_INS = 2
    wrong = {"authorization": "Bearer kifu_wrong"}
    assert [client.get("/games.atom", headers=wrong).status_code for _ in range(3)] == [401, 401, 429]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/games.atom?q=player:", 400),
        ("/games.atom?from=never", 400),
        ("/games.atom?cursor=made-up", 400),
        ("/games.atom?scope=group-1", 404),
        ("/positions/shogi/nothing.atom", 400),
        ("/positions/go/nothing.atom", 404),
        (f"/positions/shogi/{START}.atom?player=x", 400),
    ],
)
def test_what_cannot_be_asked_for_is_told(client, address, status):
    assert client.get(address).status_code == status


def test_a_search_that_takes_too_long_is_a_422(client, monkeypatch):
    stored(KIF)

    def slow(_seconds):
        raise TimeoutError

    monkeypatch.setattr(patience.engine(), "time_limit", slow)
    assert client.get("/games.atom?q=NOT x").status_code == 422


def test_pages_name_their_feeds(client):
    stored(KIF)
    player = Player.objects.get(name="先手の人").pk
    for address, names in [
        ("/games/?player=先手の人&order=oldest", f"/games.atom?player={quote('先手の人')}"),
        (f"/players/{player}/", f"/games.atom?player={quote('先手の人')}"),
        (f"/positions/shogi/{START}/?match=any", f"/positions/shogi/{START}.atom?match=any"),
    ]:
        page = client.get(address).content.decode()
        assert f'<link rel="alternate" type="application/atom+xml" href="{names}"' in page
        assert f'<a href="{names}"' in page
        assert client.get(names).status_code == 200
