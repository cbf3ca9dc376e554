"""The lists of players and events: by reading, by name, by number of games."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from archive.derive.headers import plain, reading, row_of
from archive.models import Player
from archive.queries.names import directory
from archive.queries.names.directory import list_names
from archive.queries.scope import PUBLIC
from archive.web.lists import browsing
from tests.archive import builders

pytestmark = pytest.mark.django_db

BY_READING = [
    "青野照市",
    "ガードナー",
    "加藤一二三",
    "ギガ",
    "羽生善治",
    "ボナンザ",
    "渡辺明",
    "Bonanza",
    "ponanza",
]
UNREAD = ["激指", "蟲"]


@pytest.fixture(scope="module", autouse=True)
def archive(module_db: None) -> None:
    """A game of each name, in another order; three more of 羽生善治 and one of 蟲."""
    names = sorted([*BY_READING, *UNREAD])
    builders.ingest(
        *(builders.ready("7g7f", black=name, event="王将戦") for name in names),
        *(builders.ready(f"{move} 3c3d", black="羽生善治") for move in ("2g2f", "5g5f")),
        builders.ready("9g9f", black="羽生善治", white="蟲", event="名人戦"),
    )


def names(order: str, **options) -> list[str]:
    return [one.name for one in list_names(PUBLIC, "player", order, **options).items]


@pytest.mark.parametrize(
    ("name", "key", "row"),
    [
        ("羽生善治", "はふ 善治", "は"),
        ("髙橋道雄", "たかはし 道雄", "た"),
        ("森下卓", "もりした 卓", "ま"),
        ("ＧＰＳ将棋", "gps将棋", "a"),
        ("Ünal", "unal", "a"),
        ("762alpha", "762alpha", "a"),
        ("ボナンザ", "ほなんさ", "は"),
        ("スーパー", "すうはあ", "さ"),
        ("きふわらべ", "きふわらへ", "か"),
        ("うさぴょん外伝", "うさひよん 外伝", "あ"),
        ("六代大橋宗銀", "おおはし 宗銀", "あ"),
        ("八代弥", "やしろ 弥", "や"),
        ("激指", "", ""),
        ("Иван", "", ""),
    ],
)
def test_a_name_is_read_as_far_as_its_reading_is_known(name: str, key: str, row: str) -> None:
    assert reading(plain(name)) == key
    assert row_of(key) == row


def test_players_come_in_the_order_of_the_kana_then_of_letters_then_without_reading() -> None:
    assert names("reading") == [*BY_READING, *UNREAD]
    rows = [one.row for one in list_names(PUBLIC, "player", "reading").items]
    assert rows == ["あ", "か", "か", "か", "は", "は", "わ", "a", "a", "", ""]


@pytest.mark.parametrize("order", ["reading", "games"])
@pytest.mark.parametrize("limit", [1, 2, 3, 11])
def test_pages_of_players_follow_each_other_without_gaps(order: str, limit: int) -> None:
    result: list[str] = []
    after = ""
    while True:
        page = list_names(PUBLIC, "player", order, after=after, limit=limit)
        assert len(page.items) <= limit
        result += [one.name for one in page.items]
        after = page.next
        if not after:
            break
    assert result == names(order) and len(result) == len(BY_READING) + len(UNREAD)


def test_a_list_begins_at_a_row_of_the_kana() -> None:
    assert names("reading", row="は") == [*BY_READING[4:], *UNREAD]
    assert names("reading", row="な") == [*BY_READING[4:], *UNREAD]
    assert names("reading", row="a") == ["Bonanza", "ponanza", *UNREAD]
    assert names("reading", row="") == UNREAD
    with pytest.raises(ValueError, match="row"):
        list_names(PUBLIC, "player", "reading", row="ば")
    with pytest.raises(ValueError, match="row"):
        list_names(PUBLIC, "player", "games", row="は")


def test_names_with_the_most_games_come_first() -> None:
    page = list_names(PUBLIC, "player", "games")
    assert [(one.name, one.games) for one in page.items[:2]] == [("羽生善治", 4), ("蟲", 2)]
    assert {one.games for one in page.items[2:]} == {1} and not page.cut
    assert [(one.name, one.games) for one in list_names(PUBLIC, "event", "games").items] == [
        ("王将戦", 11),
        ("名人戦", 1),
    ]
    assert [one.name for one in list_names(PUBLIC, "player", "games", "ボナンザ").items] == ["ボナンザ"]


def test_a_list_by_number_of_games_ends_where_it_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "MOST_RANKED", 3)
    assert len(names("games")) == 3 and list_names(PUBLIC, "player", "games").cut
    html = client.get("/players/?order=games", headers={"Accept-Language": "en"}).content.decode()
    assert "These are the 3 with the most games." in html


def test_orders_that_a_list_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="reading, games"):
        list_names(PUBLIC, "player", "name")
    with pytest.raises(ValueError, match="name, games"):
        list_names(PUBLIC, "event", "reading")
    with pytest.raises(ValueError, match="after"):
        list_names(PUBLIC, "player", "games", after="²")


def test_a_player_who_was_stored_before_keeps_a_reading_of_the_present_name() -> None:
    player = Player.objects.get(name="激指")
    player.name = "げきさし"
    player.save()
    assert Player.objects.get(pk=player.pk).reading == "けきさし"


def names_on_page(html: str) -> list[str]:
    return re.findall(r'href="/players/\d+/"\s*>([^<]*)<', html)


def test_the_page_has_rows_orders_and_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "PAGE", 5)
    html = client.get("/players/", headers={"Accept-Language": "ja"}).content.decode()
    assert names_on_page(html) == BY_READING[:5]
    assert re.findall(r"<h2>\s*([^<]*?)\s*</h2>", html) == ["あ", "か", "は"]
    following = re.search(r'rel="next" href="([^"]*)"', html)
    assert following
    assert names_on_page(client.get(f"/players/{unescape(following[1])}").content.decode()) == [
        *BY_READING[5:],
        UNREAD[0],
    ]
    links = re.findall(r'<a href="([^"]*)" rel="nofollow"[^>]*>([^<]*)</a>', html)
    rows = {text: unescape(href) for href, text in links}
    assert names_on_page(client.get(f"/players/{rows['読み不明']}").content.decode()) == UNREAD
    assert names_on_page(client.get(f"/players/{rows['A–Z']}").content.decode())[:2] == ["Bonanza", "ponanza"]
    most = client.get(f"/players/{rows['対局数の多い順']}").content.decode()
    assert names_on_page(most)[:2] == ["羽生善治", "蟲"]
    following = re.search(r'rel="next" href="([^"]*)"', most)
    assert following and "order=games" in following[1]
    assert re.search(r'<input type="hidden" name="order"\s+value="games">', most)


@pytest.mark.parametrize(
    "query", ["order=best", "row=x", "row=", "order=games&row=は", "order=games&after=x"]
)
def test_an_address_that_makes_no_sense_is_refused_by_name(client: Client, query: str) -> None:
    assert client.get(f"/players/?{query}").status_code == 400


def test_events_come_by_name_or_by_number_of_games(client: Client) -> None:
    html = client.get("/events/").content.decode()
    assert re.findall(r'href="/events/\d+/"\s*>([^<]*)<', html) == ["名人戦", "王将戦"]
    html = client.get("/events/?order=games").content.decode()
    assert re.findall(r'href="/events/\d+/"\s*>([^<]*)<', html) == ["王将戦", "名人戦"]
