"""Lines of moves in the addresses of positions."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from archive.models import Game
from archive.web.replay.lines import MOVES, read_line
from kifu_core import dump
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db


def code(moves: str) -> str:
    position = Position.initial()
    for usi in moves.split():
        position.do_move(from_usi(usi))
    return shogi64.encode(position)


def page(client: Client, moves: str, query: str = "", **headers: str) -> str:
    answer = client.get(
        f"/positions/shogi/{code(moves)}/{query}", headers={"Accept-Language": "ja", **headers}
    )
    assert answer.status_code == 200
    return tidy(answer.content.decode())


def steps(html: str) -> list[tuple[str, str, bool]]:
    """Address, text and whether it is shown, of every place in the line."""
    walk = html.split('<nav class="walk"')[1].split("</nav>")[0]
    matches = re.findall(r'<li><a href="([^"]+)"([^>]*)>(.*?)</a></li>', walk)
    return [(unescape(href), re.sub("<[^>]+>", "", text), "current" in rest) for href, rest, text in matches]


def test_a_line_is_played_from_the_usual_start(client: Client) -> None:
    assert steps(page(client, "7g7f 3c3d", "?line=7g7f.3c3d")) == [
        (f"/positions/shogi/{code('')}/?line=7g7f.3c3d&at=0", "開始局面", False),
        (f"/positions/shogi/{code('7g7f')}/?line=7g7f.3c3d&at=1", "1 ▲７六歩", False),
        (f"/positions/shogi/{code('7g7f 3c3d')}/?line=7g7f.3c3d", "2 △３四歩", True),
    ]


def test_a_move_to_where_the_move_before_went_is_called_so_in_the_line_and_the_list(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 8h2b+ 3a2b"))
    walked = page(client, "7g7f 3c3d 8h2b+", "?line=7g7f.3c3d.8h2b%2B.3a2b&at=3")
    assert [text for _href, text, _here in steps(walked)][3:] == ["3 ▲２二角成", "4 △同　銀"]
    assert ">△同　銀</a></td>" in walked
    # Visitors from elsewhere do not see that move.
    assert ">△２二銀</a></td>" in page(client, "7g7f 3c3d 8h2b+")
    english = page(client, "7g7f 3c3d 8h2b+", "?line=7g7f.3c3d.8h2b%2B", **{"Accept-Language": "en"})
    assert ">△Sx2b</a></td>" in english


def test_after_a_step_back_the_line_goes_on(client: Client) -> None:
    html = page(client, "7g7f", "?line=7g7f.3c3d&at=1")
    assert [here for _href, _text, here in steps(html)] == [False, True, False]
    assert f'data-go="forward" data-keep="forward" href="/positions/shogi/{code("7g7f 3c3d")}/' in html


def test_a_line_of_another_start_names_it(client: Client) -> None:
    start = code("7g7f 3c3d")
    places = steps(page(client, "7g7f 3c3d 8h2b+", f"?start={start}&line=8h2b%2B"))
    assert [text for _href, text, _here in places] == ["開始局面", "1 ▲２二角成"]
    assert places[0][0] == f"/positions/shogi/{start}/?start={start}&line=8h2b%2B&at=0"


def test_a_first_move_begins_a_line_at_the_shown_position(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 2g2f"))
    start = code("7g7f")
    html = page(client, "7g7f")
    assert f'href="/positions/shogi/{code("7g7f 3c3d")}/?start={start}&amp;line=3c3d"' in html
    assert f'data-next="/positions/shogi/CODE/?start={start}&amp;line=MOVE"' in html


def test_a_move_along_the_line_keeps_what_follows_and_another_one_leaves_it(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 2g2f"), builders.ready("7g7f 8c8d 2g2f"))
    html = unescape(page(client, "7g7f", "?line=7g7f.3c3d.2g2f&at=1&match=any"))
    assert f'"/positions/shogi/{code("7g7f 3c3d")}/?match=any&line=7g7f.3c3d.2g2f&at=2"' in html
    assert f'"/positions/shogi/{code("7g7f 8c8d")}/?match=any&line=7g7f.8c8d"' in html


@pytest.mark.parametrize(
    "query",
    [
        "?line=7g7e", "?line=2g2f", "?line=", "?line=7g7f.", "?line=.", "?line=7g7f&at=0", "?line=7g7f&at=2",
        "?line=7g7f&at=-1", "?line=7g7f&at=１", "?line=7g7f&at=99999999", "?start=wrong&line=7g7f",
        "?line=%00", "?line=" + "7g7f." * 10_000, "?line=<script>", "?start=" + "A" * 9_000 + "&line=7g7f",
    ],
)  # fmt: skip
def test_what_is_no_line_that_leads_here_counts_as_none(client: Client, query: str) -> None:
    assert steps(page(client, "7g7f", query)) == [(f"/positions/shogi/{code('7g7f')}/", "開始局面", True)]


def test_a_line_that_is_as_long_as_a_page_shows_begins_anew(client: Client) -> None:
    shuffle = ("2h3h 8b7b 3h2h 7b8b " * 50).split()[:MOVES]
    assert len(read_line("shogi", Position.initial(), ".".join(shuffle))) == MOVES
    assert read_line("shogi", Position.initial(), ".".join([*shuffle, "7g7f"])) == ()
    html = unescape(page(client, " ".join(shuffle), "?line=" + ".".join(shuffle)))
    assert f'data-next="/positions/shogi/CODE/?start={code(" ".join(shuffle))}&line=MOVE"' in html


def test_a_part_of_the_page_is_the_same_without_what_stands_around(client: Client) -> None:
    html, part = page(client, "7g7f"), page(client, "7g7f", **{"X-Part": "position"})
    inside = re.compile(r'<div id="position".*</div>', re.S)
    assert part.strip().startswith("<h1") and "<html" not in part
    match = inside.search(part)
    assert match and match[0].split("</section>")[0] in html


def test_no_cache_takes_a_part_for_the_page(client: Client) -> None:
    address = f"/positions/shogi/{code('7g7f')}/"
    response, part = client.get(address), client.get(address, headers={"X-Part": "position"})
    assert "X-Part" in response["Vary"] and "X-Part" in part["Vary"]
    assert part["Cache-Control"] == "no-store"


def entered(client: Client, query: str) -> Any:
    """The record with which the page for entering a game begins."""
    html = client.get(f"/games/new/?{query}", headers={"Accept-Language": "ja"}).content.decode()
    return json.loads(re.search(r'<script id="record"[^>]*>(.*?)</script>', html, re.DOTALL)[1])


def test_an_own_line_becomes_a_record_with_the_names_of_its_game(client):
    names = {"black": "甲野", "white": "乙山", "event": "名人戦", "day": "2024/05/01"}
    builders.ingest(builders.ready("7g7f 3c3d 2g2f", {2: [["8c8d", "2g2f"]]}, **names))
    pk = Game.objects.get().pk
    record = entered(client, f"game={pk}&ply=3&fork=2.0&try=8d8e.6i7h")
    header = record["header"]
    assert (header["先手"], header["後手"], header["棋戦"]) == ("甲野", "乙山", "名人戦")
    assert dump(record, "usi").strip() == "position startpos moves 7g7f 8c8d 2g2f 8d8e 6i7h"
    assert [entry.get("comments") for entry in record["moves"]][4] == ["ここから先は盤上で試した手順です。"]


def test_the_next_game_of_an_event_has_its_day_and_place_and_no_players_or_moves(client):
    builders.ingest(
        builders.ready("7g7f", black="甲野", white="乙山", event="秋季大会 1回戦", day="2026/11/23")
    )
    record = entered(client, f"after={Game.objects.get().pk}")
    assert record == {"header": {"棋戦": "秋季大会 1回戦", "開始日時": "2026/11/23"}, "moves": [{}]}


def test_a_game_is_entered_from_all_of_another_one(client):
    builders.ingest(builders.ready("7g7f 3c3d", {2: [["8c8d"]]}, black="甲野"))
    game = Game.objects.get()
    assert entered(client, f"game={game.pk}") == game.jkf


def test_a_line_from_a_board_of_its_own_begins_there(client):
    builders.ingest(builders.ready("G*5b", kind="problem", start="4k4/9/4P4/9/9/9/9/9/9 b G 1"))
    record = entered(client, f"game={Game.objects.get().pk}&try=G*4b")
    assert dump(record, "usi").startswith("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*4b")


@pytest.mark.parametrize("query", ["game=x&try=7g7f", "game=99&try=7g7f", "game=²", "sfen=x", ""])
def test_what_is_neither_a_game_nor_a_position_leaves_the_board_at_the_start(client, query):
    assert entered(client, query) == {"header": {}, "moves": [{}]}


def test_the_form_for_a_record_is_empty_unless_the_address_has_one(client):
    assert re.search(r"<textarea[^>]*></textarea>", client.get("/upload/").content.decode())
    assert ">7g7f</textarea>" in client.get("/upload/?text=7g7f").content.decode()
