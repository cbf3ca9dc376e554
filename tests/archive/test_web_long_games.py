"""Pages and answers about games at the limits and beyond: a megabyte each, and everything can be reached."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any, Final

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.derive import chart_line
from archive.index.engine import engine
from archive.models import Game, User
from archive.queries.games import twins
from archive.queries.positions import novelty
from archive.queries.scope import PUBLIC
from archive.web.pages import uploading
from archive.web.replay import editions as sources
from archive.web.replay import game_page
from archive.web.replay.folding import AHEAD, FORK_ROWS, piece_of
from archive.web.replay.record import find_node
from tests.archive import builders, long_games
from tests.archive.html import tidy
from tests.archive.long_games import NASTY

pytestmark = pytest.mark.django_db

MOST = 1_000_000
"""Bytes of an answer, uncompressed."""
PLIES = 10_000


def get(client: Client, address: str, language: str = "ja") -> str:
    answer = client.get(address, headers={"Accept-Language": language})
    assert answer.status_code == 200, address
    assert len(answer.content) < MOST, (address, len(answer.content))
    return tidy(answer.content.decode())


def rows(html: str) -> list[str]:
    """The keys of the rows in the list of moves."""
    return re.findall(r'<li data-key="([^"]*)"', html)


def folded(html: str) -> list[str]:
    """The links of the list to omitted parts of the record."""
    return [unescape(href) for href in re.findall(r'<li class="fold"><a href="([^"]*)"', html)]


def tree(html: str) -> dict:
    match = re.search(r'<script id="record" type="application/json">(.*?)</script>', html, re.S)
    assert match
    return json.loads(match[1])


def worst() -> Game:
    """A game that has too much of everything."""
    header = {f"見出し{n}<{n}>": '<"&あ' * 2_000 for n in range(300)}
    made = long_games.record(PLIES, [(NASTY * 4)[:90]], header)
    long_games.with_forks(made, {4_999: 5_000})
    long_games.with_forks(made, dict.fromkeys(range(5_000, 5_300), 5), 9)
    extra = {"unread": NASTY * 50_000, "bookmarks": [[ply, NASTY * 10] for ply in range(1_000)]}
    names = {"black": "<&" * 500, "white": '"' * 1_000, "event": "'" * 1_000, "day": "2020/01/01"}
    return long_games.stored(made, extra, 1_000, **names)


def test_every_answer_about_the_worst_game_is_less_than_a_megabyte(client: Client) -> None:
    game = worst()
    upload = game.entries.get().upload_id
    queries = ["", "?ply=4998&from=4960", "?ply=4999&fork=4999.4000", "?ply=5003&fork=5000.3&flip=1"]
    for query in queries:
        get(client, f"/games/{game.pk}/{query}")
    get(client, f"/games/{game.pk}/?ply=5003&fork=5000.3", "en")
    get(client, f"/embed/games/{game.pk}/?ply=5003&fork=5000.3")
    for page in (f"/uploads/{upload}/", "/games/"):
        get(client, page)
    for answer in ("", "/positions?limit=2000", "/series?limit=2000"):
        get(client, f"/api/v1/games/{game.pk}{answer}")
    for answer in ("", "?limit=500", "/0/report"):
        get(client, f"/api/v1/uploads/{upload}/entries{answer}")


def test_the_admin_shows_the_beginning_of_long_texts(admin_client: Client) -> None:
    assert User.objects.filter(is_superuser=True).exists()
    game = worst()
    for page in ("game/", f"game/{game.pk}/change/", "upload/"):
        get(admin_client, f"/admin/archive/{page}")


SHAPES: Final[dict[str, Callable[[], Any]]] = {
    "nested": lambda: long_games.nested(300, 100),
    "book": lambda: long_games.with_forks(long_games.record(40), {3: 5_000, 5: 5_000}, 2),
    "long forks": lambda: long_games.with_forks(long_games.record(40), {7: 3}, 5_000),
    "long comments": lambda: long_games.record(300, ["<\"&'" * 10_000]),
    "empty comments": lambda: long_games.record(300, [""] * 2_000),
    "addresses": lambda: long_games.record(2_000, ["http://a.b " * 40]),
    "quoridor": lambda: long_games.quoridor(PLIES),
}
"""Games that are long each in its way."""


@pytest.mark.parametrize(
    "make",
    [
        *(pytest.param(make, id=name) for name, make in SHAPES.items()),
        pytest.param(lambda: long_games.record(33_000), id="stored before the limits"),
    ],
)
def test_pages_of_other_long_games_are_less_than_a_megabyte_too(client: Client, make) -> None:
    game = long_games.stored(make())
    for query in ("", f"?ply={game.plies // 2}", "?ply=4&fork=3.4000", "?ply=2500&fork=7.1"):
        get(client, f"/games/{game.pk}/{query}")
    get(client, f"/embed/games/{game.pk}/?ply=20", "en")
    get(client, f"/api/v1/games/{game.pk}/positions")


def test_a_game_of_usual_length_is_shown_as_a_whole(client: Client) -> None:
    made = long_games.with_forks(long_games.record(500, ["読みの入った一手。"]), {100: 20, 200: 20}, 10)
    html = get(client, f"/games/{long_games.stored(made).pk}/?ply=250")
    assert folded(html) == []
    assert len(rows(html)) == 501 + 400
    in_the_list, shown, on_one_line = 501, 1, 1
    assert html.count("読みの入った一手。") == in_the_list + shown + on_one_line
    assert tree(html)["ply"] == 0


def test_a_long_game_is_shown_around_the_asked_ply_with_links_to_what_is_before_and_behind(
    client: Client,
) -> None:
    game = long_games.stored(long_games.record(PLIES))
    address = f"/games/{game.pk}/"
    html = get(client, f"{address}?ply=5000")
    assert rows(html) == [f":{ply}" for ply in range(5_000 - AHEAD // 2, 5_000 + AHEAD + 1)]
    assert folded(html) == [f"{address}?ply={5_000 - AHEAD // 2 - 1}", f"{address}?ply={5_000 + AHEAD + 1}"]
    assert f'data-go="end" href="{address}?ply={PLIES}"' in html
    assert re.search(rf'data-go="start" href="{address}"', html)
    assert (tree(html)["ply"], tree(html)["above"]) == (4_800, "")
    assert len(tree(html)["moves"]) == AHEAD + AHEAD // 2 + 1
    assert tree(html)["moves"][-1]["last"] == PLIES


def test_every_ply_of_a_long_game_can_be_reached_by_links(client: Client) -> None:
    game = long_games.stored(long_games.record(2_000))
    seen, address = set(), f"/games/{game.pk}/"
    while address:
        html = get(client, address)
        seen |= set(rows(html))
        further = [link for link in folded(html) if f":{link.rpartition('=')[2]}" not in seen]
        address = further[0] if further else ""
    assert seen == {f":{ply}" for ply in range(2_001)}


def test_every_continuation_of_an_opening_book_can_be_reached_by_links(client: Client) -> None:
    game = long_games.stored(long_games.with_forks(long_games.record(40), {3: 2_000}))
    html = get(client, f"/games/{game.pk}/")
    assert f"/games/{game.pk}/?ply=2" in folded(html)
    seen: list[str] = []
    address = f"/games/{game.pk}/?ply=2"
    while address:
        html = get(client, address)
        keys = re.findall(r'class="button" href="[^"]*" data-key="([^"]+)"', html)
        assert len(keys) <= game_page.CHOICES
        seen += keys
        match = re.search(r'<p class="further"[^>]*><a href="([^"]*)"', html)
        address = unescape(match[1]) if match else ""
    assert seen == [":3", *(f"3.{number}:3" for number in range(2_000))]
    html = get(client, f"/games/{game.pk}/?ply=3&fork=3.1990")
    assert "3.1990:3" in rows(html)
    assert "1990" in tree(html)["moves"][3]["forks"]


def test_a_variation_in_a_long_game_is_shown_with_the_line_that_it_leaves() -> None:
    made = long_games.with_forks(long_games.record(PLIES), {6_000: 2}, 1_000)
    piece = piece_of(made, find_node(made, "6000.1", 6_050))
    shown = {(row.path, row.ply) for row in piece.rows()}
    assert {("6000.1", ply) for ply in range(6_000, 6_050 + AHEAD + 1)} <= shown
    assert {("", ply) for ply in range(6_050 - AHEAD // 2, 6_000 + FORK_ROWS + 1)} <= shown
    assert {("6000.0", ply) for ply in range(6_000, 6_000 + FORK_ROWS)} <= shown
    assert ("6000.0", 6_000 + FORK_ROWS) not in shown


def test_deep_in_a_variation_only_that_is_shown() -> None:
    made = long_games.with_forks(long_games.record(100), {50: 1}, PLIES)
    piece = piece_of(made, find_node(made, "50.0", 5_000))
    assert {row.path for row in piece.rows()} == {"50.0"}
    assert (piece.first.ply, piece.above) == (5_000 - AHEAD // 2, "50.0")


def test_a_long_comment_is_cut_in_the_list_and_read_on_at_its_ply(client: Client) -> None:
    made = long_games.record(300)
    made["moves"][7]["comments"] = ["あ" * 15_000]
    for ply in range(100, 300):
        made["moves"][ply]["comments"] = ["い" * 1_000]
    game = long_games.stored(made)
    html = get(client, f"/games/{game.pk}/")
    assert "あ" * 15_000 not in html
    assert f'<a href="/games/{game.pk}/?ply=7">続きを読む</a>' in html
    assert get(client, f"/games/{game.pk}/?ply=7").count("あ" * 15_000) == 2


def test_a_comment_beyond_any_page_leads_to_the_record(client: Client) -> None:
    made = long_games.record(3)
    made["moves"][1]["comments"] = ["あ" * 500_000]
    html = get(client, f"/games/{long_games.stored(made).pk}/?ply=1")
    assert "棋譜の全文" in html
    assert re.search(r'href="/api/v1/games/\d+/record.jkf" download>棋譜の全文', html)


def test_headers_without_room_are_counted_and_stand_in_the_record(client: Client) -> None:
    header = {f"見出し{n}": "値" for n in range(150)} | {"備考": "長" * 500_000}
    game = long_games.stored(long_games.record(10, header=header))
    html = get(client, f"/games/{game.pk}/")
    assert html.count("見出し") == game_page.HEADERS
    assert f"{150 + 1 - game_page.HEADERS}個のヘッダー" in html


def test_a_game_that_came_often_names_its_first_sources(client: Client) -> None:
    ready = long_games.ready(long_games.record(20), day="2020/01/01")
    for _ in range(sources.MOST + 3):
        builders.ingest(ready)
    game = Game.objects.get()
    html = get(client, f"/games/{game.pk}/")
    assert len(re.findall(r'<a href="/uploads/\d+/">', html)) == sources.MOST
    assert "ほか3件" in html
    answer = client.get(f"/api/v1/games/{game.pk}").json()
    assert (len(answer["sources"]), answer["more_sources"]) == (sources.MOST + 3, 0)


def test_positions_come_by_pages(client: Client) -> None:
    game = long_games.stored(long_games.record(2_500))
    plies: list[int] = []
    address = f"/api/v1/games/{game.pk}/positions"
    while address:
        answer = client.get(address).json()
        assert len(answer["results"]) <= 1_000
        plies += [one["ply"] for one in answer["results"]]
        address = answer["next_url"]
    assert plies == list(range(2_501))


def test_a_series_comes_by_pages(client: Client) -> None:
    game = long_games.stored(long_games.record(2_500))
    plies: list[int] = []
    address = f"/api/v1/games/{game.pk}/series"
    while address:
        answer = client.get(address).json()
        plies += [one["ply"] for one in answer["clock"]]
        address = answer["next_url"]
    assert plies == list(range(1, 2_501))


@pytest.mark.parametrize("name", ["positions", "series"])
@pytest.mark.parametrize("query", ["cursor=-1", "cursor=x", "cursor=²", "limit=0", "limit=2001"])
def test_pages_that_make_no_sense_are_refused(client: Client, name: str, query: str) -> None:
    game = long_games.stored(long_games.record(3))
    assert client.get(f"/api/v1/games/{game.pk}/{name}?{query}").status_code == 400


def test_charts_have_no_more_points_than_can_be_seen(client: Client) -> None:
    game = long_games.stored(long_games.record(PLIES))
    match = re.search(r'<svg class="chart time-chart".*?</svg>', get(client, f"/games/{game.pk}/"), re.S)
    assert match
    assert 0 < match[0].count("v") - match[0].count("viewBox") <= chart_line.BARS + 5


def test_news_of_a_game_are_looked_for_in_a_bounded_part_of_it(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    long_games.stored(long_games.record(2_000), black="甲", day="2020/01/01")
    game = long_games.stored(long_games.record(2_001), black="乙", day="2021/01/01")
    # In shards each position has a query of its own.
    at_once = 1 if engine().REMOTE_INDEX else novelty.BATCH
    with django_assert_max_num_queries(2 + -(-novelty.PLIES // at_once)):
        assert novelty.novelty(PUBLIC, Game.objects.select_related("stored").get(pk=game.pk)) is None


def test_twins_are_compared_as_long_as_they_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    header = {"black": "甲", "white": "乙", "day": "2020/01/01"}
    long_games.stored(long_games.record(30), **header)
    game = long_games.stored(long_games.record(40), **header)
    assert [twin.reason for twin in twins.twins(PUBLIC, game.pk)] == ["beginning"]
    for limit in ("MOST_PACKED_BYTES", "MOST_UNPACKED_BYTES"):
        with monkeypatch.context() as patched:
            patched.setattr(twins, limit, 100)
            assert twins.twins(PUBLIC, game.pk) == ()


def test_an_upload_with_many_findings_tells_them_by_pages(client: Client) -> None:
    upload, token = builders.upload()
    from archive import store
    from archive.derive.game import DerivedEntry
    from kifu_core.errors import Issue

    issue = Issue("unknown-line", "error", 1, 1, None, {"text": NASTY, "expected": "row"}, NASTY * 6)
    failed = [DerivedEntry(seq, path=NASTY * 50, issues=(issue,) * 300) for seq in range(30)]
    builders.store_entries(upload.pk, token, failed)
    store.finish(upload.pk, token)
    seen, address = 0, f"/uploads/{upload.pk}/"
    while address:
        html = get(client, address)
        seen += html.count('<li class="entry failed"')
        match = re.search(r'rel="next" href="([^"]*)"', html)
        address = f"/uploads/{upload.pk}/{match[1]}" if match else ""
    assert seen == 30
    assert f"ほか{300 - uploading.ISSUES}件" in get(client, f"/uploads/{upload.pk}/")
    numbers, address = [], f"/api/v1/uploads/{upload.pk}/entries"
    while address:
        answer = json.loads(get(client, address))
        numbers += [entry["seq"] for entry in answer["results"]]
        assert all(len(entry["issues"]) + entry["more_issues"] == 300 for entry in answer["results"])
        address = answer["next_url"]
    assert numbers == list(range(30))
