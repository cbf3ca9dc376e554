"""A name that nobody has means those who have it as a part of their names, or are read so."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from archive.models import Event, Player
from archive.names.romaji import romanized
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.names.name_matching import match_name
from archive.queries.scope import PUBLIC, Scope
from archive.queries.search import words
from tests.archive.builders import ingest, ready
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def archive() -> None:
    ingest(
        ready("7g7f", black="羽生善治", white="谷川浩司", event="第17期棋王戦第1局", day="1992/02/03"),
        ready("2g2f", black="佐藤康光", white="佐藤天彦", event="第20期棋王戦", day="2005/02/03"),
        ready("5g5f", black="藤井聡太", white="藤井猛", event="王将戦", day="2020/02/03"),
        ready("7g7f 3c3d", black="大山康晴", white="Bonanza", event="Open Championship", day="1960/02/03"),
        ready("9g9f", black="棋王", white="さくら", day="2021/02/03"),
    )


def names_of_games(**asked: str) -> list[str]:
    return [f"{game.first}-{game.second}" for game in find_games(PUBLIC, GameFilters(**asked)).items]


HABU = ["羽生善治-谷川浩司"]
SATO = ["佐藤康光-佐藤天彦"]
FUJII = ["藤井聡太-藤井猛"]
OYAMA = ["大山康晴-Bonanza"]


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("羽生", HABU), ("善治", HABU), ("羽生 善治", HABU), ("羽生九段", HABU),
        ("はぶ", HABU), ("ハブ", HABU),
        ("はぶよしはる", HABU), ("はぶ よしはる", HABU), ("habu", HABU), ("Habu Yoshiharu", HABU),
        ("Yoshiharu Habu", HABU), ("HABU, Yoshiharu", HABU), ("Habu Akira", []),
        ("佐藤", SATO), ("Sato", SATO), ("Satou", SATO), ("Satō", SATO),
        ("fujii sota", FUJII), ("Sota Fujii", FUJII), ("Huzii", FUJII), ("Oyama", OYAMA), ("Ohyama", OYAMA),
        ("bonan", OYAMA), ("ボナ", []), ("b", []), ("善", HABU), ("sakura", ["棋王-さくら"]),
        ("サクラ", ["棋王-さくら"]), ("", []), ("誰か", []),
    ],
)  # fmt: skip
def test_a_part_of_a_players_name_or_its_reading_means_the_player(name, games):
    assert names_of_games(player=name) == games


def test_a_part_of_an_events_name_means_all_events_that_have_it():
    assert names_of_games(event="棋王戦") == SATO + HABU
    assert names_of_games(event="championship") == OYAMA
    assert names_of_games(event="はぶ") == []


def test_who_is_called_so_alone_is_meant_where_somebody_is():
    assert names_of_games(player="棋王") == ["棋王-さくら"]
    assert match_name(PUBLIC, "player", "棋王").part is False


def test_a_side_and_a_query_take_parts_of_names_too():
    assert names_of_games(black="佐藤") == names_of_games(white="佐藤") == SATO
    assert names_of_games(white="羽生") == []
    assert names_of_games(q="player:(羽生, 佐藤) NOT event:王将戦") == SATO + HABU
    assert names_of_games(q="white:佐藤") == names_of_games(q="first:佐藤") == SATO
    assert names_of_games(q="player:羽生 player:谷川") == HABU
    assert names_of_games(q="NOT player:羽生 player:藤井") == FUJII


@pytest.mark.parametrize("rare", [words.RARE, 0])
def test_a_game_of_two_who_are_meant_is_listed_and_counted_once(monkeypatch, rare):
    monkeypatch.setattr(words, "RARE", rare)
    for order in ("newest", "oldest", "added", "longest"):
        games = find_games(PUBLIC, GameFilters(player="佐藤"), order).items
        assert [game.first for game in games] == ["佐藤康光"]
    assert facets(PUBLIC, GameFilters(player="佐藤")).games == 1


def test_former_names_have_parts_too():
    add_spelling(Player.objects.get(name="羽生善治"), "覆面太郎")
    assert names_of_games(player="覆面") == HABU


def test_names_of_other_spaces_mean_nobody_here():
    Player.objects.create(name="羽生秘密", space=9)
    Event.objects.create(name="秘密の棋王戦", space=9)
    assert len(match_name(PUBLIC, "player", "羽生").ids) == 1
    assert len(match_name(PUBLIC, "player", "habu").ids) == 1
    assert len(match_name(PUBLIC, "event", "棋王戦").ids) == 2
    assert len(match_name(Scope((0, 9)), "player", "羽生").ids) == 2


def test_a_part_that_too_many_names_have_means_nobody(monkeypatch):
    monkeypatch.setattr(words, "LISTED_NAMES", 1)
    assert names_of_games(event="棋王戦") == []
    assert names_of_games(player="羽生") == HABU


@pytest.mark.parametrize("order", ["reading", "games"])
@pytest.mark.parametrize("words", ["はぶ", "habu", "Yoshiharu Habu", "羽生"])
def test_the_list_of_players_finds_readings_too(client: Client, words: str, order: str) -> None:
    page = client.get("/players/", {"name": words, "order": order}, headers={"Accept-Language": "en"})
    assert re.findall(r'href="/players/\d+/"\s*>([^<]+)<', page.content.decode()) == ["羽生善治"]


def test_english_pages_have_players_in_latin_letters(client: Client) -> None:
    player = Player.objects.get(name="羽生善治")
    for address in ("/players/", f"/players/{player.pk}/"):
        for language, shown in (("en", True), ("ja", False)):
            page = client.get(address, headers={"Accept-Language": language}).content.decode()
            assert ("Habu Yoshiharu" in page) is shown, (address, language)


@pytest.mark.parametrize(
    ("name", "latin"),
    [
        ("羽生善治", "Habu Yoshiharu"), ("大山康晴", "Oyama Yasuharu"), ("井上慶太", "Inoue Keita"),
        ("髙見泰地", "Takami Taichi"), ("羽生太", "Habu"), ("激指", ""), ("Bonanza", ""),
    ],
)  # fmt: skip
def test_a_name_is_written_in_latin_letters_as_far_as_it_is_known_how_it_is_read(name, latin):
    assert romanized(name) == latin
