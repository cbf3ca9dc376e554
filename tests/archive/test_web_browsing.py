"""The pages of players, events and statistics, without JavaScript."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from archive.models import LABELS, NAMED, NameKind, Player
from archive.queries.games.statistics import DURATIONS
from archive.web.lists.browsing import duration_text, years_plot
from archive.web.lists.rows import side_mark
from tests.archive import builders
from tests.archive.games import stored
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db


SHARED = {"black": "甲野", "event": "名人戦", "site": "天童"}


@pytest.fixture(scope="module", autouse=True)
def archive(module_db: None) -> None:
    builders.ingest(
        builders.ready(
            "7g7f 3c3d", black="甲野", white="<b>乙", day="2020/01/01", event="名人戦", site="天童"
        ),
        builders.ready(
            "7g7f 8c8d", winner=1, black="甲野", white="丙", day="2022/05/05", event="名人戦", site="天童"
        ),
    )


def html(client: Client, address: str, language: str = "ja") -> str:
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200
    return tidy(response.content.decode())


def test_players_are_listed_and_found_by_part_of_their_name(client: Client) -> None:
    page = html(client, "/players/")
    assert "甲野" in page
    assert "&lt;b&gt;乙" in page
    text = html(client, "/players/?name=野")
    assert "甲野" in text
    assert "丙" not in text
    assert "「nobody」を含む名前はありません" in html(client, "/players/?name=nobody")


@pytest.mark.parametrize("words", ["ponan", "ＰＯＮＡＮＺＡ", " za 2", "PONANZA　2"])
def test_part_of_a_name_is_found_in_any_width_and_case(client: Client, words: str) -> None:
    builders.ingest(builders.ready("5g5f", black="Ponanza 2", white="山田 太郎"))
    assert "Ponanza 2</a>" in html(client, f"/players/?name={words}")
    assert "山田太郎</a>" in html(client, "/players/?name=山田 太")


@pytest.mark.parametrize(
    "query", ["name=%00", "name=x%00", "after=%00", "name=%25", "name=_", "name=!", "name=\\"]
)
def test_strange_parts_of_names_are_only_texts(client: Client, query: str) -> None:
    for page in ("players", "events"):
        html(client, f"/{page}/?{query}")


def test_a_player_has_results_opponents_years_and_games(client: Client) -> None:
    page = html(client, f"/players/{Player.objects.get(name='甲野').pk}/", "en")
    for text in ("Black", "Opponents", "Games by year", "2020", "2022", "First moves as Black", "▲P-7f"):
        assert text in page
    assert 'href="/games/?player=%E7%94%B2%E9%87%8E"' in page
    japanese = html(client, f"/players/{Player.objects.get(name='甲野').pk}/")
    assert f"{side_mark('shogi', 0)} 先手・下手" in japanese
    assert "対局数（最大1）" in japanese


@pytest.mark.parametrize(("kind", "name"), [("event", "名人戦"), ("place", "天童")])
def test_events_and_places_have_players_and_games(client: Client, kind: NameKind, name: str) -> None:
    assert name in html(client, f"/{kind}s/")
    page = html(client, f"/{kind}s/{NAMED[kind]._default_manager.get().pk}/")
    for text in (name, "甲野", "丙", "対局者", f'href="/games/?{kind}='):
        assert text in page


@pytest.mark.parametrize("address", ["/players/999/", "/events/999/", "/places/999/"])
def test_nobody_has_no_page(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_statistics_have_titles_units_and_the_numbers_behind_them(client: Client) -> None:
    page = html(client, "/statistics/", "en")
    for text in ("Games by year", "Games by length", "Results", "First moves", "The numbers", "resigns"):
        assert text in page
    assert 'role="img" aria-label="Games by year (games)"' in page


def test_openings_lead_to_their_games(client: Client) -> None:
    stored("先手：甲野\n後手：丁\n戦型：<b>矢倉&amp;\n手合割：平手\n1 ７六歩(77)\n2 投了\n")
    player = Player.objects.get(name="甲野").pk
    for address in ("/statistics/", f"/players/{player}/"):
        page = html(client, address)
        (link,) = re.findall(r'<a href="(/games/[^"]*opening=[^"]*)">&lt;b&gt;矢倉&amp;amp;</a>', page)
        assert html(client, unescape(link)).count('class="game-row"') == 1


def test_openings_have_their_english_names_on_english_pages(client: Client) -> None:
    stored("先手：甲野\n後手：丁\n戦型：四間飛車\n手合割：平手\n1 ７六歩(77)\n2 投了\n")
    for address in ("/statistics/", f"/players/{Player.objects.get(name='甲野').pk}/"):
        assert ">Fourth File Rook (四間飛車)</a>" in html(client, address, "en")
        assert ">四間飛車</a>" in html(client, address)


@pytest.mark.parametrize(
    ("address", "title"),
    [("/players/", "対局者"), ("/events/", "棋戦"), ("/places/", "対局場"), ("/games/", "対局")],
)
def test_the_menu_tells_where_one_is(client: Client, address: str, title: str) -> None:
    assert f'href="{address}" aria-current="page">{title}</a>' in html(client, address)


def test_the_game_leads_to_its_players_its_event_and_its_place(client: Client) -> None:
    player = Player.objects.get(name="甲野")
    game = html(client, "/games/?player=丙").split('class="game-row" href="')[1].split('"')[0]
    page = html(client, game)
    assert f'href="/players/{player.pk}/"' in page
    for kind in LABELS:
        assert f'href="/{kind}s/{NAMED[kind]._default_manager.get().pk}/"' in page


def test_durations_have_classes_in_hours_and_minutes() -> None:
    assert [duration_text(first) for first in DURATIONS[:3]] == ["0:00–0:01", "0:01–0:05", "0:05–0:10"]
    assert duration_text(DURATIONS[-1]) == "16:00–"


def test_centuries_are_plotted_by_decade() -> None:
    years = tuple((year, int(year in (1709, 1710, 1711, 2018))) for year in range(1709, 2019))
    plot = years_plot(years)
    assert [row for row in plot.rows if row[1]] == [("1700–1709", 1), ("1710–1719", 2), ("2010–2019", 1)]
    assert len(plot.rows) == 32
