"""What a list of games is made of, and the links that narrow it down."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from django.core.cache import caches
from django.test import Client

from archive.models import Upload
from archive.queries.games import facets as module
from archive.queries.games import records_by_kind
from archive.queries.games.facets import Facets, facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import find_games
from archive.queries.games.statistics import statistics
from archive.queries.scope import PUBLIC
from tests.archive import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def archive(module_db: None) -> None:
    """Five games and a problem in one upload, one of the games in a second one too."""
    own = builders.ready("2g2f 3c3d", winner=None, black="甲", white="甲", day="2022/06/06")
    builders.ingest(
        builders.ready("7g7f 3c3d", black="甲", white="乙", day="2020/01/01", event="名人戦", site="天童"),
        builders.ready("7g7f 8c8d", winner=1, black="甲", white="丙", day="2022/05/05", event="名人戦"),
        builders.ready("2g2f 8c8d", winner=0, black="乙", white="甲", day="2022/06/06", event="竜王戦"),
        own,
        builders.ready("2g2f 1c1d", winner=None, black="丙", white="丁"),
        builders.ready("5g5f", kind="problem"),
    )
    builders.ingest(own)


def numbers(found: Facets) -> dict[str, int]:
    """Players, events and places by name."""
    return {name: n for _pk, name, n in (*found.players, *found.events, *found.places)}


def test_all_games_are_counted_by_what_they_have() -> None:
    counts = facets(PUBLIC)
    assert (counts.games, counts.sampled) == (6, False)
    # Who plays himself is in one game.
    assert numbers(counts) == {"甲": 4, "乙": 2, "丙": 2, "丁": 1, "名人戦": 2, "竜王戦": 1, "天童": 1}
    assert counts.years == ((2022, 3), (2020, 1))
    assert dict(counts.results) == {0: 2, 1: 1, 3: 3}
    assert dict(counts.kinds) == {"game": 5, "problem": 1}
    first, second = Upload.objects.order_by("pk")
    assert [(pk, n) for pk, _name, n in counts.sources] == [(first.pk, 6), (second.pk, 1)]


@pytest.mark.parametrize(
    "filters",
    [
        GameFilters(player="甲"),
        GameFilters(black="甲"),
        GameFilters(event="名人戦"),
        GameFilters(result=3),
        GameFilters(player="甲", result=3),
        GameFilters(handicap="HIRATE", record_kind="game"),
    ],
)
def test_the_number_beside_a_value_is_that_of_the_list_it_leads_to(filters: GameFilters) -> None:
    counts = facets(PUBLIC, filters)
    assert counts.games == len(find_games(PUBLIC, filters).items)
    for _pk, name, n in counts.players:
        parameters = GameFilters(
            player=name,
            event=filters.event,
            result=filters.result,
            handicap=filters.handicap,
            record_kind=filters.record_kind,
        )
        if filters.player is None and filters.black is None:
            assert len(find_games(PUBLIC, parameters).items) == n
    for pk, _name, n in counts.sources:
        of_upload = {row.id for row in find_games(PUBLIC, GameFilters(upload=pk)).items}
        assert len(of_upload & {row.id for row in find_games(PUBLIC, filters).items}) == n


def test_a_large_list_is_counted_over_its_newest_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE", 2)
    monkeypatch.setattr(module, "EXACT_GAMES", 0)
    counts = facets(PUBLIC)
    assert (counts.games, counts.sampled, counts.years) == (2, True, ((2022, 2),))
    assert facets(PUBLIC, GameFilters(player="丁")).sampled is False
    builders.ingest(builders.ready("1g1f", black="戊", day="2030/01/01"))
    assert facets(PUBLIC) == counts  # kept for a while
    caches["counted"].clear()
    assert facets(PUBLIC).years == ((2030, 1), (2022, 1))


@pytest.mark.parametrize(
    "filters", [GameFilters(), GameFilters(game="shogi"), GameFilters(record_kind="game")]
)
def test_whole_lists_are_counted_whole(monkeypatch: pytest.MonkeyPatch, filters: GameFilters) -> None:
    exact = facets(PUBLIC, filters)
    monkeypatch.setattr(module, "SAMPLE", 2)
    counts = facets(PUBLIC, filters)
    assert counts.exact and not counts.sampled
    for name in ("years", "results", "handicaps", "endings", "openings", "kinds", "boards", "games"):
        assert getattr(counts, name) == getattr(exact, name), name
    assert numbers(counts) == numbers(exact)
    assert counts.sources == exact.sources
    # Where anything else is asked for, and where there is too much, it is a sample.
    assert facets(PUBLIC, GameFilters(player="甲")).sampled
    monkeypatch.setattr(module, "EXACT_GAMES", 5)
    assert facets(PUBLIC, filters).sampled


def test_facets_of_games_are_the_numbers_of_the_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE", 2)
    monkeypatch.setattr(records_by_kind, "RECOUNT_LIMIT", 0)
    monkeypatch.setattr(records_by_kind, "GAMES_A_SECOND", 0.01)
    parameters = GameFilters(game="shogi", record_kind="game")
    before = facets(PUBLIC, parameters)
    builders.ingest(builders.ready("1g1f", black="戊", day="2030/01/01"))
    # Both are kept, and both are of the same moment.
    results, data = facets(PUBLIC, parameters), statistics(PUBLIC, "shogi")
    assert results == replace(before, exact=False) and not data.exact
    assert dict(results.results) == {result: n for result, n in enumerate(data.results) if n}
    assert dict(results.years) == {year: n for year, n in data.years if n}
    assert dict(results.endings) == dict(data.endings)
    assert results.games == data.games


def test_the_api_tells_facets_and_what_they_count(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    data = client.get("/api/v1/games/facets?player=甲").json()
    assert data["total"] == {"count": 4, "exact": True}
    assert data["counted"] == {"games": 4, "newest": None}
    assert {"name": "名人戦", "games": 2} in data["events"]
    assert {"result": "black", "games": 2} in data["results"]
    assert {one["name"] for one in data["players"]} == {"甲", "乙", "丙"}
    assert data["record_kinds"] == [{"record_kind": "game", "games": 4}]
    monkeypatch.setattr(module, "SAMPLE", 3)
    monkeypatch.setattr("archive.api.views.games.SAMPLE", 3)
    data = client.get("/api/v1/games/facets?player=甲").json()
    # Two of the three are the two sides of one game.
    assert data["counted"] == {"games": 2, "newest": 3} and data["total"] == {"count": 2, "exact": False}
    answer = client.get("/api/v1/games/facets?order=newest")
    assert answer.status_code == 400 and answer.json()["errors"][0]["field"] == "order"


def test_nobody_has_no_facets() -> None:
    assert facets(PUBLIC, GameFilters(player="nobody")) == Facets()


FACET = re.compile(
    r'<a href="(\?[^"]*)" rel="nofollow"><span class="value">([^<]*)</span>'
    r' <span\s+class="number">(\d+)</span>'
)


def links(client: Client, address: str, language: str = "ja") -> dict[str, str]:
    """The facets' values as shown with their numbers, and where they lead."""
    html = client.get(address, headers={"Accept-Language": language}).content.decode()
    return {f"{text} {n}": unescape(href) for href, text, n in FACET.findall(html)}


def test_facets_lead_to_the_list_that_they_count(client: Client) -> None:
    shown = links(client, "/games/?player=甲")
    assert {"名人戦 2", "2022 3", "☗勝ち 2"} <= shown.keys()
    assert not any(text.startswith("甲 ") for text in shown)  # that filter is in use
    for text, href in shown.items():
        number = client.get(f"/games/{href}").content.decode().count('class="game-row"')
        assert text.endswith(f" {number}")
        assert "player=" in href


def test_facets_say_where_they_count_more_than_the_statistics_do(client: Client) -> None:
    def shown(query: str) -> bool:
        return "問題・定跡・局面も数えています" in client.get(f"/games/{query}").content.decode()

    assert shown("?record_kind=all")
    assert not shown("")
    assert not shown("?record_kind=game")
    assert facets(PUBLIC, GameFilters(record_kind="game")).games == statistics(PUBLIC, "shogi").games


def test_an_upload_is_a_filter_with_its_name(client: Client) -> None:
    upload = Upload.objects.latest("pk")
    Upload.objects.filter(pk=upload.pk).update(name="甲の<b>棋譜.kif")
    html = client.get(f"/games/?upload={upload.pk}").content.decode()
    assert html.count('class="game-row"') == 1
    assert "甲の&lt;b&gt;棋譜.kif" in html
    assert client.get("/games/?upload=x").status_code == 400
