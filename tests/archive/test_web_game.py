"""The page of one game, without JavaScript."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from archive.derive.game import derive_game
from archive.models import Game, GameAlias
from kifu_core.record import RecordKind
from kifu_core.shogi.position import Position
from tests.archive import builders
from tests.archive.html import tidy

pytestmark = pytest.mark.django_db

LINE = "7g7f 3c3d 8h2b+ 3a2b B*4e"
HOSTILE = '<script>alert("x")</script> see https://example.org/a?b=1&c=2. javascript:alert(1)'
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"


def store() -> Game:
    """A game with forks, stored."""
    forks = {2: [["8c8d", "2g2f"]], 3: [["2g2f", "8c8d"], ["6g6f"]]}
    builders.ingest(builders.ready(LINE, forks, black="甲野", white="乙山", event="名人戦"))
    return Game.objects.get()


def page(client: Client, address: str, language: str = "ja") -> str:
    """The HTML of a page that answers 200."""
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200
    return tidy(response.content.decode())


def sfen_of(html: str) -> str:
    """The position that the board says it shows."""
    match = re.search(r'class="board-host" data-sfen="([^"]+)"', html)
    assert match
    return match[1]


def test_it_begins_at_the_start_with_the_facts_and_the_moves(client: Client) -> None:
    html = page(client, f"/games/{store().pk}/")
    assert sfen_of(html) == Position.initial().sfen()
    for text in ("甲野", "乙山", "名人戦", "☗勝ち", "▲７六歩", "△３四歩", "投了", "開始局面"):
        assert text in html


def test_a_mark_and_shapes_in_comments_are_shown_and_their_text_is_not(client: Client) -> None:
    made = builders.record(LINE, header={"先手": "甲"})
    made["moves"][1]["comments"] = ["【好手】", "角道を開ける。", "[%csl G5e][%cal R7g7f]"]
    made["moves"][2]["comments"] = ["[%csl B3d]"]
    builders.ingest(derive_game(builders.parsed(made)))
    address = f"/games/{Game.objects.get().pk}/"
    html = page(client, f"{address}?ply=1")
    assert '▲７六歩不成<b class="sign" title="好手">!</b></a>' in html
    assert 'data-key=":1" data-shapes="G5e R7g7f"' in html
    assert 'data-key=":2" data-shapes="B3d"' in html
    assert '<p class="judged"><b class="sign">!</b> 好手</p>' in html
    assert "[%c" not in html and "【" not in html
    assert "Good move" in page(client, address, "en")


def test_what_a_server_wrote_for_programs_is_shown_as_an_evaluation(client: Client) -> None:
    made = builders.record(LINE, header={"先手": "甲"})
    made["moves"][1]["comments"] = ["** 1704 -3334FU +8822UM #120", "** 30 3c3d", "* 三筋", "** 31111"]
    builders.ingest(derive_game(builders.parsed(made)))
    address = f"/games/{Game.objects.get().pk}/?ply=1"
    html = page(client, address)
    for text in ("評価値 +1704", "ノード数120", 'data-moves="3c3d.8h2b+"', "評価値 +30", "評価値 <span"):
        assert html.count(text) == 2
    assert "△３四歩 ▲２二角成" in html and html.count("* 三筋") == 3
    assert f'href="{address}&amp;try=3c3d.8h2b+">▲２二角成</a>' in html
    assert "** " not in html
    english = page(client, address, "en")
    assert "Evaluation +1704" in english and "120 nodes" in english and "△P-3d ▲Bx2b+" in english


def test_a_line_of_play_that_cannot_be_played_stands_in_words(client: Client) -> None:
    made = builders.record(LINE, header={"先手": "甲"})
    made["moves"][1]["comments"] = ["** 12 -9394FU -9394FU", "** 12 -0055KA"]
    builders.ingest(derive_game(builders.parsed(made)))
    html = page(client, f"/games/{Game.objects.get().pk}/?ply=1")
    assert html.count('data-moves="9c9d"') == 2
    assert '<span class="line">-0055KA</span>' in html


def test_the_page_speaks_english_with_western_moves(client: Client) -> None:
    html = page(client, f"/games/{store().pk}/", "en")
    for text in ("▲P-7f", "▲Bx2b+", "▲B*4e", "resigns", "Start position", "☗ wins"):
        assert text in html


def test_a_ply_shows_its_position_and_leads_on_and_back(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=3")
    assert sfen_of(html).startswith("lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4")
    assert re.search(r'data-go="back" href="/games/\d+/\?ply=2"', html)
    assert re.search(r'data-go="forward" href="/games/\d+/\?ply=4"', html)
    assert re.search(r'data-go="end" href="/games/\d+/\?ply=6"', html)
    assert re.search(r'aria-current="step">▲２二角成<', html)
    assert re.search(r'class="ply">3</span> /\s*<span class="last-ply">5<', html)


def test_at_the_ends_there_is_nothing_further(client: Client) -> None:
    game = store()
    assert page(client, f"/games/{game.pk}/").count('aria-disabled="true"') == 2
    assert page(client, f"/games/{game.pk}/?ply=99").count('aria-disabled="true"') == 2


def test_a_branching_position_offers_its_continuations(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=2")
    choices = re.findall(r'class="button" href="[^"]*" data-key="([^"]+)">([^<]+)<', html)
    assert [key for key, _text in choices] == [":3", "3.0:3", "3.1:3"]
    assert [text[:4] for _key, text in choices] == ["▲２二角", "▲２六歩", "▲６六歩"]


def test_a_fork_is_shown_on_its_own_line(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=3&fork=2.0")
    assert sfen_of(html) == "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4"
    assert re.search(r'data-go="back" href="/games/\d+/\?ply=2&amp;fork=2.0"', html)


def test_the_position_can_be_looked_up_and_the_record_downloaded(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=1")
    match = re.search(r'class="button position-link" href="([^"]+)"', html)
    assert match
    assert "<strong>1</strong>" in page(client, match[1])
    for name in ("jkf", "kif", "kifu", "ki2", "csa"):
        assert f"/api/v1/games/{game.pk}/record.{name}" in html


def test_the_moves_are_embedded_for_scripts_with_their_forks(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/")
    match = re.search(r'<script id="record" type="application/json">(.*?)</script>', html, re.S)
    assert match
    tree = json.loads(match[1])
    assert (tree["path"], tree["ply"]) == ("", 0)
    assert played(tree["moves"]) == played(game.jkf["moves"])


def played(entries: list[Any]) -> list[Any]:
    """The moves of entries and of their forks, without the other data."""
    return [
        (
            {
                name: value
                for name, value in entry.get("move", {}).items()
                if name not in ("same", "relative")
            },
            [played(fork) for fork in values_of(entry.get("forks", ()))],
        )
        for entry in entries
    ]


def values_of(forks: Any) -> list[Any]:
    return list(forks.values() if isinstance(forks, dict) else forks)


def test_the_board_can_be_flipped_by_address(client: Client) -> None:
    game = store()
    upright, flipped = page(client, f"/games/{game.pk}/"), page(client, f"/games/{game.pk}/?flip=1")
    assert 'class="game-page flipped' in flipped
    assert "?flip=1" in upright
    assert re.search(r'data-go="forward" href="/games/\d+/\?ply=1&amp;flip=1"', flipped)


def test_text_from_records_is_escaped_and_its_web_addresses_are_safe_links(client: Client) -> None:
    made = builders.record("7g7f", header={"先手": "<b>甲", "備考": HOSTILE})
    made["moves"][1]["comments"] = [HOSTILE, "次の行"]
    builders.ingest(derive_game(builders.parsed(made)))
    html = page(client, f"/games/{Game.objects.get().pk}/?ply=1")
    assert "<script>alert" not in html
    assert "<b>甲" not in html
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; see " in html
    link = '<a href="https://example.org/a?b=1&amp;c=2" rel="nofollow noopener noreferrer ugc">'
    assert html.count(link) == 3  # the header, the comment next to the board, the comment in the list
    assert 'href="javascript:' not in html


def test_a_game_without_names_says_so_kindly(client: Client) -> None:
    builders.ingest(builders.ready("7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d"))
    html = page(client, f"/games/{Game.objects.get().pk}/")
    assert "対局者名のない棋譜" in html
    assert "先手" in html and "後手" in html


def test_a_problem_is_called_by_its_name_and_author_and_has_no_result(client: Client) -> None:
    names = {"作品名": "煙詰", "作者": "伊藤看寿", "備考": " "}
    made = builders.record("G*5b", header=names, start=MATE_IN_ONE, special=None)
    builders.ingest(derive_game(builders.parsed(made, winner=None, kind="problem")))
    html = page(client, f"/games/{Game.objects.get().pk}/")
    assert "<h1>煙詰 – 伊藤看寿</h1>" in html
    assert "結果不明" not in html
    assert "備考" not in html


@pytest.mark.parametrize(("kind", "title"), [("problem", "問題"), ("tree", "定跡"), ("position", "局面")])
def test_records_that_are_no_games_are_not_called_games(client: Client, kind: RecordKind, title: str) -> None:
    builders.ingest(builders.ready("7g7f 3c3d", winner=None, kind=kind))
    game = Game.objects.get()
    for address in (f"/games/{game.pk}/", f"/embed/games/{game.pk}/"):
        html = page(client, address)
        assert re.search(f"<h1[^>]*>{title}</h1>", html)
        assert "結果不明" not in html


def test_a_frame_hides_the_solution_of_a_problem_too(client: Client) -> None:
    builders.ingest(builders.ready("G*5b", kind="problem", start=MATE_IN_ONE))
    assert 'class="solution"' in page(client, f"/embed/games/{Game.objects.get().pk}/")


def test_its_sources_lead_to_their_uploads(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/")
    assert f'href="/uploads/{game.entries.get().upload_id}/"' in html


def test_games_that_may_be_the_same_are_named_with_the_reason(client: Client) -> None:
    moves = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d"
    builders.ingest(builders.ready(moves, black="甲", day="2020/01/01"))
    builders.ingest(builders.ready(moves, black="丙<", day="2021/02/02"))
    one, other = Game.objects.order_by("pk")
    html = page(client, f"/games/{one.pk}/")
    assert f'<a href="/games/{other.pk}/">丙&lt; – ? · 2021-02-02 · 10手</a>' in html
    assert "指し手が同じ" in html
    assert "Perhaps the same game" in page(client, f"/games/{other.pk}/", "en")


def test_a_game_like_no_other_names_none(client: Client) -> None:
    assert "同じ対局かもしれない" not in page(client, f"/games/{store().pk}/")


def test_moves_to_the_same_square_say_so_though_the_record_does_not(client: Client) -> None:
    html = page(client, f"/games/{store().pk}/?ply=4")
    assert "△同　銀" in html
    assert 'aria-label="△同　銀不成"' in html


def test_the_position_stands_in_words(client: Client) -> None:
    game = store()
    html = page(client, f"/games/{game.pk}/?ply=5")
    assert "後手番" in html and "先手の持駒：なし" in html and "後手の持駒：角" in html
    assert "White in hand: bishop" in page(client, f"/games/{game.pk}/?ply=5", "en")


def test_times_that_say_nothing_are_left_out(client: Client) -> None:
    made = builders.record("7g7f 3c3d")
    for entry in made["moves"][1:-1]:
        entry["time"] = {"now": {"m": 0, "s": 0}, "total": {"h": 0, "m": 0, "s": 0}}
    builders.ingest(derive_game(builders.parsed(made)))
    assert "0:00" not in page(client, f"/games/{Game.objects.get().pk}/?ply=2")


def test_what_could_not_be_read_is_shown(client: Client) -> None:
    game = store()
    game.entries.update(beyond_jkf={"unread": "<i>謎の行</i>"})
    html = page(client, f"/games/{game.pk}/")
    assert "<pre>&lt;i&gt;謎の行&lt;/i&gt;</pre>" in html


def test_a_former_number_leads_to_the_present_one_with_its_ply(client: Client) -> None:
    game = store()
    GameAlias.objects.create(pk=game.pk + 1000, game=game)
    response = client.get(f"/games/{game.pk + 1000}/?ply=3")
    assert response.status_code == 301
    assert response.headers["Location"] == f"/games/{game.pk}/?ply=3"


def test_an_unknown_game_is_not_found(client: Client) -> None:
    response = client.get("/games/999/", headers={"Accept-Language": "ja"})
    assert response.status_code == 404
    assert "ページが見つかりません" in response.content.decode()


@pytest.mark.parametrize("query", ["ply=x", "ply=-1", "ply=99999999999999", "fork=../..", "ply=3&fork=9.9"])
def test_an_address_that_makes_no_sense_shows_the_game_all_the_same(client: Client, query: str) -> None:
    page(client, f"/games/{store().pk}/?{query}")
