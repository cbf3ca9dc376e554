"""The explorer's filters: their totals, links to drop them, suggestions for names."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from archive.models import Player
from archive.queries.names.similar_names import similar_spellings
from archive.queries.positions.explorer import count_reaching, explore
from archive.queries.positions.position_query import MATCHES
from archive.queries.scope import PUBLIC
from kifu_core.shogi import moves
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.html import tidy
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db

START = shogi64.encode(Position.initial())


@pytest.fixture
def games() -> None:
    builders.ingest(
        builders.ready("7g7f 3c3d", black="羽生善治", white="谷川浩司", day="2020/01/01", event="名人戦"),
        builders.ready("2g2f 3c3d", black="谷川浩司", white="羽生善治", day="2021/01/01", event="王位戦"),
        builders.ready("2g2f 8c8d", black="Hefeweizen", white="森内俊之", day="2022/01/01"),
        builders.ready("5g5f", kind="problem"),
    )


def page(client: Client, query: str, language: str = "en", code: str = START) -> str:
    answer = client.get(f"/positions/shogi/{code}/{query}", headers={"Accept-Language": language})
    assert answer.status_code == 200
    return tidy(answer.content.decode())


def links(html: str, place: str = "chip") -> list[dict[str, list[str]]]:
    """The parameters of all links of a class, or of those in an element of it."""
    matches = re.findall(rf'class="{place}"[^>]*?href="([^"]*)"|<a class="{place}" href="([^"]*)"', html)
    return [parse_qs(urlsplit(unescape(one or other)).query) for one, other in matches]


@pytest.mark.usefixtures("games")
class TestThePage:
    @pytest.mark.parametrize(
        ("language", "words"),
        [("ja", "3局のうち、この条件に合うものはありません"), ("en", "None of the 3 games that reach")],
    )
    def test_it_tells_how_many_games_the_filters_exclude(self, client, language, words):
        html = page(client, "?player=羽生善治&result=draw", language)
        assert words in html
        assert "まだありません" not in html and "No game here reaches" not in html

    def test_each_filter_can_be_dropped_by_itself_and_what_else_is_asked_for_stays(self, client):
        html = page(client, "?player=羽生善治&result=draw&match=any&flip=1")
        assert links(html) == [
            {"match": ["any"], "flip": ["1"], "result": ["draw"]},
            {"match": ["any"], "flip": ["1"], "player": ["羽生善治"]},
        ]
        assert "Without Result draw" in html

    def test_where_some_are_left_it_tells_of_how_many_and_has_a_chip_for_each(self, client):
        html = page(client, "?player=羽生善治&from=2021")
        assert "<strong>1</strong> of 3 games that reach this position" in html
        assert links(html) == [{"from": ["2021"]}, {"player": ["羽生善治"]}]

    def test_without_filters_nothing_is_said_of_them(self, client):
        html = page(client, "")
        assert "<strong>3</strong> games reach this position" in html and links(html) == []

    def test_where_nobody_got_to_filters_are_not_to_blame(self, client):
        code = shogi64.encode(Position.from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1"))
        html = page(client, "?result=draw", code=code)
        assert "No game here reaches this position on its main line yet." in html
        assert 'href="?result=draw&amp;match=any"' in html

    def test_links_to_other_matches_and_to_images_keep_the_filters(self, client):
        html = page(client, "?black=羽生善治&result=black&match=color&order=oldest")
        toggles = re.findall(
            r'<li><a href="([^"]*)"', html.partition('class="match"')[2].partition("</nav>")[0]
        )
        assert len(toggles) == 4
        assert all("black=%E7%BE%BD" in one and "order=oldest" in one for one in toggles)
        image = re.search(r'class="images"><li><a href="[^"?]*([^"]*)"', html)
        assert image and parse_qs(unescape(image[1])[1:]) == {
            "match": ["color"], "white": ["羽生善治"], "result": ["white"],
        }  # fmt: skip

    def test_the_form_keeps_what_is_none_of_its_filters(self, client):
        html = page(client, "?order=oldest&match=mirror&player=羽生善治")
        form = html.partition('<form class="filters"')[2].partition("</form>")[0]
        assert '<input type="hidden" name="order" value="oldest">' in form
        assert '<input type="hidden" name="match" value="mirror">' in form
        assert 'href="?order=oldest&amp;match=mirror"' in form

    def test_what_an_address_has_is_text_in_the_form(self, client):
        assert '<script>alert(1)"' not in page(client, '?"><script>alert(1)</script>="><script>alert(1)"')

    @pytest.mark.parametrize(
        ("field", "typed", "expected"),
        [
            ("player", "羽生善冶", "羽生善治"),
            ("black", "羽入善治", "羽生善治"),
            ("white", "羽生", "羽生善治"),
            ("player", "hefewiezen", "Hefeweizen"),
            ("event", "明人戦", "名人戦"),
        ],
    )
    def test_a_mistyped_name_gets_likely_ones(self, client, field, typed, expected):
        html = page(client, f"?{field}={typed}&match=mirror&result=black")
        assert f"nobody here is called “{typed}”" in html
        names = re.findall(
            r'<a href="(\?[^"]*)">([^<]+)</a>', html.partition("Perhaps:")[2].partition("</p>")[0]
        )
        assert [name for _href, name in names] == [expected]
        query = parse_qs(unescape(names[0][0])[1:])
        assert query == {"match": ["mirror"], "result": ["black"], field: [expected]}

    def test_filters_that_are_not_understood_are_said_to_count_for_nothing(self, client):
        html = client.get(f"/positions/shogi/{START}/?from=x&result=draw").content.decode()
        assert "すべての対局を表示しています" in html and links(html) == []
        assert '<details class="filter-games" open>' in html

    def test_a_name_that_is_here_is_not_mistyped(self, client):
        assert "nobody here" not in page(client, "?player=羽生善治&result=draw")

    def test_the_list_of_games_tells_likely_names_too(self, client):
        html = client.get(
            "/games/?player=羽生善冶&from=2020", headers={"Accept-Language": "en"}
        ).content.decode()
        perhaps = html.partition("Perhaps:")[2].partition("</p>")[0]
        assert "羽生善治" in perhaps and "from=2020" in perhaps

    @pytest.mark.parametrize("match", MATCHES)
    def test_games_that_reach_a_position_are_as_many_as_the_explorer_tells(self, match):
        for line in ("", "7g7f", "2g2f 3c3d"):
            position = Position.initial()
            for usi in line.split():
                position.do_move(moves.from_usi(usi))
            code = shogi64.encode(position)
            assert count_reaching(PUBLIC, "shogi", code, match) == explore(PUBLIC, "shogi", code, match).total


# --- names -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("games")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("羽生善冶", ["羽生善治"]), ("羽善生治", ["羽生善治"]), ("羽生善", ["羽生善治"]), ("羽生 善治", []),
        ("生善治", ["羽生善治"]), ("谷川浩二", ["谷川浩司"]), ("Hefewiezen", ["Hefeweizen"]),
        ("hefweizen", ["Hefeweizen"]), ("efeweizn", ["Hefeweizen"]), ("Weizenbier", []), ("羽", []), ("", []),
        ("羽生善治", []), ("%", []), ("%%%%", []), ("____", []), ("!!", []), ("羽" * 200, []),
        ("羽\0善治", ["羽生善治"]),
    ],
)  # fmt: skip
def test_likely_names_are_few_characters_away(typed, expected):
    assert similar_spellings(PUBLIC, "player", typed) == expected


def test_a_further_name_of_a_player_leads_to_the_one_that_lists_have(games):
    add_spelling(Player.objects.get(name="羽生善治"), "はぶよしはる")
    assert similar_spellings(PUBLIC, "player", "はぶよしはろ") == ["羽生善治"]


def test_names_without_games_are_nobody():
    Player.objects.create(name="羽生善治")
    assert similar_spellings(PUBLIC, "player", "羽生善冶") == []
